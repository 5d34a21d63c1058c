//! What stands around values in a blueprint that are not known yet: `p.count as u8`, `assert_eq!(p.count, 3)`,
//! `if let Some(most) = p.count.at_most(3)`. `#[blueprint]` passes each operand through one of these.
//!
//! As with modules that are dropped, the compiler takes a method of the type before it takes one of a trait: what is deferred has a
//! method whose bound says why it will not do, and all else stays what it is.

use super::field::FieldNotKnownYet;
use super::handle::{Attribute, Output, Parameter};
use super::promise::Promise;
use super::requirement::Demand;
use super::text::Text;
use super::unknown::{CalculatedOnTheRight, ComparedOnTheRight, LookedInto};

/// The operand of an `as`.
pub struct Cast<T>(pub T);

/// What an `assert_eq!` compares on the left.
pub struct Left<'v, T: ?Sized>(pub &'v T);

/// What it compares on the right.
pub struct Right<'v, T: ?Sized>(pub &'v T);

/// What an `if let` takes apart.
pub struct Opened<T>(pub T);

/// Whatever is known, which stays what it is.
pub trait OfKnown {
    /// The value.
    type Value;
    /// The value, of which the compiler judges the rest.
    fn operand(self) -> Self::Value;
}

macro_rules! known {
    ($([$($lifetime:lifetime)?] $wrapper:ty => $value:ty,)*) => {$(
        impl<$($lifetime,)? T> OfKnown for $wrapper {
            type Value = $value;

            fn operand(self) -> $value {
                self.0
            }
        }
    )*};
}
known! {
    [] Cast<T> => T,
    [] Opened<T> => T,
    ['v] Left<'v, T> => &'v T,
    ['v] Right<'v, T> => &'v T,
}

/// What takes part in any comparison, so that nothing else fails.
#[derive(Debug)]
pub struct Anything;

impl<T: ?Sized> PartialEq<T> for Anything {
    fn eq(&self, _: &T) -> bool {
        false
    }
}

macro_rules! deferred {
    ($([$($generics:ident)*] $handle:ty, $value:ty;)*) => {$(
        impl<$($generics),*> Cast<$handle> {
            /// It is no number yet.
            pub fn operand(self) -> u8
            where
                $handle: CalculatedOnTheRight,
            {
                0
            }
        }

        impl<$($generics),*> Left<'_, $handle> {
            /// It cannot be compared yet.
            pub fn operand(self) -> &'static Anything
            where
                $handle: ComparedOnTheRight,
            {
                &Anything
            }
        }

        impl<'v, $($generics),*> Right<'v, $handle> {
            /// It cannot be compared yet.
            pub fn operand(self) -> &'v $value
            where
                $handle: ComparedOnTheRight,
            {
                unreachable!("INVARIANT: the bound is never satisfied")
            }
        }

        impl<$($generics),*> Opened<$handle> {
            /// It cannot be taken apart yet.
            pub fn operand<Part>(self) -> Part
            where
                $handle: LookedInto,
            {
                unreachable!("INVARIANT: the bound is never satisfied")
            }
        }
    )*};
}
deferred! {
    [T] Output<T>, T;
    [T] Attribute<T>, T;
    [T] Parameter<T>, T;
    [T] Promise<T>, T;
    [T] FieldNotKnownYet<T>, T;
    [S P] Text<S, P>, String;
}

/// Satisfied by nothing: no part of a demand is known.
#[diagnostic::on_unimplemented(
    message = "the blueprint cannot branch on `{D}`: whether it holds is not known while the blueprint runs",
    label = "not known yet",
    note = "what must hold is required: `t.require(\"encrypted\", p.tls.is(true))`, `t.require(\"enough memory\", p.memory.at_least(2048))`",
    note = "what the blueprint decides by is chosen while building: a field of its configuration, its third argument"
)]
pub trait PartOf<D> {}

impl Opened<Demand> {
    /// Whether it holds is not known yet.
    pub fn operand<Part>(self) -> Part
    where
        Part: PartOf<Demand>,
    {
        unreachable!("INVARIANT: the bound is never satisfied")
    }
}
