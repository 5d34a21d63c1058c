//! What a blueprint may branch on and count to.
//!
//! `#[blueprint]` passes conditions and counts through the functions of this module, so that the compiler can say why a
//! deferred value cannot be used there.

use std::ops::{Neg, Not};

/// What a blueprint can branch on.
#[diagnostic::on_unimplemented(
    message = "the blueprint cannot branch on `{Self}`: whether it is true is not known while the blueprint runs",
    label = "not known yet",
    note = "require what must hold: `t.require(\"encrypted\", p.tls.is(true))`, `t.require(\"enough memory\", p.memory.at_least(2048))`",
    note = "to decide in the blueprint, use a value that is chosen while building: a field of its configuration, its third argument"
)]
pub trait Decidable {
    /// Whether it is true.
    fn decide(self) -> bool;
}

#[diagnostic::do_not_recommend]
impl Decidable for bool {
    fn decide(self) -> bool {
        self
    }
}

/// What a blueprint can count to.
#[diagnostic::on_unimplemented(
    message = "the blueprint cannot count to `{Self}`: its value is not known while the blueprint runs",
    label = "not known yet",
    note = "to choose a number in the blueprint, use a value that is chosen while building: a field of its configuration, its third argument"
)]
pub trait Countable<Number> {
    /// The number. It has a type parameter of its own, so that the compiler judges the bound before it compares types.
    fn number(self) -> Number;
}

macro_rules! countable {
    ($($integer:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Countable<$integer> for $integer {
            fn number(self) -> $integer {
                self
            }
        }
    )*};
}
countable!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64);

/// What a blueprint can match against constants.
#[diagnostic::on_unimplemented(
    message = "the blueprint cannot match `{Self}`: its value is not known while the blueprint runs",
    label = "not known yet",
    note = "require what must hold: `t.require(\"the port is free\", port.is_not(80))`, `memory.at_least(2048)`",
    note = "to decide in the blueprint, use a value that is chosen while building: a field of its configuration, its third argument"
)]
pub trait Matched<Constant> {
    /// The value. It has a type parameter of its own, so that the compiler judges the bound before it compares types.
    fn constant(self) -> Constant;
}

macro_rules! matched {
    ($($constant:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Matched<$constant> for $constant {
            fn constant(self) -> $constant {
                self
            }
        }
    )*};
}
matched!(bool char u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64);

#[diagnostic::do_not_recommend]
impl<'a, T: ?Sized> Matched<&'a T> for &'a T
where
    T: Literal,
{
    fn constant(self) -> &'a T {
        self
    }
}

/// A type that can be compared with a literal through a reference.
pub trait Literal {}

macro_rules! literal {
    ($($constant:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Literal for $constant {}
    )*};
}
literal!(str bool char u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 &str);

/// What can be negated with `-`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used in a calculation: its value is not known while the blueprint runs",
    label = "not known yet",
    note = "let a recipe that reads it as an input compute the result",
    note = "to calculate in the blueprint, use a value that is chosen while building: a field of its configuration, its third argument"
)]
pub trait Signed<Negated> {
    /// Its negative.
    fn negate(self) -> Negated;
}

#[diagnostic::do_not_recommend]
impl<T: Neg> Signed<T::Output> for T {
    fn negate(self) -> T::Output {
        -self
    }
}

/// What can be inverted with `!`.
#[diagnostic::on_unimplemented(
    message = "the blueprint cannot invert `{Self}`: whether it is true is not known while the blueprint runs",
    label = "not known yet",
    note = "require what must hold: `t.require(\"in clear\", p.tls.is(false))`",
    note = "to decide in the blueprint, use a value that is chosen while building: a field of its configuration, its third argument"
)]
pub trait Invertible<Inverted> {
    /// Its opposite.
    fn invert(self) -> Inverted;
}

#[diagnostic::do_not_recommend]
impl<T: Not> Invertible<T::Output> for T {
    fn invert(self) -> T::Output {
        !self
    }
}

/// A type that has negative numbers.
#[diagnostic::on_unimplemented(
    message = "a value of type `{Self}` is never negative",
    label = "a negative number",
    note = "use a number that is at least 0, or declare what takes negative numbers as `i64`, `i32`, `i16` or `i8`"
)]
pub trait Negative {
    /// The number with its sign changed.
    fn negated(self) -> Self;
}

macro_rules! negative {
    ($($number:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Negative for $number {
            fn negated(self) -> Self {
                -self
            }
        }
    )*};
}
negative!(i8 i16 i32 i64 i128 isize);

/// Returns the condition, which must be known.
#[doc(hidden)]
pub fn decided(condition: impl Decidable) -> bool {
    condition.decide()
}

/// Returns the number, which must be known.
#[doc(hidden)]
pub fn counted<Number>(count: impl Countable<Number>) -> Number {
    count.number()
}

/// Returns what a `match` compares with constants, which must be known.
#[doc(hidden)]
pub fn matched<Constant>(value: impl Matched<Constant>) -> Constant {
    value.constant()
}

/// Returns the negative of a value, which must be known.
#[doc(hidden)]
pub fn negated<Negated>(number: impl Signed<Negated>) -> Negated {
    number.negate()
}

/// Returns the opposite of a value, which must be known.
#[doc(hidden)]
pub fn inverted<Inverted>(truth: impl Invertible<Inverted>) -> Inverted {
    truth.invert()
}

/// Returns a number below zero.
#[doc(hidden)]
pub fn negative<Number: Negative>(number: Number) -> Number {
    number.negated()
}
