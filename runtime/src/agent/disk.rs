//! Whether this server has a new disk: its agent begins with an empty journal, although an agent with another folder
//! has acted for the server before. This happens after a rebuild, and everything on the server runs again.
//!
//! This module detects it from the last status of the earlier agent, and reports it for as long as its revision lasts.
//! It must not decide what to do about it: an empty journal makes everything run in any case.

use std::sync::{Mutex, MutexGuard, PoisonError};

use wattle::model::Name;
use wattle_agent_core::memory::Memory;
use wattle_agent_core::status::ServerStatus;
use wattle_agent_core::time::Time;

/// What an agent knows about the disk of its server.
#[derive(Debug)]
pub(super) struct Disk {
    /// Identifies this agent's folder.
    agent: String,
    /// Whether nothing has ever run from this folder.
    is_empty: bool,
    replaced: Mutex<Option<NewDisk>>,
}

/// A new disk.
#[derive(Clone, Debug)]
struct NewDisk {
    since: Time,
    space: Option<Name>,
    /// The revision in which it was detected. `None` before the first.
    revision: Option<u64>,
}

impl Disk {
    /// Creates the state from the folder of `agent` and the contents of its journal.
    pub(super) fn new(agent: &str, memory: &Memory) -> Self {
        Self { agent: agent.to_owned(), is_empty: memory.started().next().is_none(), replaced: Mutex::default() }
    }

    /// Takes the status from before this agent into account. Returns whether the disk is new.
    pub(super) fn follows(&self, before: &ServerStatus, now: Time) -> bool {
        let Some(agent) = &before.agent else { return false };
        let is_other = *agent != self.agent;
        let (space, revision) = (before.space.clone(), before.revision);
        *self.known() = match before.new_disk_since {
            _ if is_other && self.is_empty => Some(NewDisk { since: now, space, revision: None }),
            Some(since) if !is_other => Some(NewDisk { since, space, revision: Some(revision) }),
            _ => None,
        };
        is_other && self.is_empty
    }

    /// The status with the name of this agent, and whether its disk is new.
    pub(super) fn shown(&self, status: ServerStatus) -> ServerStatus {
        let mut known = self.known();
        let of = known.as_mut().filter(|new| new.space == status.space);
        let new_disk_since = of.and_then(|new| {
            let revision = *new.revision.get_or_insert(status.revision);
            (revision == status.revision).then_some(new.since)
        });
        ServerStatus { agent: Some(self.agent.clone()), new_disk_since, ..status }
    }

    fn known(&self) -> MutexGuard<'_, Option<NewDisk>> {
        self.replaced.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
