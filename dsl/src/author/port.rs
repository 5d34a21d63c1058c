//! Port types: the types of values that may flow between components.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::model::{Bandwidth, Scalar, Type, Value};

use super::secret::Secret;

/// A type that an input, output, parameter or export may have.
///
/// Port types are `bool`, integers, floats, `String`, `IpAddr`, `Ipv4Addr`, `Ipv6Addr`, [`Cidr`](crate::Cidr),
/// [`Url`](crate::Url), `Duration`, `Vec<T>`, `BTreeMap<String, T>`, [`Secret<T>`], and structs of these with
/// `#[derive(PortType)]`.
#[diagnostic::on_unimplemented(
    message = "a value of type `{Self}` cannot flow between components",
    label = "not a type of inputs and outputs",
    note = "inputs and outputs are: bool, integers, floats, String, IpAddr, Ipv4Addr, Ipv6Addr, Cidr, Url, Duration, Vec<T>, BTreeMap<String, T>, Secret<T>, and structs with `#[derive(PortType)]`"
)]
pub trait PortType {
    /// The bandwidth that is expected between a component that reads such a value and the one that wrote it, if the type
    /// declares it.
    const BANDWIDTH: Option<Bandwidth> = None;
    /// Returns the type as data.
    fn port_type() -> Type;
    /// Turns a value of this type into data.
    fn into_value(self) -> Value;
    /// Converts data that [`PortType::into_value`] returned back into a value. `None` if the data is of another type.
    fn from_value(value: Value) -> Option<Self>
    where
        Self: Sized;
}

/// Rust's scalar types, each with the form in which its values are passed. Passes the named groups to a macro.
macro_rules! scalars {
    ($then:ident: $($group:ident)+) => { scalars! { @ $then [] $($group)+ } };
    (@ $then:ident [$($known:tt)*]) => { $then! { $($known)* } };
    (@ $then:ident [$($known:tt)*] booleans $($more:ident)*) => {
        scalars! { @ $then [$($known)* bool as Boolean,] $($more)* }
    };
    (@ $then:ident [$($known:tt)*] integers $($more:ident)*) => {
        scalars! { @ $then [
            $($known)* u8 as Integer, u16 as Integer, u32 as Integer, u64 as Integer, i8 as Integer, i16 as Integer,
            i32 as Integer, i64 as Integer,
        ] $($more)* }
    };
    (@ $then:ident [$($known:tt)*] floats $($more:ident)*) => {
        scalars! { @ $then [$($known)* f32 as Float, f64 as Float,] $($more)* }
    };
    (@ $then:ident [$($known:tt)*] strings $($more:ident)*) => {
        scalars! { @ $then [$($known)* String as Str,] $($more)* }
    };
    // Types that are written as text, but do not accept every text.
    (@ $then:ident [$($known:tt)*] written $($more:ident)*) => {
        scalars! { @ $then [
            $($known)* ::std::net::IpAddr as Ip, ::std::net::Ipv4Addr as Ipv4, ::std::net::Ipv6Addr as Ipv6,
            $crate::Cidr as Network, $crate::Url as Uri,
        ] $($more)* }
    };
    (@ $then:ident [$($known:tt)*] durations $($more:ident)*) => {
        scalars! { @ $then [$($known)* ::std::time::Duration as Seconds,] $($more)* }
    };
}
pub(super) use scalars;

macro_rules! integers {
    ($($integer:ident as $scalar:ident,)*) => {$(
        #[diagnostic::do_not_recommend]
        impl PortType for $integer {
            fn port_type() -> Type {
                // INVARIANT: no type in the list goes below `i64::MIN`, above `u64::MAX`, or below 0 when unsigned.
                #[allow(clippy::cast_sign_loss, clippy::cast_lossless, reason = "the maximum is never negative")]
                Type::integer(i64::try_from($integer::MIN).unwrap_or(0), $integer::MAX as u64)
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
scalars!(integers: integers);

macro_rules! texts {
    ($($ty:ty as $scalar:ident,)*) => {$(
        #[diagnostic::do_not_recommend]
        impl PortType for $ty {
            fn port_type() -> Type {
                Type::Scalar(Scalar::$scalar)
            }
            fn into_value(self) -> Value {
                self.to_string().into()
            }
            fn from_value(value: Value) -> Option<Self> {
                value.as_str()?.parse().ok()
            }
        }
    )*};
}
scalars!(texts: strings written);

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
    bool => Type::BOOLEAN, |value| Value::Boolean(value), |value| match value {
        Value::Boolean(value) => Some(value),
        _ => None,
    };
    f32 => Type::FLOAT, |value| Value::Float(f64::from(value)), |value| number(&value).map(nearest);
    f64 => Type::FLOAT, |value| Value::Float(value), |value| number(&value);
    Duration => Type::SECONDS, |value| match value.subsec_nanos() {
        0 => value.as_secs().into(),
        _ => value.as_secs_f64().into(),
    }, |value| match value {
        Value::Integer(seconds) => Some(Duration::from_secs(seconds.try_into().ok()?)),
        other => Duration::try_from_secs_f64(number(&other)?).ok(),
    };
}

#[expect(clippy::cast_precision_loss, reason = "the declared type is a float")]
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        _ => None,
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the declared type is the nearest float")]
fn nearest(number: f64) -> f32 {
    number as f32
}

#[diagnostic::do_not_recommend]
impl<T: PortType> PortType for Vec<T> {
    const BANDWIDTH: Option<Bandwidth> = T::BANDWIDTH;

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
    const BANDWIDTH: Option<Bandwidth> = T::BANDWIDTH;

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
    const BANDWIDTH: Option<Bandwidth> = T::BANDWIDTH;

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
