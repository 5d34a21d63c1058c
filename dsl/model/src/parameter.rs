//! Parameters: values chosen at deployment.

use serde::{Deserialize, Serialize};
use wattle_words::Carrier;

use super::{Name, Source, Type, Value};

/// A parameter of the stack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its type in Heat's terms.
    pub heat_type: ParameterType,
    /// Its type in the model's terms.
    pub ty: Type,
    /// Its label in forms.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// What it is for.
    #[serde(default)]
    pub description: String,
    /// The value when none is given.
    #[serde(default)]
    pub default: Option<Value>,
    /// The constraints on its value.
    #[serde(default)]
    pub constraints: Vec<Constraint>,
    /// Whether Heat must not show its value, even though its type is not secret.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    /// Whether its value cannot change after the stack was created.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub immutable: bool,
    /// Words by which tools find it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Name>,
    /// Where it was declared.
    pub at: Source,
}

impl Parameter {
    /// A parameter without a default or constraints.
    pub fn new(ty: Type, at: Source) -> Self {
        let heat_type = ParameterType::of(&ty);
        Self {
            heat_type,
            ty,
            label: String::new(),
            description: String::new(),
            default: None,
            constraints: Vec::new(),
            hidden: false,
            immutable: false,
            tags: Vec::new(),
            at,
        }
    }

    /// Whether Heat must not show its value.
    pub fn is_hidden(&self) -> bool {
        self.hidden || self.ty.is_secret()
    }
}

/// Heat's parameter types (HOT specification, "parameters section").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParameterType {
    /// Text.
    #[serde(rename = "string")]
    Str,
    /// An integer or a float.
    Number,
    /// A boolean.
    Boolean,
    /// A list of strings.
    CommaDelimitedList,
    /// A map or a list.
    Json,
}

impl ParameterType {
    /// All types.
    pub const ALL: [Self; 5] = [Self::Str, Self::Number, Self::CommaDelimitedList, Self::Json, Self::Boolean];

    /// Its name in a template.
    pub fn name(self) -> &'static str {
        match self {
            Self::Str => "string",
            Self::Number => "number",
            Self::CommaDelimitedList => "comma_delimited_list",
            Self::Json => "json",
            Self::Boolean => "boolean",
        }
    }

    /// The type with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ty| ty.name() == name)
    }

    /// The Heat type that can hold values of `ty`.
    pub fn of(ty: &Type) -> Self {
        match ty.revealed() {
            Type::Scalar(scalar) => match scalar.carrier() {
                Carrier::Boolean => Self::Boolean,
                Carrier::Number => Self::Number,
                Carrier::Text => Self::Str,
            },
            Type::List(item) if Self::of(item) == Self::Str => Self::CommaDelimitedList,
            _ => Self::Json,
        }
    }
}

/// A constraint that Heat checks on a parameter's value (HOT specification, "parameter constraints").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Constraint {
    /// One of Heat's named constraints: `glance.image`, `nova.flavor`, `net_cidr`, ...
    CustomConstraint(Name),
    /// Inclusive bounds of a number.
    Range {
        /// The minimum.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min: Option<f64>,
        /// The maximum.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max: Option<f64>,
    },
    /// Inclusive bounds of a length in characters or items.
    Length {
        /// The minimum length.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min: Option<u32>,
        /// The maximum length.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max: Option<u32>,
    },
    /// A regular expression (Python's) that must match the whole value.
    AllowedPattern(Name),
    /// The allowed values.
    AllowedValues(Vec<Value>),
    /// The number minus `offset` must be a multiple of `step`.
    Modulo {
        /// The step.
        step: f64,
        /// The offset.
        offset: f64,
    },
    /// Another constraint, with the message that Heat reports when a value violates it.
    Described {
        /// The constraint, which has no description itself.
        constraint: Box<Constraint>,
        /// The message.
        description: Name,
    },
}

impl Constraint {
    /// Adds the message that Heat reports when a value violates the constraint.
    pub fn described(self, description: impl Into<Name>) -> Self {
        Self::Described { constraint: Box::new(self), description: description.into() }
    }

    /// The constraint without its description.
    pub fn bare(&self) -> &Self {
        match self {
            Self::Described { constraint, .. } => constraint.bare(),
            other => other,
        }
    }
}
