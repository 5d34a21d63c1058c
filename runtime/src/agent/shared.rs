//! What all parts of one agent share.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::time;
use wattle::model::{IndexMap, Name, Value};
use wattle_agent_core::record::Record;

use crate::recipe::Runner;
use crate::space::{Credential, PlannedComponent, ServerVault, Space, SpaceError};
use crate::store::StoreError;

use super::board::Board;
use super::journal::Journal;
use super::socket::Runs;
use super::{Agent, Attributes, Limits};

/// How long to wait before something is tried again that is in nobody's hand here: a full disk, a store that refuses.
const AGAIN: Duration = Duration::from_secs(5);

/// The longest of all limits: clocks have an end.
const LONGEST: Duration = Duration::from_hours(366 * 24);

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) space: Space,
    pub(super) server: Name,
    pub(super) credential: Credential,
    pub(super) vault: ServerVault,
    pub(super) runner: Arc<dyn Runner>,
    pub(super) state: PathBuf,
    pub(super) attributes: Arc<dyn Attributes>,
    pub(super) user_data: IndexMap<Name, Value>,
    pub(super) limits: Limits,
    pub(super) board: Board,
    pub(super) runs: Runs,
    pub(super) socket: PathBuf,
    journal: Mutex<Journal>,
}

impl Shared {
    pub(super) fn new(agent: Agent, journal: Journal, socket: PathBuf) -> Self {
        let Agent { space, server, credential, runner, state, attributes, user_data, limits } = agent;
        Self {
            board: Board::new(&server),
            vault: ServerVault::new(&credential),
            runs: Runs::default(),
            journal: Mutex::new(journal),
            space,
            server,
            credential,
            runner,
            state,
            attributes,
            user_data,
            limits,
            socket,
        }
    }

    /// How long one run of a component may take.
    pub(super) fn deadline(&self, planned: &PlannedComponent) -> Duration {
        planned.recipe.deadline.map_or(self.limits.deadline, Duration::from_secs).min(LONGEST)
    }

    /// How long the inputs of a component may be awaited.
    pub(super) fn wait(&self, planned: &PlannedComponent) -> Duration {
        planned.recipe.wait.map_or(self.limits.wait, Duration::from_secs).min(LONGEST)
    }

    /// The component's name in the stack.
    pub(super) fn full(&self, component: &str) -> Name {
        format!("{}/{component}", self.server).into()
    }

    pub(super) fn journal(&self) -> MutexGuard<'_, Journal> {
        self.journal.lock().expect("INVARIANT: nothing panics while it holds the journal")
    }

    /// Puts `records` on disk, however long it takes.
    pub(super) async fn record(&self, records: &[Record]) {
        let path = self.state.join("journal");
        self.insist_io(&format!("the journal `{}`", path.display()), || self.journal().append(records)).await;
    }

    /// Does `work` on the disk until it is done.
    pub(super) async fn insist_io<T>(&self, what: &str, mut work: impl FnMut() -> io::Result<T>) -> T {
        let mut in_trouble = false;
        loop {
            match work() {
                Ok(done) => {
                    if in_trouble {
                        self.board.trouble(what, None);
                    }
                    return done;
                }
                Err(error) => {
                    in_trouble = true;
                    self.board.trouble(what, Some(format!("cannot write {what}, and tries again: {error}")));
                    time::sleep(AGAIN).await;
                }
            }
        }
    }

    /// Asks the data space until it listens: while it cannot be used at all, there is nothing else to do than to wait.
    pub(super) async fn insist<T, F>(&self, mut ask: impl FnMut() -> F) -> Result<T, SpaceError>
    where
        F: Future<Output = Result<T, SpaceError>>,
    {
        const TROUBLE: &str = "the data space";
        let mut in_trouble = false;
        loop {
            match ask().await {
                Err(SpaceError::Store(error @ StoreError::Unusable { .. })) => {
                    in_trouble = true;
                    self.board.trouble(TROUBLE, Some(format!("{error}; tries again")));
                    time::sleep(AGAIN).await;
                }
                answer => {
                    if in_trouble {
                        self.board.trouble(TROUBLE, None);
                    }
                    return answer;
                }
            }
        }
    }
}
