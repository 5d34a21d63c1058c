//! The wanted state: a trait for the part that knows resources.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use wattle_model::{Name, Value};

use crate::Row;

/// A thing that the cloud created for a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Thing {
    /// Its name in the cloud.
    pub phys: Name,
    /// Its attributes, which other resources may read.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<Name, Value>,
}

/// The things of the resources that a resource depends on.
pub struct Known<'a>(pub(crate) &'a dyn Fn(&str) -> Option<&'a Thing>);

impl<'a> Known<'a> {
    /// Wraps a function from names to things.
    pub fn new(thing: &'a dyn Fn(&str) -> Option<&'a Thing>) -> Self {
        Self(thing)
    }

    /// The thing that stands for a name; `None` for a name that was not given as a dependency.
    pub fn thing(&self, name: &str) -> Option<&'a Thing> {
        (self.0)(name)
    }
}

/// The effect of a different value of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// A replacement is created.
    Replace,
    /// The thing is changed.
    InPlace,
    /// The value is only recorded.
    Noted,
}

/// The wanted state of a resource, with all its dependencies resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// Its type. The worker that carries out a job uses it to find the driver.
    pub kind: Name,
    /// A digest of the properties that cannot be changed in place.
    pub fixed: Name,
    /// A digest of all other properties.
    pub free: Name,
    /// The properties whose effect depends on the desired state, by name. Each has a digest of the value, and the
    /// effect of a different value in this desired state. They are in neither of the other digests.
    pub varying: BTreeMap<Name, (Name, Effect)>,
    /// The dependencies whose values appear in its own attributes: a server shows the addresses of its ports. Once one
    /// of these was changed, it is read again.
    pub shows: BTreeSet<Name>,
    /// What it holds exclusively: an address, an attached volume, an identity.
    pub exclusive: BTreeSet<Name>,
    /// What it holds exclusively only while it is being created: resources that need the same are created one after the
    /// other.
    pub turns: BTreeSet<Name>,
    /// Whether something on it has to be torn down before it is deleted.
    pub drains: bool,
    /// Whether its drift is corrected even if the desired state does not request that.
    pub corrects: bool,
    /// How long it may take; [`Limits::patience`](crate::Limits) if it is `None`.
    pub patience: Option<Duration>,
    /// The properties. They go into jobs and are not stored.
    pub properties: Value,
}

impl Wanted {
    /// The digests of the varying properties.
    pub(crate) fn values(&self) -> BTreeMap<Name, Name> {
        self.varying.iter().map(|(name, (value, _))| (name.clone(), value.clone())).collect()
    }

    /// Whether a row may stand for it, which it may unless a difference requires a replacement.
    pub fn may_be(&self, row: &Row) -> bool {
        crate::predicates::fits(row, self)
    }

    /// Whether these values match, among the properties for which a different value has this effect.
    pub(crate) fn agrees(&self, values: &BTreeMap<Name, Name>, effect: Effect) -> bool {
        let mut wanted = self.varying.iter().filter(|(_, (_, does))| *does == effect);
        wanted.all(|(name, (value, _))| values.get(name) == Some(value))
    }

    /// What it must hold exclusively when it is created.
    pub(crate) fn all_exclusive(&self) -> impl Iterator<Item = &Name> {
        self.exclusive.union(&self.turns)
    }
}

/// The contents of a desired state.
pub trait Target: fmt::Debug + Send + Sync {
    /// The name of each resource, with the names that it depends on: each at most once, and without cycles.
    fn resources(&self) -> Vec<(Name, Vec<Name>)>;

    /// Resolves a resource, given the things that its dependencies have become. It is deterministic.
    ///
    /// # Errors
    ///
    /// The wanted state cannot be computed; the error is a message.
    fn resolve(&self, name: &str, known: &Known<'_>) -> Result<Wanted, String>;
}

/// A target without resources: the final target of a deleted stack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nothing;

impl Target for Nothing {
    fn resources(&self) -> Vec<(Name, Vec<Name>)> {
        Vec::new()
    }

    fn resolve(&self, name: &str, _: &Known<'_>) -> Result<Wanted, String> {
        Err(format!("`{name}` is not wanted"))
    }
}
