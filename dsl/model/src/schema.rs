//! What Heat knows about a resource type: its properties and attributes.

use std::fmt;

use crate::IndexMap;
use serde::{Deserialize, Serialize};

use super::{Name, Value};

/// A resource type.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Schema {
    /// Its properties.
    #[serde(rename = "props")]
    pub properties: IndexMap<Name, PropertySchema>,
    /// Its attributes.
    #[serde(rename = "attrs")]
    pub attributes: IndexMap<Name, AttributeSchema>,
}

impl Schema {
    /// Whether Heat keeps the type only as a placeholder for a removed one, and accepts any properties.
    pub fn is_placeholder(&self) -> bool {
        self.properties.is_empty() && self.attributes.keys().all(|name| &**name == "show")
    }
}

/// A property, or a part of one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of Heat's own schema")]
pub struct PropertySchema {
    /// Its type.
    #[serde(rename = "t")]
    pub ty: PropertyType,
    /// Whether Heat refuses a resource without it.
    #[serde(rename = "req", skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// The value when none is given.
    #[serde(rename = "def", skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// Whether it can change in place. Otherwise a change replaces the resource.
    #[serde(rename = "upd", skip_serializing_if = "std::ops::Not::not")]
    pub updatable: bool,
    /// Whether Heat knows only its name and refuses it. This applies to some of the AWS-compatible types.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    /// Whether Heat accepts text for a list, and text or a list for a map. This applies to the parameters of nested
    /// templates.
    #[serde(rename = "conv", skip_serializing_if = "std::ops::Not::not")]
    pub converts: bool,
    /// The schema of each item of a list, or of each value of an open map.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<Box<PropertySchema>>,
    /// The keys of a closed map.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub keys: IndexMap<Name, PropertySchema>,
    /// Further constraints on its value.
    #[serde(rename = "c", skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<SchemaConstraint>,
}

/// A constraint as the schema states it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SchemaConstraint {
    /// One of these values.
    Allowed(Vec<Value>),
    /// One of Heat's named constraints.
    Custom(Name),
    /// Inclusive bounds of a number: minimum and maximum.
    Range(Vec<Option<f64>>),
    /// Inclusive bounds of the length of text, a list or a map: minimum and maximum.
    Length(Vec<Option<f64>>),
    /// Step and offset: the number minus the offset must be a multiple of the step.
    Modulo([f64; 2]),
    /// A regular expression (Python's) that must match the whole value.
    Pattern(Name),
}

/// An attribute.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AttributeSchema {
    /// Its type, if Heat declares it.
    #[serde(rename = "t")]
    pub ty: PropertyType,
}

/// Types of properties and attributes, as Heat names them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PropertyType {
    /// Text. Heat also accepts numbers.
    #[serde(rename = "string")]
    Str,
    /// An integer.
    Integer,
    /// An integer or a float.
    Number,
    /// A boolean.
    Boolean,
    /// Values in order.
    List,
    /// Values by name.
    Map,
    /// Anything.
    #[default]
    Any,
}

/// The type with its article, as messages use it: `a string`.
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
