//! Heat orchestration templates as data (HOT specification, version 2021-04-16).

use indexmap::IndexMap;
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::model::{Constraint, Name, ParameterType, Value};

/// The version of HOT that is emitted.
pub const VERSION: &str = "2021-04-16";

/// A template.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Template {
    /// The version of HOT.
    pub heat_template_version: &'static str,
    /// What it is.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// What is chosen at deployment.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub parameters: IndexMap<Name, HotParameter>,
    /// What Heat creates.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub resources: IndexMap<Name, HotResource>,
    /// What the stack shows.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub outputs: IndexMap<Name, HotOutput>,
}

impl Template {
    /// A template of nothing.
    pub fn new(description: &str) -> Self {
        Self { heat_template_version: VERSION, description: description.into(), ..Self::default() }
    }

    /// How many servers it creates, nested stacks not counted.
    pub fn servers(&self) -> usize {
        self.resources.values().filter(|resource| resource.is_server()).count()
    }
}

/// A parameter of a template.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct HotParameter {
    /// Its type.
    #[serde(rename = "type")]
    pub ty: ParameterType,
    /// What it is for.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The value when none is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// Whether Heat must not show its value.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    /// What a value must satisfy.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "constraints")]
    pub constraints: Vec<Constraint>,
}

impl HotParameter {
    /// A parameter without default or constraint.
    pub fn new(ty: ParameterType) -> Self {
        Self { ty, description: String::new(), default: None, hidden: false, constraints: Vec::new() }
    }
}

/// A resource of a template.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct HotResource {
    /// Its type, or the file of a nested template.
    #[serde(rename = "type")]
    pub ty: Name,
    /// What goes in, each name once.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "map")]
    pub properties: Vec<(Name, Hot)>,
    /// Resources that Heat must have created before, besides those that the properties refer to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<Name>,
}

impl HotResource {
    /// A resource without properties.
    pub fn new(ty: Name) -> Self {
        Self { ty, properties: Vec::new(), depends_on: Vec::new() }
    }

    /// The value of a property.
    pub fn property(&self, name: &str) -> Option<&Hot> {
        self.properties.iter().find(|(known, _)| &**known == name).map(|(_, value)| value)
    }

    /// Sets a property; it may be set already.
    pub(super) fn set(&mut self, name: Name, value: Hot) {
        match self.properties.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = value,
            None => self.properties.push((name, value)),
        }
    }

    /// Whether it is a server.
    pub fn is_server(&self) -> bool {
        &*self.ty == crate::model::Resource::SERVER
    }

    /// Calls `visit` with the name of each resource that it refers to, or that it is to come after.
    pub fn requires<'a>(&'a self, visit: &mut impl FnMut(&'a Name)) {
        self.depends_on.iter().for_each(&mut *visit);
        for (_, value) in &self.properties {
            value.visit(&mut |part| match part {
                Hot::GetResource(name) | Hot::GetAttr { resource: name, .. } => visit(name),
                _ => {}
            });
        }
    }
}

/// An output of a template.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct HotOutput {
    /// The value.
    pub value: Hot,
}

/// A value of a template: a constant, or one of Heat's functions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Hot {
    /// A constant.
    Value(Value),
    /// `get_param: NAME`, or `get_param: [NAME, KEY, ...]`.
    GetParam {
        /// The parameter.
        parameter: Name,
        /// The way into its value.
        path: Vec<Hot>,
    },
    /// `get_resource: NAME`.
    GetResource(Name),
    /// `get_attr: [NAME, ATTRIBUTE, ...]`.
    GetAttr {
        /// The resource.
        resource: Name,
        /// The attribute.
        attribute: Name,
        /// The way into its value.
        path: Vec<Hot>,
    },
    /// `str_replace`: `template` with each key of `params` replaced by its value.
    StrReplace {
        /// The text.
        template: Box<Hot>,
        /// What replaces what.
        params: Vec<(Name, Hot)>,
    },
    /// `list_join: ["", [...]]`: text one behind the other. Heat takes strings, maps and lists, but no numbers.
    Join(Vec<Hot>),
    /// Values in order.
    List(Vec<Hot>),
    /// Values by name.
    Map(Vec<(Name, Hot)>),
}

impl Hot {
    /// `get_param: NAME`.
    pub fn parameter(name: impl Into<Name>) -> Self {
        Self::GetParam { parameter: name.into(), path: Vec::new() }
    }

