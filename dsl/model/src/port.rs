//! Types of inputs, outputs, parameters and exports.

use std::fmt;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::{Name, Value};

/// The type of a value that flows between components.
///
/// Its alternatives have other names than the Rust types that they stand for: the compiler writes `String` in full, with
/// its path, wherever something else that can be seen has the same name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Type {
    /// `true` or `false`.
    Boolean,
    /// A whole number within bounds, both included.
    Integer {
        /// Least value.
        min: i64,
        /// Greatest value.
        max: u64,
    },
    /// A 64-bit floating-point number, finite.
    Float,
    /// Text.
    #[serde(rename = "string")]
    Str,
    /// An IPv4 or IPv6 address, as text.
    Ip,
    /// An IPv4 address, as text.
    Ipv4,
    /// An IPv6 address, as text.
    Ipv6,
    /// An absolute URL (RFC 3986), as text.
    #[serde(rename = "url")]
    Uri,
    /// A length of time, as a number of seconds.
    #[serde(rename = "duration")]
    Seconds,
    /// Values of one type, in order.
    List(Box<Type>),
    /// Values of one type, by name.
    Map(Box<Type>),
    /// Named fields, each of its own type.
    Struct(IndexMap<Name, Type>),
    /// Anything that JSON can say.
    Any,
    /// The same, confidential.
    #[serde(rename = "secret")]
    Hidden(Box<Type>),
}

impl Type {
    /// Whether a value of this type must be kept confidential, in whole or in part.
    pub fn is_secret(&self) -> bool {
        match self {
            Self::Hidden(_) => true,
            Self::List(item) | Self::Map(item) => item.is_secret(),
            Self::Struct(fields) => fields.values().any(Self::is_secret),
            _ => false,
        }
    }

    /// The type without its confidentiality.
    pub fn revealed(&self) -> &Self {
        match self {
            Self::Hidden(inner) => inner.revealed(),
            other => other,
        }
    }

    /// Why `value` is not of this type, in the words of a message; `None` when it is.
    pub fn refuse(&self, value: &Value) -> Option<String> {
        let of = |ok: bool| (!ok).then(|| format!("expected {self}, found {}", value.kind()));
        let parsed = |ok: bool, text: &Name| (!ok).then(|| format!("`{text}` is not {self}"));
        match (self, value) {
            (Self::Hidden(inner), _) => inner.refuse(value),
            (Self::Boolean, _) => of(matches!(value, Value::Boolean(_))),
            (Self::Integer { min, max }, Value::Integer(number)) => {
                let fits = (i128::from(*min)..=i128::from(*max)).contains(number);
                (!fits).then(|| format!("{number} is not between {min} and {max}"))
            }
            (Self::Float, Value::Float(number)) => (!number.is_finite()).then(|| format!("{number} is not finite")),
            (Self::Float, Value::Integer(_)) | (Self::Str, Value::Str(_)) | (Self::Any, _) => None,
            (Self::Seconds, Value::Integer(number)) => (*number < 0).then(|| format!("{number} is negative")),
            (Self::Seconds, Value::Float(number)) => {
                (!number.is_finite() || *number < 0.0).then(|| format!("{number} is not a length of time"))
            }
            (Self::Ip, Value::Str(text)) => parsed(text.parse::<std::net::IpAddr>().is_ok(), text),
            (Self::Ipv4, Value::Str(text)) => parsed(text.parse::<std::net::Ipv4Addr>().is_ok(), text),
            (Self::Ipv6, Value::Str(text)) => parsed(text.parse::<std::net::Ipv6Addr>().is_ok(), text),
            (Self::Uri, Value::Str(text)) => parsed(fluent_uri::Uri::parse(&**text).is_ok(), text),
            (Self::List(item), Value::List(values)) => values
                .iter()
                .enumerate()
                .find_map(|(i, value)| item.refuse(value).map(|why| format!("item {i}: {why}"))),
            (Self::Map(item), Value::Map(values)) => {
                values.iter().find_map(|(name, value)| item.refuse(value).map(|why| format!("`{name}`: {why}")))
            }
            (Self::Struct(fields), Value::Map(values)) => refuse_fields(fields, values),
            _ => of(false),
        }
    }
}

fn refuse_fields(fields: &IndexMap<Name, Type>, values: &IndexMap<Name, Value>) -> Option<String> {
    let missing = fields.keys().find(|name| !values.contains_key(*name)).map(|name| format!("`{name}` is missing"));
    let unknown = || values.keys().find(|name| !fields.contains_key(*name)).map(|name| format!("`{name}` is unknown"));
    let wrong = || {
        fields.iter().find_map(|(name, ty)| {
            values.get(name).and_then(|value| ty.refuse(value)).map(|why| format!("`{name}`: {why}"))
        })
    };
    missing.or_else(unknown).or_else(wrong)
}

/// With its article, as a message says it: `an integer between 0 and 65535`.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean => f.write_str("a boolean"),
            Self::Integer { min: i64::MIN, .. } => f.write_str("an integer"),
            Self::Integer { min, max } => write!(f, "an integer between {min} and {max}"),
            Self::Float => f.write_str("a float"),
            Self::Str => f.write_str("a string"),
            Self::Ip => f.write_str("an IP address"),
            Self::Ipv4 => f.write_str("an IPv4 address"),
            Self::Ipv6 => f.write_str("an IPv6 address"),
            Self::Uri => f.write_str("an absolute URL"),
            Self::Seconds => f.write_str("a number of seconds"),
            Self::List(item) => write!(f, "a list whose items are each {item}"),
            Self::Map(item) => write!(f, "a map whose values are each {item}"),
            Self::Struct(fields) => {
                f.write_str("a map of ")?;
                for (i, name) in fields.keys().enumerate() {
                    write!(f, "{}`{name}`", if i == 0 { "" } else { ", " })?;
                }
                Ok(())
            }
            Self::Any => f.write_str("any value"),
            Self::Hidden(inner) => write!(f, "{inner} (secret)"),
        }
    }
}
