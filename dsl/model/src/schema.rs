//! What Heat knows of a resource type: its properties and attributes.

use std::fmt;

use crate::IndexMap;
use serde::{Deserialize, Serialize};

use super::{Name, Value};

/// A resource type.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Schema {
    /// What goes in.
    #[serde(rename = "props")]
    pub properties: IndexMap<Name, PropertySchema>,
    /// What comes out.
    #[serde(rename = "attrs")]
    pub attributes: IndexMap<Name, AttributeSchema>,
}

impl Schema {
    /// Whether Heat has the type only in place of one that is there no more, and takes whatever it is given.
    pub fn is_placeholder(&self) -> bool {
        self.properties.is_empty() && self.attributes.keys().all(|name| &**name == "show")
    }
}

/// A property, or a part of one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a word of Heat's own schema")]
pub struct PropertySchema {
    /// Its type.
    #[serde(rename = "t")]
    pub ty: PropertyType,
    /// Whether Heat refuses a resource without it.
    #[serde(rename = "req", skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// Its value when none is given.
    #[serde(rename = "def", skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// Whether it changes in place; otherwise a change replaces the resource.
    #[serde(rename = "upd", skip_serializing_if = "std::ops::Not::not")]
    pub updatable: bool,
    /// Whether Heat has its name only, and refuses it: some of the types that stand for Amazon's.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    /// Whether Heat takes text for a list and text or a list for a map: of parameters of nested templates.
    #[serde(rename = "conv", skip_serializing_if = "std::ops::Not::not")]
    pub converts: bool,
    /// What each item of a list, or each value of an open map, must be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<Box<PropertySchema>>,
    /// The keys of a closed map.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub keys: IndexMap<Name, PropertySchema>,
    /// What else a value must satisfy.
    #[serde(rename = "c", skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<SchemaConstraint>,
}

/// A constraint as the schema states it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SchemaConstraint {
    /// One of a few values.
    Allowed(Vec<Value>),
    /// One of Heat's named constraints.
    Custom(Name),
    /// Bounds of a number: least and greatest, both included.
    Range(Vec<Option<f64>>),
    /// Bounds of the length of text, a list or a map: least and greatest, both included.
    Length(Vec<Option<f64>>),
    /// Step and offset: the number less the offset is a multiple of the step.
    Modulo([f64; 2]),
    /// A regular expression (Python's) that the whole value matches.
    Pattern(Name),
}

/// An attribute.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AttributeSchema {
    /// Its type, where Heat tells.
    #[serde(rename = "t")]
    pub ty: PropertyType,
}

/// Types of properties and attributes, as Heat names them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PropertyType {
    /// Text; Heat takes numbers for it too.
    #[serde(rename = "string")]
    Str,
    /// A whole number.
    Integer,
    /// A whole number or a float.
    Number,
    /// A truth value.
    Boolean,
    /// Values in order.
    List,
    /// Values by name.
    Map,
    /// Anything.
    #[default]
    Any,
}

/// With its article, as a message says it: `a string`.
impl fmt::Display for PropertyType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Str => "a string",
            Self::Integer => "an integer",
            Self::Number => "a number",
            Self::Boolean => "a boolean",
            Self::List => "a list",
            Self::Map => "a map",
            Self::Any => "a value",
        })
    }
}
