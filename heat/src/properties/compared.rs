//! What an update compares.

use wattle_model::{PropertySchema, PropertyType, Value as Known};

use crate::evaluate::Value;

use super::convert;

/// The value of a property as an update compares it: of the schema's type, with its defaults. Values that `is_open` holds
/// of, because they are not known yet, stay as they are, and so does what Heat would refuse.
pub fn compared(value: Option<&Known>, schema: Option<&PropertySchema>, is_open: &dyn Fn(&Known) -> bool) -> Known {
    let Some(schema) = schema else { return value.cloned().unwrap_or(Known::Null) };
    let value = match (value, &schema.default) {
        (None | Some(Known::Null), None) => return Known::Null,
        (None | Some(Known::Null), Some(default)) => default,
        (Some(value), _) => value,
    };
    if is_open(value) {
        return value.clone();
    }
    let part = |value, schema| compared(Some(value), schema, is_open);
    match (schema.ty, value) {
        (PropertyType::List, Known::List(items)) => {
            Known::List(items.iter().map(|item| part(item, schema.item.as_deref())).collect())
        }
        (PropertyType::List, Known::Str(text)) if schema.converts => convert::split(text).to_model(),
        (PropertyType::Map, Known::Map(items)) if schema.keys.is_empty() => {
            Known::Map(items.iter().map(|(name, item)| (name.clone(), part(item, schema.item.as_deref()))).collect())
        }
        (PropertyType::Map, Known::Map(items)) => {
            let known =
                schema.keys.iter().map(|(name, key)| (name.clone(), compared(items.get(name), Some(key), is_open)));
            let known = known.filter(|(_, value)| *value != Known::Null);
            let other = items.iter().filter(|(name, _)| !schema.keys.contains_key(*name));
            Known::Map(known.chain(other.map(|(name, value)| (name.clone(), value.clone()))).collect())
        }
        (PropertyType::List | PropertyType::Map, _) => value.clone(),
        (ty, _) => match convert::scalar(ty, None, &Value::of_model(value)).map(|value| value.to_model()) {
            // To Python, 1.0 is 1.
            Ok(Known::Float(number)) if number.fract() == 0.0 && number.abs() < 9e15 =>
            {
                #[expect(clippy::cast_possible_truncation, reason = "the number is whole and within 2^53")]
                Known::Integer(i128::from(number as i64))
            }
            Ok(known) => known,
            Err(_) => value.clone(),
        },
    }
}
