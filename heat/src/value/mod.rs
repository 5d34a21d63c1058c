//! Values as Heat's functions see them, which are Python's.
//!
//! What lives here: values, Python's comparison and formatting of them, and unknown values. What must not: how a value is
//! computed.

pub(crate) mod json;
mod open;

use std::sync::Arc;

use wattle_model::IndexMap;
use wattle_model::Value as Known;

use crate::template::float_as_python;
use crate::yaml::{Node, Tree};

pub(crate) use open::Hidden;
pub use open::Open;

/// The result of a function, or the value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Null.
    Null,
    /// A boolean.
    Boolean(bool),
    /// An integer.
    Integer(i128),
    /// A float.
    Float(f64),
    /// Text.
    Text(String),
    /// Values in order.
    List(Vec<Value>),
    /// Values by name.
    Map(IndexMap<String, Value>),
    /// A value that is not known yet: an attribute of a resource, or something computed from one.
    Unknown,
    /// A value that is not known yet, as the expression that will yield it. Only in [`crate::evaluate::Mode::Partial`].
    Open(Arc<Open>),
    /// The result of an `if` without a second value whose condition does not hold: the item that it stands for does not
    /// exist.
    Absent,
}

impl Value {
    /// The literal value of `node`, without calling functions.
    pub fn literal(node: &Node) -> Self {
        match &*node.tree {
            Tree::Null => Self::Null,
            Tree::Boolean(value) => Self::Boolean(*value),
            Tree::Integer(value) => Self::Integer(*value),
            Tree::Float(value) => Self::Float(*value),
            Tree::Text { text, .. } => Self::Text(text.clone()),
            Tree::List(items) => Self::List(items.iter().map(Self::literal).collect()),
            Tree::Map(pairs) => {
                Self::Map(pairs.iter().map(|pair| (pair.key.as_key(), Self::literal(&pair.value))).collect())
            }
        }
    }

    /// Converts a value of a model.
    pub fn of_model(value: &Known) -> Self {
        match value {
            Known::Null => Self::Null,
            Known::Boolean(value) => Self::Boolean(*value),
            Known::Integer(value) => Self::Integer(*value),
            Known::Float(value) => Self::Float(*value),
            Known::Str(text) => Self::Text(text.to_string()),
            Known::List(items) => Self::List(items.iter().map(Self::of_model).collect()),
            Known::Map(items) => {
                Self::Map(items.iter().map(|(name, value)| (name.to_string(), Self::of_model(value))).collect())
            }
        }
    }

    /// Converts the value to a model's. An unknown value becomes null, or the call as in a template.
    pub fn to_model(&self) -> Known {
        match self {
            Self::Open(open) => open.to_model(),
            Self::Null | Self::Unknown | Self::Absent => Known::Null,
            Self::Boolean(value) => Known::Boolean(*value),
            Self::Integer(value) => Known::Integer(*value),
            Self::Float(value) => Known::Float(*value),
            Self::Text(text) => Known::Str(text.as_str().into()),
            Self::List(items) => Known::List(items.iter().map(Self::to_model).collect()),
            Self::Map(items) => {
                Known::Map(items.iter().map(|(name, value)| (name.as_str().into(), value.to_model())).collect())
            }
        }
    }

    /// The text, if it is text.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether no part of it is unknown.
    pub fn is_known(&self) -> bool {
        match self {
            Self::Unknown | Self::Open(_) => false,
            Self::List(items) => items.iter().all(Self::is_known),
            Self::Map(items) => items.values().all(Self::is_known),
            _ => true,
        }
    }

    /// Python's truth value. `None` if it is not known.
    pub(crate) fn truth(&self) -> Option<bool> {
        Some(match self {
            Self::Unknown | Self::Open(_) => return None,
            Self::Null => false,
            Self::Boolean(value) => *value,
            Self::Integer(value) => *value != 0,
            Self::Float(value) => *value != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::List(items) => !items.is_empty(),
            Self::Map(items) => !items.is_empty(),
            Self::Absent => true,
        })
    }

