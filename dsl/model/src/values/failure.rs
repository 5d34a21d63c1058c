//! Why a value does not come.

use serde::{Deserialize, Serialize};

/// Kinds of failures of components.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// The recipe said so.
    Recipe,
    /// The recipe ran for longer than its deadline.
    Deadline,
    /// An input was awaited for longer than the deadline.
    Wait,
    /// An output is missing after success.
    #[serde(rename = "missing")]
    Unwritten,
    /// A value does not fit the type that was declared for it.
    Type,
    /// A value is larger than the data space takes.
    Size,
    /// The recipe could not be started.
    Start,
    /// An input could not be had: there is no such value, or it may not be read.
    Input,
    /// What is required of the values that it reads does not hold.
    Requirement,
}
