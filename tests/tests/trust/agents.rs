//! Agents like those on servers, over the real store.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use tempfile::TempDir;
use tokio::task::JoinHandle;
use wattle::model::{IndexMap, Name, Value};
use wattle_runtime::agent::{Agent, AgentError, Ended, Fixed, Limits, Recent};
use wattle_runtime::recipe::{Broken, RecipeRun, Runner};
use wattle_runtime::report::StackSnapshot;
use wattle_runtime::space::{ServerKey, Space};

use crate::Stack;

/// The runs, in order, each with its inputs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ran(Arc<Mutex<Vec<Run>>>);

/// A component, and its inputs.
type Run = (String, IndexMap<Name, Value>);

#[async_trait]
impl Runner for Ran {
    async fn run(&self, job: &RecipeRun) -> Result<IndexMap<Name, Value>, Broken> {
        self.0.lock().expect("no panic").push((job.name.to_string(), job.inputs.clone()));
        let value = |name: &Name| if **name == *"count" { Value::from(1_u8) } else { "x".into() };
        Ok(job.component.outputs.keys().map(|name| (name.clone(), value(name))).collect())
    }
}

impl Ran {
    /// The values of an input, in each run.
    pub(crate) fn given(&self, input: &str) -> Vec<Value> {
        self.0.lock().expect("no panic").iter().filter_map(|(_, inputs)| inputs.get(input).cloned()).collect()
    }

    pub(crate) fn count(&self) -> usize {
        self.0.lock().expect("no panic").len()
    }
}

/// The state of a server, which survives restarts of its agent.
pub(crate) struct Db {
    server: &'static str,
    pub(crate) ran: Ran,
    /// The log of its current agent.
    pub(crate) recent: Arc<Recent>,
    state: TempDir,
    agent: Option<JoinHandle<Result<Ended, AgentError>>>,
}

impl Db {
    /// The server `db`.
    pub(crate) fn new() -> Self {
        Self::of("db")
    }

    pub(crate) fn of(server: &'static str) -> Self {
        Self {
            server,
            ran: Ran::default(),
            recent: Arc::default(),
            state: TempDir::new().expect("a folder"),
            agent: None,
        }
    }

    /// Its latest key.
    pub(crate) fn key(&self) -> ServerKey {
        let keys = fs::read_to_string(self.folder().join("key")).expect("it has made one");
        keys.lines().next().expect("it is there").parse().expect("a key")
    }

    /// Waits until its agent has ended by itself.
    pub(crate) async fn ended(&mut self) -> Ended {
        let agent = self.agent.take().expect("it runs");
        tokio::time::timeout(Duration::from_mins(1), agent)
            .await
            .expect("in time")
            .expect("no panic")
            .expect("no error")
    }

    fn folder(&self) -> PathBuf {
        self.state.path().join("agent")
    }

    /// Starts its agent; a running one is killed.
    pub(crate) async fn start(&mut self, stack: &Stack) {
        self.kill().await;
        self.recent = Arc::default();
        let agent = Agent {
            space: Space::new(stack.server(self.server).await, &stack.seed.stack),
            server: self.server.into(),
            credential: stack.options.credentials.get(self.server).expect("it has one").clone(),
            runner: Arc::new(self.ran.clone()),
            state: self.folder(),
            attributes: Arc::new(Fixed::default()),
            user_data: IndexMap::default(),
            limits: Limits::default(),
            recent: Arc::clone(&self.recent),
        };
        self.agent = Some(tokio::spawn(agent.run(std::future::pending())));
    }

    pub(crate) async fn kill(&mut self) {
        if let Some(agent) = self.agent.take() {
            agent.abort();
            let _ = agent.await;
        }
    }
}

/// Waits until the server `db` has the expected state, and returns the whole state.
pub(crate) async fn until(stack: &Stack, what: &str, is_so: impl Fn(&StackSnapshot) -> bool) -> StackSnapshot {
    let space = Space::new(stack.operator().await, &stack.seed.stack);
    let space = space.operated_by(stack.options.key.signer().authority());
    let mut last = None;
    for _ in 0..300 {
        let snapshot = StackSnapshot::read(&space, None).await.expect("it is shown");
        if is_so(&snapshot) {
            return snapshot;
        }
        last = Some(snapshot);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("not {what}: {last:?}")
}

/// Whether `db` has reached the desired revision.
pub(crate) fn is_done(snapshot: &StackSnapshot) -> bool {
    snapshot.tally().done == 1
}

/// Waits until `db` reports such a message, or has run something nevertheless.
pub(crate) async fn refuses_or_runs(stack: &Stack, db: &Db, words: &str) {
    let says = |snapshot: &StackSnapshot| snapshot.servers["db"].troubles.iter().any(|trouble| trouble.contains(words));
    until(stack, &format!("said: {words}"), |snapshot| says(snapshot) || db.ran.count() > 0).await;
}

/// Waits until `db` reports that it does not trust something, with these words in its message.
pub(crate) async fn refuses(stack: &Stack, words: &str) {
    let says = |snapshot: &StackSnapshot| snapshot.servers["db"].troubles.iter().any(|trouble| trouble.contains(words));
    until(stack, &format!("said: {words}"), says).await;
}