    /// The word for its type in a message.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null | Self::Absent => "nothing",
            Self::Boolean(_) => "a boolean",
            Self::Integer(_) => "an integer",
            Self::Float(_) => "a float",
            Self::Text(_) => "a string",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
            Self::Unknown | Self::Open(_) => "not known yet",
        }
    }

    /// Whether both are equal in Python, where `1`, `1.0` and `true` are. `None` if that is not known.
    pub fn equals(&self, other: &Self) -> Option<bool> {
        if let (Some(one), Some(other)) = (self.number(), other.number()) {
            return Some(one == other);
        }
        match (self, other) {
            (Self::Open(one), Self::Open(other)) if one == other => Some(true),
            (Self::Unknown | Self::Open(_), _) | (_, Self::Unknown | Self::Open(_)) => None,
            (Self::List(one), Self::List(other)) => {
                if one.len() != other.len() {
                    return Some(false);
                }
                all(one.iter().zip(other).map(|(one, other)| one.equals(other)))
            }
            (Self::Map(one), Self::Map(other)) => {
                if one.len() != other.len() {
                    return Some(false);
                }
                all(one.iter().map(|(key, value)| match other.get(key) {
                    Some(other) => value.equals(other),
                    None => Some(false),
                }))
            }
            (one, other) => Some(one == other),
        }
    }

    fn number(&self) -> Option<Number> {
        match self {
            Self::Boolean(value) => Some(Number::Integer(i128::from(*value))),
            Self::Integer(value) => Some(Number::Integer(*value)),
            Self::Float(value) if value.fract() == 0.0 && value.abs() < 1e37 =>
            {
                #[expect(clippy::cast_possible_truncation, reason = "it has no fraction and is within the bounds")]
                Some(Number::Integer(*value as i128))
            }
            Self::Float(value) => Some(Number::Float(*value)),
            _ => None,
        }
    }

    /// Formats the value like Python's `str`.
    pub fn python(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            other => other.repr(),
        }
    }

    fn repr(&self) -> String {
        match self {
            Self::Null => "None".into(),
            Self::Boolean(true) => "True".into(),
            Self::Boolean(false) => "False".into(),
            Self::Integer(value) => value.to_string(),
            Self::Float(value) => float_as_python(*value),
            Self::Text(text) => quoted(text),
            Self::List(items) => format!("[{}]", items.iter().map(Self::repr).collect::<Vec<_>>().join(", ")),
            Self::Map(items) => {
                let items: Vec<_> =
                    items.iter().map(|(key, value)| format!("{}: {}", quoted(key), value.repr())).collect();
                format!("{{{}}}", items.join(", "))
            }
            Self::Unknown | Self::Open(_) | Self::Absent => "Ellipsis".into(),
        }
    }
}

/// A number is stored as a float only if it is not an integer.
#[derive(PartialEq)]
enum Number {
    Integer(i128),
    Float(f64),
}

/// Whether all are true, in Python's order: a value that is known to be false decides.
fn all(values: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut known = Some(true);
    for value in values {
        match value {
            Some(false) => return Some(false),
            Some(true) => {}
            None => known = None,
        }
    }
    known
}

/// Formats a text like Python's `repr`.
pub(crate) fn quoted(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::from(quote);
    for character in text.chars() {
        match character {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            character if character == quote => {
                out.push('\\');
                out.push(character);
            }
            character if character.is_control() && u32::from(character) < 0x100 => {
                out.push_str(&format!("\\x{:02x}", u32::from(character)));
            }
            character => out.push(character),
        }
    }
    out.push(quote);
    out
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&serde_json::Value> for Value {
    fn from(value: &serde_json::Value) -> Self {
        match value {
            serde_json::Value::Null => Self::Null,
            serde_json::Value::Bool(value) => Self::Boolean(*value),
            serde_json::Value::Number(number) => match number.as_i128() {
                Some(value) => Self::Integer(value),
                None => Self::Float(number.as_f64().unwrap_or(f64::INFINITY)),
            },
            serde_json::Value::String(text) => Self::Text(text.clone()),
            serde_json::Value::Array(items) => Self::List(items.iter().map(Self::from).collect()),
            serde_json::Value::Object(items) => {
                Self::Map(items.iter().map(|(key, value)| (key.clone(), Self::from(value))).collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::read;

    fn value(text: &str) -> Value {
        Value::literal(&read(text).expect("YAML"))
    }

    #[test]
    fn equality_is_pythons() {
        for (one, other, expected) in [
            ("1", "1.0", true),
            ("1", "true", true),
            ("'1'", "1", false),
            ("[1, {a: 2}]", "[true, {a: 2.0}]", true),
            ("[1]", "[1, 2]", false),
            ("{a: 1, b: 2}", "{b: 2, a: 1}", true),
            ("null", "''", false),
        ] {
            assert_eq!(value(one).equals(&value(other)), Some(expected), "{one} and {other}");
        }
        assert_eq!(Value::Unknown.equals(&Value::Null), None);
        assert_eq!(value("[1, 2]").equals(&Value::List(vec![Value::Unknown, value("3")])), Some(false));
    }

    #[test]
    fn texts_are_pythons() {
        assert_eq!(value("[1, 1.0, true, null, a, \"it's\"]").python(), "[1, 1.0, True, None, 'a', \"it's\"]");
        assert_eq!(value("{a: 'x\\y'}").python(), "{'a': 'x\\\\y'}");
        assert_eq!(value("abc").python(), "abc");
    }

    #[test]
    fn what_is_hidden_is_compared() {
        let value = |word: &str| Value::secret("word", word.into());
        assert_eq!(value("a").equals(&value("a")), Some(true));
        assert_ne!(value("a"), value("b"));
        assert!(value("a").has_secret() && !format!("{:?}", value("hunter2")).contains("hunter2"));
    }
}
