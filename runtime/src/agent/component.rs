//! One component in one revision: waits for what it needs, runs or is found unchanged, publishes.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{join, join_all};
use tokio::time::{self, Instant};
use wattle::model::{IndexMap, Name, Value};
use wattle::requirement::{self, Verdict};
use wattle::values::span;
use wattle_agent_core::fingerprint::fingerprint;
use wattle_agent_core::memory::{Finished, Known};
use wattle_agent_core::outputs;
use wattle_agent_core::record::{Record, Stored};
use wattle_agent_core::time::Time;
use wattle_agent_core::vault::Vault as _;

use crate::clock;
use crate::recipe::{Broken, Job, Live, Runner};
use crate::space::{Content, Failure, Kind, PlannedComponent, Script, State, Step, Waiting};

use super::inputs::{self, Awaited, Found, Missing, Needs};
use super::live::Run;
use super::revision::{Outcome, Revision};
use super::shared::Shared;
use super::{entries, files};

/// How much longer than its deadline a run may take to end, before it is dropped: a runner ends its processes itself,
/// and knows what they said last.
const GRACE: Duration = Duration::from_secs(4);

pub(super) struct Component<'a> {
    shared: &'a Arc<Shared>,
    revision: &'a Arc<Revision>,
    name: &'a Name,
    full: Name,
    planned: &'a PlannedComponent,
}

/// What is to be done with a component.
enum Next {
    /// It failed, in a way that the journal knows, or does not know yet.
    Failed(Failure, Journalled),
    /// It is as it was when it finished.
    Keep(IndexMap<Name, Stored>),
    /// It is to run, with these inputs; with all of them, unless it asks for them itself.
    Run { inputs: IndexMap<Name, Value>, fingerprint: Option<String> },
}

#[derive(PartialEq)]
enum Journalled {
    Yes,
    /// Nor, if that is given, what its recipe asked for until it failed: its teardown runs with that.
    No {
        read: Option<IndexMap<Name, Content>>,
    },
}

impl<'a> Component<'a> {
    pub(super) fn new(shared: &'a Arc<Shared>, revision: &'a Arc<Revision>, name: &'a Name) -> Self {
        let planned = &revision.plan.components[name];
        Self { shared, revision, name, full: shared.full(name), planned }
    }

    /// Brings it to its end in this revision.
    pub(super) async fn run(self) -> Outcome {
        let (there, next) = tokio::select! {
            biased;
            () = self.revision.superseded() => return Outcome::Abandoned,
            prepared = join(self.peek(), self.prepare()) => match prepared {
                (there, Some(next)) => (there, next),
                (_, None) => return Outcome::Abandoned,
            },
        };
        match next {
            Next::Failed(failure, journalled) => self.fail(failure, journalled, &there).await,
            Next::Keep(outputs) => self.done(&outputs, &there).await,
            Next::Run { inputs, fingerprint } => self.execute(inputs, fingerprint, &there).await,
        }
    }

    fn tell(&self, state: State) {
        self.shared.board.set(self.name, self.revision.id.number, state);
    }

    /// What it has behind it at a time, in which it begins to be in the state `next`.
    fn past(&self, at: Time, next: &State) -> Vec<Step> {
        self.shared.board.past(self.name, self.revision.id.number, at, next)
    }

    /// What it has behind it at its end, which the journal and whoever looks are told alike.
    fn past_at_end(&self, at: Time, end: &State) -> Vec<Step> {
        let past = self.past(at, end);
        self.shared.board.recall(self.name, self.revision.id.number, past.clone());
        past
    }

    fn entry(&self, output: &str) -> String {
        format!("{}/{output}", self.full)
    }

    fn failure(&self, kind: Kind, message: String, log: Vec<String>) -> Failure {
        Failure { component: self.full.clone(), kind, message, log, at: clock::now(), through: Vec::new() }
    }

    fn known(&self) -> Option<Known> {
        self.shared.journal().memory().known(self.name).cloned()
    }

    /// What its entries hold of this revision: something, if it was here before a crash.
    async fn peek(&self) -> IndexMap<Name, Content> {
        let mut looks = Vec::with_capacity(self.planned.outputs.len());
        for output in self.planned.outputs.keys() {
            let (shared, id, entry) = (self.shared, &self.revision.id, self.entry(output));
            looks.push(async move { entries::peek(shared, id, &entry).await });
        }
        let there = join_all(looks).await;
        let outputs = self.planned.outputs.keys().zip(there);
        outputs.filter_map(|(output, there)| Some((output.clone(), there?))).collect()
    }

