//! Operations that are impossible while the blueprint runs, because the value is not known. Custom diagnostics explain why.
//!
//! Each operation is implemented under a bound that nothing satisfies. The compiler picks that implementation and shows the
//! diagnostic of the bound only under two conditions: the bound is on a different type than the implementation, and it
//! cannot be decided when the operation is looked up. That is why the bound of an operator is on its right operand, which
//! is not known at that point.

use std::cmp::Ordering;
use std::fmt;
use std::ops;

use super::comparable::Listed;
use super::field::FieldNotKnownYet;
use super::forward_reference::ForwardReference;
use super::handle::{Attribute, Output, Parameter};
use super::text::Text;

/// Implemented by nothing: an output cannot be printed.
#[diagnostic::on_unimplemented(
    message = "`Output<{Self}>` cannot be printed: its value is not known while the blueprint runs",
    label = "not known yet",
    note = "to put it into a text, write `text!(\"http://{{}}/\", value)`, which an input takes"
)]
pub trait OutputIsKnown {}

/// Implemented by nothing: an attribute cannot be printed.
#[diagnostic::on_unimplemented(
    message = "`Attribute<{Self}>` cannot be printed: its value is not known while the blueprint runs",
    label = "not known yet",
    note = "to put it into a text, write `text!(\"http://{{}}/\", value)`, which an input takes"
)]
pub trait AttributeIsKnown {}

/// Implemented by nothing: a parameter cannot be printed.
#[diagnostic::on_unimplemented(
    message = "`Parameter<{Self}>` cannot be printed: its value is not known while the blueprint runs",
    label = "not known yet",
    note = "to put it into a text, write `text!(\"http://{{}}/\", value)`, which an input takes"
)]
pub trait ParameterIsKnown {}

/// Implemented by nothing: a forward reference cannot be printed.
#[diagnostic::on_unimplemented(
    message = "`ForwardReference<{Self}>` cannot be printed: its value is not known while the blueprint runs",
    label = "not known yet",
    note = "to put it into a text, write `text!(\"http://{{}}/\", value)`, which an input takes"
)]
pub trait ForwardReferenceIsKnown {}

/// Implemented by nothing: text around deferred values cannot be printed.
#[diagnostic::on_unimplemented(
    message = "`Text` cannot be printed: its value is not known while the blueprint runs",
    label = "not known yet",
    note = "to put it into a text, write `text!(\"http://{{}}/\", value)`, which an input takes"
)]
pub trait TextIsKnown {}

/// Implemented by nothing: a deferred value cannot be turned into text.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be printed: its value is not known while the blueprint runs",
    label = "not known yet",
    note = "to put it into a text, write `text!(\"http://{{}}/\", value)`, which an input takes"
)]
pub trait KnownToPrint {}

/// Satisfied by nothing: a value that is deferred as `H` cannot be compared.
#[diagnostic::on_unimplemented(
    message = "`{H}` cannot be compared: its value is not known while the blueprint runs",
    label = "not known yet",
    note = "require what must hold: `t.require(\"the port is free\", port.is_not(80))`, `memory.at_least(2048)`",
    note = "to decide in the blueprint, use a value that is chosen while building: a field of its configuration, its third argument"
)]
pub trait Compared<H> {}

/// Implemented by nothing: a deferred value cannot be compared with anything.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be compared: its value is not known while the blueprint runs",
    label = "not known yet",
    note = "require what must hold: `t.require(\"the port is free\", port.is_not(80))`, `memory.at_least(2048)`",
    note = "to decide in the blueprint, use a value that is chosen while building: a field of its configuration, its third argument"
)]
pub trait KnownToCompare {}

/// Implemented by nothing: a deferred value cannot be used in a calculation.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used in a calculation: its value is not known while the blueprint runs",
    label = "not known yet",
    note = "to put it into a text, write `text!(\"http://{{}}/\", value)`; let a recipe that reads it as an input compute everything else",
    note = "to calculate in the blueprint, use a value that is chosen while building: a field of its configuration, its third argument"
)]
pub trait KnownToCalculate {}

