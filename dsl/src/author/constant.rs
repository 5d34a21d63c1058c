//! Constants in declarations: the defaults of inputs, and the defaults and allowed values of parameters.

use std::collections::BTreeMap;

use crate::model::Value;

use super::port::{PortType, scalars};

/// A constant that a declaration takes where it needs a `T`.
#[diagnostic::on_unimplemented(
    message = "a value of type `{T}` was expected, not `{Self}`",
    label = "not a `{T}`",
    note = "a default or an allowed value is a constant of the declared type"
)]
pub trait Constant<T> {
    /// The value as data.
    fn into_constant(self) -> Value;
}

/// Returns a constant as data.
#[doc(hidden)]
pub fn constant<T>(value: impl Constant<T>) -> Value {
    value.into_constant()
}

macro_rules! own {
    ($($ty:ty as $scalar:ident,)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Constant<$ty> for $ty {
            fn into_constant(self) -> Value {
                self.into_value()
            }
        }
    )*};
}
scalars!(own: booleans integers floats strings written durations);

// Text is accepted here too. If it is not a valid address or URL, `check` reports a default that does not fit its type.
macro_rules! written {
    ($($ty:ty as $scalar:ident,)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Constant<$ty> for &str {
            fn into_constant(self) -> Value {
                self.into()
            }
        }
    )*};
}
scalars!(written: strings written);

fn list<T, S: Constant<T>>(items: impl IntoIterator<Item = S>) -> Value {
    Value::List(items.into_iter().map(S::into_constant).collect())
}

#[diagnostic::do_not_recommend]
impl<T, S: Constant<T>> Constant<Vec<T>> for Vec<S> {
    fn into_constant(self) -> Value {
        list(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T, S: Constant<T>, const N: usize> Constant<Vec<T>> for [S; N] {
    fn into_constant(self) -> Value {
        list(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T, S: Constant<T> + Clone> Constant<Vec<T>> for &[S] {
    fn into_constant(self) -> Value {
        list(self.iter().cloned())
    }
}

#[diagnostic::do_not_recommend]
impl<T, S: Constant<T> + Clone, const N: usize> Constant<Vec<T>> for &[S; N] {
    fn into_constant(self) -> Value {
        list(self.iter().cloned())
    }
}

#[diagnostic::do_not_recommend]
impl<T, S: Constant<T>> Constant<BTreeMap<String, T>> for BTreeMap<String, S> {
    fn into_constant(self) -> Value {
        Value::Map(self.into_iter().map(|(name, item)| (name.into(), item.into_constant())).collect())
    }
}
