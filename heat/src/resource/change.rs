//! A resource before and after an update.

use indexmap::IndexMap;
use wattle_model::{Name, Value};

use crate::truth;

/// A resource as an update compares it.
#[derive(Clone, Copy, Debug)]
pub struct Given<'g> {
    /// Its type.
    pub ty: &'g str,
    /// What is given for its properties, with all that is known put in.
    pub properties: &'g IndexMap<Name, Value>,
}

/// A change of a resource that keeps its type.
#[derive(Clone, Copy, Debug)]
pub struct Change<'c> {
    /// The resource as it is deployed.
    pub before: Given<'c>,
    /// The resource as it shall be.
    pub after: Given<'c>,
    /// The properties that differ.
    pub changed: &'c [Name],
}

impl<'g> Given<'g> {
    /// The text that is given for a property.
    pub(crate) fn text(self, property: &str) -> Option<&'g str> {
        self.properties.get(property)?.as_str()
    }

    /// What is given for a property that is true or false.
    pub(crate) fn boolean(self, property: &str) -> Option<bool> {
        match self.properties.get(property)? {
            Value::Boolean(is) => Some(*is),
            Value::Str(text) => Some(truth::of_property(text) == Some(true)),
            _ => None,
        }
    }

    /// What is given under a key of a property that is a map.
    pub(crate) fn part(self, property: &str, key: &str) -> Option<&'g Value> {
        match self.properties.get(property)? {
            Value::Map(items) => items.get(key),
            _ => None,
        }
    }
}

impl Change<'_> {
    /// Whether a property differs.
    pub(crate) fn has(&self, property: &str) -> bool {
        self.changed.iter().any(|changed| **changed == *property)
    }
}
