//! Which values can be compared with each other, and what else they can be tested for.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use crate::Url;

use super::expression::Expression;
use super::forward_reference::ForwardReference;
use super::handle::{Attribute, Output, Parameter};
use super::port::{PortType, scalars};
use super::secret::Secret;
use super::text::{Privacy, Text};

/// A type whose values can be compared.
#[diagnostic::on_unimplemented(
    message = "values of type `{Self}` cannot be compared",
    label = "neither text, a number, a boolean, an address, nor a list or map of them",
    note = "compare its parts: let the component write each as a separate output"
)]
pub trait Comparable: PortType {
    /// The type without its confidentiality.
    type Plain;
}

/// A type whose values are ordered.
#[diagnostic::on_unimplemented(
    message = "values of type `{Self}` have no order",
    label = "not a number",
    note = "`at_least`, `at_most`, `more_than`, `less_than` and `between` are for numbers and lengths of time; test the length of text or of a list by `length(3..)`"
)]
pub trait Ordered: Comparable {
    /// The type that they are compared with: [`Comparable::Plain`].
    type Amount;
}

/// A type whose values are whole numbers.
#[diagnostic::on_unimplemented(message = "a value of type `{Self}` has no multiples", label = "not a whole number")]
pub trait Divisible: Ordered {}

/// A type whose values are text.
#[diagnostic::on_unimplemented(
    message = "a value of type `{Self}` is not text",
    label = "not text",
    note = "`matches`, `starts_with`, `ends_with` and `contains` are for text; test each item of a list by `every(|item| item.matches(...))`, or look for an item by `includes`"
)]
pub trait Textual: PortType {}

/// A type whose values have a length.
#[diagnostic::on_unimplemented(
    message = "a value of type `{Self}` has no length",
    label = "neither text, a list, nor a map"
)]
pub trait Lengthy: PortType {}

/// A type whose values have items.
#[diagnostic::on_unimplemented(message = "a value of type `{Self}` has no items", label = "neither a list nor a map")]
pub trait Listed: PortType {
    /// The type of each item.
    type Item: PortType;
}

/// A value that can be compared with a value of type `T`: a constant of that type, or a deferred value that will be of
/// a comparable type.
#[diagnostic::on_unimplemented(
    message = "a value of type `{T}` cannot be compared with `{Self}`",
    label = "this is `{Self}`, the other is `{T}`",
    note = "compare values of one type; numbers of any type can be compared with deferred numbers of any other type"
)]
pub trait Comparand<T> {
    /// The value, and whether it is secret.
    #[doc(hidden)]
    fn into_comparand(self) -> (Expression, bool);
}

/// A type whose deferred values compare with a `T`.
pub trait Compares<T>: PortType {}

macro_rules! plain {
    ($($ty:ty as $scalar:ident,)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Comparable for $ty {
            type Plain = $ty;
        }
        #[diagnostic::do_not_recommend]
        impl Comparand<$ty> for $ty {
            fn into_comparand(self) -> (Expression, bool) {
                (Expression::Constant(self.into_value()), false)
            }
        }
    )*};
}
scalars!(plain: booleans integers floats strings written durations);

macro_rules! divisible {
    ($($ty:ty as $scalar:ident,)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Divisible for $ty {}
    )*};
}
scalars!(divisible: integers);
#[diagnostic::do_not_recommend]
impl<T: Divisible> Divisible for Secret<T> {}

macro_rules! textual {
    ($($ty:ty as $scalar:ident,)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Textual for $ty {}
    )*};
}
scalars!(textual: strings written);
#[diagnostic::do_not_recommend]
impl<T: Textual> Textual for Secret<T> {}

#[diagnostic::do_not_recommend]
impl Lengthy for String {}
#[diagnostic::do_not_recommend]
impl Lengthy for Url {}
#[diagnostic::do_not_recommend]
impl<T: Lengthy> Lengthy for Secret<T> {}

macro_rules! ordered {
    ($($ty:ty as $scalar:ident,)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Ordered for $ty {
            type Amount = $ty;
        }
    )*};
}
scalars!(ordered: integers floats durations);

#[diagnostic::do_not_recommend]
impl<T: Ordered> Ordered for Secret<T> {
    type Amount = T::Amount;
}

