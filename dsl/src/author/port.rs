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
        }
    )*};
}
integers!(u8 u16 u32 u64 i8 i16 i32 i64);

macro_rules! ports {
    ($($ty:ty => $port:expr, |$value:ident| $into:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl PortType for $ty {
            fn port_type() -> Type {
                $port
            }
            fn into_value(self) -> Value {
                let $value = self;
                $into
            }
        }
    )*};
}
ports! {
    bool => Type::Boolean, |value| Value::Boolean(value);
    f32 => Type::Float, |value| Value::Float(f64::from(value));
    f64 => Type::Float, |value| Value::Float(value);
    String => Type::Str, |value| value.into();
    IpAddr => Type::Ip, |value| value.to_string().into();
    Ipv4Addr => Type::Ipv4, |value| value.to_string().into();
    Ipv6Addr => Type::Ipv6, |value| value.to_string().into();
    Url => Type::Uri, |value| value.as_str().into();
    Duration => Type::Seconds, |value| match value.subsec_nanos() {
        0 => value.as_secs().into(),
        _ => value.as_secs_f64().into(),
    };
}

#[diagnostic::do_not_recommend]
impl<T: PortType> PortType for Vec<T> {
    fn port_type() -> Type {
        Type::List(Box::new(T::port_type()))
    }
    fn into_value(self) -> Value {
        Value::List(self.into_iter().map(T::into_value).collect())
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
}

#[diagnostic::do_not_recommend]
impl<T: PortType> PortType for Secret<T> {
    fn port_type() -> Type {
        Type::Hidden(Box::new(T::port_type()))
    }
    fn into_value(self) -> Value {
        self.reveal().into_value()
    }
}