    /// Calls `visit` for this and everything within.
    pub fn visit<'a>(&'a self, visit: &mut impl FnMut(&'a Hot)) {
        visit(self);
        match self {
            Self::Value(_) | Self::GetResource(_) => {}
            Self::GetParam { path, .. } | Self::GetAttr { path, .. } | Self::List(path) | Self::Join(path) => {
                path.iter().for_each(|part| part.visit(visit));
            }
            Self::StrReplace { template, params } => {
                template.visit(visit);
                params.iter().for_each(|(_, part)| part.visit(visit));
            }
            Self::Map(parts) => parts.iter().for_each(|(_, part)| part.visit(visit)),
        }
    }

    /// Replaces this and everything within by what `change` makes of it, outermost first; what `change` returns is not
    /// looked at again.
    pub(super) fn rewrite(&mut self, change: &mut impl FnMut(&Hot) -> Option<Hot>) {
        if let Some(changed) = change(self) {
            *self = changed;
            return;
        }
        match self {
            Self::Value(_) | Self::GetResource(_) => {}
            Self::GetParam { path, .. } | Self::GetAttr { path, .. } | Self::List(path) | Self::Join(path) => {
                path.iter_mut().for_each(|part| part.rewrite(change));
            }
            Self::StrReplace { template, params } => {
                template.rewrite(change);
                params.iter_mut().for_each(|(_, part)| part.rewrite(change));
            }
            Self::Map(parts) => parts.iter_mut().for_each(|(_, part)| part.rewrite(change)),
        }
    }
}

impl From<Value> for Hot {
    fn from(value: Value) -> Self {
        Self::Value(value)
    }
}

impl From<&str> for Hot {
    fn from(text: &str) -> Self {
        Self::Value(text.into())
    }
}

impl Serialize for Hot {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Value(value) => value.serialize(to),
            Self::List(items) => to.collect_seq(items),
            Self::Map(items) => map(items, to),
            Self::GetParam { parameter, path } if path.is_empty() => function(to, "get_param", parameter),
            Self::GetParam { parameter, path } => function(to, "get_param", &Call { first: &[parameter], rest: path }),
            Self::GetResource(name) => function(to, "get_resource", name),
            Self::GetAttr { resource, attribute, path } => {
                function(to, "get_attr", &Call { first: &[resource, attribute], rest: path })
            }
            Self::Join(items) => function(to, "list_join", &("", items)),
            Self::StrReplace { template, params } => function(to, "str_replace", &StrReplace { template, params }),
        }
    }
}

fn function<S: Serializer>(to: S, name: &str, arguments: &impl Serialize) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(Some(1))?;
    map.serialize_entry(name, arguments)?;
    map.end()
}

struct Call<'a> {
    first: &'a [&'a Name],
    rest: &'a [Hot],
}

impl Serialize for Call<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        #[serde(untagged)]
        enum Argument<'a> {
            Name(&'a Name),
            Value(&'a Hot),
        }
        let first = self.first.iter().map(|name| Argument::Name(name));
        to.collect_seq(first.chain(self.rest.iter().map(Argument::Value)))
    }
}

#[derive(serde::Serialize)]
struct StrReplace<'a> {
    template: &'a Hot,
    #[serde(serialize_with = "map")]
    params: &'a [(Name, Hot)],
}

/// Pairs as a map: as maps of a few keys they take less time and room than hashed ones.
fn map<S: Serializer>(pairs: impl AsRef<[(Name, Hot)]>, to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(pairs.as_ref().iter().map(|(name, value)| (name, value)))
}

fn constraints<S: Serializer>(constraints: &[Constraint], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(constraints.iter().map(HotConstraint))
}

/// A constraint as HOT writes it: whole bounds without a fraction.
struct HotConstraint<'a>(&'a Constraint);

impl Serialize for HotConstraint<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[expect(clippy::cast_possible_truncation, reason = "the value is whole and within 2^53")]
        let number = |bound: f64| match bound {
            whole if whole.fract() == 0.0 && whole.abs() < 9e15 => Value::Integer(i128::from(whole as i64)),
            other => Value::Float(other),
        };
        let bounds = |min: Option<Value>, max: Option<Value>| -> IndexMap<&str, Value> {
            [("min", min), ("max", max)].into_iter().filter_map(|(name, bound)| Some((name, bound?))).collect()
        };
        match self.0 {
            Constraint::CustomConstraint(name) => function(to, "custom_constraint", name),
            Constraint::Range { min, max } => function(to, "range", &bounds(min.map(number), max.map(number))),
            Constraint::Length { min, max } => {
                function(to, "length", &bounds(min.map(Value::from), max.map(Value::from)))
            }
            Constraint::AllowedPattern(pattern) => function(to, "allowed_pattern", pattern),
            Constraint::AllowedValues(values) => function(to, "allowed_values", values),
        }
    }
}
