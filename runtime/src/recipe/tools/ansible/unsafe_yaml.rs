//! Writes values as YAML in which no text is taken for a template, using Ansible's tag `!unsafe`.

use std::fmt::Write as _;

use wattle::model::{Name, Value};

/// Whether anything in `value` needs the tag.
pub(super) fn is_needed(value: &Value) -> bool {
    match value {
        Value::Str(text) => is_marked(text),
        Value::List(values) => values.iter().any(is_needed),
        Value::Map(values) => values.iter().any(|(name, value)| is_marked(name) || is_needed(value)),
        _ => false,
    }
}

/// Whether `text` could be a template or an expression, or a part of one that a playbook builds from several texts.
///
/// A text of only these characters calls nothing, whatever marked text it is joined with. It is not tagged because
/// ansible-core 2.21 reads `!unsafe "True"` as a truth value, and `!unsafe "007"` as a number.
fn is_marked(text: &str) -> bool {
    !text.chars().all(|c| !c.is_ascii() || c.is_ascii_alphanumeric() || " _.:/@,+=-~<>".contains(c))
}

/// A document with these variables.
pub(super) fn map<'a>(values: impl IntoIterator<Item = (&'a Name, &'a Value)>) -> String {
    let mut out = String::new();
    entries(&mut out, values);
    out.push('\n');
    out
}

fn entries<'a>(out: &mut String, values: impl IntoIterator<Item = (&'a Name, &'a Value)>) {
    out.push('{');
    for (i, (name, value)) in values.into_iter().enumerate() {
        out.push_str(if i == 0 { "" } else { ", " });
        // A key longer than 1,024 characters must be marked as one (YAML 1.2, 8.20).
        out.push_str("? ");
        add_text(out, name);
        out.push_str(" : ");
        add(out, value);
    }
    out.push('}');
}

fn add(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Boolean(_) | Value::Integer(_) => out.push_str(&value.to_string()),
        // YAML 1.1 requires a point, and a sign before the exponent.
        Value::Float(number) => {
            let text = format!("{number:e}");
            let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            let point = if mantissa.contains('.') { "" } else { ".0" };
            let sign = if exponent.starts_with('-') { "" } else { "+" };
            let _ = write!(out, "{mantissa}{point}e{sign}{exponent}");
        }
        Value::Str(text) => add_text(out, text),
        Value::List(values) => {
            out.push('[');
            for (i, value) in values.iter().enumerate() {
                out.push_str(if i == 0 { "" } else { ", " });
                add(out, value);
            }
            out.push(']');
        }
        Value::Map(values) => entries(out, values),
    }
}

fn add_text(out: &mut String, text: &str) {
    if is_marked(text) {
        out.push_str("!unsafe ");
    }
    quote(out, text);
}

/// Escapes everything that is not plain ASCII: PyYAML refuses some characters, and folds others.
fn quote(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        let _ = match c {
            '"' | '\\' => write!(out, "\\{c}"),
            ' '..='~' => write!(out, "{c}"),
            c => write!(out, "\\U{:08x}", u32::from(c)),
        };
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::{is_needed, map};
    use wattle::model::Value;

    #[test]
    fn texts_are_marked_and_escaped() {
        let value: Value = serde_json::from_str(
            r#"["{{ a }}\n\"ö\\", {"b c": 1e300, "d": 2.0, "e": 1e-7}, [null, true, -3, "True"]]"#,
        )
        .unwrap();
        assert!(is_needed(&value));
        for part in ["{", "}", "% if a %", "lookup('pipe', 'id')", "a|b", "\n"] {
            assert!(is_needed(&part.into()), "{part:?}");
        }
        let key: Value = serde_json::from_str(r#"{"{{ a }}": 1}"#).unwrap();
        assert!(is_needed(&key));
        assert_eq!(map([(&"it".into(), &key)]), "{? \"it\" : {? !unsafe \"{{ a }}\" : 1}}\n");
        for word in ["", "True", "007", "1.5e+3", "~", "<<", "2026-01-01 10:00", "https://example.org/a", "ö"] {
            assert!(!is_needed(&word.into()), "{word:?}");
        }
        assert_eq!(
            map([(&"it".into(), &value)]),
            concat!(
                r#"{? "it" : [!unsafe "{{ a }}\U0000000a\"\U000000f6\\", "#,
                r#"{? "b c" : 1.0e+300, ? "d" : 2.0e+0, ? "e" : 1.0e-7}, [null, true, -3, "True"]]}"#,
                "\n"
            )
        );
    }
}
