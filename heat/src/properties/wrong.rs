//! Faults in properties, as Heat judges them.

use wattle_model::PropertyType;

use crate::evaluate::Value;
use crate::yaml::Span;

use super::shown;

/// A mistake that Heat refuses.
#[derive(Clone, Debug)]
pub(crate) struct Wrong {
    /// The path to it, as written by people: `networks[0].port`. Empty for the properties as a whole.
    pub(crate) path: String,
    /// Its place, if it is written.
    pub(crate) span: Option<Span>,
    /// The kind of the mistake.
    pub(crate) what: What,
}

/// The kinds of mistakes in a property.
#[derive(Clone, Debug)]
pub(crate) enum What {
    /// A name that the schema does not have, and the names that it has.
    Unknown { name: String, known: Vec<String> },
    /// A required property is missing.
    Missing(String),
    /// A value that cannot be read as the type.
    Kind(PropertyType, Value),
    /// A value that violates a constraint, with the reason.
    Constraint(String),
    /// Two names for the same property are given.
    Both(String, String),
    /// Heat only knows its name.
    Hidden(String),
}

impl What {
    /// The mistake, worded for a message.
    pub(crate) fn why(&self) -> String {
        match self {
            Self::Kind(ty, value) => format!("expected {ty}, found {}", shown(value)),
            Self::Constraint(why) => why.clone(),
            Self::Both(one, other) => format!("`{one}` and `{other}` are the same property; use only one of them"),
            Self::Hidden(name) => format!("Heat knows only the name `{name}`"),
            Self::Unknown { name, .. } | Self::Missing(name) => format!("`{name}`"),
        }
    }
}
