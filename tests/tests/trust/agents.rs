//! Genuine agents over the real store.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use tempfile::TempDir;
use tokio::task::JoinHandle;
use wattle::model::{IndexMap, Name, Value};
use wattle_runtime::agent::{Agent, AgentError, Ended, Fixed, Limits, Recent};
use wattle_runtime::recipe::{Broken, Job, Runner};
use wattle_runtime::report::StackSnapshot;
use wattle_runtime::space::{ServerKey, Space};

use crate::Stack;

/// What ran, in order, each with what it was given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ran(Arc<Mutex<Vec<Run>>>);

/// A component, and what it was given.
type Run = (String, IndexMap<Name, Value>);

#[async_trait]
impl Runner for Ran {
    async fn run(&self, job: &Job) -> Result<IndexMap<Name, Value>, Broken> {
        self.0.lock().expect("no panic").push((job.name.to_string(), job.inputs.clone()));
        let value = |name: &Name| if **name == *"count" { Value::from(1_u8) } else { "x".into() };
        Ok(job.component.outputs.keys().map(|name| (name.clone(), value(name))).collect())
    }
}

impl Ran {
    /// What an input was, each time.
    pub(crate) fn given(&self, input: &str) -> Vec<Value> {
        self.0.lock().expect("no panic").iter().filter_map(|(_, inputs)| inputs.get(input).cloned()).collect()
    }

    pub(crate) fn count(&self) -> usize {
        self.0.lock().expect("no panic").len()
    }
}

/// Where a server keeps what it knows, over restarts of its agent.
pub(crate) struct Db {
    server: &'static str,
    pub(crate) ran: Ran,
    /// What its present agent has logged.
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

    /// The key that it has made last.
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

    /// Starts its agent; one that runs is killed.
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

/// Waits until the server `db` is as it is to be, and gives how all is.
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

/// Whether `db` has done all that the goal asks of it.
pub(crate) fn is_done(snapshot: &StackSnapshot) -> bool {
    snapshot.tally().done == 1
}

/// The same, or until it has run something all the same.
pub(crate) async fn refuses_or_runs(stack: &Stack, db: &Db, words: &str) {
    let says = |snapshot: &StackSnapshot| snapshot.servers["db"].troubles.iter().any(|trouble| trouble.contains(words));
    until(stack, &format!("said: {words}"), |snapshot| says(snapshot) || db.ran.count() > 0).await;
}

/// Waits until `db` says that it does not believe something, in these words among others.
pub(crate) async fn refuses(stack: &Stack, words: &str) {
    let says = |snapshot: &StackSnapshot| snapshot.servers["db"].troubles.iter().any(|trouble| trouble.contains(words));
    until(stack, &format!("said: {words}"), says).await;
}
