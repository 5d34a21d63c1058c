//! What stands around values in a blueprint that are not known yet: `p.count as u8`, `assert!(p.tls.is(true))`,
//! `assert_eq!(p.count, 3)`. `#[blueprint]` passes each through an [`Operand`].
//!
//! As with modules that are dropped, the compiler takes a method of the type before it takes one of a trait: what is deferred has a
//! method whose bound says why it will not do, and all else stays what it is.

use super::decided::Decidable;
use super::field::FieldNotKnownYet;
use super::handle::{Attribute, Output, Parameter};
use super::promise::Promise;
use super::requirement::Demand;
use super::text::Text;
use super::unknown::{KnownToCalculate, KnownToCompare};

/// What is cast, asserted or compared.
pub struct Operand<T>(pub T);

/// What is not known while the blueprint runs.
pub trait Deferred {}

impl<T> Deferred for Output<T> {}
impl<T> Deferred for Attribute<T> {}
impl<T> Deferred for Parameter<T> {}
impl<T> Deferred for Promise<T> {}
impl<T> Deferred for FieldNotKnownYet<T> {}
impl<S, P> Deferred for Text<S, P> {}
impl Deferred for Demand {}

impl<D: Deferred> Operand<D> {
    /// It is no number yet.
    pub fn cast(self) -> u8
    where
        D: KnownToCalculate,
    {
        never()
    }

    /// Whether it is true is not known yet.
    pub fn asserted(self) -> bool
    where
        D: Decidable,
    {
        never()
    }
}

impl<'v, D: Deferred> Operand<&'v D> {
    /// It cannot be compared yet. What it is compared with is a type of its own, or the compiler goes on with the wrong one.
    pub fn compared<Known>(self) -> &'v Known
    where
        D: KnownToCompare,
    {
        never()
    }
}

/// Whatever is known, which stays what it is: of that, the compiler judges the rest.
pub trait KnownOperand {
    /// What it is.
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
