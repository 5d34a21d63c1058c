//! What Heat refuses of properties.

use wattle_model::PropertyType;

use crate::evaluate::Value;
use crate::yaml::Span;

use super::shown;

/// One thing that Heat refuses.
#[derive(Clone, Debug)]
pub(crate) struct Wrong {
    /// The way to it, as people write it: `networks[0].port`; empty for the properties themselves.
    pub(crate) path: String,
    /// Where it stands, if that is written.
    pub(crate) span: Option<Span>,
    /// What is wrong.
    pub(crate) what: What,
}

/// What can be wrong with a property.
#[derive(Clone, Debug)]
pub(crate) enum What {
    /// A name that the schema does not have, and those that it has.
    Unknown { name: String, known: Vec<String> },
    /// It must be there.
    Missing(String),
    /// A value that cannot be read as the type.
    Kind(PropertyType, Value),
    /// A value that breaks a constraint: why.
    Constraint(String),
    /// Two names of the same thing are given.
    Both(String, String),
    /// Heat has its name only.
    Hidden(String),
}

impl What {
    /// In words.
    pub(crate) fn why(&self) -> String {
        match self {
            Self::Kind(ty, value) => format!("expected {ty}, found {}", shown(value)),
            Self::Constraint(why) => why.clone(),
            Self::Both(one, other) => format!("`{one}` and `{other}` are the same property; one of them is enough"),
            Self::Hidden(name) => format!("Heat has the name `{name}`, and no more"),
            Self::Unknown { name, .. } | Self::Missing(name) => format!("`{name}`"),
        }
    }
}
