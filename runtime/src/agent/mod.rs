//! The agent: the program on a server that runs its components.
//!
//! It follows the goal of its stack from revision to revision, and in each runs through the server's components: waits
//! for their inputs, has their recipes run, publishes their outputs, and tells how they are doing. What lives here: when
//! what is run and what becomes of it. What must not: how a recipe is run ([`crate::recipe`]), and what the nodes of a
//! store mean ([`crate::space`]).
//!
//! An agent is one future. Dropped at any point, it leaves what a crash would leave; the journal's documentation says
//! why that loses nothing.

mod attributes;
mod board;
mod component;
mod entries;
mod files;
mod identity;
mod inputs;
mod journal;
mod live;
mod metadata;
mod revision;
mod shared;
mod socket;
mod teardown;
mod undo;
mod why;

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use wattle::model::{IndexMap, Name, Value};

use crate::clock;
use crate::lock::lock;
use crate::recipe::{self, Runner};
use crate::space::{Alive, Credential, Goal, Plan, Space, SpaceError};
use crate::store::{Access, Hold, Rights, StoreError};

pub use attributes::{Attributes, Fixed};
pub use identity::{Identity, IdentityError};
pub use journal::{JournalError, forget_finished};
pub use metadata::{Metadata, Place};
pub use socket::path as socket_path;

use shared::Shared;
use socket::Socket;

/// An agent: acts for one server of one stack.
#[derive(Debug)]
pub struct Agent {
    /// The data space of its stack, in a store that knows the server's credential.
    pub space: Space,
    /// The server.
    pub server: Name,
    /// The server's credential: opens what is secret.
    pub credential: Credential,
    /// What runs recipes.
    pub runner: Arc<dyn Runner>,
    /// The folder for what it keeps: the journal, run directories, recipes, its socket. Nobody else's.
    pub state: PathBuf,
    /// Where the server's own attributes come from.
    pub attributes: Arc<dyn Attributes>,
    /// What the server was told by its user data.
    pub user_data: IndexMap<Name, Value>,
    /// How long things may take that do not say it themselves.
    pub limits: Limits,
}

/// How long a component may take, unless its declaration says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// One run of its recipe, the time in which it waits for inputs not counted.
    pub deadline: Duration,
    /// How long its inputs may be awaited.
    pub wait: Duration,
}

/// An hour for a run, four for its inputs.
impl Default for Limits {
    fn default() -> Self {
        Self { deadline: Duration::from_hours(1), wait: Duration::from_hours(4) }
    }
}

/// Why an agent ended without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It was told to.
    Asked,
    /// The server has left the model, and everything on it was torn down.
    Retired,
}

/// Why an agent cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// Its folder cannot be used.
    #[error("cannot use the agent's folder `{}`: {source}", path.display())]
    State {
        /// What in it, or itself.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another agent uses the folder.
    #[error("another agent already works in `{}`: end it first", path.display())]
    Busy {
        /// The folder.
        path: PathBuf,
    },
    /// The journal cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The data space does not listen to it.
    #[error(transparent)]
    Space(#[from] SpaceError),
}

/// The name of an agent's socket within its folder.
const SOCKET: &str = "agent.sock";

impl Agent {
    /// Acts for the server until it has left the model, or `until` is ready.
    ///
    /// # Errors
    /// When it cannot begin: its folder cannot be used, or the data space refuses it. Afterwards it goes on whatever
    /// happens.
    pub async fn run(self, until: impl Future<Output = ()>) -> Result<Ended, AgentError> {
        let mut until = std::pin::pin!(until);
        let _lock = tokio::select! {
            biased;
            () = &mut until => return Ok(Ended::Asked),
            lock = prepare(&self.state) => lock?,
        };
        end_former(&self.state);
        let journal = journal::Journal::open(&self.state.join("journal"))?;
        let socket =
            Socket::bind(&self.state).map_err(|source| AgentError::State { path: self.state.join(SOCKET), source })?;
        let shared = Arc::new(Shared::new(self, journal, socket.path().to_owned()));
        tokio::select! {
            biased;
            () = &mut until => Ok(Ended::Asked),
            ended = follow(&shared) => ended,
            () = shared.board.publish(&shared.space) => Ok(Ended::Asked),
            () = socket.serve(&shared) => Ok(Ended::Asked),
        }
    }
}

/// Makes the agent's folder, and keeps others out of it for as long as the result lives.
async fn prepare(state: &Path) -> Result<File, AgentError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| AgentError::State { path, source }
    };
    // Others may pass through to the files of recipes, as a database's own user does, but not look around.
    for folder in [state.to_owned(), state.join("run"), state.join("recipes")] {
        fs::create_dir_all(&folder).map_err(failed(&folder))?;
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o711)).map_err(failed(&folder))?;
    }
    let path = state.join("lock");
    let file = File::create(&path).map_err(failed(&path))?;
    let locking = tokio::task::spawn_blocking(move || lock(&file).map(|is_ours| is_ours.then_some(file)));
    let locked = locking.await.map_err(io::Error::other).flatten().map_err(failed(&path))?;
    locked.ok_or_else(|| AgentError::Busy { path: state.to_owned() })
}