    /// Waits for what it needs, and decides what is to be done; none if there is a newer revision.
    async fn prepare(&self) -> Option<Next> {
        let past = self.shared.journal().memory().past(self.name, &self.revision.id, clock::now());
        self.shared.board.recall(self.name, self.revision.id.number, past);
        let failed = self.shared.journal().memory().failed(self.name, &self.revision.id).cloned();
        if let Some(failure) = failed {
            return Some(Next::Failed(failure, Journalled::Yes));
        }
        let result = match self.turn().await {
            Ok(()) => self.decide().await,
            Err(missing) => Err(missing),
        };
        match result {
            Ok(next) => Some(next),
            Err(Missing::Superseded) => None,
            Err(Missing::Failed(failure)) => {
                Some(Next::Failed(failure.passed_on(&self.full), Journalled::No { read: None }))
            }
            Err(Missing::Own(kind, message)) => {
                Some(Next::Failed(self.failure(kind, message, Vec::new()), Journalled::No { read: None }))
            }
        }
    }

    /// Waits until the component before it has ended.
    async fn turn(&self) -> Result<(), Missing> {
        let Some(before) = self.revision.before(self.name) else { return Ok(()) };
        let waiting = Waiting { what: self.shared.full(before), input: None, since: clock::now() };
        self.tell(State::Waiting(vec![waiting]));
        match self.revision.ended(before).await {
            Outcome::Done => Ok(()),
            Outcome::Failed(failure) => Err(Missing::Failed(failure)),
            Outcome::Abandoned => Err(Missing::Superseded),
        }
    }

    async fn wait(&self, needs: &Needs) -> Result<Found, Missing> {
        let (shared, name, revision) = (self.shared, self.name, self.revision);
        let report = |waiting: Vec<Waiting>| {
            if !waiting.is_empty() {
                shared.board.set(name, revision.id.number, State::Waiting(waiting));
            }
        };
        inputs::wait(shared, revision, needs, shared.wait(self.planned), report).await
    }

    async fn decide(&self) -> Result<Next, Missing> {
        let mut needs: Needs = self.planned.after.iter().map(|name| (Awaited::Ended(name.clone()), None)).collect();
        let known = self.known();
        let finished = known.as_ref().and_then(|known| known.finished.as_ref());
        let is_live = self.planned.recipe.tool.is_live();
        let read: Vec<_> = match (is_live, finished) {
            (false, _) => self.planned.inputs.iter().collect(),
            // What asks for its inputs itself is only compared by those that it asked for.
            (true, Some(finished)) => {
                self.planned.inputs.iter().filter(|(name, _)| finished.read.contains(*name)).collect()
            }
            (true, None) => Vec::new(),
        };
        for (name, input) in &read {
            inputs::needs(name, &input.from, &mut needs);
        }
        self.add_judged(&mut needs);
        let found = self.wait(&needs).await?;
        let mut values = IndexMap::default();
        for (name, input) in read {
            let value = inputs::value(self.shared, name, input, &found)
                .map_err(|(kind, message)| Missing::Own(kind, message))?;
            values.insert(name.clone(), value);
        }
        self.judge(&found)?;
        let fingerprint = fingerprint(self.planned, &values);
        if let (Some(known), Some(finished)) = (&known, finished)
            && finished.fingerprint == fingerprint
            && let Some(outputs) = self.kept(known, finished).await
        {
            return Ok(Next::Keep(outputs));
        }
        files::lay_out(self.shared, self.name, &self.planned.recipe.files)
            .await
            .map_err(|(kind, message)| Missing::Own(kind, message))?;
        Ok(Next::Run { inputs: values, fingerprint: (!is_live).then_some(fingerprint) })
    }

