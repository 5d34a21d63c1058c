//! What properties take beside text, numbers and truth values.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use wattle::author::{AnyValue, Attribute, Expression, IntoProperty, Parameter, PortType, Secret, Text, Url};
use wattle::model::Value;

/// Makes a type that properties take from what it is made of: `Parameter<u32>: u32`.
macro_rules! takes {
    ($($(#[$doc:meta])* $name:ident { $($from:ty: $as:ty,)* })*) => {$(
        $(#[$doc])*
        pub enum $name {}
        crate::values::from!($name { $($from: $as,)* });
    )*};
}

macro_rules! from {
    ($name:ident { $($from:ty: $as:ty,)* }) => {$(
        #[diagnostic::do_not_recommend]
        impl wattle::author::IntoProperty<$name> for $from {
            fn into_property(self) -> wattle::author::Expression {
                wattle::author::IntoProperty::<$as>::into_property(self)
            }
        }
    )*};
}

/// Makes a kind of reference: it takes a name or an id as text, and what a raw resource is; typed handles are added where
/// they are defined.
macro_rules! reference {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        pub enum $name {}
        crate::values::from!($name {
            &str: String,
            &String: String,
            String: String,
            wattle::author::Parameter<String>: String,
            wattle::author::Attribute<String>: String,
        });
        #[diagnostic::do_not_recommend]
        impl wattle::author::IntoProperty<$name> for wattle::author::Resource {
            fn into_property(self) -> wattle::author::Expression {
                self.into()
            }
        }
        #[diagnostic::do_not_recommend]
        impl<S, P> wattle::author::IntoProperty<$name> for wattle::author::Text<S, P>
        where
            Self: wattle::author::IntoProperty<String>,
        {
            fn into_property(self) -> wattle::author::Expression {
                self.into()
            }
        }
    };
}

pub(crate) use {from, reference};

reference! {
    /// The identity of some resource, of whatever kind: any handle, or a name or id as text.
    AnyRef
}

takes! {
    /// An address: as Rust has it, as text, or from a parameter or an attribute.
    IpAddress {
        IpAddr: IpAddr,
        Ipv4Addr: Ipv4Addr,
        Ipv6Addr: Ipv6Addr,
        &str: String,
        &String: String,
        String: String,
        Parameter<String>: String,
        Parameter<IpAddr>: IpAddr,
        Parameter<Ipv4Addr>: Ipv4Addr,
        Parameter<Ipv6Addr>: Ipv6Addr,
        Attribute<String>: String,
        Attribute<IpAddr>: IpAddr,
    }

    /// A number, whole or not.
    Numeric {
        i32: i32,
        u32: u32,
        u64: u64,
        i64: i64,
        f64: f64,
        Parameter<u32>: u32,
        Parameter<u64>: u64,
        Parameter<i64>: i64,
        Parameter<f64>: f64,
        Attribute<i64>: i64,
        Attribute<f64>: f64,
    }

    /// Text that the cloud keeps to itself: a secret, or text that is none.
    SecretText {
        Secret<String>: Secret<String>,
        &str: String,
        &String: String,
        String: String,
    }
}

/// Text, secret or not.
pub trait Textual: PortType {}
impl Textual for String {}
impl Textual for Secret<String> {}

// By a bound: the compiler would otherwise offer this wherever a secret does not fit.
#[diagnostic::do_not_recommend]
impl<T: Textual> IntoProperty<SecretText> for Parameter<T> {
    fn into_property(self) -> Expression {
        self.into()
    }
}

#[diagnostic::do_not_recommend]
impl<T: Textual> IntoProperty<SecretText> for Attribute<T> {
    fn into_property(self) -> Expression {
        self.into()
    }
}

/// Addresses with a common beginning: `10.0.0.0/24`.
///
/// A property of this type takes it as text too, which `check` judges as Heat does, and from parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cidr {
    address: IpAddr,
    prefix: u8,
}

impl Cidr {
    /// The addresses that share the first `prefix` bits of `address`; `None` where it has less.
    pub fn new(address: impl Into<IpAddr>, prefix: u8) -> Option<Self> {
        let address = address.into();
        let width = if address.is_ipv4() { 32 } else { 128 };
        (prefix <= width).then_some(Self { address, prefix })
    }
}

/// The address of an Ethernet interface.
///
/// A property of this type takes it as text too, which `check` judges as Heat does, and from parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mac(pub [u8; 6]);

/// An address or a [`Cidr`].
pub enum IpOrCidr {}

from!(Cidr { &str: String, &String: String, String: String, Parameter<String>: String, Attribute<String>: String, });
from!(Mac { &str: String, &String: String, String: String, Parameter<String>: String, Attribute<String>: String, });
from!(IpOrCidr {
    Cidr: Cidr,
    IpAddr: IpAddr,
    Ipv4Addr: Ipv4Addr,
    Ipv6Addr: Ipv6Addr,
    &str: String,
    &String: String,
    String: String,
    Parameter<String>: String,
    Parameter<IpAddr>: IpAddr,
    Attribute<String>: String,
    Attribute<IpAddr>: IpAddr,
});

#[diagnostic::do_not_recommend]
impl IntoProperty<Cidr> for Cidr {
    fn into_property(self) -> Expression {
        format!("{}/{}", self.address, self.prefix).into()
    }
}

#[diagnostic::do_not_recommend]
impl IntoProperty<Mac> for Mac {
    fn into_property(self) -> Expression {
        let bytes: Vec<String> = self.0.iter().map(|byte| format!("{byte:02x}")).collect();
        bytes.join(":").into()
    }
}

