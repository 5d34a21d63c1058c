//! What a resource's property accepts: any value that Heat knows before the servers run.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use crate::model::Value;

use super::expression::Expression;
use super::handle::{Attribute, Parameter, Resource};
use super::input::Public;
use super::port::{PortType, scalars};
use super::secret::Secret;

/// A value that can be given to a property of type `T`.
#[diagnostic::on_unimplemented(
    message = "a resource property of type `{T}` cannot be set from `{Self}`",
    label = "this is `{Self}`, the property takes `{T}`",
    note = "a property takes a constant, a `Parameter` or an `Attribute` of its own type; a reference to a resource takes the resource's handle, and one of a few values a variant of its type, such as `SubnetIpVersion::V4`",
    note = "convert a number of another type first: `u32::try_from(number).expect(\"it fits\")`",
    note = "an `Output`, a `ForwardReference` and text that holds one are known only once servers run, but Heat needs properties before that: wire them to an input of a component",
    note = "a `Secret` fits only a property that may be secret, such as a password or a server's `user_data`, and only if Heat knows it before servers run: as a constant, a `Parameter` or an `Attribute`"
)]
pub trait IntoProperty<T> {
    /// The value.
    fn into_property(self) -> Expression;
}

macro_rules! constants {
    ($($ty:ty as $scalar:ident,)*) => {$(
        #[diagnostic::do_not_recommend]
        impl IntoProperty<$ty> for $ty {
            fn into_property(self) -> Expression {
                Expression::Constant(self.into_value())
            }
        }
    )*};
}
scalars!(constants: booleans integers floats strings written);

#[diagnostic::do_not_recommend]
impl IntoProperty<String> for &str {
    fn into_property(self) -> Expression {
        self.into()
    }
}

#[diagnostic::do_not_recommend]
impl IntoProperty<String> for &String {
    fn into_property(self) -> Expression {
        self.as_str().into()
    }
}

macro_rules! known {
    ($($handle:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: PortType> IntoProperty<T> for $handle<T> {
            fn into_property(self) -> Expression {
                self.into()
            }
        }
    )*};
}
known!(Parameter Attribute);

#[diagnostic::do_not_recommend]
impl<T: PortType> IntoProperty<Secret<T>> for Secret<T> {
    fn into_property(self) -> Expression {
        Expression::Constant(self.into_value())
    }
}

#[diagnostic::do_not_recommend]
impl<T, S: IntoProperty<T>> IntoProperty<Vec<T>> for Vec<S> {
    fn into_property(self) -> Expression {
        Expression::List(self.into_iter().map(S::into_property).collect())
    }
}

#[diagnostic::do_not_recommend]
impl<T, S: IntoProperty<T>, const N: usize> IntoProperty<Vec<T>> for [S; N] {
    fn into_property(self) -> Expression {
        Expression::List(self.into_iter().map(S::into_property).collect())
    }
}

/// The type of a property whose type the catalog does not know. It accepts whatever any property accepts.
pub struct AnyValue;

macro_rules! anything {
    ($($ty:ty as $scalar:ident,)*) => {$(
        #[diagnostic::do_not_recommend]
        impl IntoProperty<AnyValue> for $ty {
            fn into_property(self) -> Expression {
                Expression::Constant(self.into_value())
            }
        }
    )*};
}
scalars!(anything: booleans strings written);
anything!(i32 as Integer, i64 as Integer, f64 as Float,);

#[diagnostic::do_not_recommend]
impl IntoProperty<AnyValue> for &str {
    fn into_property(self) -> Expression {
        self.into()
    }
}

#[diagnostic::do_not_recommend]
impl IntoProperty<AnyValue> for &String {
    fn into_property(self) -> Expression {
        self.as_str().into()
    }
}

#[diagnostic::do_not_recommend]
impl IntoProperty<AnyValue> for Value {
    fn into_property(self) -> Expression {
        Expression::Constant(self)
    }
}

#[diagnostic::do_not_recommend]
impl IntoProperty<AnyValue> for Resource {
    fn into_property(self) -> Expression {
        self.into()
    }
}

#[diagnostic::do_not_recommend]
impl<T: PortType + Public> IntoProperty<AnyValue> for Parameter<T> {
    fn into_property(self) -> Expression {
        self.into()
    }
}

#[diagnostic::do_not_recommend]
impl<T: PortType + Public> IntoProperty<AnyValue> for Attribute<T> {
    fn into_property(self) -> Expression {
        self.into()
    }
}

#[diagnostic::do_not_recommend]
impl<S: IntoProperty<AnyValue>> IntoProperty<AnyValue> for Vec<S> {
    fn into_property(self) -> Expression {
        Expression::List(self.into_iter().map(S::into_property).collect())
    }
}

#[diagnostic::do_not_recommend]
impl<S: IntoProperty<AnyValue>, const N: usize> IntoProperty<AnyValue> for [S; N] {
    fn into_property(self) -> Expression {
        Expression::List(self.into_iter().map(S::into_property).collect())
    }
}

#[diagnostic::do_not_recommend]
impl<S: IntoProperty<AnyValue>> IntoProperty<AnyValue> for BTreeMap<String, S> {
    fn into_property(self) -> Expression {
        Expression::Map(self.into_iter().map(|(name, item)| (name.into(), item.into_property())).collect())
    }
}

#[diagnostic::do_not_recommend]
impl<K: Into<String>, S: IntoProperty<AnyValue>, const N: usize> IntoProperty<AnyValue> for [(K, S); N] {
    fn into_property(self) -> Expression {
        Expression::Map(self.into_iter().map(|(name, item)| (name.into().into(), item.into_property())).collect())
    }
}

/// A value among values of other types, in a list or a map of a property.
pub struct Item<T>(Expression, PhantomData<fn() -> T>);

/// Lets `value` stand among values of other types.
///
/// ```
/// use wattle::author::item;
/// use wattle::prelude::*;
///
/// let mut t = Topology::new("demo");
/// let net = t.add("net", RawResource::new("Our::Net"));
/// let ports = [("first", item(net)), ("others", item(["public", "private"])), ("count", item(3))];
/// t.add("wall", RawResource::new("Our::Wall").property("ports", ports));
/// ```
pub fn item<T>(value: impl IntoProperty<T>) -> Item<T> {
    Item(value.into_property(), PhantomData)
}

#[diagnostic::do_not_recommend]
impl<T> IntoProperty<T> for Item<T> {
    fn into_property(self) -> Expression {
        self.0
    }
}