    /// What is required is judged of all that it is about, whoever asks for inputs.
    fn add_judged(&self, needs: &mut Needs) {
        let mut judged = Needs::default();
        for requirement in self.planned.requires.values() {
            requirement.predicate.each(&mut |operand| inputs::add(&operand.from, None, &mut judged));
        }
        for (name, input) in &self.planned.inputs {
            let mut read = Needs::default();
            inputs::needs(name, &input.from, &mut read);
            for (awaited, input) in read.into_iter().filter(|(awaited, _)| judged.contains_key(awaited)) {
                needs.entry(awaited).or_insert(input);
            }
        }
        for (awaited, _) in judged {
            needs.entry(awaited).or_insert(None);
        }
    }

    /// Judges what is required of the values that it reads. A requirement is no part of what a component is: one that has
    /// changed is judged anew, and runs nothing anew.
    fn judge(&self, found: &Found) -> Result<(), Missing> {
        let mut broken = Vec::new();
        for (name, requirement) in &self.planned.requires {
            let mut unknown = None;
            let verdict = requirement::judge(&requirement.predicate, &mut |source| {
                inputs::resolve(self.shared, source, found).map_err(|why| unknown = Some(why)).ok()
            });
            match (verdict, unknown) {
                (Verdict::Holds, _) => {}
                (Verdict::Fails(reasons), _) => {
                    broken.push(requirement::told(name, &requirement.at, &reasons, &requirement.because));
                }
                (Verdict::Unknown, why) => {
                    let why = why.unwrap_or_else(|| "not all of its values are known".to_owned());
                    return Err(Missing::Own(Kind::Input, format!("the requirement `{name}` cannot be judged: {why}")));
                }
            }
        }
        if broken.is_empty() { Ok(()) } else { Err(Missing::Own(Kind::Requirement, broken.join("; "))) }
    }

    /// What it published when it finished, for those who read it now.
    async fn kept(&self, known: &Known, finished: &Finished) -> Option<IndexMap<Name, Stored>> {
        let outputs = outputs::for_readers(self.planned, &finished.outputs, &self.shared.vault)?;
        if known.planned != *self.planned || finished.outputs != outputs {
            let (planned, outputs) = (self.planned.clone(), outputs.clone());
            self.shared.record(&[Record::Kept { component: self.name.clone(), planned, outputs }]).await;
        }
        Some(outputs)
    }

    /// Inputs as the journal keeps them.
    fn keep(&self, inputs: &IndexMap<Name, Value>) -> IndexMap<Name, Content> {
        let is_secret = |name: &Name| self.planned.inputs.get(name).is_some_and(|input| input.ty.is_secret());
        inputs.iter().map(|(name, value)| (name.clone(), self.shared.vault.keep(value, is_secret(name)))).collect()
    }

    /// Has its recipe run. From here on nothing but a crash ends it before its end is on disk.
    async fn execute(
        &self,
        inputs: IndexMap<Name, Value>,
        fingerprint: Option<String>,
        there: &IndexMap<Name, Content>,
    ) -> Outcome {
        let at = clock::now();
        self.shared
            .record(&[Record::Started {
                component: self.name.clone(),
                revision: self.revision.id.clone(),
                at,
                past: self.past(at, &State::Running),
                planned: self.planned.clone(),
                fingerprint: fingerprint.clone(),
                inputs: self.keep(&inputs),
            }])
            .await;
        let deadline = clock::now() + self.shared.deadline(self.planned);
        self.shared.board.runs(self.name, self.revision.id.number, deadline);
        let run =
            Run::new(self.shared, self.revision, self.name, self.planned, &inputs, self.shared.wait(self.planned));
        let job = Job {
            name: self.full.clone(),
            component: self.planned.clone(),
            script: Script::Recipe,
            inputs: inputs.clone(),
            directory: files::directory(self.shared, self.name),
            deadline: self.shared.deadline(self.planned),
            live: Arc::clone(&run) as Arc<dyn Live>,
        };
        let _entered = self.shared.runs.enter(run.token(), &job.live);
        let result = {
            let mut work = std::pin::pin!(run_within(&*self.shared.runner, &job));
            tokio::select! {
                biased;
                result = &mut work => result,
                () = run.prefetch() => work.await,
            }
        };
        let failed = || {
            let read = fingerprint.is_none().then(|| self.keep(&run.read().0));
            Journalled::No { read }
        };
        match result {
            Err(_) if run.is_superseded() => Outcome::Abandoned,
            Err(Broken { cause: Some(cause), .. }) => {
                // Its own, if it was the wait that failed.
                let is_own = cause.component == self.full && cause.through.is_empty();
                let failure = if is_own { *cause } else { cause.passed_on(&self.full) };
                self.fail(failure, failed(), there).await
            }
            Err(Broken { kind, message, log, .. }) => {
                self.fail(self.failure(kind, message, log), failed(), there).await
            }
            Ok(values) => match outputs::all_stored(self.planned, &values, &run.early(), &self.shared.vault) {
                Err((kind, message)) => self.fail(self.failure(kind, message, Vec::new()), failed(), there).await,
                Ok(outputs) => {
                    let (inputs, absent, fingerprint) = if let Some(fingerprint) = fingerprint {
                        (inputs, Vec::new(), fingerprint)
                    } else {
                        let (read, absent) = run.read();
                        let fingerprint = self::fingerprint(self.planned, &read);
                        (read, absent, fingerprint)
                    };
                    let at = clock::now();
                    let finished = Record::Finished {
                        component: self.name.clone(),
                        at,
                        past: self.past_at_end(at, &State::Done),
                        fingerprint,
                        inputs: self.keep(&inputs),
                        absent,
                        outputs: outputs.clone(),
                    };
                    self.shared.record(&[finished]).await;
                    self.done(&outputs, there).await
                }
            },
        }
    }

