//! The agent: the program on a server that runs its components.
//!
//! It carries out the actions of a [`Machine`](wattle_agent_core::machine::Machine), with a store, a disk and
//! processes. This module produces events and carries out actions. It must not decide when something runs or what
//! follows from its result: the machine decides that. How a recipe runs belongs to [`crate::recipe`], and the meaning
//! of a store's nodes to [`crate::space`].
//!
//! An agent is a single future. Dropping it at any point is equivalent to a crash. The journal's documentation explains
//! why nothing is lost then.

mod admission;
mod attributes;
mod claim;
mod disk;
mod driver;
mod durable;
mod files;
mod identity;
mod journal;
mod live;
mod logs;
mod metadata;
mod own_key;
mod publisher;
mod recent;
mod runs;
mod seen;
mod shared;
mod signals;
mod socket;
mod touch;
mod why;

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::{mpsc, watch};
use wattle::model::{IndexMap, Name, Value};
use wattle_agent_core::machine::Setup;

use crate::lock;
use crate::recipe::Runner;
use crate::space::{Credential, ServerKey, ServerVault, Space, SpaceError};

pub use attributes::{Attributes, Fixed};
pub use identity::{Identity, IdentityError};
pub use journal::{JournalError, forget_finished};
pub use metadata::{Metadata, Place};
pub use recent::Recent;
pub use wattle_agent_core::machine::Limits;

use admission::Admission;
use disk::Disk;
use driver::Driver;
use logs::Asked;
use own_key::own_keys;
use publisher::Publisher;
use seen::Seen;
use shared::Shared;
use socket::{Runs, Socket};
use touch::Touch;

/// An agent, which acts for one server of one stack.
#[derive(Debug)]
pub struct Agent {
    /// The data space of its stack, in a store that knows the server's credential.
    pub space: Space,
    /// The server.
    pub server: Name,
    /// The server's credential, which opens its secrets.
    pub credential: Credential,
    /// Runs recipes.
    pub runner: Arc<dyn Runner>,
    /// The folder for the journal, run directories, recipes and the socket. For this agent alone.
    pub state: PathBuf,
    /// The source of the server's own attributes.
    pub attributes: Arc<dyn Attributes>,
    /// The values in the server's user data.
    pub user_data: IndexMap<Name, Value>,
    /// Limits for components that do not declare their own.
    pub limits: Limits,
    /// The last lines of its log, for operators who request them.
    pub recent: Arc<Recent>,
}

/// Why an agent ended without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It was requested to end.
    Asked,
    /// The server has left the model, and everything on it has been torn down.
    Retired,
}

