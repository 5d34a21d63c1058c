//! Servers whose recipes are functions of the test, with a data space in memory.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use wattle::lower::Seed;
use wattle::model::{self, IndexMap, Name};
use wattle_runtime::agent::{Agent, AgentError, Ended, Fixed, Limits};
use wattle_runtime::recipe::{Broken, RecipeRun, Runner};
use wattle_runtime::seed::{self, Options};
use wattle_runtime::space::{Content, Failure, OperatorKey, Revision, Space, State};
use wattle_runtime::store::{Memory, Store};

pub(crate) type Outputs = Result<IndexMap<Name, model::Value>, Broken>;

pub(crate) type Work = Arc<dyn Fn(RecipeRun) -> BoxFuture<'static, Outputs> + Send + Sync>;

/// Runs the given function for each component.
#[derive(Clone)]
pub(crate) struct Does(Arc<Mutex<Vec<String>>>, Work);

impl fmt::Debug for Does {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Does")
    }
}

#[async_trait]
impl Runner for Does {
    async fn run(&self, job: &RecipeRun) -> Outputs {
        self.0.lock().unwrap().push(job.name.to_string());
        (self.1)(job.clone()).await
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the signature of a runner")]
pub(crate) fn outputs(values: &[(&str, &str)]) -> Outputs {
    Ok(values.iter().map(|(name, value)| (Name::from(*name), model::Value::from(*value))).collect())
}

pub(crate) struct World {
    pub(crate) memory: Arc<Memory>,
    pub(crate) options: Options,
    pub(crate) state: TempDir,
    pub(crate) ran: Arc<Mutex<Vec<String>>>,
}

impl World {
    pub(crate) fn new() -> Self {
        Self {
            memory: Arc::new(Memory::new()),
            options: Options::new(OperatorKey::generate()),
            state: TempDir::new().unwrap(),
            ran: Arc::default(),
        }
    }

    /// Applies a seed whose servers are `{SERVER: {COMPONENT: {tool, inputs: {NAME: WIRE}, outputs: [NAME], ...}}}`.
    pub(crate) async fn apply(&mut self, digest: &str, servers: Value) -> u64 {
        let seed = seed_of(digest, servers);
        self.options.credentials.complete(&seed, &self.options.key);
        let store: Arc<dyn Store> = self.memory.clone();
        seed::apply(&store, &seed, &self.options).await.unwrap().revision
    }

    pub(crate) fn store(&self, server: &str) -> Arc<dyn Store> {
        let credential = self.options.credentials.get(server).unwrap();
        Arc::new(self.memory.login(&credential.logins("one", server)))
    }

    pub(crate) fn agent_with(&self, server: &str, store: Arc<dyn Store>, state: PathBuf, work: Work) -> Agent {
        Agent {
            space: Space::new(store, "one"),
            server: server.into(),
            credential: self.options.credentials.get(server).unwrap().clone(),
            runner: Arc::new(Does(Arc::clone(&self.ran), work)),
            state,
            attributes: Arc::new(Fixed::default()),
            user_data: IndexMap::default(),
            limits: Limits { deadline: Duration::from_mins(1), wait: Duration::from_mins(10) },
            recent: Arc::default(),
        }
    }

    pub(crate) fn agent(&self, server: &str, work: &Work) -> Agent {
        self.agent_with(server, self.store(server), self.state.path().join(server), Arc::clone(work))
    }

    pub(crate) fn start(&self, server: &str, work: &Work) -> JoinHandle<Result<Ended, AgentError>> {
        tokio::spawn(self.agent(server, work).run(std::future::pending()))
    }

    pub(crate) fn space(&self) -> Space {
        Space::new(self.memory.clone(), "one")
    }

    pub(crate) async fn read(&self, entry: &str, revision: u64) -> Content {
        let space = self.space();
        let desired = space.desired_revision().await.unwrap().expect("a seed was applied");
        let revision = Revision { space: desired.space, number: revision };
        let read = space.read(entry, &revision);
        timeout(Duration::from_secs(100_000), read).await.expect("it comes").unwrap()
    }

    pub(crate) async fn failure(&self, entry: &str, revision: u64) -> Failure {
        match self.read(entry, revision).await {
            Content::Failure(failure) => failure,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) async fn state_of(&self, component: &str) -> Option<State> {
        self.space().status(component).await.unwrap().map(|status| status.state)
    }

    pub(crate) fn ran(&self) -> Vec<String> {
        self.ran.lock().unwrap().clone()
    }
}

pub(crate) fn seed_of(digest: &str, servers: Value) -> Seed {
    let mut seed = json!({
        "format": "wattle-seed/1", "stack": "one", "digest": digest, "parameters": {}, "declarations": {},
        "servers": {}, "entries": {}, "exports": {}, "recipes": {}, "sources": {},
    });
    for (server, components) in servers.as_object().unwrap() {
        seed["servers"][server] = json!({"order": "dataflow", "publishes": {}, "components": {}});
        for (name, component) in components.as_object().unwrap() {
            let full = format!("{server}/{name}");
            let string = |secret: bool| if secret { json!({"secret": "string"}) } else { json!("string") };
            let is_secret = component["secret"] == true;
            let mut declared = json!({
                "tool": component["tool"].as_str().unwrap_or("shell"), "recipe": component["recipe"].as_str().unwrap_or("r"),
                "teardown": component["teardown"], "files": {}, "inputs": {}, "outputs": {}, "wait": component["wait"],
            });
            for (path, text) in component["files"].as_object().into_iter().flatten() {
                let text = text.as_str().unwrap();
                let digest = Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
                declared["files"][path] = json!(format!("sha256:{digest}"));
                seed["recipes"][format!("sha256:{digest}")] = json!({"text": text});
            }
            for (input, wire) in component["inputs"].as_object().into_iter().flatten() {
                declared["inputs"][input] = json!({"type": string(is_secret)});
                if let Some(entry) = wire["entry"].as_str() {
                    let readers = &mut seed["entries"][entry]["readers"];
                    let mut all = readers.as_array().cloned().unwrap_or_default();
                    all.push(json!(server));
                    *readers = all.into();
                }
            }
            for output in component["outputs"].as_array().into_iter().flatten() {
                let is_listed = component["secret"].as_array().is_some_and(|outputs| outputs.contains(output));
                let ty = string(is_secret || is_listed);
                declared["outputs"][output.as_str().unwrap()] = json!({"type": ty});
                seed["entries"][format!("{full}/{}", output.as_str().unwrap())]["type"] = ty;
            }
            seed["declarations"][&full] = declared;
            let inputs = if component["inputs"].is_null() { json!({}) } else { component["inputs"].clone() };
            seed["servers"][server]["components"][name] = json!({"declaration": full, "inputs": inputs});
            if let Some(after) = component.get("after") {
                seed["servers"][server]["components"][name]["after"] = after.clone();
            }
        }
    }
    serde_json::from_value(seed).unwrap()
}

/// `a` writes `url`; `b`, on another server, reads it.
pub(crate) fn two() -> Value {
    json!({
        "s1": {"a": {"outputs": ["url"]}},
        "s2": {"b": {"inputs": {"url": {"entry": "s1/a/url"}}, "outputs": ["done"]}},
    })
}

pub(crate) fn fine() -> Work {
    Arc::new(|job| {
        async move { Ok(job.component.outputs.keys().map(|name| (name.clone(), "x".into())).collect()) }.boxed()
    })
}

pub(crate) async fn ask(socket: &Path, question: Value) -> Value {
    let mut stream = BufReader::new(UnixStream::connect(socket).await.unwrap());
    stream.write_all(format!("{question}\n").as_bytes()).await.unwrap();
    let mut line = String::new();
    stream.read_line(&mut line).await.unwrap();
    serde_json::from_str(&line).unwrap()
}
