//! Many agents in one process: the agents of servers, each with its own session and folder, over a real ZooKeeper. Only
//! their recipes are fakes, which end at once.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::stream::{self, StreamExt as _};
use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;
use wattle::model::{IndexMap, Name, Value};
use wattle_runtime::agent::{Agent, AgentError, Ended, Fixed, Limits};
use wattle_runtime::recipe::{Broken, RecipeRun, Runner};
use wattle_runtime::seed::Credentials;
use wattle_runtime::space::Space;
use wattle_runtime::store::{Address, Store};

/// The number of agents that connect at the same time at first: servers do not boot at the same moment.
const AT_ONCE: usize = 64;

/// A server with an agent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Server {
    /// Its stack.
    pub stack: String,
    /// Its name.
    pub name: String,
    /// Its credential, as text.
    pub credential: String,
}

impl Server {
    /// The servers of a stack.
    pub fn all<'a>(stack: &'a str, credentials: &'a Credentials) -> impl Iterator<Item = Self> + 'a {
        credentials.iter().map(|(name, credential)| Self {
            stack: stack.to_owned(),
            name: name.to_string(),
            credential: credential.expose(),
        })
    }
}

/// The agents of many servers. They end on drop, like killed processes.
#[derive(Debug)]
pub struct Crowd {
    agents: JoinSet<Result<Ended, AgentError>>,
    stores: Vec<Arc<dyn Store>>,
}

impl Crowd {
    /// Connects an agent for each of `servers` to the data space at `address`; `folder` is for their state.
    ///
    /// # Panics
    /// If one is refused.
    pub async fn start(address: &Address, servers: &[Server], folder: &Path) -> Self {
        let connect = |server: &Server| {
            let server = server.clone();
            async move {
                let credential: wattle_runtime::space::Credential = server.credential.parse().expect("a credential");
                let logins = credential.logins(&server.stack, &server.name);
                let store = address.connect(&logins).await.expect("a store");
                (server, credential, store)
            }
        };
        let mut connected = stream::iter(servers).map(connect).buffer_unordered(AT_ONCE);
        let mut crowd = Self { agents: JoinSet::new(), stores: Vec::new() };
        while let Some((server, credential, store)) = connected.next().await {
            crowd.stores.push(Arc::clone(&store));
            let agent = Agent {
                space: Space::new(store, &server.stack),
                server: server.name.as_str().into(),
                credential,
                runner: Arc::new(Instant),
                state: state(folder, &server),
                attributes: Arc::new(Fixed::default()),
                user_data: IndexMap::default(),
                limits: Limits::default(),
                recent: Arc::default(),
            };
            crowd.agents.spawn(agent.run(std::future::pending()));
        }
        crowd
    }

    /// The number of agents.
    pub fn len(&self) -> usize {
        self.agents.len()
    }

    /// Whether there are no agents.
    pub fn is_empty(&self) -> bool {
        self.agents.is_empty()
    }

    /// Waits until one of them has ended, which none does by itself.
    pub async fn ended(&mut self) -> String {
        match self.agents.join_next().await {
            Some(ended) => format!("an agent has ended: {ended:?}"),
            None => std::future::pending().await,
        }
    }

    /// Ends their sessions.
    pub async fn close(mut self) {
        self.agents.shutdown().await;
        stream::iter(&self.stores).for_each_concurrent(AT_ONCE, |store| store.close()).await;
    }
}

fn state(folder: &Path, server: &Server) -> PathBuf {
    folder.join(format!("{}-{}", server.stack, server.name))
}

/// Runs recipes that end at once, with the component's name in all of their outputs.
#[derive(Debug)]
struct Instant;

#[async_trait]
impl Runner for Instant {
    async fn run(&self, job: &RecipeRun) -> Result<IndexMap<Name, Value>, Broken> {
        let output = |name: &Name| (name.clone(), Value::from(format!("{name} of {}", job.name)));
        Ok(job.component.outputs.keys().map(output).collect())
    }
}

/// The interval of polling.
pub const SOON: Duration = Duration::from_millis(20);
