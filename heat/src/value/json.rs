//! JSON as Python reads and writes it.

use std::fmt::Write;

use crate::template::float_as_python;

use super::Value;

/// Formats a value like `json.dumps(value, sort_keys=True)`: with spaces, sorted keys, and all characters beyond ASCII
/// escaped.
pub(crate) fn dumps(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Null | Value::Unknown | Value::Open(_) | Value::Absent => out.push_str("null"),
        Value::Boolean(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Integer(value) => out.push_str(&value.to_string()),
        Value::Float(value) if value.is_nan() => out.push_str("NaN"),
        Value::Float(value) if value.is_infinite() => {
            out.push_str(if *value > 0.0 { "Infinity" } else { "-Infinity" });
        }
        Value::Float(value) => out.push_str(&float_as_python(*value)),
        Value::Text(text) => quote(text, out),
        Value::List(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                write(item, out);
            }
            out.push(']');
        }
        Value::Map(items) => {
            let mut sorted: Vec<_> = items.iter().collect();
            sorted.sort_by_key(|(key, _)| *key);
            out.push('{');
            for (at, (key, item)) in sorted.into_iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                quote(key, out);
                out.push_str(": ");
                write(item, out);
            }
            out.push('}');
        }
    }
}

fn quote(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            ' '..='~' => out.push(character),
            other => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}").expect("INVARIANT: text takes all that is written");
                }
            }
        }
    }
    out.push('"');
}

/// Parses a text like `json.loads`.
///
/// # Errors
///
/// Why the text is not JSON.
pub(crate) fn loads(text: &str) -> Result<Value, String> {
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(value) => Ok(Value::from(&value)),
        Err(error) => match text.trim() {
            "NaN" => Ok(Value::Float(f64::NAN)),
            "Infinity" => Ok(Value::Float(f64::INFINITY)),
            "-Infinity" => Ok(Value::Float(f64::NEG_INFINITY)),
            _ => Err(error.to_string()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_written_as_python_writes_it() {
        let value = loads(r#"{"b": [1, 2.50, true, null], "a": "é\n\"😀"}"#).expect("JSON");
        assert_eq!(dumps(&value), r#"{"a": "\u00e9\n\"\ud83d\ude00", "b": [1, 2.5, true, null]}"#);
    }
}
