//! Rows: the known state of a thing in the cloud, and the action on it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use wattle_model::Name;

use crate::{Id, Thing, Time};

/// The state of a row's thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// It is being created, or may have been.
    New,
    /// It exists and may stand for its name.
    Sound,
    /// It may exist but cannot become usable, so it will be deleted.
    Failed,
    /// It does not exist.
    Gone,
}

/// An action on a row's thing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Act {
    /// It is created.
    Create,
    /// It is looked for by its mark, because it is unknown whether it was created.
    Look,
    /// It is changed in place.
    Update {
        /// Its digest afterwards.
        free: Name,
        /// The digests of its varying properties afterwards.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        varying: BTreeMap<Name, Name>,
        /// The rows that it requires afterwards. Until then, it also requires what it required before.
        requires: BTreeSet<Id>,
        /// The editions that it shows afterwards.
        #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
        shown: BTreeSet<Id>,
        /// What it holds afterwards. Until then, it also holds what it held before.
        holds: BTreeSet<Name>,
        /// The names of the properties that it is given afterwards. Until then, it may also have those that it was given before.
        #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
        given: BTreeSet<Name>,
    },
    /// Its attributes are read again, because what they show of other things may have changed.
    Read {
        /// The rows that it requires afterwards. Until then, it also requires what it required before.
        requires: BTreeSet<Id>,
        /// The editions that it shows afterwards.
        shown: BTreeSet<Id>,
    },
    /// It releases what others need.
    Release {
        /// What it releases.
        exclusive: BTreeSet<Name>,
    },
    /// It is deleted.
    Delete,
}

/// An action that has begun, or is about to. It is stored before its job begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intent {
    /// The action.
    pub act: Act,
    /// The time after which no request for it is started.
    pub not_after: Time,
}

/// The failure of a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowFailure {
    /// The number of the desired state for which it failed. It is tried again for a later one.
    pub generation: u64,
    /// Whether its deletion failed, rather than an earlier action.
    pub deleting: bool,
    /// If it should have reached its wanted state: the rows that it was to require. Once other rows stand for its
    /// dependencies, it is retried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs: Option<BTreeSet<Id>>,
    /// The cause, worded for a message.
    pub cause: Name,
}

/// The known state of one thing in the cloud.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Its name, which is also the thing's mark.
    pub id: Id,
    /// The name of the resource that it may stand for.
    pub name: Name,
    /// Its type.
    pub kind: Name,
    /// The number of the desired state for which it was created.
    pub made: u64,
    /// The digest of the properties that cannot be changed in place.
    pub fixed: Name,
    /// The digest of its other properties; `None` if they are unknown.
    pub free: Option<Name>,
    /// The digest of each property whose effect depends on the desired state, if known.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub varying: BTreeMap<Name, Name>,
    /// The names of the properties that it may have been given, and `PROPERTY.KEY` for the keys of those that are maps.
    /// If one of them is no longer given, it reverts to its value without it.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub given: BTreeSet<Name>,
    /// The rows that it refers to or is ordered after.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub requires: BTreeSet<Id>,
    /// The edition of the thing that its attributes are from. A thing gets another one when it is changed or read
    /// again, and has the default one after its creation.
    #[serde(default, skip_serializing_if = "Id::is_default")]
    pub edition: Id,
    /// The editions of other things that it showed when its attributes were read.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub shown: BTreeSet<Id>,
    /// What it holds exclusively.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub holds: BTreeSet<Name>,
    /// What it holds exclusively until it is created.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub turns: BTreeSet<Name>,
    /// Whether something on it has to be torn down before it is deleted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub drains: bool,
    /// Whether its thing existed before and was never acted on. Such a thing has no mark, and counts as a leftover of
    /// the desired state that was reached last.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub adopted: bool,
    /// Its state.
    pub stage: Stage,
    /// The thing, once it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thing: Option<Thing>,
    /// Its last failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<RowFailure>,
    /// The action on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<Intent>,
    /// The deadline for the current action to succeed, however many times it is started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Time>,
    /// The observed difference from the deployed state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drift: Option<Name>,
    /// Since when it [looks as it does](Row::is_like). No rule uses this; it is for display. If unknown, it is the
    /// beginning of time.
    #[serde(default)]
    pub since: Time,
}

impl Row {
    /// Whether no action on it is in progress.
    pub fn is_idle(&self) -> bool {
        self.intent.is_none()
    }

    /// Whether both rows look the same to an observer: their actions, states, failures and differences.
    pub fn is_like(&self, other: &Self) -> bool {
        let of = |row: &Self| row.act().map(std::mem::discriminant);
        of(self) == of(other) && (self.stage, &self.failed, &self.drift) == (other.stage, &other.failed, &other.drift)
    }

    /// The rows that may not be deleted because of it.
    pub fn all_required(&self) -> impl Iterator<Item = Id> {
        let more = match self.act() {
            Some(Act::Update { requires, .. } | Act::Read { requires, .. }) => Some(requires),
            _ => None,
        };
        let more = more.into_iter().flatten().filter(|id| !self.requires.contains(id));
        self.requires.iter().chain(more).copied()
    }

    /// What no other row may hold because of it.
    pub fn all_held(&self) -> impl Iterator<Item = &Name> {
        let more = match self.act() {
            Some(Act::Update { holds, .. }) => Some(holds),
            _ => None,
        };
        let more = more.into_iter().flatten().filter(|held| !self.holds.contains(*held));
        let turns = self.turns.iter().filter(|_| self.stage == Stage::New);
        self.holds.iter().chain(more).chain(turns)
    }

    /// The action on it.
    pub fn act(&self) -> Option<&Act> {
        self.intent.as_ref().map(|intent| &intent.act)
    }

    /// Whether it is being deleted.
    pub fn is_being_deleted(&self) -> bool {
        self.act() == Some(&Act::Delete)
    }

    /// Ends an update whose result is unknown: the row may now have both its former values and those of the update.
    pub(crate) fn may_be_updated(&mut self) {
        if let Some(Act::Update { varying, requires, holds, given, .. }) = self.intent.take().map(|intent| intent.act) {
            self.requires.extend(requires);
            self.holds.extend(holds);
            self.given.extend(given);
            self.varying.retain(|name, value| varying.get(name) == Some(value));
        }
        self.free = None;
    }

    /// Records that the thing does not exist, so that it requires and holds nothing.
    pub(crate) fn is_gone(&mut self) {
        self.stage = Stage::Gone;
        self.intent = None;
        self.until = None;
        self.free = None;
        self.drift = None;
        self.requires.clear();
        self.holds.clear();
    }
}
