//! Parameters: what is chosen at deployment.

use serde::{Deserialize, Serialize};

use super::{Name, Source, Type, Value};

/// A parameter of the stack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Parameter {
    /// The type in Heat's terms.
    pub heat_type: ParameterType,
    /// The type in ours.
    pub ty: Type,
    /// What it is for.
    #[serde(default)]
    pub description: String,
    /// The value when none is given.
    #[serde(default)]
    pub default: Option<Value>,
    /// What a value must satisfy.
    #[serde(default)]
    pub constraints: Vec<Constraint>,
    /// Where it was declared.
    pub at: Source,
}

impl Parameter {
    /// A parameter without default or constraint.
    pub fn new(ty: Type, at: Source) -> Self {
        let heat_type = ParameterType::of(&ty);
        Self { heat_type, ty, description: String::new(), default: None, constraints: Vec::new(), at }
    }

    /// Whether Heat must not show its value.
    pub fn is_hidden(&self) -> bool {
        self.ty.is_secret()
    }
}

/// Heat's types of parameters (HOT specification, "parameters section").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParameterType {
    /// Text.
    #[serde(rename = "string")]
    Str,
    /// An integer or a float.
    Number,
    /// A truth value.
    Boolean,
    /// A list of strings.
    CommaDelimitedList,
    /// A map or a list.
    Json,
}

impl ParameterType {
    /// Heat's type that carries values of `ty`.
    pub fn of(ty: &Type) -> Self {
        match ty.revealed() {
            Type::Boolean => Self::Boolean,
            Type::Integer { .. } | Type::Float | Type::Seconds => Self::Number,
            Type::Str | Type::Ip | Type::Ipv4 | Type::Ipv6 | Type::Uri => Self::Str,
            Type::List(item) if Self::of(item) == Self::Str => Self::CommaDelimitedList,
            _ => Self::Json,
        }
    }
}

/// What Heat checks of a parameter's value (HOT specification, "parameter constraints").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Constraint {
    /// One of Heat's named constraints: `glance.image`, `nova.flavor`, `net_cidr`, ...
    CustomConstraint(Name),
    /// Bounds of a number, both included.
    Range {
        /// Least value.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min: Option<f64>,
        /// Greatest value.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max: Option<f64>,
    },
    /// Bounds of a length in characters or items, both included.
    Length {
        /// Least length.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min: Option<u32>,
        /// Greatest length.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max: Option<u32>,
    },
    /// A regular expression (Python's) that the whole value matches.
    AllowedPattern(Name),
    /// The values that are allowed.
    AllowedValues(Vec<Value>),
}
