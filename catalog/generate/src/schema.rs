//! Heat's schemas of its types: `heat/schemas/resource-types.json` as data, in Heat's own order.

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;
use wattle_heat::update::effect;

pub use wattle_model::PropertyType;

/// All types.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Types {
    /// The version of Heat.
    pub heat: String,
    /// The types by name: `OS::Nova::Server`.
    pub types: IndexMap<String, ResourceType>,
}

impl Types {
    pub(crate) fn with_effects(self) -> Self {
        let types = self.types.into_iter().map(|(name, schema)| (name.clone(), schema.with_effects(&name)));
        Self { types: types.collect(), ..self }
    }
}

/// One resource type.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ResourceType {
    /// The status of Heat's support.
    #[serde(flatten)]
    pub support: Support,
    /// The first paragraph of the documentation of its class.
    pub doc: String,
    /// Its properties.
    pub props: IndexMap<String, Property>,
    /// Its attributes.
    pub attrs: IndexMap<String, Attribute>,
}

impl ResourceType {
    /// The schema of the type `name`, which is `json`.
    ///
    /// # Errors
    /// It is not such a schema.
    pub fn read(name: &str, json: &str) -> serde_json::Result<Self> {
        serde_json::from_str(json).map(|schema: Self| schema.with_effects(name))
    }

    fn with_effects(mut self, name: &str) -> Self {
        for (property, schema) in &mut self.props {
            schema.effect = effect(name, property, schema.upd, schema.imm);
        }
        self
    }
}

/// The status of Heat's support for an item.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Support {
    /// `None` if it is supported.
    pub status: Option<Status>,
    /// The first version with it.
    pub since: String,
    /// The replacement.
    pub message: String,
}

/// The status of an item that Heat does not fully support.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Status {
    /// It will be removed.
    Deprecated,
    /// It is no longer documented.
    Hidden,
    /// It was never supported by the project.
    Unsupported,
}

/// A property, or a part of one.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "the fields are those of Heat's schema")]
pub struct Property {
    /// Its type.
    pub t: PropertyType,
    /// Whether Heat refuses a resource without it.
    pub req: bool,
    /// The default.
    pub def: Option<Value>,
    /// Whether it can change in place.
    pub upd: bool,
    /// Whether it cannot be changed at all.
    pub imm: bool,
    /// The effect of a change on the resource, in a sentence. Empty for a part of a property.
    #[serde(skip)]
    pub effect: &'static str,
    /// Whether it is not implemented.
    pub hidden: bool,
    /// The status of Heat's support.
    #[serde(flatten)]
    pub support: Support,
    /// Its constraints.
    pub c: Vec<Constraint>,
    /// Its description.
    pub d: String,
    /// The schema of a list's items.
    pub item: Option<Box<Property>>,
    /// The keys of a closed map.
    pub keys: IndexMap<String, Property>,
}

/// A constraint on a value.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Constraint {
    /// One of these.
    Allowed(Vec<Value>),
    /// One of Heat's named constraints.
    Custom(String),
    /// The minimum and maximum of a number.
    Range([Option<f64>; 2]),
    /// The minimum and maximum length.
    Length([Option<f64>; 2]),
    /// A regular expression.
    Pattern(String),
    /// The step and the offset: a multiple of the first, plus the second.
    Modulo([f64; 2]),
}

/// An attribute.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Attribute {
    /// Its type, if Heat declares it.
    pub t: PropertyType,
    /// Its description.
    pub d: String,
    /// The status of Heat's support.
    #[serde(flatten)]
    pub support: Support,
}

impl Support {
    /// Whether it is kept behind the feature `hidden`.
    pub fn is_hidden(&self) -> bool {
        matches!(self.status, Some(Status::Hidden | Status::Unsupported))
    }

    /// Heat's recommended replacement for a deprecated item.
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

    /// The property of which this is the former name.
    pub fn replaced_by(&self) -> Option<&str> {
        let by = self.support.message.strip_prefix("Use property ").filter(|_| self.is_hidden())?;
        Some(by.trim_matches(['.', '`', ' ']))
    }

    /// The allowed values.
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