    /// Publishes what it wrote. The journal has it: a newer revision publishes it again.
    async fn done(&self, outputs: &IndexMap<Name, Stored>, there: &IndexMap<Name, Content>) -> Outcome {
        let contents: Vec<_> = outputs.iter().map(|(output, stored)| (output, &stored.content)).collect();
        if self.publish(&contents, there).await.is_none() {
            return Outcome::Abandoned;
        }
        self.tell(State::Done);
        Outcome::Done
    }

    /// Puts the failure in the place of whatever it has not published.
    async fn fail(&self, failure: Failure, journalled: Journalled, there: &IndexMap<Name, Content>) -> Outcome {
        if let Journalled::No { read: inputs } = journalled {
            let past = self.past_at_end(clock::now(), &State::Failed(failure.clone()));
            let (component, revision, failure) = (self.name.clone(), self.revision.id.clone(), failure.clone());
            self.shared.record(&[Record::Failed { component, revision, failure, inputs, past }]).await;
        }
        // What an earlier revision's run published is of no account in this one.
        let early = self.known().filter(|known| known.revision == self.revision.id);
        let early = early.map(|known| known.early).unwrap_or_default();
        let content = Content::Failure(failure.clone());
        let outputs = self.planned.outputs.keys();
        let contents: Vec<_> =
            outputs.map(|output| (output, early.get(output).map_or(&content, |stored| &stored.content))).collect();
        if self.publish(&contents, there).await.is_none() {
            return Outcome::Abandoned;
        }
        self.tell(State::Failed(failure.clone()));
        Outcome::Failed(failure)
    }

    /// Publishes all of these; none when there is a newer revision.
    async fn publish(&self, contents: &[(&Name, &Content)], there: &IndexMap<Name, Content>) -> Option<()> {
        let mut writes = Vec::with_capacity(contents.len());
        for (output, content) in contents {
            let (shared, id, entry, there) = (self.shared, &self.revision.id, self.entry(output), there.get(*output));
            writes.push(async move { entries::publish(shared, id, &entry, content, there).await });
        }
        let all = join_all(writes);
        tokio::select! {
            biased;
            _ = all => Some(()),
            () = self.revision.superseded() => None,
        }
    }
}

/// Runs `job`, and ends it when its runner does not.
pub(super) async fn run_within(runner: &dyn Runner, job: &Job) -> Result<IndexMap<Name, Value>, Broken> {
    let begun = Instant::now();
    let mut work = std::pin::pin!(runner.run(job));
    loop {
        let until = begun + job.deadline + job.live.waited() + GRACE;
        tokio::select! {
            biased;
            result = &mut work => return result,
            () = time::sleep_until(until) => {}
        }
        // While it waited for inputs or for the data space, its time did not pass.
        if Instant::now() >= begun + job.deadline + job.live.waited() + GRACE {
            let message = format!("the recipe did not end within {}", span(job.deadline));
            return Err(Broken { kind: Kind::Deadline, message, log: Vec::new(), cause: None });
        }
    }
}
