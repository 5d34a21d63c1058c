//! Known values: constants, defaults, and everything that a data space holds.

use std::fmt;

use crate::IndexMap;
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use super::Name;

/// A value, as in JSON and YAML. Written without tags: `8080`, `[a, b]`, `{host: db}`.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Null.
    Null,
    /// A boolean.
    Boolean(bool),
    /// An integer. A data space keeps at most 64 bits ([`Type::refuse`](super::Type::refuse)); Heat's integers have any
    /// length.
    Integer(i128),
    /// A float.
    Float(f64),
    /// Text.
    Str(Name),
    /// Values in order.
    List(Vec<Value>),
    /// Values by name.
    Map(IndexMap<Name, Value>),
}

impl Value {
    /// The word for its type in a message.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Boolean(_) => "a boolean",
            Self::Integer(_) => "an integer",
            Self::Float(_) => "a float",
            Self::Str(_) => "a string",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
        }
    }

    /// The text, if it is text.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Str(text) => Some(text),
            _ => None,
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Str(value.into())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Str(value.into())
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

macro_rules! from_integers {
    ($($integer:ty)*) => {$(
        impl From<$integer> for Value {
            fn from(value: $integer) -> Self {
                Self::Integer(i128::from(value))
            }
        }
    )*};
}
from_integers!(u8 u16 u32 u64 i8 i16 i32 i64);

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(values: Vec<T>) -> Self {
        Self::List(values.into_iter().map(Into::into).collect())
    }
}

/// Compact JSON, as values appear in messages.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => to.serialize_unit(),
            Self::Boolean(value) => to.serialize_bool(*value),
            Self::Integer(value) => match (i64::try_from(*value), u64::try_from(*value)) {
                (Ok(value), _) => to.serialize_i64(value),
                (_, Ok(value)) => to.serialize_u64(value),
                _ => to.serialize_i128(*value),
            },
            Self::Float(value) => to.serialize_f64(*value),
            Self::Str(value) => to.serialize_str(value),
            Self::List(values) => to.collect_seq(values),
            Self::Map(values) => to.collect_map(values),
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        Value::deserialize(from)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Boolean(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i128<E: de::Error>(self, value: i128) -> Result<Value, E> {
        Ok(Value::Integer(value))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Float(value))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = from.next_element()? {
            values.push(value);
        }
        Ok(Value::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut values = IndexMap::default();
        while let Some((name, value)) = from.next_entry::<String, Value>()? {
            values.insert(name.into(), value);
        }
        Ok(Value::Map(values))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Type;

    #[test]
    fn integers_of_more_than_64_bits_are_shown_and_stay_out_of_data_spaces() {
        let big = Value::List(vec![Value::Integer(i128::MAX), u64::MAX.into(), Value::Integer(i128::MIN)]);
        let text = format!("[{},{},{}]", i128::MAX, u64::MAX, i128::MIN);
        assert_eq!(big.to_string(), text);
        let why = |value: &Value| Type::Any.refuse(value);
        assert_eq!(why(&big).as_deref(), Some(&*format!("item 0: {} needs more than 64 bits", i128::MAX)));
        assert_eq!(why(&vec![Value::from(u64::MAX), i64::MIN.into()].into()), None);
    }
}
