//! The output of a step: writes, jobs and notices.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use wattle_model::{Name, Value};

use crate::{DesiredState, Good, Id, Refusal, Row, Thing, Time, Wait};

/// A fact to store.
#[derive(Clone, Debug)]
pub enum Write {
    /// The desired state from now on.
    DesiredState(DesiredState),
    /// A desired state that was reached. It is inserted before the earlier ones; ten are kept.
    Good(Good),
    /// A row, under its name.
    Row(Box<Row>),
    /// Removes the row with this name.
    Remove(Id),
}

/// An operation to carry out.
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
    /// Change the thing to these properties.
    Update {
        /// The properties.
        properties: Value,
    },
    /// Read the thing again, and change nothing.
    Read,
    /// Release these from the thing.
    Release {
        /// What the thing holds exclusively.
        exclusive: BTreeSet<Name>,
    },
    /// Have the software on the server torn down.
    Drain,
    /// Delete the thing, by its mark if its name in the cloud is unknown.
    Delete,
}

/// A request to the worker. All jobs are idempotent, except new ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// The job's name, which the response carries.
    pub id: Id,
    /// The row, which is the thing's mark.
    pub row: Id,
    /// The resource's name.
    pub name: Name,
    /// The resource's type.
    pub kind: Name,
    /// The thing's name in the cloud, if it is known.
    pub phys: Option<Name>,
    /// For an update: the thing's attributes after the last action on it, including those that nobody requested.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub noted: BTreeMap<Name, Value>,
    /// For an update: the properties that the thing may have been given before and no longer is, by their names, and
    /// `PROPERTY.KEY` for the keys of maps.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub left: BTreeSet<Name>,
    /// The operation.
    pub what: What,
    /// Whether this creation was never requested before. If so, no thing can have the row's mark yet, and there is no
    /// need to look for one.
    pub is_new: bool,
    /// The time after which no request for the job is started.
    pub not_after: Time,
}

/// The outcome of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It is done. After a creation, an update, a look or a read, the value is the present thing.
    Done(Option<Thing>),
    /// The cloud is still carrying it out; [`Event::Seen`](crate::Event) will report the outcome.
    Accepted(Option<Name>),
    /// There is no such thing.
    Absent,
    /// The cloud cannot do it now. None of its requests can still take effect.
    Later(Duration),
    /// The cloud refused it and did nothing.
    Refused(Name),
    /// The thing exists, but cannot become usable.
    Broken(Name),
    /// The outcome is unknown: a request may still reach the cloud.
    Unknown,
}

/// Information for users. It is not stored and may be repeated.
#[derive(Clone, Debug, PartialEq)]
pub enum Notice {
    /// A request was refused.
    Refused(Refusal),
    /// Nothing is in progress and nothing can be started.
    Settled {
        /// The number of the desired state.
        generation: u64,
        /// The differences from the desired state; empty if there are none.
        roots: Vec<Wait>,
    },
    /// Nothing has changed for [`Limits::stall`](crate::Limits). The value is what is awaited.
    Stalled(Vec<Wait>),
    /// An unexpected response arrived. Check what exists with this row's mark.
    Look(Id),
}

/// The result of an event: first the writes, in order, then the jobs.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// What to store.
    pub writes: Vec<Write>,
    /// What to start once that is stored.
    pub jobs: Vec<Job>,
    /// Information for users.
    pub notices: Vec<Notice>,
}
