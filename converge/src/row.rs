//! Rows: what is known of a thing in the cloud, and what is being done to it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use wattle_model::Name;

use crate::{Id, Thing, Time};

/// How a row's thing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// It is being made, or may have been.
    New,
    /// It is there, and may stand for its name.
    Sound,
    /// It may be there, and nothing can come of it: it is to be deleted.
    Failed,
    /// It is not there.
    Gone,
}

/// What is done to a row's thing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Act {
    /// It is made.
    Create,
    /// It is looked for by its mark, because nobody heard whether it was made.
    Look,
    /// It is changed in place.
    Update {
        /// The digest that it then has.
        free: Name,
        /// What then varies.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        varying: BTreeMap<Name, Name>,
        /// The rows that it then requires. Until then it requires what it required before, too.
        requires: BTreeSet<Id>,
        /// What it then has. Until then it has what it had before, too.
        holds: BTreeSet<Name>,
    },
    /// What others need is taken from it.
    Release {
        /// What is taken.
        exclusive: BTreeSet<Name>,
    },
    /// It is deleted.
    Delete,
}

/// What somebody has begun, or is about to. It is stored before a job for it is begun.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intent {
    /// What it is.
    pub act: Act,
    /// Nobody begins a request for it after this.
    pub not_after: Time,
}

/// What went wrong with a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// In which goal. A later goal tries again.
    pub generation: u64,
    /// Its deletion failed; else something before.
    pub deleting: bool,
    /// The rows that it was to require, if it was to be as wanted: once others stand for what it depends on, it is tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs: Option<BTreeSet<Id>>,
    /// Why, in the words of a message.
    pub cause: Name,
}

/// What is known of one thing in the cloud.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Its name, which is also the mark of the thing.
    pub id: Id,
    /// Whom it may stand for.
    pub name: Name,
    /// Its type.
    pub kind: Name,
    /// The goal that it was made for.
    pub made: u64,
    /// The digest of what nothing can change in place.
    pub fixed: Name,
    /// The digest of its other properties; nothing if they are not known.
    pub free: Option<Name>,
    /// The digest of each property of which only a goal says whether it can be changed in place, as far as it is known.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub varying: BTreeMap<Name, Name>,
    /// The rows that it refers to, or comes after.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub requires: BTreeSet<Id>,
    /// What it has that nothing else may have.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub holds: BTreeSet<Name>,
    /// What nothing else may have until it is made.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub turns: BTreeSet<Name>,
    /// Something on it is to be torn down before it is deleted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub drains: bool,
    /// Its thing was there before, and nothing was done to it yet: it has no mark, and counts as what the last good goal left.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub adopted: bool,
    /// How it is.
    pub stage: Stage,
    /// The thing, once it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thing: Option<Thing>,
    /// What went wrong with it last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<Failure>,
    /// What is being done to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<Intent>,
    /// Until when what is being done to it is to succeed, however often it is begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Time>,
    /// How it differs from what was deployed, as it was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drift: Option<Name>,
    /// Since when it [is so](Row::is_like). No rule asks for it: it is there for whoever looks on. At the beginning of time where
    /// that is not known.
    #[serde(default)]
    pub since: Time,
}

impl Row {
    /// Whether nothing is being done to it.
    pub fn is_idle(&self) -> bool {
        self.intent.is_none()
    }

    /// Whether whoever looks on would say the same of both: what is done to it, how it is, what went wrong and how it differs.
    pub fn is_like(&self, other: &Self) -> bool {
        let of = |row: &Self| row.act().map(std::mem::discriminant);
        of(self) == of(other) && (self.stage, &self.failed, &self.drift) == (other.stage, &other.failed, &other.drift)
    }

    /// The rows that may not be deleted because of it.
    pub fn all_required(&self) -> impl Iterator<Item = Id> {
        let more = match self.act() {
            Some(Act::Update { requires, .. }) => Some(requires),
            _ => None,
        };
        let more = more.into_iter().flatten().filter(|id| !self.requires.contains(id));
        self.requires.iter().chain(more).copied()
    }

    /// What nothing else may be given because of it.
    pub fn all_held(&self) -> impl Iterator<Item = &Name> {
        let more = match self.act() {
            Some(Act::Update { holds, .. }) => Some(holds),
            _ => None,
        };
        let more = more.into_iter().flatten().filter(|held| !self.holds.contains(*held));
        let turns = self.turns.iter().filter(|_| self.stage == Stage::New);
        self.holds.iter().chain(more).chain(turns)
    }

    /// What is being done to it.
    pub fn act(&self) -> Option<&Act> {
        self.intent.as_ref().map(|intent| &intent.act)
    }

    /// Whether it is being deleted.
    pub fn is_being_deleted(&self) -> bool {
        self.act() == Some(&Act::Delete)
    }

    /// Takes what an update would have given it as what it may have.
    pub(crate) fn may_be_updated(&mut self) {
        if let Some(Act::Update { varying, requires, holds, .. }) = self.intent.take().map(|intent| intent.act) {
            self.requires.extend(requires);
            self.holds.extend(holds);
            self.varying.retain(|name, value| varying.get(name) == Some(value));
        }
        self.free = None;
    }

    /// The thing is not there, so nothing is required or held by it.
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
