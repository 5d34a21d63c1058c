//! Heat's conversions of values to numbers and to text, and its notion of equality.

use wattle_model::{PropertyType, Value};

use super::digits::{is_digit, with_ascii_digits};

/// The bounds, worded for a message, if `number` is out of them.
pub fn outside_of(bounds: &[Option<f64>], number: f64) -> Option<String> {
    let bound = |index: usize| bounds.get(index).copied().flatten();
    let (min, max) = (bound(0), bound(1));
    let outside = min.is_some_and(|min| number < min) || max.is_some_and(|max| number > max);
    outside.then(|| match (min, max) {
        (Some(min), Some(max)) => format!("between {min} and {max}"),
        (Some(min), None) => format!("at least {min}"),
        (_, max) => format!("at most {}", max.unwrap_or_default()),
    })
}

/// Whether Python's `int()` reads the text, which includes surrounding white space and `_` between digits.
pub fn is_integer(text: &str) -> bool {
    let text = text.trim();
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    digits.contains(is_digit) && digits.chars().all(|c| is_digit(c) || c == '_')
}

/// The number that Heat reads `value` as.
pub fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Boolean(value) => Some(f64::from(u8::from(*value))),
        #[expect(clippy::cast_precision_loss, reason = "Python compares integers with floats in much the same way")]
        Value::Integer(value) => Some(*value as f64),
        Value::Float(value) => Some(*value),
        Value::Str(text) => with_ascii_digits(text.trim()).replace('_', "").parse().ok(),
        _ => None,
    }
}

/// Whether Heat considers both values of the type equal.
pub fn is_same(ty: PropertyType, one: &Value, other: &Value) -> bool {
    match ty {
        #[expect(clippy::float_cmp, reason = "Heat compares them in this way")]
        PropertyType::Integer | PropertyType::Number => match (number(one), number(other)) {
            (Some(one), Some(other)) => one == other,
            _ => one == other,
        },
        PropertyType::Boolean => plain(one).eq_ignore_ascii_case(&plain(other)),
        PropertyType::Str => {
            one == other
                || plain(one) == plain(other)
                || plain(one).eq_ignore_ascii_case(&plain(other)) && both_boolean(one, other)
        }
        _ => one == other,
    }
}

fn both_boolean(one: &Value, other: &Value) -> bool {
    matches!(one, Value::Boolean(_)) || matches!(other, Value::Boolean(_))
}

/// A value as text, without quotes.
pub fn plain(value: &Value) -> String {
    match value {
        Value::Str(text) => text.to_string(),
        value => value.to_string(),
    }
}