#[diagnostic::do_not_recommend]
impl<T: Comparable> Comparable for Secret<T> {
    type Plain = T::Plain;
}

#[diagnostic::do_not_recommend]
impl<T: Comparable> Comparable for Vec<T> {
    type Plain = Vec<T::Plain>;
}

#[diagnostic::do_not_recommend]
impl<T: Comparable> Comparable for BTreeMap<String, T> {
    type Plain = BTreeMap<String, T::Plain>;
}

#[diagnostic::do_not_recommend]
impl<T: PortType> Lengthy for Vec<T> {}

#[diagnostic::do_not_recommend]
impl<T: PortType> Lengthy for BTreeMap<String, T> {}

#[diagnostic::do_not_recommend]
impl<T: PortType> Listed for Vec<T> {
    type Item = T;
}

#[diagnostic::do_not_recommend]
impl<T: PortType> Listed for BTreeMap<String, T> {
    type Item = T;
}

#[diagnostic::do_not_recommend]
impl<T: Listed> Listed for Secret<T> {
    type Item = Secret<T::Item>;
}

macro_rules! compares {
    ($($from:ty: $($to:ty)*;)*) => {$($(
        #[diagnostic::do_not_recommend]
        impl Compares<$to> for $from {}
    )*)*};
}
macro_rules! numbers {
    ($($from:ty as $scalar:ident,)*) => {
        $(compares! { $from: u8 u16 u32 u64 i8 i16 i32 i64 f32 f64; })*
    };
}
scalars!(numbers: integers floats);
macro_rules! with_text {
    ($($ty:ty as $scalar:ident,)*) => {
        $(compares! { $ty: $ty String; String: $ty; })*
    };
}
scalars!(with_text: written);
compares! {
    bool: bool;
    Duration: Duration;
    String: String;
    IpAddr: Ipv4Addr Ipv6Addr;
    Ipv4Addr: IpAddr;
    Ipv6Addr: IpAddr;
}

#[diagnostic::do_not_recommend]
impl<T: Compares<U>, U> Compares<U> for Secret<T> {}

#[diagnostic::do_not_recommend]
impl<T: Compares<U>, U> Compares<Vec<U>> for Vec<T> {}

#[diagnostic::do_not_recommend]
impl<T: Compares<U>, U> Compares<BTreeMap<String, U>> for BTreeMap<String, T> {}

macro_rules! deferred {
    ($($handle:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: Compares<U>, U> Comparand<U> for $handle<T> {
            fn into_comparand(self) -> (Expression, bool) {
                (self.into(), T::port_type().is_secret())
            }
        }
    )*};
}
deferred!(Parameter Attribute Output ForwardReference);

#[diagnostic::do_not_recommend]
impl<T: Compares<U>, U> Comparand<U> for Secret<T> {
    fn into_comparand(self) -> (Expression, bool) {
        (Expression::Constant(self.into_value()), true)
    }
}

macro_rules! text {
    ($($ty:ty as $scalar:ident,)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Comparand<$ty> for &str {
            fn into_comparand(self) -> (Expression, bool) {
                (self.into(), false)
            }
        }
        #[diagnostic::do_not_recommend]
        impl<S, P: Privacy> Comparand<$ty> for Text<S, P> {
            fn into_comparand(self) -> (Expression, bool) {
                (self.into(), P::IS_SECRET)
            }
        }
    )*};
}
scalars!(text: strings written);

#[diagnostic::do_not_recommend]
impl Comparand<String> for &String {
    fn into_comparand(self) -> (Expression, bool) {
        (self.as_str().into(), false)
    }
}

fn list<T, C: Comparand<T>>(items: impl IntoIterator<Item = C>) -> (Expression, bool) {
    let (items, secret): (Vec<_>, Vec<_>) = items.into_iter().map(C::into_comparand).unzip();
    (Expression::list(items), secret.contains(&true))
}

#[diagnostic::do_not_recommend]
impl<T, C: Comparand<T>> Comparand<Vec<T>> for Vec<C> {
    fn into_comparand(self) -> (Expression, bool) {
        list(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T, C: Comparand<T>, const N: usize> Comparand<Vec<T>> for [C; N] {
    fn into_comparand(self) -> (Expression, bool) {
        list(self)
    }
}
