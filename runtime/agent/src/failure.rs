//! Failures: what takes the place of a value that will not come.

use std::fmt;

use serde::{Deserialize, Serialize};
use wattle_model::Name;

pub use wattle_model::values::FailureKind as Kind;

use crate::time::Time;

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
    pub at: Time,
    /// Who passed it on, from the root on, as `SERVER/COMPONENT`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub through: Vec<Name>,
}

impl Failure {
    /// The same failure, of a component of `stack` and passed on in that one, as another stack calls them.
    #[must_use]
    pub fn of_stack(mut self, stack: &str) -> Self {
        for component in std::iter::once(&mut self.component).chain(&mut self.through) {
            *component = format!("{stack}:{component}").into();
        }
        self
    }

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
