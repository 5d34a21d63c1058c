//! What a Heat template has besides parameters and resources.

use serde::{Deserialize, Serialize};

use super::{Expr, Name, Source};

/// The HOT version of a model that sets no other.
pub const VERSION: &str = "2021-04-16";

pub(crate) fn newest() -> Name {
    VERSION.into()
}

/// A condition that Heat decides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    /// A boolean, or a call of Heat's condition functions.
    pub value: Expr,
    /// Where it was declared.
    pub at: Source,
}

impl Condition {
    /// A condition.
    pub fn new(value: Expr, at: Source) -> Self {
        Self { value, at }
    }
}

/// A group of parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParameterGroup {
    /// Its heading.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// What the parameters are for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The names of the parameters.
    pub parameters: Vec<Name>,
    /// Where the group was declared.
    pub at: Source,
}

impl ParameterGroup {
    /// A group without label or description.
    pub fn new(parameters: Vec<Name>, at: Source) -> Self {
        Self { label: String::new(), description: String::new(), parameters, at }
    }
}

/// An output of the stack that no other stack reads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StackOutput {
    /// The value.
    pub value: Expr,
    /// Its description.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The condition under which the output exists: the name of a condition, a boolean, or a call of a condition function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<Expr>,
    /// Where it was declared.
    pub at: Source,
}

impl StackOutput {
    /// An output without description or condition.
    pub fn new(value: Expr, at: Source) -> Self {
        Self { value, description: String::new(), condition: None, at }
    }
}
