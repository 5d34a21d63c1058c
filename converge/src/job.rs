//! What a step asks for: writes, jobs, and what somebody may want to know.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use wattle_model::{Name, Value};

use crate::{Goal, Good, Id, Refusal, Row, Thing, Time, Wait};

/// One thing to be stored.
#[derive(Clone, Debug)]
pub enum Write {
    /// The goal that holds from now on.
    Goal(Goal),
    /// A goal that was reached, in front of those before it. Ten are kept.
    Good(Good),
    /// A row, under its name.
    Row(Box<Row>),
    /// The row of this name goes.
    Remove(Id),
}

/// What is to be carried out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// Make a thing with the row's mark and these properties, or find the one that has it unless the job is new.
    Create {
        /// The properties.
        properties: Value,
    },
    /// Find the thing with the row's mark. Make none.
    Look,
    /// Give the thing these properties.
    Update {
        /// The properties.
        properties: Value,
    },
    /// Take these from the thing.
    Release {
        /// What two cannot have.
        exclusive: BTreeSet<Name>,
    },
    /// Have the software on the server torn down.
    Drain,
    /// Delete the thing, by its mark where its name in the cloud is not known.
    Delete,
}

/// One request to whoever carries things out. All of them can be carried out twice, but for what is new.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Which one it is. The answer carries it.
    pub id: Id,
    /// The row, which is the thing's mark.
    pub row: Id,
    /// The resource's name.
    pub name: Name,
    /// The resource's type.
    pub kind: Name,
    /// The thing's name in the cloud, where it is known.
    pub phys: Option<Name>,
    /// The thing's attributes as they were when something was last done to it, for an update: what it has that nobody asks for.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub noted: BTreeMap<Name, Value>,
    /// What it is.
    pub what: What,
    /// Nobody was asked for this creation before, so there is no thing with the row's mark that would have to be looked for.
    pub is_new: bool,
    /// No request for it is begun after this.
    pub not_after: Time,
}

/// How a job went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It is done; after a creation, an update or a look with what the thing is now.
    Done(Option<Thing>),
    /// The cloud is doing it; [`Event::Seen`](crate::Event) will say how it went.
    Accepted(Option<Name>),
    /// There is no such thing.
    Absent,
    /// The cloud cannot do it now. It has been asked for nothing that is still to come.
    Later(Duration),
    /// The cloud will not do it, and has done nothing.
    Refused(Name),
    /// The thing is there, and nothing can come of it.
    Broken(Name),
    /// Nobody knows: a request may still reach the cloud.
    Unknown,
}

/// What somebody may want to know. It is not stored and may come again.
#[derive(Clone, Debug, PartialEq)]
pub enum Notice {
    /// A wish was refused.
    Refused(Refusal),
    /// Nothing is under way and nothing can be begun.
    Settled {
        /// The goal's number.
        generation: u64,
        /// What is not as the goal asks for; empty if everything is.
        roots: Vec<Wait>,
    },
    /// Nothing has changed for [`Limits::stall`](crate::Limits): what is waited for.
    Stalled(Vec<Wait>),
    /// An answer came that nobody waited for: look what there is of this row's mark.
    Look(Id),
}

/// What is to be done after an event: first the writes in their order, then the jobs.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// What is to be stored.
    pub writes: Vec<Write>,
    /// What is to be begun once that is stored.
    pub jobs: Vec<Job>,
    /// What somebody may want to know.
    pub notices: Vec<Notice>,
}
