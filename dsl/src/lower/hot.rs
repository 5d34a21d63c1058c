//! Heat orchestration templates as data (HOT specification).

mod written;

use crate::model::{Constraint, IndexMap, Name, ParameterType, Value};

/// The HOT version of templates that no author wrote.
pub use crate::model::VERSION;

/// A template.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Template {
    /// The HOT version.
    pub heat_template_version: Name,
    /// Its description.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The groups of parameters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parameter_groups: Vec<HotParameterGroup>,
    /// The parameters, which are chosen at deployment.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub parameters: IndexMap<Name, HotParameter>,
    /// The conditions.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub conditions: IndexMap<Name, Hot>,
    /// The resources that Heat creates.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub resources: IndexMap<Name, HotResource>,
    /// The outputs of the stack.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub outputs: IndexMap<Name, HotOutput>,
}

impl Template {
    /// An empty template.
    pub fn new(description: &str) -> Self {
        Self { heat_template_version: VERSION.into(), description: description.into(), ..Self::default() }
    }

    /// The number of servers that it creates, without those of nested stacks.
    pub fn servers(&self) -> usize {
        self.resources.values().filter(|resource| resource.is_server()).count()
    }
}

/// A group of parameters.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct HotParameterGroup {
    /// The heading above them.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// What they are for.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Their names.
    pub parameters: Vec<Name>,
}

/// A parameter of a template.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct HotParameter {
    /// Its type.
    #[serde(rename = "type")]
    pub ty: ParameterType,
    /// Its label in forms.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// What it is for.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The value if none is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// Whether Heat must not show its value.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    /// The constraints on its value.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "written::constraints")]
    pub constraints: Vec<Constraint>,
    /// Whether its value cannot change after the stack was created.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub immutable: bool,
    /// Words by which tools find it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Name>,
}

impl HotParameter {
    /// A parameter without default or constraint.
    pub fn new(ty: ParameterType) -> Self {
        Self {
            ty,
            label: String::new(),
            description: String::new(),
            default: None,
            hidden: false,
            constraints: Vec::new(),
            immutable: false,
            tags: Vec::new(),
        }
    }
}

/// A resource of a template.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct HotResource {
    /// Its type, or the file of a nested template.
    #[serde(rename = "type")]
    pub ty: Name,
    /// Its description.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The condition under which the resource exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<Box<Hot>>,
    /// The properties, each name once.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "written::map")]
    pub properties: Vec<(Name, Hot)>,
    /// Resources that Heat must create first, besides those that the properties refer to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<Name>,
    /// The author's own metadata.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Box<Hot>>,
    /// What happens to it when it leaves the stack.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletion_policy: Option<Box<Hot>>,
    /// How it is updated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_policy: Option<Box<Hot>>,
    /// The identity of an existing resource that is not created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_id: Option<Box<Hot>>,
}

impl HotResource {
    /// A resource without properties.
    pub fn new(ty: Name) -> Self {
        Self { ty, ..Self::default() }
    }

    /// The value of a property.
    pub fn property(&self, name: &str) -> Option<&Hot> {
        self.properties.iter().find(|(known, _)| &**known == name).map(|(_, value)| value)
    }

    /// Sets a property, which may be set already.
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

    /// Calls `visit` with the name of each resource that it refers to or comes after.
    pub fn requires<'a>(&'a self, visit: &mut impl FnMut(&'a Name)) {
        self.depends_on.iter().for_each(&mut *visit);
        for value in self.values() {
            value.visit(&mut |part| {
                if let Some(name) = part.resource() {
                    visit(name);
                }
            });
        }
    }

    /// Every value that Heat resolves: properties, then settings.
    pub fn values(&self) -> impl Iterator<Item = &Hot> {
        let settings = [&self.condition, &self.metadata, &self.deletion_policy, &self.update_policy, &self.external_id];
        self.properties.iter().map(|(_, value)| value).chain(settings.into_iter().flatten().map(|value| &**value))
    }

    /// Like [`HotResource::values`], but mutable.
    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut Hot> {
        let settings = [
            &mut self.condition,
            &mut self.metadata,
            &mut self.deletion_policy,
            &mut self.update_policy,
            &mut self.external_id,
        ];
        self.properties
            .iter_mut()
            .map(|(_, value)| value)
            .chain(settings.into_iter().flatten().map(|value| &mut **value))
    }
}

/// An output of a template.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct HotOutput {
    /// Its description.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The condition under which the output exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<Hot>,
    /// The value.
    pub value: Hot,
}

impl HotOutput {
    /// An output without description or condition.
    pub fn new(value: Hot) -> Self {
        Self { description: String::new(), condition: None, value }
    }
}

/// A value of a template: a constant, or one of Heat's functions.
#[derive(Clone, Debug, PartialEq)]
pub enum Hot {
    /// A constant.
    Value(Value),
    /// `get_param: NAME`, or `get_param: [NAME, KEY, ...]`.
    GetParam {
        /// The parameter.
        parameter: Name,
        /// The path into its value.
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
        /// The path into its value.
        path: Vec<Hot>,
    },
    /// `str_replace`: `template` with each key of `params` replaced by its value.
    StrReplace {
        /// The text.
        template: Box<Hot>,
        /// The keys and their replacements.
        params: Vec<(Name, Hot)>,
    },
    /// `list_join: ["", [...]]`: joined text. Heat accepts strings, maps and lists here, but no numbers.
    Join(Vec<Hot>),
    /// A list of values.
    List(Vec<Hot>),
    /// A map of values by name.
    Map(Vec<(Name, Hot)>),
    /// Any other function of Heat's: its name and its argument.
    Function(Name, Box<Hot>),
}

impl Hot {
    /// `get_param: NAME`.
    pub fn parameter(name: impl Into<Name>) -> Self {
        Self::GetParam { parameter: name.into(), path: Vec::new() }
    }

    /// The resource that this value itself refers to.
    pub fn resource(&self) -> Option<&Name> {
        match self {
            Self::GetResource(name) | Self::GetAttr { resource: name, .. } => Some(name),
            Self::Function(function, argument) if &**function == "get_attr" => match &**argument {
                Self::Value(Value::List(items)) => match items.first()? {
                    Value::Str(name) => Some(name),
                    _ => None,
                },
                Self::List(items) => match items.first()? {
                    Self::Value(Value::Str(name)) => Some(name),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }

    /// Calls `visit` for this value and every value within it.
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
            Self::Function(_, argument) => argument.visit(visit),
        }
    }

    /// Replaces this value and every value within it with what `change` returns, outermost first. What `change`
    /// returned is not visited again.
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
            Self::Function(_, argument) => argument.rewrite(change),
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
