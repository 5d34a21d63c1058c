//! Converts values to the type of a parameter.

use wattle_model::ParameterType;

use crate::schema::with_ascii_digits;
use crate::truth;
use crate::value::{Value, json};

/// Converts `value` to the value that functions receive for a parameter of type `kind`.
///
/// # Errors
///
/// Why it does not fit, as a clause.
pub fn read(kind: ParameterType, value: &Value) -> Result<Value, String> {
    match kind {
        ParameterType::Str => Ok(Value::Text(value.python())),
        ParameterType::Number => number(value),
        ParameterType::Boolean => boolean(value),
        ParameterType::CommaDelimitedList => list(value),
        ParameterType::Json => match value {
            Value::Text(text) if text.is_empty() => Ok(Value::Text(String::new())),
            Value::Text(text) => json::loads(text).map_err(|error| format!("it is not JSON: {error}")),
            value => Ok(value.clone()),
        },
    }
}

fn number(value: &Value) -> Result<Value, String> {
    match value {
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) => Ok(value.clone()),
        Value::Text(text) => number_from_text(text).ok_or_else(|| format!("`{}` is not a number", text.escape_debug())),
        other => Err(format!("{} is not a number", other.kind())),
    }
}

/// The number that Python's `int` reads, or otherwise `float`.
pub fn number_from_text(text: &str) -> Option<Value> {
    let text = &*with_ascii_digits(text.trim());
    let digits = |text: &str| {
        let inner = text.strip_prefix(['+', '-']).unwrap_or(text);
        inner.starts_with(|character: char| character.is_ascii_digit())
            && inner.ends_with(|character: char| character.is_ascii_digit())
    };
    if text.contains("__") {
        return None;
    }
    let plain = text.replace('_', "");
    if digits(text) && plain.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-')) {
        return match plain.parse() {
            Ok(value) => Some(Value::Integer(value)),
            Err(_) => plain.parse().ok().map(Value::Float),
        };
    }
    let lower = plain.to_ascii_lowercase();
    let word = lower.trim_start_matches(['+', '-']);
    if matches!(word, "inf" | "infinity" | "nan") || word.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return lower.parse().ok().map(Value::Float);
    }
    None
}

fn boolean(value: &Value) -> Result<Value, String> {
    let text = value.python();
    let wrong = || format!("`{}` is not a boolean: Heat takes {}", text.escape_debug(), truth::PARAMETER);
    truth::of_parameter(&text).map(Value::Boolean).ok_or_else(wrong)
}

fn list(value: &Value) -> Result<Value, String> {
    match value {
        Value::List(items) => Ok(Value::List(items.iter().map(|item| Value::Text(item.python())).collect())),
        Value::Text(text) if text.is_empty() => Ok(Value::List(Vec::new())),
        Value::Text(text) => Ok(Value::List(text.split(',').map(Value::from).collect())),
        other => Err(format!("{} is neither a list nor text with commas", other.kind())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_by_their_type() {
        let text = |text: &str| Value::from(text);
        assert_eq!(read(ParameterType::Str, &Value::Boolean(true)), Ok(text("True")));
        assert_eq!(read(ParameterType::Number, &text(" 1_000 ")), Ok(Value::Integer(1_000)));
        assert_eq!(read(ParameterType::Number, &text("1e3")), Ok(Value::Float(1e3)));
        assert_eq!(read(ParameterType::Number, &text("-.5")), Ok(Value::Float(-0.5)));
        assert_eq!(read(ParameterType::Number, &text("\u{663}")), Ok(Value::Integer(3)));
        assert_eq!(read(ParameterType::Number, &text("-\u{661}.\u{ff15}")), Ok(Value::Float(-1.5)));
        assert!(read(ParameterType::Number, &text("\u{b2}")).is_err());
        assert!(read(ParameterType::Number, &text("\u{bd}")).is_err());
        assert!(read(ParameterType::Number, &text("five")).is_err());
        assert!(read(ParameterType::Number, &text("0x10")).is_err());
        assert!(read(ParameterType::Number, &text("1__0")).is_err());
        assert!(read(ParameterType::Number, &Value::List(Vec::new())).is_err());
        assert_eq!(read(ParameterType::Boolean, &text("YES ")), Ok(Value::Boolean(true)));
        assert!(read(ParameterType::Boolean, &Value::Integer(2)).is_err());
        assert_eq!(read(ParameterType::CommaDelimitedList, &text("a,b")), Ok(Value::List(vec![text("a"), text("b")])));
        assert_eq!(
            read(ParameterType::CommaDelimitedList, &Value::List(vec![Value::Integer(1)])),
            Ok(Value::List(vec![text("1")]))
        );
        assert_eq!(read(ParameterType::Json, &text("[1]")), Ok(Value::List(vec![Value::Integer(1)])));
        assert!(read(ParameterType::Json, &text("abc")).is_err());
    }
}
