//! A resource before and after an update.

use crate::evaluate::Value;
use crate::truth;

use super::Resource;

/// A resource as an update compares it: what is given for its properties, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given<'g>(pub(crate) &'g Resource);

/// A change of a resource that keeps its type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change<'c> {
    /// The resource as it is deployed.
    pub(crate) before: Given<'c>,
    /// The resource as it shall be.
    pub(crate) after: Given<'c>,
    /// The properties that differ.
    pub(crate) changed: &'c [&'c str],
}

impl<'g> Given<'g> {
    /// What is given for a property.
    pub(crate) fn value(self, property: &str) -> Option<&'g Value> {
        self.0.given.get(property)?.value.as_ref().filter(|value| !matches!(value, Value::Absent))
    }

    /// The text that is given for a property.
    pub(crate) fn text(self, property: &str) -> Option<&'g str> {
        self.value(property)?.as_text()
    }

    /// What is given for a property that is true or false.
    pub(crate) fn boolean(self, property: &str) -> Option<bool> {
        match self.value(property)? {
            Value::Boolean(is) => Some(*is),
            Value::Text(text) => Some(truth::of_property(text) == Some(true)),
            _ => None,
        }
    }

    /// What is given under a key of a property that is a map.
    pub(crate) fn part(self, property: &str, key: &str) -> Option<&'g Value> {
        match self.value(property)? {
            Value::Map(items) => items.get(key),
            _ => None,
        }
    }
}

impl Change<'_> {
    /// Whether a property differs.
    pub(crate) fn has(&self, property: &str) -> bool {
        self.changed.contains(&property)
    }
}
