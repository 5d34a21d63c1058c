//! Port types: what may flow between components.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use crate::model::{Type, Value};

use super::scalar::Url;
use super::secret::Secret;

/// A type that an input, output, parameter or export may have.
///
/// These are: `bool`, integers, floats, `String`, `IpAddr`, `Ipv4Addr`, `Ipv6Addr`, [`Url`], `Duration`, `Vec<T>`,
/// `BTreeMap<String, T>`, [`Secret<T>`], and structs of them by `#[derive(PortType)]`.
#[diagnostic::on_unimplemented(
    message = "a value of type `{Self}` cannot flow between components",
    label = "not a type of inputs and outputs",
    note = "inputs and outputs are: bool, integers, floats, String, IpAddr, Ipv4Addr, Ipv6Addr, Url, Duration, Vec<T>, BTreeMap<String, T>, Secret<T>, and structs with `#[derive(PortType)]`"
)]
pub trait PortType {
    /// The type as data.
    fn port_type() -> Type;
    /// A value of it as data.
    fn into_value(self) -> Value;
    /// The value that [`PortType::into_value`] made data of; none if it is of another type.
    fn from_value(value: Value) -> Option<Self>
    where
        Self: Sized;
}

macro_rules! integers {
    ($($integer:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl PortType for $integer {
            fn port_type() -> Type {
                // INVARIANT: no type in the list reaches below `i64::MIN`, above `u64::MAX`, or below 0 when unsigned.
                #[allow(clippy::cast_sign_loss, clippy::cast_lossless, reason = "the greatest value is never negative")]
                Type::Integer { min: i64::try_from($integer::MIN).unwrap_or(0), max: $integer::MAX as u64 }
            }
            fn into_value(self) -> Value {
                Value::from(self)
            }
            fn from_value(value: Value) -> Option<Self> {
                match value {
                    Value::Integer(number) => number.try_into().ok(),
                    _ => None,
                }
            }
        }
    )*};
}
integers!(u8 u16 u32 u64 i8 i16 i32 i64);

macro_rules! ports {
    ($($ty:ty => $port:expr, |$value:ident| $into:expr, |$known:ident| $from:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl PortType for $ty {
            fn port_type() -> Type {
                $port
            }
            fn into_value(self) -> Value {
                let $value = self;
                $into
            }
            fn from_value($known: Value) -> Option<Self> {
                $from
            }
        }
    )*};
}
ports! {
    bool => Type::Boolean, |value| Value::Boolean(value), |value| match value {
        Value::Boolean(value) => Some(value),
        _ => None,
    };
    f32 => Type::Float, |value| Value::Float(f64::from(value)), |value| number(&value).map(nearest);
    f64 => Type::Float, |value| Value::Float(value), |value| number(&value);
    String => Type::Str, |value| value.into(), |value| value.as_str().map(str::to_owned);
    IpAddr => Type::Ip, |value| value.to_string().into(), |value| value.as_str()?.parse().ok();
    Ipv4Addr => Type::Ipv4, |value| value.to_string().into(), |value| value.as_str()?.parse().ok();
    Ipv6Addr => Type::Ipv6, |value| value.to_string().into(), |value| value.as_str()?.parse().ok();
    Url => Type::Uri, |value| value.as_str().into(), |value| value.as_str()?.parse().ok();
    Duration => Type::Seconds, |value| match value.subsec_nanos() {
        0 => value.as_secs().into(),
        _ => value.as_secs_f64().into(),
    }, |value| match value {
        Value::Integer(seconds) => Some(Duration::from_secs(seconds.try_into().ok()?)),
        other => Duration::try_from_secs_f64(number(&other)?).ok(),
    };
}

#[expect(clippy::cast_precision_loss, reason = "a float is what was declared")]
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        _ => None,
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the nearest float is what was declared")]
fn nearest(number: f64) -> f32 {
    number as f32
}

#[diagnostic::do_not_recommend]
impl<T: PortType> PortType for Vec<T> {
    fn port_type() -> Type {
        Type::List(Box::new(T::port_type()))
    }
    fn into_value(self) -> Value {
        Value::List(self.into_iter().map(T::into_value).collect())
    }
    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::List(items) => items.into_iter().map(T::from_value).collect(),
            _ => None,
        }
    }
}

#[diagnostic::do_not_recommend]
impl<T: PortType> PortType for BTreeMap<String, T> {
    fn port_type() -> Type {
        Type::Map(Box::new(T::port_type()))
    }
    fn into_value(self) -> Value {
        Value::Map(self.into_iter().map(|(name, value)| (name.into(), value.into_value())).collect())
    }
    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Map(items) => {
                items.into_iter().map(|(name, value)| Some((name.to_string(), T::from_value(value)?))).collect()
            }
            _ => None,
        }
    }
}

#[diagnostic::do_not_recommend]
impl<T: PortType> PortType for Secret<T> {
    fn port_type() -> Type {
        Type::Hidden(Box::new(T::port_type()))
    }
    fn into_value(self) -> Value {
        self.reveal().into_value()
    }
    fn from_value(value: Value) -> Option<Self> {
        T::from_value(value).map(Self::new)
    }
}
