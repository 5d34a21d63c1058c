//! What a goal asks for: the side of it that knows what resources are, behind a trait.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use wattle_model::{Name, Value};

use crate::Row;

/// What the cloud made for a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Thing {
    /// Its name in the cloud.
    pub phys: Name,
    /// What others may read of it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<Name, Value>,
}

/// What is known of the resources that a resource depends on.
pub struct Known<'a>(pub(crate) &'a dyn Fn(&str) -> Option<&'a Thing>);

impl<'a> Known<'a> {
    /// What stands for names, by a function.
    pub fn new(thing: &'a dyn Fn(&str) -> Option<&'a Thing>) -> Self {
        Self(thing)
    }

    /// What stands for a name; nothing for a name that was not given as a dependency.
    pub fn thing(&self, name: &str) -> Option<&'a Thing> {
        (self.0)(name)
    }
}

/// What another value of a property does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It makes another thing.
    Replace,
    /// The thing is changed.
    InPlace,
    /// Nothing: it is only written down.
    Noted,
}

/// A resource as it is wanted, with all that it depends on resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// Its type, by which whoever carries a job out finds its driver.
    pub kind: Name,
    /// A digest of the properties that nothing can change in place.
    pub fixed: Name,
    /// A digest of all other properties.
    pub free: Name,
    /// Properties of which each goal says anew what another value does, by name: a digest of the value, and what it does in this
    /// goal. They are in neither of the other digests.
    pub varying: BTreeMap<Name, (Name, Change)>,
    /// What it has that no two can have: an address, an attached volume, an identity.
    pub exclusive: BTreeSet<Name>,
    /// What it has only while it is made: of those that want the same, one is made after the other.
    pub turns: BTreeSet<Name>,
    /// Something on it is to be torn down before it is deleted.
    pub drains: bool,
    /// It is put right when it drifts, also in a goal that does not ask for it.
    pub corrects: bool,
    /// How long it may take; [`Limits::patience`](crate::Limits) if it does not say so.
    pub patience: Option<Duration>,
    /// The properties. They go into jobs and are not stored.
    pub properties: Value,
}

impl Wanted {
    /// The digests of the values of what varies.
    pub(crate) fn values(&self) -> BTreeMap<Name, Name> {
        self.varying.iter().map(|(name, (value, _))| (name.clone(), value.clone())).collect()
    }

    /// Whether a row may stand for it: it differs in nothing that makes another thing.
    pub fn may_be(&self, row: &Row) -> bool {
        crate::predicates::fits(row, self)
    }

    /// Whether these values are as wanted, as far as another one does `change`.
    pub(crate) fn agrees(&self, values: &BTreeMap<Name, Name>, change: Change) -> bool {
        let mut wanted = self.varying.iter().filter(|(_, (_, does))| *does == change);
        wanted.all(|(name, (value, _))| values.get(name) == Some(value))
    }

    /// What no other may have when it is made.
    pub(crate) fn all_exclusive(&self) -> impl Iterator<Item = &Name> {
        self.exclusive.union(&self.turns)
    }
}

/// What a goal asks for.
pub trait Target: fmt::Debug + Send + Sync {
    /// The name of each resource, with the names that it depends on: each at most once, and without cycles.
    fn resources(&self) -> Vec<(Name, Vec<Name>)>;

    /// A resource, given what its dependencies have become. The same facts give the same answer.
    ///
    /// # Errors
    ///
    /// Why it cannot be said what is wanted, in the words of a message.
    fn resolve(&self, name: &str, known: &Known<'_>) -> Result<Wanted, String>;
}

/// Asks for nothing: what a stack comes to that is deleted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nothing;

impl Target for Nothing {
    fn resources(&self) -> Vec<(Name, Vec<Name>)> {
        Vec::new()
    }

    fn resolve(&self, name: &str, _: &Known<'_>) -> Result<Wanted, String> {
        Err(format!("nothing is wanted, and not `{name}`"))
    }
}