/// Why an agent cannot continue.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// Its folder cannot be used.
    #[error("cannot use the agent's folder `{}`: {source}", path.display())]
    State {
        /// The path within it, or the folder itself.
        path: PathBuf,
        /// The reason.
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
    /// The data space refuses a request.
    #[error(transparent)]
    Space(#[from] SpaceError),
}

/// The name of an agent's socket in its folder.
pub(crate) const SOCKET: &str = "agent.sock";

/// The file with the agent's own name.
const NAME: &str = "agent";

impl Agent {
    /// Acts for the server until it has left the model, or `until` is ready.
    ///
    /// # Errors
    /// The agent cannot start, because its folder cannot be used or the data space refuses it. Once started, it
    /// continues whatever happens.
    pub async fn run(self, until: impl Future<Output = ()>) -> Result<Ended, AgentError> {
        let mut until = std::pin::pin!(until);
        let _lock = tokio::select! {
            biased;
            () = &mut until => return Ok(Ended::Asked),
            lock = prepare(&self.state) => lock?,
        };
        let agent = name(&self.state).map_err(|source| AgentError::State { path: self.state.join(NAME), source })?;
        let opened = journal::Journal::open(&self.state.join("journal"));
        runs::end_former(&self.state, opened.as_ref().ok().map(|(_, memory)| memory));
        let own = own_keys(&self.state, self.credential.key().authorities())
            .map_err(|source| AgentError::State { path: self.state.join(own_key::NAME), source })?;
        let (journal, memory) = opened?;
        let seen = Seen::open(&self.state)
            .map_err(|source| AgentError::State { path: self.state.join(seen::NAME), source })?;
        let signals = signals::Kept::open(&self.state)
            .map_err(|source| AgentError::State { path: self.state.join(signals::NAME), source })?;
        let socket =
            Socket::bind(&self.state).map_err(|source| AgentError::State { path: self.state.join(SOCKET), source })?;
        let (sender, messages) = mpsc::unbounded_channel();
        let stack = self.space.layout().stack().to_owned();
        let vault = ServerVault::new(&stack, own.clone(), &self.credential);
        let Self { space, server, credential, runner, state, attributes, user_data, limits, recent } = self;
        let setup = Setup { server: server.clone(), user_data, limits, vault };
        let store = Arc::clone(space.store());
        // The operator may know the server by any of them. If the credential predates passwords that are specific to
        // one authority, the admitted key may do so as well.
        let keys = own.all();
        let unbound = keys.iter().filter(|_| credential.is_unbound()).map(|key| key.clone().unbound());
        let logins: Vec<_> = keys.iter().cloned().chain(unbound).flat_map(|key| key.logins(&stack, &server)).collect();
        let logging_in = async { store.log_in(&logins).await.map_err(SpaceError::from) };
        tokio::select! {
            biased;
            () = &mut until => return Ok(Ended::Asked),
            logged_in = logging_in => logged_in?,
        }
        let signers = keys.iter().map(ServerKey::signer).chain([credential.key().signer()]);
        let space = space.signing(signers.collect::<Vec<_>>());
        let space = if let Some(authority) = credential.authority() {
            space.trusting(seen.operator(authority))
        } else {
            tracing::warn!("{}", shared::UNPROVEN);
            space
        };
        let shared = Arc::new(Shared {
            space: space.led(),
            admission: Admission::new(&stack, &server, own, credential),
            server,
            runner,
            state,
            attributes,
            publisher: Publisher::default(),
            runs: Runs::default(),
            signals,
            asked: Asked::default(),
            recent,
            socket: socket.path().to_owned(),
            disk: Disk::new(&agent, &memory),
            touch: Touch::new(agent, store),
            seen,
            fetching: tokio::sync::Mutex::default(),
            messages: sender,
        });
        let driver = Driver::new(Arc::clone(&shared), setup, (journal, memory));
        let (end, ends) = watch::channel(false);
        let mut follow = std::pin::pin!(claim::follow(Arc::clone(&shared), ends));
        let ended = tokio::select! {
            biased;
            () = &mut until => Ended::Asked,
            ended = driver.drive(messages) => ended,
            followed = &mut follow => return followed.map(|()| Ended::Asked).map_err(AgentError::from),
            () = shared.publisher.publish(&shared) => Ended::Asked,
            () = shared.signals.publish(&shared) => Ended::Asked,
            () = Box::pin(logs::answer(&shared)) => Ended::Asked,
            () = shared.report_disowned() => Ended::Asked,
            () = admission::attend(&shared) => Ended::Asked,
            () = admission::announce(&shared) => Ended::Asked,
            () = socket.serve(&shared) => Ended::Asked,
        };
        end.send_replace(true);
        follow.await?;
        Ok(ended)
    }
}

/// Identifies the agent of this folder among all agents of its server, even after a restart.
fn name(state: &Path) -> io::Result<String> {
    let path = state.join(NAME);
    match fs::read_to_string(&path) {
        Ok(name) if !name.is_empty() => return Ok(name),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let name = socket::chance();
    fs::write(&path, &name)?;
    Ok(name)
}

/// Creates the agent's folder, and locks it for as long as the result lives.
async fn prepare(state: &Path) -> Result<File, AgentError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| AgentError::State { path, source }
    };
    // Other users, such as a database's, may traverse the folders to the recipe files, but may not list them.
    for folder in [state.to_owned(), state.join("run"), state.join("recipes")] {
        fs::create_dir_all(&folder).map_err(failed(&folder))?;
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o711)).map_err(failed(&folder))?;
    }
    let path = state.join("lock");
    let file = lock::open(&path).map_err(failed(&path))?;
    let locking = tokio::task::spawn_blocking(move || lock::lock(&file).map(|is_ours| is_ours.then_some(file)));
    let locked = locking.await.map_err(io::Error::other).flatten().map_err(failed(&path))?;
    locked.ok_or_else(|| AgentError::Busy { path: state.to_owned() })
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
