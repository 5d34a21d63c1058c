//! What properties take besides text, numbers and booleans.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use wattle::author::{Attribute, Expression, IntoProperty, Parameter, PortType, Secret, Text, Url};

mod address;
mod many;

pub use address::{IpOrCidr, Mac};
pub use many::{AnyList, AnyMap, ListOf, Untyped};
pub use wattle::author::Cidr;

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
    ($(#[$doc:meta])* $name:ident secret or not) => {
        crate::values::reference!($(#[$doc])* $name as wattle::author::Secret<String>);
        crate::values::from!($name {
            wattle::author::Secret<String>: wattle::author::Secret<String>,
            wattle::author::Parameter<wattle::author::Secret<String>>: wattle::author::Secret<String>,
            wattle::author::Attribute<wattle::author::Secret<String>>: wattle::author::Secret<String>,
        });
    };
    ($(#[$doc:meta])* $name:ident) => {
        crate::values::reference!($(#[$doc])* $name as String);
    };
    ($(#[$doc:meta])* $name:ident as $text:ty) => {
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
            Self: wattle::author::IntoProperty<$text>,
        {
            fn into_property(self) -> wattle::author::Expression {
                self.into()
            }
        }
    };
}

pub(crate) use {from, reference};

/// The type of no property. Secrets have an impl for it because the compiler shows the source of one that is alone.
enum Nothing {}
from!(Nothing {
    Secret<String>: Secret<String>,
    Parameter<Secret<String>>: Secret<String>,
    Attribute<Secret<String>>: Secret<String>,
});

reference! {
    /// The identity of a resource of any kind: a handle, or a name or id as text.
    AnyRef
}

takes! {
    /// An address: Rust's own type, text, a parameter or an attribute.
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

    /// A number, with or without a fraction.
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

    /// Text that the cloud keeps to itself, secret or not.
    SecretText {
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
impl<T: PortType> IntoProperty<SecretText> for Secret<T>
where
    Self: Textual,
{
    fn into_property(self) -> Expression {
        IntoProperty::<Self>::into_property(self)
    }
}

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

#[diagnostic::do_not_recommend]
impl<S, P> IntoProperty<SecretText> for Text<S, P>
where
    Self: IntoProperty<Secret<String>>,
{
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
