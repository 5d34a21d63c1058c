//! The interface to a cloud: carries out the engine's requests, and observes what exists.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

use async_trait::async_trait;
use wattle::model::{Name, Value};
use wattle_converge::{Id, Job, Outcome, Sight};

/// An observation of one thing.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// Its row: the one that knows it by its name in the cloud, otherwise the one whose mark it carries.
    pub row: Id,
    /// Its type.
    pub kind: Name,
    /// The observed state.
    pub sight: Sight,
}

/// What is known about the rows whose things are looked for.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// The rows that know a thing by its name in the cloud, by the type and that name.
    pub by_phys: HashMap<(Name, Name), Id>,
    /// The expected states of things, by row, where they are needed.
    pub expected: HashMap<Id, Expected>,
}

/// The expected state of a row's thing.
#[derive(Clone, Debug)]
pub struct Expected {
    /// The resource's name.
    pub name: Name,
    /// The requested properties.
    pub properties: Value,
    /// Its attributes after the last action on it.
    pub noted: BTreeMap<Name, Value>,
}

/// Why observations are unavailable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blindness {
    /// The reason, as a message.
    pub why: String,
    /// Whether retrying is useless, because the cloud rejects the login.
    pub is_final: bool,
}

/// Carries out the engine's requests.
#[async_trait]
pub trait Cloud: fmt::Debug + Send + Sync {
    /// The supported types.
    fn kinds(&self) -> BTreeSet<Name>;

    /// Carries out a job. Starts no request after [`Job::not_after`].
    async fn carry_out(&self, job: &Job) -> Outcome;

    /// Lists all things of the stack with these types.
    ///
    /// # Errors
    /// The lists cannot be read.
    async fn list(&self, kinds: &BTreeSet<Name>, rows: &Rows) -> Result<Vec<Seen>, Blindness>;
}
