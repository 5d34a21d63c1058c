//! A resource before and after an update.

use crate::evaluate::Value;
use crate::truth;

use super::Resource;

/// A resource as an update compares it: the given values of its properties, as far as they are known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given<'g>(pub(crate) &'g Resource);

/// A change of a resource that keeps its type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change<'c> {
    /// The deployed resource.
    pub(crate) before: Given<'c>,
    /// The desired resource.
    pub(crate) after: Given<'c>,
    /// The properties that differ.
    pub(crate) changed: &'c [&'c str],
}

impl<'g> Given<'g> {
    /// The given value of a property.
    pub(crate) fn value(self, property: &str) -> Option<&'g Value> {
        self.0.given.get(property)?.value.as_ref().filter(|value| !matches!(value, Value::Absent))
    }

    /// The given text of a property.
    pub(crate) fn text(self, property: &str) -> Option<&'g str> {
        self.value(property)?.as_text()
    }

    /// The given value of a boolean property.
    pub(crate) fn boolean(self, property: &str) -> Option<bool> {
        match self.value(property)? {
            Value::Boolean(is) => Some(*is),
            Value::Text(text) => Some(truth::of_property(text) == Some(true)),
            _ => None,
        }
    }

    /// The given value of a key in a property that is a map.
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
