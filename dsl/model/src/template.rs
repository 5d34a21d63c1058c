//! What a Heat template has besides parameters and resources.

use serde::{Deserialize, Serialize};

use super::{Expr, Name, Source};

/// The version of HOT that a model has unless it says another.
pub const VERSION: &str = "2021-04-16";

pub(crate) fn newest() -> Name {
    VERSION.into()
}

/// What Heat decides by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    /// A boolean, as Heat's functions for conditions say it.
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

/// Parameters that belong together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParameterGroup {
    /// What stands over them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// What they are for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Their names.
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

/// What the stack shows, and no other stack reads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StackOutput {
    /// The value.
    pub value: Expr,
    /// What it is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Under which condition there is such an output: the name of one, a boolean, or a function of conditions.
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
