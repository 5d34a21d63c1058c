//! What Heat says about its types: `heat/schemas/resource-types.json` as data, in Heat's own order.

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;

pub use wattle_model::PropertyType;

/// All of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Types {
    /// The version of Heat that said it.
    pub heat: String,
    /// The types by name: `OS::Nova::Server`.
    pub types: IndexMap<String, ResourceType>,
}

/// One resource type.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ResourceType {
    /// Whether Heat supports it.
    #[serde(flatten)]
    pub support: Support,
    /// The first paragraph of the documentation of its class.
    pub doc: String,
    /// What goes in.
    pub props: IndexMap<String, Property>,
    /// What comes out.
    pub attrs: IndexMap<String, Attribute>,
}

/// How far Heat supports something.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Support {
    /// Absent when it is supported.
    pub status: Option<Status>,
    /// The first version that had it.
    pub since: String,
    /// What to use instead.
    pub message: String,
}

/// What Heat says about what it does not fully support.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Status {
    /// Will be removed.
    Deprecated,
    /// Is no longer documented.
    Hidden,
    /// Never was supported by the project.
    Unsupported,
}

/// A property, or a part of one.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "as Heat says it")]
pub struct Property {
    /// Its type.
    pub t: PropertyType,
    /// Whether Heat refuses a resource without it.
    pub req: bool,
    /// Its value when none is given.
    pub def: Option<Value>,
    /// Whether it changes in place.
    pub upd: bool,
    /// Whether it cannot be changed at all.
    pub imm: bool,
    /// Not implemented.
    pub hidden: bool,
    /// Whether Heat supports it.
    #[serde(flatten)]
    pub support: Support,
    /// What else a value must satisfy.
    pub c: Vec<Constraint>,
    /// What it is.
    pub d: String,
    /// The items of a list.
    pub item: Option<Box<Property>>,
    /// The keys of a closed map.
    pub keys: IndexMap<String, Property>,
}

/// What a value must satisfy.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Constraint {
    /// One of these.
    Allowed(Vec<Value>),
    /// A rule of Heat's, by name.
    Custom(String),
    /// Least and greatest number.
    Range([Option<f64>; 2]),
    /// Least and greatest length.
    Length([Option<f64>; 2]),
    /// A regular expression.
    Pattern(String),
    /// A multiple of the first, plus the second.
    Modulo([f64; 2]),
}

/// An attribute.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Attribute {
    /// Its type, if Heat gives it.
    pub t: PropertyType,
    /// What it is.
    pub d: String,
    /// Whether Heat supports it.
    #[serde(flatten)]
    pub support: Support,
}

impl Support {
    /// Whether it is kept behind the feature `hidden`.
    pub fn is_hidden(&self) -> bool {
        matches!(self.status, Some(Status::Hidden | Status::Unsupported))
    }

    /// What Heat says to use instead of what is deprecated.
    pub fn deprecated(&self) -> Option<&str> {
        (self.status == Some(Status::Deprecated)).then_some(&*self.message)
    }
}

impl Property {
    /// Whether it must be given.
    pub fn is_required(&self) -> bool {
        self.req && self.def.is_none()
    }

    /// Whether it is kept behind the feature `hidden`.
    pub fn is_hidden(&self) -> bool {
        self.hidden || self.support.is_hidden()
    }

    /// The property whose former name this is.
    pub fn replaced_by(&self) -> Option<&str> {
        let by = self.support.message.strip_prefix("Use property ").filter(|_| self.is_hidden())?;
        Some(by.trim_matches(['.', '`', ' ']))
    }

    /// The few values that are allowed.
    pub fn allowed(&self) -> Option<&[Value]> {
        self.c.iter().find_map(|c| if let Constraint::Allowed(values) = c { Some(&**values) } else { None })
    }

    /// Heat's named constraint.
    pub fn custom(&self) -> Option<&str> {
        self.c.iter().find_map(|c| if let Constraint::Custom(name) = c { Some(&**name) } else { None })
    }

    /// Bounds of a number, or of a length.
    pub fn bounds(&self) -> Option<[Option<f64>; 2]> {
        self.c.iter().find_map(|c| match c {
            Constraint::Range(bounds) | Constraint::Length(bounds) => Some(*bounds),
            _ => None,
        })
    }

    /// The regular expression that it must match.
    pub fn pattern(&self) -> Option<&str> {
        self.c.iter().find_map(|c| if let Constraint::Pattern(pattern) = c { Some(&**pattern) } else { None })
    }
}
