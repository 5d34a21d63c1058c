//! Values as the rules of classes read them: a missing value, or one of an unexpected form, is null.

use wattle_model::IndexMap;

use crate::evaluate::Value;
use crate::properties::{Refused, is_true};

/// Whether a value is given: `is not None`. An unknown value counts as given, because it comes from a parameter that has no
/// value yet.
pub(crate) fn is_there(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Absent)
}

/// Python's `==`. An unknown value counts as null.
pub(crate) fn same(one: &Value, other: &Value) -> bool {
    one.equals(other).unwrap_or_else(|| !is_true(one) && !is_true(other))
}

/// Python's `or`.
pub(crate) fn or(one: Value, other: impl FnOnce() -> Result<Value, Refused>) -> Result<Value, Refused> {
    if is_true(&one) { Ok(one) } else { other() }
}

pub(crate) fn map(value: Value) -> IndexMap<String, Value> {
    match value {
        Value::Map(items) => items,
        _ => IndexMap::default(),
    }
}

pub(crate) fn items(value: &Value) -> &[Value] {
    match value {
        Value::List(items) => items,
        _ => &[],
    }
}

pub(crate) fn integer(value: &Value) -> Option<i128> {
    match value {
        Value::Integer(number) => Some(*number),
        _ => None,
    }
}

/// The value of `key`, if `value` is a map that has it.
pub(crate) fn key<'v>(value: &'v Value, key: &str) -> &'v Value {
    match value {
        Value::Map(items) => items.get(key).unwrap_or(&Value::Null),
        _ => &Value::Null,
    }
}

/// Whether the value of a key is given.
pub(crate) fn has(items: &IndexMap<String, Value>, key: &str) -> bool {
    items.get(key).is_some_and(is_there)
}

/// Whether the value of a key is true.
pub(crate) fn true_of(items: &IndexMap<String, Value>, key: &str) -> bool {
    items.get(key).is_some_and(is_true)
}

/// The number of values that are given.
pub(crate) fn count(items: &IndexMap<String, Value>, keys: &[&str]) -> usize {
    keys.iter().filter(|key| has(items, key)).count()
}
