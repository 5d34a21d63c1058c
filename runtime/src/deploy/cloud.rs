//! Carries out what the engine requests, and observes what exists.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

use async_trait::async_trait;
use wattle::model::{Name, Value};
use wattle_converge::{Id, Job, Outcome, Sight};

/// What was seen of one thing.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// Its row: the one that knows it by its name in the cloud, otherwise the one whose mark it has.
    pub row: Id,
    /// Its type.
    pub kind: Name,
    /// What was seen.
    pub sight: Sight,
}

/// What is known of the rows whose things are searched.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// The rows that know a thing by its name in the cloud, by the type and that name.
    pub by_phys: HashMap<(Name, Name), Id>,
    /// What things should be like, by their rows, as far as that is searched.
    pub expected: HashMap<Id, Expected>,
}

/// What a row's thing should be like.
#[derive(Clone, Debug)]
pub struct Expected {
    /// The resource's name.
    pub name: Name,
    /// What is requested.
    pub properties: Value,
    /// What else it has: its attributes after the last action on it.
    pub noted: BTreeMap<Name, Value>,
}

/// Why it is not known what exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blindness {
    /// In the words of a message.
    pub why: String,
    /// Whether looking again is useless, because the cloud rejects the login.
    pub is_final: bool,
}

/// Carries out what the engine requests.
#[async_trait]
pub trait Cloud: fmt::Debug + Send + Sync {
    /// The types that it knows.
    fn kinds(&self) -> BTreeSet<Name>;

    /// Carries out a job. It begins no request after [`Job::not_after`].
    async fn carry_out(&self, job: &Job) -> Outcome;

    /// All things of the stack that have these types, by lists.
    ///
    /// # Errors
    /// Why they are not known.
    async fn list(&self, kinds: &BTreeSet<Name>, rows: &Rows) -> Result<Vec<Seen>, Blindness>;
}
