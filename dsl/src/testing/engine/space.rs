//! The data space of a run: entries, the status of components, and the waiting agents.

use std::collections::HashMap;

use wattle_agent_core::content::Content;
use wattle_agent_core::machine::{Awaited, Ticket};
use wattle_agent_core::status::{State, Status};
use wattle_agent_core::vault::{PlainVault, Vault as _};

use crate::model::{Name, Value};

use super::super::record::Failure;

/// An agent that waits for an answer, by its server's index and its life.
pub(super) type Waiter = (usize, u32, Ticket);

/// The values that agents have exchanged.
#[derive(Debug, Default)]
pub(super) struct Space {
    entries: HashMap<Name, Content>,
    statuses: HashMap<Name, Status>,
    waiters: HashMap<Awaited, Vec<Waiter>>,
}

impl Space {
    /// Returns the awaited value, if it is there.
    pub(super) fn there(&self, awaited: &Awaited) -> Option<Content> {
        match awaited {
            Awaited::Entry(entry) => self.entries.get(entry).cloned(),
            Awaited::Ended(component) => match &self.statuses.get(component)?.state {
                State::Done => Some(Content::Value(Value::Null)),
                State::Failed(failure) => Some(Content::Failure(failure.clone())),
                State::Waiting(_) | State::Running => None,
            },
            Awaited::Foreign(..) => unreachable!("INVARIANT: the imports of a trial are values"),
        }
    }

    pub(super) fn entry(&self, entry: &Name) -> Option<&Content> {
        self.entries.get(entry)
    }

    /// Whether something that a status names has arrived: an entry, or the end of a component.
    pub(super) fn has(&self, what: &Name) -> bool {
        self.entries.contains_key(what) || self.there(&Awaited::Ended(what.clone())).is_some()
    }

    pub(super) fn status(&self, component: &Name) -> Option<&Status> {
        self.statuses.get(component)
    }

    pub(super) fn waits(&mut self, awaited: Awaited, waiter: Waiter) {
        self.waiters.entry(awaited).or_default().push(waiter);
    }

    /// Writes an entry, and returns the agents that waited for it.
    pub(super) fn write(&mut self, entry: Name, content: Content) -> Vec<Waiter> {
        self.entries.insert(entry.clone(), content);
        self.waiters.remove(&Awaited::Entry(entry)).unwrap_or_default()
    }

    /// Sets the status of a component. If the component has ended, returns the agents that waited for that.
    pub(super) fn show(&mut self, component: &Name, status: Status) -> Vec<Waiter> {
        self.statuses.insert(component.clone(), status);
        let ended = Awaited::Ended(component.clone());
        if self.there(&ended).is_none() {
            return Vec::new();
        }
        self.waiters.remove(&ended).unwrap_or_default()
    }

    /// Returns the values of the entries in plain text.
    pub(super) fn values(self) -> HashMap<Name, Result<Value, Failure>> {
        let plain = |(entry, content): (Name, Content)| {
            let value = match &content {
                Content::Failure(failure) => Err(failure.into()),
                Content::Value(_) | Content::Sealed(_) => {
                    let writer = entry.split('/').next().unwrap_or(&entry);
                    let value = PlainVault::new(writer).read(&entry, &content).ok().flatten();
                    Ok(value.expect("INVARIANT: who writes a secret can read it"))
                }
            };
            (entry, value)
        };
        self.entries.into_iter().map(plain).collect()
    }
}