/// Ends what an agent that was killed left running: it is run again, or is not to run any more.
fn end_former(state: &Path) {
    for folder in fs::read_dir(state.join("run")).into_iter().flatten().flatten() {
        if let Err(error) = recipe::end_former(&folder.path()) {
            tracing::warn!("what ran in `{}` cannot be ended: {error}", folder.path().display());
        }
    }
}

/// Follows the goal from revision to revision.
async fn follow(shared: &Arc<Shared>) -> Result<Ended, AgentError> {
    let mut alive: Option<Hold> = None;
    let mut goal = shared.space.newer_goal(0).await?;
    loop {
        if alive.is_none() {
            alive = come_alive(shared, &goal).await?;
        }
        let seen = goal.revision;
        match shared.insist(|| shared.space.plan(&shared.server)).await? {
            Some(plan) if plan.revision == seen => match pursue(shared, &goal, plan).await? {
                Some(newer) => goal = newer,
                None => return Ok(Ended::Retired),
            },
            plan => {
                let found = plan.map(|plan| plan.revision);
                tracing::info!(revision = seen, ?found, "this server has no plan of this revision: waits for the next");
                goal = next_goal(shared, seen).await?;
            }
        }
    }
}

async fn next_goal(shared: &Shared, seen: u64) -> Result<Goal, SpaceError> {
    shared.insist(|| shared.space.newer_goal(seen)).await
}

/// Says that this agent is there; not yet, while the data space has no place for this server.
async fn come_alive(shared: &Shared, goal: &Goal) -> Result<Option<Hold>, AgentError> {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_owned();
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let alive = Alive { since: clock::now(), host, pid: std::process::id(), version, agent: None };
    let stack = shared.space.layout().stack();
    let [_, member] = shared.credential.logins(stack, &shared.server);
    let seen_by = goal.operator.iter().chain([&member.principal()]).cloned().collect::<Vec<_>>();
    let access = seen_by.iter().fold(Access::new(), |access, principal| access.grant(principal, Rights::READ));
    loop {
        let former = shared.insist(|| shared.space.holder(&shared.server)).await?.map(|(_, version)| version);
        match shared.insist(|| shared.space.come_alive(&shared.server, &alive, &access, former)).await {
            Ok(hold) => return Ok(Some(hold)),
            Err(SpaceError::Store(StoreError::Missing { .. })) => return Ok(None),
            // Another one came meanwhile.
            Err(SpaceError::Store(StoreError::Conflict { .. })) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Does what `plan` says until there is a newer goal, which it gives; none when the server is retired and nothing of
/// it is left.
async fn pursue(shared: &Arc<Shared>, goal: &Goal, plan: Plan) -> Result<Option<Goal>, AgentError> {
    tracing::info!(revision = goal.revision, components = plan.components.len(), "begins a revision");
    let due = teardown::due(shared, &plan);
    shared.board.begin(goal.revision, plan.components.keys(), due.keys());
    let is_torn_down = teardown::tear_down(shared, goal.revision, due).await;
    files::prune(shared, &plan);
    if plan.retired && is_torn_down {
        shared.board.settled().await;
        return Ok(None);
    }
    if plan.retired {
        tracing::warn!("the server has left the model; its agent stays until what has failed is torn down");
        return next_goal(shared, goal.revision).await.map(Some).map_err(AgentError::from);
    }
    let revision = revision::Revision::new(goal, plan);
    let mut newer = std::pin::pin!(next_goal(shared, goal.revision));
    let mut work = std::pin::pin!(revision.run(shared));
    tokio::select! {
        biased;
        goal = &mut newer => {
            let goal = goal?;
            tracing::info!(revision = goal.revision, "a newer revision: what runs is let end first");
            revision.supersede();
            shared.board.supersede();
            work.await;
            Ok(Some(goal))
        }
        () = &mut work => Ok(Some(newer.await?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_may_run_on_any_thread() {
        fn is_send<T: Send>(_: impl FnOnce(Agent) -> T) {}
        is_send(|agent| agent.run(std::future::pending()));
    }
}
