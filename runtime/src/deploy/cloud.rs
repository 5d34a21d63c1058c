//! Who carries out what the engine asks for, and sees what is there.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

use async_trait::async_trait;
use wattle::model::{Name, Value};
use wattle_converge::{Id, Job, Outcome, Sight};

/// What was seen of one thing.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// Its row: which knows it by its name in the cloud, else whose mark it has.
    pub row: Id,
    /// Its type.
    pub kind: Name,
    /// What was seen.
    pub sight: Sight,
}

/// What is known of the rows whose things are looked for.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// The rows that know a thing by its name in the cloud, by the type and that name.
    pub by_phys: HashMap<(Name, Name), Id>,
    /// What things are to be like, by their rows, as far as that is looked for.
    pub expected: HashMap<Id, Expected>,
}

/// What a row's thing is to be like.
#[derive(Clone, Debug)]
pub struct Expected {
    /// The resource's name.
    pub name: Name,
    /// What is asked for.
    pub properties: Value,
    /// What else it has: its attributes as they were when something was last done to it.
    pub noted: BTreeMap<Name, Value>,
}

/// Why it is not known what there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blindness {
    /// In the words of a message.
    pub why: String,
    /// Whether it is no use to look again: the cloud does not let one in.
    pub is_final: bool,
}

/// Who carries out what the engine asks for.
#[async_trait]
pub trait Cloud: fmt::Debug + Send + Sync {
    /// The types that it knows.
    fn kinds(&self) -> BTreeSet<Name>;

    /// Carries out a job. It begins no request after [`Job::not_after`].
    async fn carry_out(&self, job: &Job) -> Outcome;

    /// All things of the stack that are of these types, by lists.
    ///
    /// # Errors
    /// Why they are not known.
    async fn list(&self, kinds: &BTreeSet<Name>, rows: &Rows) -> Result<Vec<Seen>, Blindness>;
}
