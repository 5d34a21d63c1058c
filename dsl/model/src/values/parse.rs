//! Parsing values from text, as a recipe writes them: the inverse of [`super::text`].

use crate::IndexMap;
use crate::{Name, Scalar, Type, Value};

use super::{refuse, refuse_unseen};

/// The most characters of a wrong value that a message shows.
const SHOWN: usize = 60;

/// Parses `text` as a value of type `ty`. One trailing newline is ignored.
///
/// # Errors
/// What was expected and what was found, worded for a message. For a secret, only what was expected.
pub fn parse(ty: &Type, text: &str) -> Result<Value, String> {
    let text = line(text);
    read(ty, text).map_err(|wrong| match wrong {
        Wrong::Value(value) => refuse(ty, &value).unwrap_or_default(),
        Wrong::Text if ty.is_secret() => format!("expected {ty}, found something else"),
        Wrong::Text => format!("expected {ty}, found {}", shown(text)),
        Wrong::Json(error) => format!("expected {ty}, as JSON, found {}: {error}", shown(text)),
    })
}

/// Like [`parse`], but without quoting the text: the reader of the message may not be allowed to read the text.
///
/// # Errors
/// What was expected, and the kind of what was found.
pub fn parse_unseen(ty: &Type, text: &str) -> Result<Value, String> {
    read(ty, line(text)).map_err(|wrong| match wrong {
        Wrong::Value(value) => refuse_unseen(ty, &value).unwrap_or_default(),
        Wrong::Text if text.is_empty() => format!("expected {ty}, found nothing"),
        Wrong::Text => format!("expected {ty}, found something else"),
        Wrong::Json(error) => {
            format!("expected {ty}, as JSON, found none at line {}, column {}", error.line(), error.column())
        }
    })
}

/// Why a text is not a value of a type.
enum Wrong {
    /// It has the wrong form for the type.
    Text,
    /// It is not JSON.
    Json(serde_json::Error),
    /// It is a value of another type.
    Value(Value),
}

/// Removes one trailing newline.
fn line(text: &str) -> &str {
    text.strip_suffix('\n').unwrap_or(text)
}

fn read(ty: &Type, text: &str) -> Result<Value, Wrong> {
    let value = match ty.revealed() {
        Type::Scalar(scalar) => scalar_of(*scalar, text).ok_or(Wrong::Text)?,
        Type::List(_) | Type::Map(_) | Type::Struct(_) => match serde_json::from_str(text) {
            Ok(value) => value,
            Err(_) if ty.is_secret() => return Err(Wrong::Text),
            Err(error) => return Err(Wrong::Json(error)),
        },
        Type::Any | Type::Hidden(_) => text.into(),
    };
    let value = converted(ty, value);
    if ty.refuse(&value).is_none() { Ok(value) } else { Err(Wrong::Value(value)) }
}

/// Converts `value` to the form of `ty`. Even a tool with typed values may return a number as text, or a float without a
/// fraction as an integer.
///
/// # Errors
/// As for [`parse`].
pub fn fit(ty: &Type, value: Value) -> Result<Value, String> {
    let value = converted(ty, value);
    refuse(ty, &value).map_or(Ok(value), Err)
}

/// Like [`fit`], but without quoting the value: the reader of the message may not be allowed to read the value.
///
/// # Errors
/// As for [`parse_unseen`].
pub fn fit_unseen(ty: &Type, value: Value) -> Result<Value, String> {
    let value = converted(ty, value);
    refuse_unseen(ty, &value).map_or(Ok(value), Err)
}

fn converted(ty: &Type, value: Value) -> Value {
    match (ty, value) {
        (Type::Hidden(inner), value) => converted(inner, value),
        // Exact for integers that a float can represent, and the nearest float for the others.
        #[expect(clippy::cast_precision_loss, reason = "a float is what was declared")]
        (Type::Scalar(Scalar::Float), Value::Integer(number)) => Value::Float(number as f64),
        (Type::Scalar(Scalar::Str), Value::Integer(number)) => number.to_string().into(),
        (Type::Scalar(scalar), Value::Str(text)) => scalar_of(*scalar, &text).unwrap_or(Value::Str(text)),
        (Type::List(item), Value::List(values)) => {
            Value::List(values.into_iter().map(|value| converted(item, value)).collect())
        }
        (Type::Map(item), Value::Map(values)) => {
            Value::Map(values.into_iter().map(|(name, value)| (name, converted(item, value))).collect())
        }
        (Type::Struct(fields), Value::Map(values)) => Value::Map(converted_fields(fields, values)),
        (_, value) => value,
    }
}

fn converted_fields(fields: &IndexMap<Name, Type>, values: IndexMap<Name, Value>) -> IndexMap<Name, Value> {
    let field = |(name, value): (Name, Value)| match fields.get(&name) {
        Some(ty) => (name, converted(ty, value)),
        None => (name, value),
    };
    values.into_iter().map(field).collect()
}

/// Parses `text` as a scalar. For the types that are kinds of text, this is the text itself, which [`fit`] judges.
fn scalar_of(scalar: Scalar, text: &str) -> Option<Value> {
    match scalar {
        Scalar::Boolean => text.parse().ok().map(Value::Boolean),
        Scalar::Integer { .. } => integer(text),
        Scalar::Float => float(text),
        Scalar::Seconds => integer(text).or_else(|| float(text)),
        Scalar::Str | Scalar::Ip | Scalar::Ipv4 | Scalar::Ipv6 | Scalar::Network | Scalar::Uri => Some(text.into()),
    }
}

/// A decimal integer without a plus sign or leading zeros.
fn integer(text: &str) -> Option<Value> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    if plain { text.parse().ok().map(Value::Integer) } else { None }
}

/// A finite decimal number, including `.5` and `5.`, because `bc` writes these.
fn float(text: &str) -> Option<Value> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if !digits.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
        return None;
    }
    text.parse().ok().filter(|number: &f64| number.is_finite()).map(Value::Float)
}

/// A wrong text as messages show it: in one line, and shortened.
fn shown(text: &str) -> String {
    if text.is_empty() {
        return "nothing".to_owned();
    }
    let start: String = text.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    let more = if text.chars().nth(SHOWN).is_some() { "…" } else { "" };
    format!("`{start}{more}`")
}