#[diagnostic::do_not_recommend]
impl<S, P> IntoProperty<Cidr> for Text<S, P>
where
    Self: IntoProperty<String>,
{
    fn into_property(self) -> Expression {
        self.into()
    }
}

/// Values in order, each of them what `T` takes.
///
/// A parameter that is a list of text does as well: what is in it is known only at deployment.
pub struct ListOf<T>(PhantomData<fn() -> T>);

#[diagnostic::do_not_recommend]
impl<T, S: IntoProperty<T>> IntoProperty<ListOf<T>> for Vec<S> {
    fn into_property(self) -> Expression {
        IntoProperty::<Vec<T>>::into_property(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T, S: IntoProperty<T>, const N: usize> IntoProperty<ListOf<T>> for [S; N] {
    fn into_property(self) -> Expression {
        IntoProperty::<Vec<T>>::into_property(self)
    }
}

/// Values in order, of any types.
///
/// An attribute of this type is a list whose items Heat does not tell the type of; `at` says what is in it.
pub enum AnyList {}

#[diagnostic::do_not_recommend]
impl<S: IntoProperty<AnyValue>> IntoProperty<AnyList> for Vec<S> {
    fn into_property(self) -> Expression {
        IntoProperty::<AnyValue>::into_property(self)
    }
}

#[diagnostic::do_not_recommend]
impl<S: IntoProperty<AnyValue>, const N: usize> IntoProperty<AnyList> for [S; N] {
    fn into_property(self) -> Expression {
        IntoProperty::<AnyValue>::into_property(self)
    }
}

/// Values by name, of any types.
///
/// An attribute of this type is a map whose values Heat does not tell the type of; `at` says what is in it.
pub enum AnyMap {}

#[diagnostic::do_not_recommend]
impl<S: IntoProperty<AnyValue>> IntoProperty<AnyMap> for BTreeMap<String, S> {
    fn into_property(self) -> Expression {
        IntoProperty::<AnyValue>::into_property(self)
    }
}

#[diagnostic::do_not_recommend]
impl<K: Into<String>, S: IntoProperty<AnyValue>, const N: usize> IntoProperty<AnyMap> for [(K, S); N] {
    fn into_property(self) -> Expression {
        Expression::Map(self.into_iter().map(|(name, value)| (name.into().into(), value.into_property())).collect())
    }
}

/// An attribute whose type Heat does not tell; `at` says what it is.
pub enum Untyped {}

macro_rules! deferred {
    ($($handle:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T, U: PortType> IntoProperty<ListOf<T>> for $handle<Vec<U>>
        where
            Self: IntoProperty<Vec<U>>,
        {
            fn into_property(self) -> Expression {
                self.into()
            }
        }
        #[diagnostic::do_not_recommend]
        impl<U: PortType> IntoProperty<AnyList> for $handle<Vec<U>>
        where
            Self: IntoProperty<Vec<U>>,
        {
            fn into_property(self) -> Expression {
                self.into()
            }
        }
        #[diagnostic::do_not_recommend]
        impl<U: PortType> IntoProperty<AnyMap> for $handle<BTreeMap<String, U>>
        where
            Self: IntoProperty<BTreeMap<String, U>>,
        {
            fn into_property(self) -> Expression {
                self.into()
            }
        }
    )*};
}
deferred!(Parameter Attribute);

macro_rules! untyped {
    ($($ty:ty: $($to:ty),*;)*) => {$($(
        #[diagnostic::do_not_recommend]
        impl IntoProperty<$to> for Attribute<$ty> {
            fn into_property(self) -> Expression {
                self.into()
            }
        }
    )*)*};
}
untyped! {
    AnyList: AnyList;
    AnyMap: AnyMap;
    Untyped: AnyList, AnyMap, AnyRef, IpAddress, Numeric;
}

#[diagnostic::do_not_recommend]
impl<T> IntoProperty<ListOf<T>> for Attribute<AnyList> {
    fn into_property(self) -> Expression {
        self.into()
    }
}

#[diagnostic::do_not_recommend]
impl IntoProperty<AnyMap> for Value {
    fn into_property(self) -> Expression {
        self.into()
    }
}

#[diagnostic::do_not_recommend]
impl IntoProperty<AnyRef> for Url {
    fn into_property(self) -> Expression {
        IntoProperty::<Url>::into_property(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: impl Into<Expression>) -> String {
        match value.into() {
            Expression::Constant(Value::Str(text)) => text.to_string(),
            _ => panic!("not a text"),
        }
    }

    #[test]
    fn no_prefix_is_longer_than_its_address() {
        let all = [
            (IpAddr::V4(Ipv4Addr::LOCALHOST), 32, true),
            (IpAddr::V4(Ipv4Addr::LOCALHOST), 33, false),
            (IpAddr::V6(Ipv6Addr::LOCALHOST), 128, true),
            (IpAddr::V6(Ipv6Addr::LOCALHOST), 129, false),
        ];
        for (address, prefix, sound) in all {
            assert_eq!(Cidr::new(address, prefix).is_some(), sound, "{address}/{prefix}");
        }
    }

    #[test]
    fn addresses_look_as_heat_has_them() {
        let cidr = Cidr::new(Ipv4Addr::new(10, 0, 0, 0), 8).expect("a network");
        assert_eq!(text(IntoProperty::<Cidr>::into_property(cidr)), "10.0.0.0/8");
        assert_eq!(text(Mac([0xfa, 0x16, 0x3e, 0, 0, 1]).into_property()), "fa:16:3e:00:00:01");
    }
}
