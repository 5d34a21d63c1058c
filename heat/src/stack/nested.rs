//! Stacks nested in a stack: templates, and the members of groups.

use std::sync::Arc;

use wattle_model::{IndexMap, PropertyType};

use crate::Loaded;
use crate::environment::{Implementation, Registry};
use crate::evaluate::Value;
use crate::limits;
use crate::properties::{Refused, null};
use crate::resource::{Maker, Member, Resource};

use super::{RESOURCES, Stack, World};

/// The content of a nested stack.
#[derive(Debug)]
pub(crate) enum Nested {
    /// A template with the values of its parameters.
    Template(Box<Loaded>),
    /// Resources whose properties are values.
    Members(Vec<Member>, Box<Registry>),
}

/// The template of the stack nested as the resource `name`, with the values of its parameters.
pub(crate) fn provided(loaded: &Loaded, registry: &Registry, name: &str, resource: &Resource) -> Option<Loaded> {
    let Maker::Template(provider) = &resource.maker else { return None };
    let mut nested = loaded.nested(name, &provider.path, parameters(resource)?)?;
    // Within a type's template, the type is not mapped to that template again.
    let mut registry = registry.within(name);
    let itself = Implementation::Template(provider.path.clone());
    registry.types.retain(|_, target| target.implementation != itself);
    nested.registry = Arc::new(registry);
    Some(nested)
}

impl Stack<'_> {
    /// Whether no further nested stacks are expanded.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.nested.get() > RESOURCES
    }

    /// The content of the stack nested as the resource `name`, if it is one. `None` if it is deeper than Heat allows.
    ///
    /// With `all`, as in Heat's validation, members include properties with unknown values, and of members that are all
    /// alike only the first is listed.
    pub(crate) fn nested(&self, name: &str, resource: &Resource, all: bool) -> Option<Nested> {
        if self.depth >= limits::NESTED || self.is_exhausted() {
            return None;
        }
        let count = |resources: usize| self.nested.set(self.nested.get().saturating_add(resources));
        if let Maker::Template(_) = &resource.maker {
            let loaded = provided(self.loaded, &self.registry, name, resource)?;
            count(loaded.template.resources.len());
            return Some(Nested::Template(Box::new(loaded)));
        }
        let members = (resource.class().group?.members)(resource, all)?;
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

/// The parameter values that a resource's properties pass to its template.
fn parameters(resource: &Resource) -> Option<IndexMap<String, Value>> {
    let mut given = IndexMap::default();
    let properties = resource.properties();
    for (key, schema) in properties.schema {
        let value = match properties.user_value(key) {
            Ok(Some(value)) => value,
            Ok(None) => continue,
            Err(Refused) => null(schema.ty),
        };
        let value = match (schema.ty, &value) {
            (PropertyType::List, Value::List(items)) if !value.is_open() => Value::Text(joined(items)?),
            _ => value,
        };
        given.insert(key.to_string(), value);
    }
    Some(given)
}

/// A list as Heat writes it for a parameter. `None` if it contains anything other than text.
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
