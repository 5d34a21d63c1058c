//! Fields of a struct that is not known yet. Nothing accepts such a field, and a custom diagnostic explains why.
//!
//! `#[derive(PortType)]` gives each struct a twin with fields of this type, and a deferred struct dereferences to its
//! twin. For inputs, exports and text there is no implementation with a bound that carries a diagnostic: the compiler
//! would show that implementation in every error about another type.

use std::marker::PhantomData;
use std::ops::Deref;

use super::handle::{Attribute, Output, Parameter};

/// A struct that has a twin. Implemented by `#[derive(PortType)]`.
pub trait Fielded {
    /// The twin.
    type Fields: 'static;
    /// The only value of the twin.
    const FIELDS: &'static Self::Fields;
}

/// A field of a deferred struct: a `T` that cannot be taken out.
pub struct FieldNotKnownYet<T>(PhantomData<fn() -> T>);

impl<T> FieldNotKnownYet<T> {
    /// The only value.
    pub const NEW: Self = Self(PhantomData);
}

impl<T> Clone for FieldNotKnownYet<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for FieldNotKnownYet<T> {}

macro_rules! fielded {
    ($($handle:ident)*) => {$(
        impl<T: Fielded> Deref for $handle<T> {
            type Target = T::Fields;

            fn deref(&self) -> &T::Fields {
                T::FIELDS
            }
        }
    )*};
}
// Not for forward references: their type is inferred from where they are used, but the compiler must know what it
// dereferences.
fielded!(Output Attribute Parameter FieldNotKnownYet);

/// Implemented by nothing: the field of a deferred struct cannot be printed.
#[diagnostic::on_unimplemented(
    message = "the field of a deferred struct cannot be printed: its value is not known while the blueprint runs",
    label = "not known yet",
    note = "pass the struct on as a whole: the recipe that reads it as an input takes out what it needs"
)]
pub trait FieldIsKnown {}

impl<T: FieldIsKnown> std::fmt::Display for FieldNotKnownYet<T> {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Err(std::fmt::Error)
    }
}

impl<T: FieldIsKnown> std::fmt::Debug for FieldNotKnownYet<T> {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Err(std::fmt::Error)
    }
}
