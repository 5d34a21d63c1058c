//! What a rule reads of a resource.

use indexmap::IndexMap;

use crate::evaluate::Value;
use crate::properties::{Refused, is_true};

use super::Subject;

/// A property that a rule reads: Heat refuses the resource where it cannot be read.
pub(super) type Own = Result<Value, Refused>;

impl Subject<'_> {
    pub(super) fn own(self, key: &str) -> Own {
        self.resource.properties().get(key)
    }

    /// Whether the property is there at all, as Heat asks it: nothing is not, empty is.
    pub(super) fn has(self, key: &str) -> Result<bool, Refused> {
        Ok(is_there(&self.own(key)?))
    }

    /// Whether Python takes it for true.
    pub(super) fn is(self, key: &str) -> Result<bool, Refused> {
        Ok(is_true(&self.own(key)?))
    }

    pub(super) fn text(self, key: &str) -> Result<String, Refused> {
        Ok(self.own(key)?.as_text().unwrap_or_default().to_owned())
    }

    /// The maps of a list.
    pub(super) fn maps(self, key: &str) -> Result<Vec<IndexMap<String, Value>>, Refused> {
        Ok(match self.own(key)? {
            Value::List(items) => items.into_iter().map(map).collect(),
            _ => Vec::new(),
        })
    }
}

pub(super) fn map(value: Value) -> IndexMap<String, Value> {
    match value {
        Value::Map(items) => items,
        _ => IndexMap::new(),
    }
}

/// Whether a value is there: `is not None`. One that is not known is: a parameter that nobody has given yet.
pub(super) fn is_there(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Absent)
}

/// Whether the value under a key is there.
pub(super) fn has(items: &IndexMap<String, Value>, key: &str) -> bool {
    items.get(key).is_some_and(is_there)
}
