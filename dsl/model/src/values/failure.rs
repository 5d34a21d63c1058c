//! Why a value does not arrive.

use serde::{Deserialize, Serialize};

/// The kinds of component failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// The recipe reported failure.
    Recipe,
    /// The recipe exceeded its deadline.
    Deadline,
    /// The wait for an input exceeded its deadline.
    Wait,
    /// The recipe succeeded, but an output is missing.
    #[serde(rename = "missing")]
    Unwritten,
    /// A value does not fit its declared type.
    Type,
    /// A value is larger than the data space accepts.
    Size,
    /// The recipe could not be started.
    Start,
    /// An input is not available: the value does not exist, or may not be read.
    Input,
    /// A requirement on the values that it reads does not hold.
    Requirement,
}
