//! A stand-in for the agent: serves the requests of a recipe on a Unix socket like the agent's.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;
use tokio::time::Instant;
use wattle::model::{IndexMap, Name, Type, Value};
use wattle::values;
use wattle_runtime::recipe::{Broken, Live, Stop};
use wattle_runtime::space::{Failure, FailureKind};
use wattle_tests::deadline;

const TOKEN: &str = "the token";

/// Answers and records the requests of one run.
#[derive(Debug)]
pub(crate) struct Agent {
    socket: tempfile::TempDir,
    outputs: HashMap<String, Type>,
    secret: Vec<String>,
    deadline: Duration,
    state: Mutex<State>,
    changed: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct State {
    given: HashMap<String, Result<Value, Failure>>,
    published: IndexMap<Name, Value>,
    secrets: Vec<Value>,
    log: Vec<String>,
    waiting: Option<Instant>,
    waited: Duration,
}

impl Agent {
    /// Starts an agent that listens until it is dropped.
    pub(crate) fn start(outputs: HashMap<String, Type>, secret: Vec<String>, deadline: Duration) -> Arc<Self> {
        let socket = tempfile::Builder::new().prefix("agent").tempdir().unwrap();
        let listener = UnixListener::bind(socket.path().join("socket")).unwrap();
        let agent =
            Self { socket, outputs, secret, deadline, state: Mutex::default(), changed: watch::Sender::default() };
        let agent = Arc::new(agent);
        let served = Arc::downgrade(&agent);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await
                && let Some(agent) = served.upgrade()
            {
                tokio::spawn(async move { agent.serve(stream).await });
            }
        });
        agent
    }

    /// Sets the value of an input.
    pub(crate) fn give(&self, name: &str, value: impl Into<Value>) {
        self.change(|state| state.given.insert(name.to_owned(), Ok(value.into())));
    }

    /// Sets a failure in place of an input.
    pub(crate) fn fail(&self, name: &str, failure: Failure) {
        self.change(|state| state.given.insert(name.to_owned(), Err(failure)));
    }

    /// The requests so far.
    pub(crate) fn log(&self) -> Vec<String> {
        self.state().log.clone()
    }

    /// Waits for the request `line`.
    pub(crate) async fn until(&self, line: &str) {
        let mut changed = self.changed.subscribe();
        while !self.state().log.iter().any(|there| there == line) {
            let heard = tokio::time::timeout(Duration::from_mins(2), changed.changed()).await;
            heard.unwrap_or_else(|_| panic!("`{line}` never came; there came {:?}", self.log())).unwrap();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) {
        change(&mut self.state());
        self.changed.send_replace(());
    }

    async fn serve(&self, stream: UnixStream) {
        let (reader, mut writer) = stream.into_split();
        let Ok(Some(line)) = BufReader::new(reader).lines().next_line().await else { return };
        let request: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(request["token"], TOKEN);
        let answer = if let Some(name) = request["get"].as_str() {
            self.change(|state| state.log.push(format!("get {name}")));
            match self.input(name).await {
                Ok(value) => json!({ "value": value }),
                Err(failure) => json!({ "error": failure.to_string(), "failure": failure }),
            }
        } else {
            let name = request["set"].as_str().unwrap();
            self.change(|state| state.log.push(format!("set {name} {}", request["value"])));
            match self.publish(name, serde_json::from_value(request["value"].clone()).unwrap()).await {
                Ok(()) => json!({ "ok": true }),
                Err(broken) => json!({ "error": broken.message }),
            }
        };
        writer.write_all(format!("{answer}\n").as_bytes()).await.unwrap();
    }
}

#[async_trait]
impl Live for Agent {
    async fn input(&self, name: &str) -> Result<Option<Value>, Failure> {
        let mut changed = self.changed.subscribe();
        loop {
            let given = self.state().given.get(name).cloned();
            if let Some(given) = given {
                let mut state = self.state();
                let since = state.waiting.take();
                state.waited += since.map_or(Duration::ZERO, |since| since.elapsed());
                if self.secret.iter().any(|secret| secret == name) {
                    state.secrets.extend(given.iter().cloned());
                }
                return given.map(Some);
            }
            self.state().waiting.get_or_insert_with(Instant::now);
            changed.changed().await.unwrap();
        }
    }

    async fn publish(&self, name: &str, value: Value) -> Result<(), Broken> {
        let value = values::fit(&self.outputs[name], value).map_err(|why| {
            let message = format!("output `{name}`: {why}");
            Broken { kind: FailureKind::Type, message, log: Vec::new(), cause: None }
        })?;
        self.change(|state| state.published.insert(name.into(), value));
        Ok(())
    }

    fn published(&self, name: &str) -> Option<Value> {
        self.state().published.get(name).cloned()
    }

    async fn stopped(&self) -> Stop {
        let waited = || {
            let state = self.state();
            state.waited + state.waiting.map_or(Duration::ZERO, |since| since.elapsed())
        };
        deadline::over(self.deadline, waited).await
    }

    fn secrets(&self) -> Vec<Value> {
        self.state().secrets.clone()
    }

    fn socket(&self) -> Option<(PathBuf, String)> {
        Some((self.socket.path().join("socket"), TOKEN.to_owned()))
    }
}
