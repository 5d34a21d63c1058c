//! Converts values to the type of a property, as Heat does.

use crate::schema::{is_integer, plain};
use wattle_model::{IndexMap, PropertyType, Value as Known};

use crate::evaluate::Value;
use crate::truth;

use super::What;

/// The value of a schema's default.
pub(super) fn default(default: Option<&Known>) -> Value {
    default.map_or(Value::Null, Value::of_model)
}

/// The items between commas, because Heat accepts text as a list.
pub(super) fn split(text: &str) -> Value {
    if text.is_empty() {
        return Value::List(Vec::new());
    }
    Value::List(text.split(',').map(|item| Value::Text(item.trim().to_owned())).collect())
}

/// Null as a value of the type.
pub(crate) fn null(ty: PropertyType) -> Value {
    match ty {
        PropertyType::Str => Value::Text(String::new()),
        PropertyType::Integer | PropertyType::Number => Value::Integer(0),
        PropertyType::Boolean => Value::Boolean(false),
        PropertyType::List => Value::List(Vec::new()),
        PropertyType::Map => Value::Map(IndexMap::default()),
        PropertyType::Any => Value::Null,
    }
}

/// Whether Heat accepts `value` for a property of the type, regardless of the values in it.
pub fn takes(ty: PropertyType, value: &Known) -> bool {
    match (ty, value) {
        (PropertyType::List, Known::List(_)) | (PropertyType::Map, Known::Map(_)) => true,
        _ => scalar(ty, None, &Value::of_model(value)).is_ok(),
    }
}

/// Converts `value` to one of the types without parts.
pub(super) fn scalar(ty: PropertyType, default: Option<&Known>, value: &Value) -> Result<Value, What> {
    let wrong = || Err(What::Kind(ty, value.clone()));
    if matches!(value, Value::Null | Value::Unknown) {
        return match default {
            Some(default) if ty != PropertyType::Any => scalar(ty, None, &Value::of_model(default)),
            _ => Ok(null(ty)),
        };
    }
    Ok(match (ty, value) {
        (PropertyType::Str, Value::Text(_)) | (PropertyType::Number, Value::Integer(_) | Value::Float(_)) => {
            value.clone()
        }
        (PropertyType::Str, Value::Boolean(_) | Value::Integer(_)) => Value::Text(value.python()),
        (PropertyType::Integer, Value::Integer(_))
        | (PropertyType::Boolean, Value::Boolean(_))
        | (PropertyType::Any, _) => value.clone(),
        (PropertyType::Integer | PropertyType::Number, Value::Boolean(value)) => Value::Integer(i128::from(*value)),
        (PropertyType::Integer, Value::Float(number)) if number.is_finite() && number.abs() < 1e37 =>
        {
            #[expect(clippy::cast_possible_truncation, reason = "it is within the bounds, and Heat cuts fractions off")]
            Value::Integer(*number as i128)
        }
        (PropertyType::Integer | PropertyType::Number, Value::Text(text)) if is_integer(text) => integer(text),
        (PropertyType::Number, Value::Text(text)) => match text.trim().replace('_', "").parse() {
            Ok(number) => Value::Float(number),
            Err(_) => return wrong(),
        },
        (PropertyType::Boolean, Value::Text(text)) => match truth::of_property(text) {
            Some(value) => Value::Boolean(value),
            None => return wrong(),
        },
        _ => return wrong(),
    })
}

fn integer(text: &str) -> Value {
    let digits = text.trim().replace('_', "");
    digits.parse().map_or_else(|_| Value::Float(digits.parse().unwrap_or(f64::INFINITY)), Value::Integer)
}

/// A value as a message shows it.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::List(_) | Value::Map(_) | Value::Null | Value::Unknown | Value::Open(_) | Value::Absent => {
            value.kind().to_owned()
        }
        Value::Text(text) => format!("a string `{}`", text.escape_debug()),
        _ => format!("{} `{}`", value.kind(), plain(&value.to_model())),
    }
}
