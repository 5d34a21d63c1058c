//! Whether this server has another disk than before: its agent begins with an empty journal, where an agent with a folder of
//! its own has acted for the server already. So it is after a rebuild, and all that is on the server runs again.
//!
//! What lives here: finding it out by what that agent said last, and saying so for as long as its revision lasts. What must
//! not: what is done about it. An empty journal has everything run in any case.

use std::sync::{Mutex, MutexGuard, PoisonError};

use wattle::model::Name;
use wattle_agent_core::memory::Memory;
use wattle_agent_core::status::ServerStatus;
use wattle_agent_core::time::Time;

/// What an agent knows of the disk of its server.
#[derive(Debug)]
pub(super) struct Disk {
    /// What tells this agent's folder from any other.
    agent: String,
    /// Whether nothing has ever run from this folder.
    is_empty: bool,
    anew: Mutex<Option<Anew>>,
}

/// That it is new.
#[derive(Clone, Debug)]
struct Anew {
    since: Time,
    space: Option<Name>,
    /// The revision in which it was found; none before the first.
    revision: Option<u64>,
}

impl Disk {
    /// Of the folder of `agent`, whose journal says this.
    pub(super) fn new(agent: &str, memory: &Memory) -> Self {
        Self { agent: agent.to_owned(), is_empty: memory.started().next().is_none(), anew: Mutex::default() }
    }

    /// Takes note of what was said of the server `before` this agent says anything. Comes to whether the disk is new.
    pub(super) fn follows(&self, before: &ServerStatus, now: Time) -> bool {
        let Some(agent) = &before.agent else { return false };
        let is_other = *agent != self.agent;
        let (space, revision) = (before.space.clone(), before.revision);
        *self.known() = match before.anew {
            _ if is_other && self.is_empty => Some(Anew { since: now, space, revision: None }),
            Some(since) if !is_other => Some(Anew { since, space, revision: Some(revision) }),
            _ => None,
        };
        is_other && self.is_empty
    }

    /// The status, with whose it is, and whether that one has a new disk.
    pub(super) fn shown(&self, status: ServerStatus) -> ServerStatus {
        let mut known = self.known();
        let of = known.as_mut().filter(|anew| anew.space == status.space);
        let anew = of.and_then(|anew| {
            let revision = *anew.revision.get_or_insert(status.revision);
            (revision == status.revision).then_some(anew.since)
        });
        ServerStatus { agent: Some(self.agent.clone()), anew, ..status }
    }

    fn known(&self) -> MutexGuard<'_, Option<Anew>> {
        self.anew.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
