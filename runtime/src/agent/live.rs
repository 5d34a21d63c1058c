//! Forwards the questions and outputs of running recipes to the machine.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use tokio::sync::{oneshot, watch};
use wattle::model::{IndexMap, Name, Type, Value};
use wattle_agent_core::machine::{Event, Question, RunId, Stop};

use crate::recipe::leak::{self, Known};
use crate::recipe::{Broken, Live, secret, written};
use crate::space::{Failure, FailureKind, PlannedComponent};

use super::files;
use super::shared::Shared;
use super::socket;

/// The callers that wait for answers.
type Askers<T> = HashMap<Question, oneshot::Sender<T>>;

/// Open questions, and the callers that wait for answers.
#[derive(Debug, Default)]
pub(super) struct Questions {
    next: AtomicU64,
    inputs: Mutex<Askers<Result<Option<Value>, Failure>>>,
    outputs: Mutex<Askers<Result<Value, Broken>>>,
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().expect("INVARIANT: nothing panics while it holds what recipes ask")
}

impl Questions {
    fn next(&self) -> Question {
        Question(self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// Answers a question about an input.
    pub(super) fn answer(&self, question: Question, answer: Result<Option<Value>, Failure>) {
        if let Some(asker) = locked(&self.inputs).remove(&question) {
            let _ = asker.send(answer);
        }
    }

    /// Answers a question about an output.
    pub(super) fn answer_output(&self, question: Question, answer: Result<Value, Broken>) {
        if let Some(asker) = locked(&self.outputs).remove(&question) {
            let _ = asker.send(answer);
        }
    }
}

/// One run of a recipe.
pub(super) struct Run {
    shared: Arc<Shared>,
    questions: Arc<Questions>,
    id: RunId,
    component: Name,
    own_name: Name,
    planned: PlannedComponent,
    // Its run directory.
    directory: PathBuf,
    token: String,
    stopped: watch::Receiver<Option<Stop>>,
    state: Mutex<Exchanged>,
}

/// What the run has exchanged so far.
struct Exchanged {
    handed: IndexMap<Name, Value>,
    published: IndexMap<Name, Value>,
    secrets: Vec<Value>,
}

impl Exchanged {
    /// Notes which parts of `value` are secret by their type.
    fn learn(&mut self, ty: &Type, value: &Value) {
        for secret in secret::secrets(ty, value) {
            if !self.secrets.contains(secret) {
                self.secrets.push(secret.clone());
            }
        }
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("component", &self.component).finish_non_exhaustive()
    }
}

impl Run {
    /// Creates a run with its present inputs and the outputs that it has published before.
    pub(super) fn new(
        shared: &Arc<Shared>,
        questions: &Arc<Questions>,
        (id, component): (RunId, &Name),
        planned: &PlannedComponent,
        (inputs, published): (&IndexMap<Name, Value>, IndexMap<Name, Value>),
        stopped: watch::Receiver<Option<Stop>>,
    ) -> Arc<Self> {
        let typed = |(name, value)| Some((&planned.inputs.get(name)?.ty, value));
        let secret = |(ty, value)| secret::secrets(ty, value).cloned();
        let secrets = inputs.iter().filter_map(typed).flat_map(secret).collect();
        Arc::new(Self {
            directory: files::directory(shared, component),
            token: socket::chance(),
            shared: Arc::clone(shared),
            questions: Arc::clone(questions),
            id,
            component: shared.full(component),
            own_name: component.clone(),
            planned: planned.clone(),
            stopped,
            state: Mutex::new(Exchanged { handed: inputs.clone(), published, secrets }),
        })
    }

    pub(super) fn token(&self) -> &str {
        &self.token
    }

    fn ended(&self) -> Failure {
        Failure {
            component: self.component.clone(),
            kind: FailureKind::Input,
            message: "the recipe has ended".to_owned(),
            log: Vec::new(),
            at: crate::clock::now(),
            through: Vec::new(),
        }
    }
}

/// A question that is withdrawn when its caller stops waiting.
struct Asked<'r> {
    run: &'r Run,
    question: Question,
    is_answered: bool,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        if !self.is_answered {
            locked(&self.run.questions.inputs).remove(&self.question);
            self.run.shared.say(Event::Withdrawn(self.run.id, self.question));
        }
    }
}

#[async_trait]
impl Live for Run {
    async fn input(&self, name: &str) -> Result<Option<Value>, Failure> {
        let name = Name::from(name);
        let (sender, answer) = oneshot::channel();
        let question = self.questions.next();
        locked(&self.questions.inputs).insert(question, sender);
        let mut asked = Asked { run: self, question, is_answered: false };
        self.shared.say(Event::Asked(self.id, question, name.clone()));
        let answer = answer.await;
        asked.is_answered = answer.is_ok();
        let value = answer.unwrap_or_else(|_| Err(self.ended()))?;
        if let Some(value) = &value {
            let mut state = locked(&self.state);
            state.handed.insert(name.clone(), value.clone());
            if let Some(input) = self.planned.inputs.get(&name) {
                state.learn(&input.ty, value);
            }
        }
        Ok(value)
    }

    async fn publish(&self, name: &str, value: Value) -> Result<(), Broken> {
        let name = Name::from(name);
        {
            let mut written = written::secrets(&self.planned, &self.directory);
            let state = locked(&self.state);
            written.extend(state.published.clone());
            let known = Known { given: &state.handed, written: &written, is_published: false };
            leak::refuse(&self.planned, known, (&name, &value))?;
        }
        let (sender, answer) = oneshot::channel();
        let question = self.questions.next();
        locked(&self.questions.outputs).insert(question, sender);
        let output = self.planned.outputs.get(&name);
        if let Some(output) = output {
            locked(&self.state).learn(&output.declared.ty, &value);
        }
        self.shared.say(Event::Reported(self.id, question, name.clone(), value));
        let ended = || Err(Broken::new(FailureKind::Input, self.ended().message));
        let value = answer.await.unwrap_or_else(|_| ended())?;
        let mut state = locked(&self.state);
        if let Some(output) = output {
            // In its converted form.
            state.learn(&output.declared.ty, &value);
        }
        state.published.insert(name, value);
        Ok(())
    }

    fn published(&self, name: &str) -> Option<Value> {
        locked(&self.state).published.get(name).cloned()
    }

    async fn stopped(&self) -> Stop {
        let mut stopped = self.stopped.clone();
        // If the agent has gone, nothing can stop the run any longer, but then this future is dropped.
        let Ok(stop) = stopped.wait_for(Option::is_some).await.map(|stop| *stop) else {
            return std::future::pending().await;
        };
        stop.unwrap_or(Stop::Deadline)
    }

    fn handed(&self) -> IndexMap<Name, Value> {
        locked(&self.state).handed.clone()
    }

    fn secrets(&self) -> Vec<Value> {
        locked(&self.state).secrets.clone()
    }

    fn component(&self) -> Option<&Name> {
        Some(&self.own_name)
    }

    fn socket(&self) -> Option<(PathBuf, String)> {
        Some((self.shared.socket.clone(), self.token.clone()))
    }
}
