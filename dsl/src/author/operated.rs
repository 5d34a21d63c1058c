//! Casts and assertions on values that are not known yet: `p.count as u8`, `assert!(p.tls.is(true))`, `assert_eq!(p.count,
//! 3)`. `#[blueprint]` passes each of them through an [`Operand`].
//!
//! As with dropped modules, the compiler prefers an inherent method to one of a trait. Deferred values have an inherent
//! method whose bound says why they cannot be used here; any other value is left unchanged.

use super::decided::Decidable;
use super::field::FieldNotKnownYet;
use super::forward_reference::ForwardReference;
use super::handle::{Attribute, Output, Parameter};
use super::requirement::Demand;
use super::text::Text;
use super::unknown::{KnownToCalculate, KnownToCompare};

/// A value that is cast, asserted or compared.
pub struct Operand<T>(pub T);

/// A value that is not known while the blueprint runs.
pub trait Deferred {}

impl<T> Deferred for Output<T> {}
impl<T> Deferred for Attribute<T> {}
impl<T> Deferred for Parameter<T> {}
impl<T> Deferred for ForwardReference<T> {}
impl<T> Deferred for FieldNotKnownYet<T> {}
impl<S, P> Deferred for Text<S, P> {}
impl Deferred for Demand {}

impl<D: Deferred> Operand<D> {
    /// Refuses a cast: there is no number yet.
    pub fn cast(self) -> u8
    where
        D: KnownToCalculate,
    {
        never()
    }

    /// Refuses an assertion: whether it is true is not known yet.
    pub fn asserted(self) -> bool
    where
        D: Decidable,
    {
        never()
    }
}

impl<'v, D: Deferred> Operand<&'v D> {
    /// Refuses a comparison: there is nothing to compare yet. The other side has its own type parameter, because the
    /// compiler would otherwise infer the wrong type.
    pub fn compared<Known>(self) -> &'v Known
    where
        D: KnownToCompare,
    {
        never()
    }
}

/// Any known value. It is left unchanged, and the compiler checks the rest as usual.
pub trait KnownOperand {
    /// Its type.
    type Value;
    /// What `as` casts.
    fn cast(self) -> Self::Value;
    /// What `assert!` asserts.
    fn asserted(self) -> Self::Value;
    /// What `assert_eq!` compares.
    fn compared(self) -> Self::Value;
}

impl<T> KnownOperand for Operand<T> {
    type Value = T;

    fn cast(self) -> T {
        self.0
    }

    fn asserted(self) -> T {
        self.0
    }

    fn compared(self) -> T {
        self.0
    }
}

fn never<T>() -> T {
    unreachable!("INVARIANT: the bound is never satisfied")
}