/// Satisfied by nothing: a value that is deferred as `H` cannot be used in a calculation.
#[diagnostic::on_unimplemented(
    message = "`{H}` cannot be used in a calculation: its value is not known while the blueprint runs",
    label = "not known yet",
    note = "to put it into a text, write `text!(\"http://{{}}/\", value)`; let a recipe that reads it as an input compute everything else",
    note = "to calculate in the blueprint, use a value that is chosen while building: a field of its configuration, its third argument"
)]
pub trait Calculated<H> {}

/// Satisfied by nothing: nothing can be taken out of a value that is deferred as `H`.
#[diagnostic::on_unimplemented(
    message = "`{H}` cannot be taken apart: its value is not known while the blueprint runs",
    label = "not known yet",
    note = "pass it on as a whole: the recipe that reads it as an input takes out what it needs",
    note = "require what must hold of its length and its contents: `t.require(\"zones\", zones.length(1..=3))`, `zones.every(|zone| zone.matches(\"[a-z]+\"))`"
)]
pub trait TakenApart<H> {}

/// Satisfied by nothing: a deferred value cannot be looked into.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be inspected: its value is not known while the blueprint runs",
    label = "not known yet",
    note = "pass it on as a whole: the recipe that reads it as an input takes out what it needs",
    note = "require what must hold of its length and its contents: `t.require(\"zones\", zones.length(1..=3))`, `zones.every(|zone| zone.matches(\"[a-z]+\"))`"
)]
pub trait KnownToLookInto {}

/// Implemented by nothing: a deferred list or map cannot be iterated over.
#[diagnostic::on_unimplemented(
    message = "the blueprint cannot iterate over a deferred `{Self}`: its value is not known while the blueprint runs",
    label = "not known yet",
    note = "pass it on as a whole: the recipe that reads it as an input iterates over it",
    note = "to repeat something in the blueprint, use a value that is chosen while building: a field of its configuration, its third argument"
)]
pub trait Repeated {}

// There are two candidates, so that either is possible while the right operand is not known. With only one, the
// compiler would pick it.
enum Left {}
enum Right {}

macro_rules! undecided {
    ($($operation:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<H> $operation<H> for (Left,) {}
        #[diagnostic::do_not_recommend]
        impl<H> $operation<H> for (Right,) {}
    )*};
}
undecided!(Compared Calculated TakenApart);

/// Implements operations that never run.
macro_rules! never {
    ($([$($generics:ident)*] $handle:ty;)*) => {$(
        impl<$($generics,)* Other> PartialEq<Other> for $handle
        where
            (Other,): Compared<$handle>,
        {
            fn eq(&self, _: &Other) -> bool {
                false
            }
        }

        impl<$($generics,)* Other> PartialOrd<Other> for $handle
        where
            (Other,): Compared<$handle>,
        {
            fn partial_cmp(&self, _: &Other) -> Option<Ordering> {
                None
            }
        }

        never!(calculated [$($generics)*] $handle: Add add, Sub sub, Mul mul, Div div, Rem rem, BitAnd bitand, BitOr bitor);
    )*};
    (calculated $generics:tt $handle:ty: $($operator:ident $method:ident),*) => {$(
        never!(one $generics $handle: $operator $method);
    )*};
    (one [$($generics:ident)*] $handle:ty: $operator:ident $method:ident) => {
        impl<$($generics,)* Other> ops::$operator<Other> for $handle
        where
            (Other,): Calculated<$handle>,
        {
            // The result is a handle again, so that no second error follows.
            type Output = $handle;

            fn $method(self, _: Other) -> $handle {
                self
            }
        }
    };
}
never! {
    [T] Output<T>;
    [T] Attribute<T>;
    [T] Parameter<T>;
    [T] ForwardReference<T>;
    [T] FieldNotKnownYet<T>;
    [S P] Text<S, P>;
}

