//! What a blueprint may branch on and count to: what `#[blueprint]` passes conditions and counts through, so that the
//! compiler says why a deferred value will not do.

/// What a blueprint can branch on.
#[diagnostic::on_unimplemented(
    message = "the blueprint cannot branch on `{Self}`: whether it is true is not known while the blueprint runs",
    label = "not known yet",
    note = "what must hold is required: `t.require(\"encrypted\", p.tls.is(true))`, `t.require(\"enough memory\", p.memory.at_least(2048))`",
    note = "what the blueprint decides by is chosen while building: a field of its configuration, its third argument"
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
    note = "how many there are is chosen while building: a field of the blueprint's configuration, its third argument"
)]
pub trait Countable<Number> {
    /// The number. Its type stands apart, so that the compiler judges the bound before it compares types.
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

/// What a negative number can be.
#[diagnostic::on_unimplemented(
    message = "a value of type `{Self}` is never negative",
    label = "a negative number",
    note = "numbers from 0 on are meant: what takes others is declared as `i64`, `i32`, `i16` or `i8`"
)]
pub trait Negative {
    /// The number below zero that is as far from it.
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

/// The condition, if it is known.
#[doc(hidden)]
pub fn decided(condition: impl Decidable) -> bool {
    condition.decide()
}

/// The number, if it is known.
#[doc(hidden)]
pub fn counted<Number>(count: impl Countable<Number>) -> Number {
    count.number()
}

/// A number below zero.
#[doc(hidden)]
pub fn negative<Number: Negative>(number: Number) -> Number {
    number.negated()
}
