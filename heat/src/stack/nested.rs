//! Stacks nested in a stack: templates, and the members of groups.

use std::sync::Arc;

use crate::schema::number;
use indexmap::IndexMap;
use wattle_model::{Name, PropertySchema, PropertyType, SchemaConstraint};

use crate::Loaded;
use crate::environment::{Implementation, Registry};
use crate::evaluate::Value;
use crate::properties::{Refused, null};
use crate::template::{Kind, Parameter, Rule};
use crate::yaml::Node;

use super::{Class, DEPTH, RESOURCES, Resource, Stack, World, group};

/// A template that makes a resource.
#[derive(Debug)]
pub(crate) struct Provider {
    /// Its path.
    pub(crate) path: String,
    /// Its parameters, as properties.
    pub(crate) properties: IndexMap<Name, PropertySchema>,
}

impl Provider {
    pub(super) fn of(loaded: &Loaded, path: &str) -> Option<Self> {
        let template = &loaded.library.templates.get(path)?.template;
        let defaults = &loaded.environment.parameter_defaults;
        let properties = template
            .parameters
            .iter()
            .map(|(name, parameter)| {
                let required = parameter.default.is_none() && !defaults.contains_key(name);
                (name.as_str().into(), property(parameter, required))
            })
            .collect();
        Some(Self { path: path.to_owned(), properties })
    }
}

/// A parameter as a property of the resource that its template makes.
fn property(parameter: &Parameter, required: bool) -> PropertySchema {
    let ty = match parameter.kind {
        Some(Kind::String) => PropertyType::Str,
        Some(Kind::Number) => PropertyType::Number,
        Some(Kind::Boolean) => PropertyType::Boolean,
        Some(Kind::List) => PropertyType::List,
        _ => PropertyType::Map,
    };
    let converts = matches!(ty, PropertyType::Map | PropertyType::List);
    let constraints = parameter.constraints.iter().filter_map(|constraint| constraint_of(&constraint.rule)).collect();
    PropertySchema { ty, required, converts, constraints, ..PropertySchema::default() }
}

fn constraint_of(rule: &Rule) -> Option<SchemaConstraint> {
    let number = |node: &Option<Node>| node.as_ref().and_then(|node| number(&node.constant()));
    Some(match rule {
        Rule::Length { min, max } => SchemaConstraint::Length(vec![number(min), number(max)]),
        Rule::Range { min, max } => SchemaConstraint::Range(vec![number(min), number(max)]),
        Rule::Modulo { step, offset } => SchemaConstraint::Modulo([number(step)?, number(offset)?]),
        Rule::AllowedValues(values) => SchemaConstraint::Allowed(values.iter().map(Node::constant).collect()),
        Rule::AllowedPattern(pattern) => SchemaConstraint::Pattern(pattern.as_str().into()),
        Rule::Custom(name) => SchemaConstraint::Custom(name.as_str().into()),
    })
}

/// What a nested stack is made of.
#[derive(Debug)]
pub(crate) enum Nested {
    /// A template with the values of its parameters.
    Template(Box<Loaded>),
    /// Resources whose properties are values.
    Members(Vec<group::Member>, Box<Registry>),
}

impl Stack<'_> {
    /// Whether no further nested stacks are looked into.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.nested.get() > RESOURCES
    }

    /// What the stack nested as the resource `name` is made of, if that is one; none deeper than Heat goes.
    ///
    /// With `all`, as when Heat validates: members have the properties too whose values are not known yet, and of members
    /// that are all alike there is the first one.
    pub(crate) fn nested(&self, name: &str, resource: &Resource, all: bool) -> Option<Nested> {
        if self.depth >= DEPTH || self.is_exhausted() {
            return None;
        }
        let count = |resources: usize| self.nested.set(self.nested.get().saturating_add(resources));
        if let Class::Provider(provider) = &resource.class {
            let mut loaded = self.loaded.nested(name, &provider.path, parameters(resource)?)?;
            count(loaded.template.resources.len());
            // What a type stands for is not what it stands for within itself.
            let mut registry = self.registry.within(name);
            let itself = Implementation::Template(provider.path.clone());
            registry.types.retain(|_, target| target.implementation != itself);
            loaded.registry = Arc::new(registry);
            return Some(Nested::Template(Box::new(loaded)));
        }
        let members = group::members(resource, all)?;
        count(members.len());
        Some(Nested::Members(members, Box::new(self.registry.within(name))))
    }
}

impl Nested {
    /// The stack.
    pub(crate) fn stack<'n>(&'n self, world: &World, parent: &Stack<'n>) -> Stack<'n> {
        match self {
            Self::Template(loaded) => Stack::of(world, loaded, parent.depth + 1),
            Self::Members(members, registry) => Stack::of_members(world, parent, members, (**registry).clone()),
        }
    }
}

/// The values that the properties of a resource give the parameters of its template.
fn parameters(resource: &Resource) -> Option<IndexMap<String, Value>> {
    let mut given = IndexMap::new();
    let properties = resource.properties();
    for (key, schema) in properties.schema {
        let value = match properties.user_value(key) {
            Ok(Some(value)) => value,
            Ok(None) => continue,
            Err(Refused) => null(schema.ty),
        };
        let value = match (schema.ty, value) {
            (PropertyType::List, Value::List(items)) => Value::Text(joined(&items)?),
            (_, value) => value,
        };
        given.insert(key.to_string(), value);
    }
    Some(given)
}

/// A list as Heat writes it for a parameter; none if there is something else than text in it.
fn joined(items: &[Value]) -> Option<String> {
    let parts: Option<Vec<String>> = match items.first() {
        Some(Value::Map(_)) => {
            let mut parts = Vec::new();
            for (count, item) in items.iter().enumerate() {
                let Value::Map(item) = item else { return None };
                parts.extend(item.iter().map(|(key, value)| format!(".member.{count}.{key}={}", value.python())));
            }
            Some(parts)
        }
        _ => items
            .iter()
            .map(|item| match item {
                Value::Text(text) => Some(text.clone()),
                Value::Null | Value::Unknown => Some(String::new()),
                _ => None,
            })
            .collect(),
    };
    parts.map(|parts| parts.join(","))
}
