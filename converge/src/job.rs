//! The output of a step: writes, jobs and notices.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use wattle_model::{Name, Value};

use crate::{Goal, Good, Id, Refusal, Row, Thing, Time, Wait};

/// One thing to store.
#[derive(Clone, Debug)]
pub enum Write {
    /// The goal that is in force from now on.
    Goal(Goal),
    /// A goal that was reached. It goes in front of the earlier ones; ten are kept.
    Good(Good),
    /// A row, under its name.
    Row(Box<Row>),
    /// Remove the row of this name.
    Remove(Id),
}

/// What to carry out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// Create a thing with the row's mark and these properties. Unless the job is new, first look for a thing that has the mark.
    Create {
        /// The properties.
        properties: Value,
    },
    /// Look for the thing with the row's mark, and create none.
    Look,
    /// Give the thing these properties.
    Update {
        /// The properties.
        properties: Value,
    },
    /// Read the thing again, and change nothing.
    Read,
    /// Take these from the thing.
    Release {
        /// What no two things can have at once.
        exclusive: BTreeSet<Name>,
    },
    /// Have the software on the server torn down.
    Drain,
    /// Delete the thing, by its mark if its name in the cloud is unknown.
    Delete,
}

/// One request to the worker. All jobs can be carried out twice, except new ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// The job's name. The answer carries it.
    pub id: Id,
    /// The row, which is the thing's mark.
    pub row: Id,
    /// The resource's name.
    pub name: Name,
    /// The resource's type.
    pub kind: Name,
    /// The thing's name in the cloud, if it is known.
    pub phys: Option<Name>,
    /// For an update: the thing's attributes after the last action on it. They show what it has that nobody asks for.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub noted: BTreeMap<Name, Value>,
    /// For an update: the properties that the thing may have been given before and is not given any more, by their names, and
    /// `PROPERTY.KEY` for the keys of maps.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub left: BTreeSet<Name>,
    /// What to carry out.
    pub what: What,
    /// Whether this creation was never requested before. If so, no thing can have the row's mark yet, and there is none to look
    /// for.
    pub is_new: bool,
    /// No request for the job is begun after this time.
    pub not_after: Time,
}

/// How a job went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It is done. After a creation, an update, a look or a read, the value is the thing as it is now.
    Done(Option<Thing>),
    /// The cloud is still carrying it out; [`Event::Seen`](crate::Event) will say how it went.
    Accepted(Option<Name>),
    /// There is no such thing.
    Absent,
    /// The cloud cannot do it now. No request that it got can still take effect.
    Later(Duration),
    /// The cloud refused it and did nothing.
    Refused(Name),
    /// The thing exists, but cannot become usable.
    Broken(Name),
    /// It is unknown what happened: a request may still reach the cloud.
    Unknown,
}

/// Information for users. It is not stored and may be repeated.
#[derive(Clone, Debug, PartialEq)]
pub enum Notice {
    /// A request was refused.
    Refused(Refusal),
    /// Nothing is under way and nothing can be begun.
    Settled {
        /// The goal's number.
        generation: u64,
        /// What is not as the goal asks for; empty if everything is.
        roots: Vec<Wait>,
    },
    /// Nothing has changed for [`Limits::stall`](crate::Limits). The value says what is waited for.
    Stalled(Vec<Wait>),
    /// An unexpected answer came. Check what exists with this row's mark.
    Look(Id),
}

/// What to do after an event: first the writes, in order, then the jobs.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// What to store.
    pub writes: Vec<Write>,
    /// What to begin once that is stored.
    pub jobs: Vec<Job>,
    /// Information for users.
    pub notices: Vec<Notice>,
}
