//! What of the engine's facts is stored, and how it is written: a goal without what it asks for, which stands elsewhere.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use wattle_converge::{Cleanup, Id, OnFailure, Time};

/// What somebody asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Asked {
    /// The name under which stands what there is to be; without one nothing is to be left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) target: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) deadline: Option<Time>,
    #[serde(default)]
    pub(super) on_failure: OnFailure,
    #[serde(default)]
    pub(super) cleanup: Cleanup,
    #[serde(default)]
    pub(super) corrects: bool,
}

/// A goal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Goal {
    pub(super) generation: u64,
    /// The last wish that had been heard when it was set.
    pub(super) wish: u64,
    pub(super) asked: Asked,
}

/// A goal that was reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Good {
    pub(super) goal: Goal,
    pub(super) upto: Id,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) leftovers: BTreeSet<Id>,
}

/// What somebody wants of who leads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Want {
    /// Another goal.
    Deploy(Asked),
    /// What was reached before.
    Rollback {
        /// The number of that goal; the last one without it.
        to: Option<u64>,
    },
}

/// What somebody wants, with its number: each is greater than those before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wish {
    pub(super) number: u64,
    pub(super) want: Want,
}

/// How a wish ended, for whoever looks on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Report {
    pub(super) wish: u64,
    pub(super) generation: u64,
    /// What is not as the goal asks for, each in words. Empty if everything is.
    pub(super) roots: Vec<String>,
}
