//! Types of inputs, outputs, parameters and exports.

use std::fmt;

use crate::IndexMap;
use serde::{Deserialize, Serialize};
use wattle_words::{Carrier, Scalar};

use super::{Name, Value};

/// The type of a value that flows between components.
///
/// Its variants have other names than the Rust types they stand for: the compiler writes `Secret` in full, with its path,
/// wherever another visible item has the same name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", expecting = "not a type that this version of wattle knows")]
pub enum Type {
    /// Values of one type, in order.
    List(Box<Type>),
    /// Values of one type, by name.
    Map(Box<Type>),
    /// Named fields, each with its own type.
    Struct(IndexMap<Name, Type>),
    /// Any JSON value.
    Any,
    /// A value of this type that is confidential.
    #[serde(rename = "secret")]
    Hidden(Box<Type>),
    /// Values without parts.
    #[serde(untagged, with = "written")]
    Scalar(Scalar),
}

/// The file format of scalars: a word, or the bounds of an integer.
mod written {
    use std::borrow::Cow;

    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use wattle_words::Scalar;

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Form {
        Word(Cow<'static, str>),
        Integer { integer: Bounds },
    }

    #[derive(Serialize, Deserialize)]
    struct Bounds {
        min: i64,
        max: u64,
    }

    pub(super) fn serialize<S: Serializer>(scalar: &Scalar, to: S) -> Result<S::Ok, S::Error> {
        let form = match *scalar {
            Scalar::Integer { min, max } => Form::Integer { integer: Bounds { min, max } },
            other => Form::Word(other.word().into()),
        };
        form.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Scalar, D::Error> {
        match Form::deserialize(from)? {
            Form::Integer { integer: Bounds { min, max } } => Ok(Scalar::Integer { min, max }),
            Form::Word(word) => {
                let known = Scalar::ALL.into_iter().find(|known| known.word() == word);
                known.ok_or_else(|| D::Error::custom("unknown type"))
            }
        }
    }
}

impl Type {
    /// A boolean.
    pub const BOOLEAN: Self = Self::Scalar(Scalar::Boolean);
    /// A float.
    pub const FLOAT: Self = Self::Scalar(Scalar::Float);
    /// Text.
    pub const STR: Self = Self::Scalar(Scalar::Str);
    /// An IP address.
    pub const IP: Self = Self::Scalar(Scalar::Ip);
    /// An IPv4 address.
    pub const IPV4: Self = Self::Scalar(Scalar::Ipv4);
    /// An IPv6 address.
    pub const IPV6: Self = Self::Scalar(Scalar::Ipv6);
    /// An absolute URL.
    pub const URI: Self = Self::Scalar(Scalar::Uri);
    /// A duration in seconds.
    pub const SECONDS: Self = Self::Scalar(Scalar::Seconds);

    /// An integer within inclusive bounds.
    pub const fn integer(min: i64, max: u64) -> Self {
        Self::Scalar(Scalar::Integer { min, max })
    }

    /// How values without parts are carried, secret or not. `None` for other types.
    pub fn carrier(&self) -> Option<Carrier> {
        match self.revealed() {
            Self::Scalar(scalar) => Some(scalar.carrier()),
            _ => None,
        }
    }

    /// Whether a value of this type must be kept confidential, in whole or in part.
    pub fn is_secret(&self) -> bool {
        match self {
            Self::Hidden(_) => true,
            Self::List(item) | Self::Map(item) => item.is_secret(),
            Self::Struct(fields) => fields.values().any(Self::is_secret),
            _ => false,
        }
    }

    /// Adds all scalar types that occur in the type.
    pub fn scalars(&self, found: &mut Vec<Scalar>) {
        match self {
            Self::Scalar(scalar) => found.push(*scalar),
            Self::List(inner) | Self::Map(inner) | Self::Hidden(inner) => inner.scalars(found),
            Self::Struct(fields) => fields.values().for_each(|field| field.scalars(found)),
            Self::Any => {}
        }
    }

    /// The type without its outer confidentiality.
    pub fn revealed(&self) -> &Self {
        match self {
            Self::Hidden(inner) => inner.revealed(),
            other => other,
        }
    }

    /// Why `value` is not of this type, worded for a message. `None` if it is.
    pub fn refuse(&self, value: &Value) -> Option<String> {
        match (self, value) {
            (Self::Hidden(inner), _) => inner.refuse(value),
            (Self::Scalar(scalar), _) => refuse_scalar(*scalar, value),
            (Self::List(_) | Self::Any, Value::List(values)) => values
                .iter()
                .enumerate()
                .find_map(|(i, value)| self.item().refuse(value).map(|why| format!("item {i}: {why}"))),
            (Self::Map(_) | Self::Any, Value::Map(values)) => {
                values.iter().find_map(|(name, value)| self.item().refuse(value).map(|why| format!("`{name}`: {why}")))
            }
            // JSON parsers turn longer integers into floats.
            (Self::Any, Value::Integer(number)) => {
                let fits = (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(number);
                (!fits).then(|| format!("{number} needs more than 64 bits"))
            }
            (Self::Any, _) => None,
            (Self::Struct(fields), Value::Map(values)) => refuse_fields(fields, values),
            _ => Some(format!("expected {self}, found {}", value.kind())),
        }
    }

    /// Whether every value of this type is also a value of `into`, ignoring secrecy. Where nothing is known of a type, the
    /// answer is yes, and a mismatch shows at run time.
    pub fn is_within(&self, into: &Self) -> bool {
        match (self.revealed(), into.revealed()) {
            (Self::Any, _) | (_, Self::Any) => true,
            (Self::Scalar(from), Self::Scalar(into)) => from.is_within(*into),
            (Self::List(from), Self::List(into)) | (Self::Map(from), Self::Map(into)) => from.is_within(into),
            (Self::Struct(from), Self::Map(into)) => from.values().all(|from| from.is_within(into)),
            (Self::Struct(from), Self::Struct(into)) => {
                from.len() == into.len()
                    && from.iter().all(|(name, from)| into.get(name).is_some_and(|into| from.is_within(into)))
            }
            (from, into) => from == into,
        }
    }

    /// The type of the items of a list or the values of a map.
    fn item(&self) -> &Self {
        match self {
            Self::List(item) | Self::Map(item) => item,
            other => other,
        }
    }
}

fn refuse_scalar(scalar: Scalar, value: &Value) -> Option<String> {
    let mistyped = || Some(format!("expected {scalar}, found {}", value.kind()));
    match (scalar, value) {
        (Scalar::Boolean, Value::Boolean(_)) | (Scalar::Float, Value::Integer(_)) => None,
        (Scalar::Integer { min, max }, Value::Integer(number)) => {
            let fits = (i128::from(min)..=i128::from(max)).contains(number);
            (!fits).then(|| format!("{number} is not between {min} and {max}"))
        }
        (Scalar::Float, Value::Float(number)) => (!number.is_finite()).then(|| format!("{number} is not finite")),
        (Scalar::Seconds, Value::Integer(number)) => (*number < 0).then(|| format!("{number} is negative")),
        (Scalar::Seconds, Value::Float(number)) => {
            (!number.is_finite() || *number < 0.0).then(|| format!("{number} is not a length of time"))
        }
        (Scalar::Str | Scalar::Ip | Scalar::Ipv4 | Scalar::Ipv6 | Scalar::Network | Scalar::Uri, _) => match value {
            Value::Str(text) => (!scalar.holds(text)).then(|| format!("`{text}` is not {scalar}")),
            _ => mistyped(),
        },
        (Scalar::Boolean | Scalar::Integer { .. } | Scalar::Float | Scalar::Seconds, _) => mistyped(),
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

/// The type with its article, as messages use it: `an integer between 0 and 65535`.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(scalar) => scalar.fmt(f),
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
