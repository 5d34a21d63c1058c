//! What an input accepts: constants, parameters, attributes, outputs, forward references, text, and lists and maps of them.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::{Cidr, Url};

use super::expression::Expression;
use super::forward_reference::ForwardReference;
use super::handle::{Attribute, Output, Parameter, Resource};
use super::port::{PortType, scalars};
use super::secret::Secret;

/// A value that can be wired to an input of type `T`.
#[diagnostic::on_unimplemented(
    message = "an input of type `{T}` cannot be wired to `{Self}`",
    label = "this is `{Self}`, the input takes `{T}`",
    note = "an input takes a constant, a `Parameter`, an `Attribute`, an `Output` or a `ForwardReference` of its own type; let the recipe take a field out of a struct that is not known yet",
    note = "put deferred values into a text with `text!(\"http://{{}}/\", output)`",
    note = "pass a secret only to an input that is declared as `Secret<...>`, which takes a `Parameter<Secret<String>>` or `Secret::new(...)`",
    note = "write constants of types other than text and numbers as in Rust: `IpAddr::from([10, 0, 0, 3])`, `\"http://a/\".parse::<Url>().expect(\"a URL\")`, `Duration::from_secs(90)`"
)]
pub trait IntoInput<T> {
    /// The value.
    fn into_input(self) -> Expression;
}

/// A type whose values are not secret.
#[diagnostic::on_unimplemented(
    message = "a secret cannot flow into a public place",
    label = "a secret, which only a secret input, property or export takes",
    note = "declare what receives it as `Secret<...>`, or pass a value that is not secret",
    note = "export a secret under a constant of a secret type: `pub const TOKEN: Export<Secret<String>> = Export::new(\"STACK\", \"token\")`, and then `.entry(TOKEN, ...)`"
)]
pub trait Public {}

/// A type that no input has. Constants implement the trait for it, because the compiler shows the source of an
/// implementation if it is the only one.
enum Nothing {}

macro_rules! constants {
    ($($ty:ty as $scalar:ident,)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Public for $ty {}
        #[diagnostic::do_not_recommend]
        impl IntoInput<$ty> for $ty {
            fn into_input(self) -> Expression {
                Expression::Constant(self.into_value())
            }
        }
        #[diagnostic::do_not_recommend]
        impl IntoInput<Nothing> for $ty {
            fn into_input(self) -> Expression {
                Expression::Constant(self.into_value())
            }
        }
    )*};
}
scalars!(constants: booleans integers floats strings written durations);

#[diagnostic::do_not_recommend]
impl<T: Public> Public for Vec<T> {}
#[diagnostic::do_not_recommend]
impl<T: Public> Public for BTreeMap<String, T> {}

macro_rules! wider_constants {
    ($($from:ty => $to:ty, |$value:ident| $into:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl IntoInput<$to> for $from {
            fn into_input(self) -> Expression {
                let $value = self;
                Expression::Constant($into)
            }
        }
    )*};
}
/// A type whose constants a blueprint may write as text.
pub trait Literal {}
#[diagnostic::do_not_recommend]
impl Literal for String {}
// Rust has no literal for it. `check` judges the text as Heat does.
#[diagnostic::do_not_recommend]
impl Literal for Cidr {}

#[diagnostic::do_not_recommend]
impl<T: Literal> IntoInput<T> for &str {
    fn into_input(self) -> Expression {
        self.into()
    }
}

#[diagnostic::do_not_recommend]
impl<T: Literal> IntoInput<T> for &String {
    fn into_input(self) -> Expression {
        self.as_str().into()
    }
}

wider_constants! {
    Url => String, |value| value.into_value();
    Ipv4Addr => IpAddr, |value| value.into_value();
    Ipv6Addr => IpAddr, |value| value.into_value();
}

/// A type whose deferred values can be wired to an input of type `U`.
pub trait Fits<U> {}

#[diagnostic::do_not_recommend]
impl<T: PortType> Fits<T> for T {}
// A public value may become a secret, but never the other way around.
#[diagnostic::do_not_recommend]
impl<T: PortType> Fits<Secret<T>> for T {}
#[diagnostic::do_not_recommend]
impl Fits<String> for Url {}
#[diagnostic::do_not_recommend]
impl Fits<IpAddr> for Ipv4Addr {}
#[diagnostic::do_not_recommend]
impl Fits<IpAddr> for Ipv6Addr {}

macro_rules! deferred {
    ($($handle:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: Fits<U>, U> IntoInput<U> for $handle<T> {
            fn into_input(self) -> Expression {
                self.into()
            }
        }
    )*};
}
deferred!(Parameter Attribute Output ForwardReference);

/// The identity by which Heat knows the resource. For a volume, this is its ID.
#[diagnostic::do_not_recommend]
impl IntoInput<String> for Resource {
    fn into_input(self) -> Expression {
        self.into()
    }
}

#[diagnostic::do_not_recommend]
impl<T: PortType> IntoInput<Secret<T>> for Secret<T> {
    fn into_input(self) -> Expression {
        Expression::Constant(self.into_value())
    }
}

#[diagnostic::do_not_recommend]
impl IntoInput<Secret<String>> for Secret<&str> {
    fn into_input(self) -> Expression {
        self.reveal().into()
    }
}

fn list<T, S: IntoInput<T>>(items: impl IntoIterator<Item = S>) -> Expression {
    Expression::List(items.into_iter().map(S::into_input).collect())
}

#[diagnostic::do_not_recommend]
impl<T, S: IntoInput<T>> IntoInput<Vec<T>> for Vec<S> {
    fn into_input(self) -> Expression {
        list(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T, S: IntoInput<T> + Clone> IntoInput<Vec<T>> for &Vec<S> {
    fn into_input(self) -> Expression {
        list(self.iter().cloned())
    }
}

#[diagnostic::do_not_recommend]
impl<T, S: IntoInput<T>, const N: usize> IntoInput<Vec<T>> for [S; N] {
    fn into_input(self) -> Expression {
        list(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T, S: IntoInput<T> + Clone> IntoInput<Vec<T>> for &[S] {
    fn into_input(self) -> Expression {
        list(self.iter().cloned())
    }
}

#[diagnostic::do_not_recommend]
impl<T, S: IntoInput<T> + Clone, const N: usize> IntoInput<Vec<T>> for &[S; N] {
    fn into_input(self) -> Expression {
        list(self.iter().cloned())
    }
}

#[diagnostic::do_not_recommend]
impl<T, S: IntoInput<T>> IntoInput<BTreeMap<String, T>> for BTreeMap<String, S> {
    fn into_input(self) -> Expression {
        Expression::Map(self.into_iter().map(|(name, item)| (name.into(), item.into_input())).collect())
    }
}