/// The same with a known value on the left. It exists only for types that can be compared or calculated with several types
/// anyway: for any other type, the compiler could no longer infer the right side. And it exists for only one integer type:
/// with several, the compiler could not infer the type of a literal, and would show its own error.
macro_rules! on_the_right {
    ($($left:ty)*) => {$(
        on_the_right!($left: [T] Output<T>, [T] Attribute<T>, [T] Parameter<T>, [T] ForwardReference<T>, [T] FieldNotKnownYet<T>, [S P] Text<S, P>);
    )*};
    ($left:ty: $([$($generics:ident)*] $handle:ty),*) => {$(
        impl<$($generics),*> PartialEq<$handle> for $left
        where
            $handle: KnownToCompare,
        {
            fn eq(&self, _: &$handle) -> bool {
                false
            }
        }

        impl<$($generics),*> PartialOrd<$handle> for $left
        where
            $handle: KnownToCompare,
        {
            fn partial_cmp(&self, _: &$handle) -> Option<Ordering> {
                None
            }
        }
    )*};
}
on_the_right!(bool i32 f64 str &str String);

macro_rules! calculated_on_the_right {
    ($($left:ident)*) => {$(
        calculated_on_the_right!($left: Output Attribute Parameter ForwardReference FieldNotKnownYet);
    )*};
    ($left:ident: $($handle:ident)*) => {$(
        calculated_on_the_right!($left $handle: Add add, Sub sub, Mul mul, Div div, Rem rem);
    )*};
    ($left:ident $handle:ident: $($operator:ident $method:ident),*) => {$(
        impl<T> ops::$operator<$handle<T>> for $left
        where
            $handle<T>: KnownToCalculate,
        {
            // The result is a handle again, so that no second error follows.
            type Output = $handle<T>;

            fn $method(self, other: $handle<T>) -> $handle<T> {
                other
            }
        }
    )*};
}
calculated_on_the_right!(i32 f64);

macro_rules! items {
    ($($handle:ident)*) => {$(
        impl<T: Listed, Place> ops::Index<Place> for $handle<T>
        where
            (Place,): TakenApart<$handle<T>>,
        {
            type Output = T::Item;

            fn index(&self, _: Place) -> &T::Item {
                unreachable!("INVARIANT: the bound is never satisfied")
            }
        }

        #[expect(clippy::copy_iterator, reason = "it is never iterated over")]
        impl<T: Listed + Repeated> Iterator for $handle<T> {
            type Item = T::Item;

            fn next(&mut self) -> Option<T::Item> {
                None
            }
        }

        #[expect(clippy::copy_iterator, reason = "it is never iterated over")]
        impl<T: Listed + Repeated> Iterator for &$handle<T> {
            type Item = T::Item;

            fn next(&mut self) -> Option<T::Item> {
                None
            }
        }
    )*};
}
items!(Output Attribute Parameter ForwardReference);

// Written out, because the compiler shows the implementation.

impl<T: OutputIsKnown> fmt::Display for Output<T> {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Err(fmt::Error)
    }
}

impl<T: OutputIsKnown> fmt::Debug for Output<T> {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Err(fmt::Error)
    }
}

impl<T: AttributeIsKnown> fmt::Display for Attribute<T> {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Err(fmt::Error)
    }
}

impl<T: AttributeIsKnown> fmt::Debug for Attribute<T> {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Err(fmt::Error)
    }
}

impl<T: ParameterIsKnown> fmt::Display for Parameter<T> {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Err(fmt::Error)
    }
}

impl<T: ParameterIsKnown> fmt::Debug for Parameter<T> {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Err(fmt::Error)
    }
}

impl<T: ForwardReferenceIsKnown> fmt::Display for ForwardReference<T> {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Err(fmt::Error)
    }
}

impl<T: ForwardReferenceIsKnown> fmt::Debug for ForwardReference<T> {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Err(fmt::Error)
    }
}

impl<S: TextIsKnown, P> fmt::Display for Text<S, P> {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Err(fmt::Error)
    }
}

impl<S: TextIsKnown, P> fmt::Debug for Text<S, P> {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Err(fmt::Error)
    }
}
