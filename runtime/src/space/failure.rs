//! Failures: what takes the place of a value that will not come.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use wattle::model::Name;

/// Why a component did not do what it should. Whoever depends on it passes the same failure on, so that everyone who
/// waits is told the root cause.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// Whose failure it is at the root, as `SERVER/COMPONENT`.
    pub component: Name,
    /// What kind of failure it is.
    pub kind: Kind,
    /// What happened, in one line.
    pub message: String,
    /// The last lines of the recipe's output, secrets masked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<String>,
    /// When.
    pub at: Timestamp,
    /// Who passed it on, from the root on, as `SERVER/COMPONENT`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub through: Vec<Name>,
}

/// Kinds of failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Kind {
    /// The recipe said so.
    Recipe,
    /// The recipe ran for longer than its deadline.
    Deadline,
    /// An input was awaited for longer than the deadline.
    Wait,
    /// An output is missing after success.
    Missing,
    /// A value does not fit the type that was declared for it.
    Type,
    /// A value is larger than the data space takes.
    Size,
    /// The recipe could not be started.
    Start,
    /// An input could not be had: there is no such value, or it may not be read.
    Input,
}

impl Failure {
    /// The same failure, passed on by `component`.
    pub fn passed_on(&self, component: &Name) -> Self {
        let mut failure = self.clone();
        failure.through.push(component.clone());
        failure
    }
}

/// `db/postgres: the recipe ended with status 1`.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.component, self.message)
    }
}
