//! Requirements judged: when their values are known, whether they hold, and what is said if they do not.
//!
//! One requirement is judged wherever its values are known: by `check`, by Heat, by `seed apply`, by agents. What lives
//! here: the one evaluator ([`judge`]) and the words ([`Verdict::Fails`], [`told`]) for all of them, when each value is
//! known ([`When`]), and what Heat can judge itself. What must not: how a value is had; that is the caller's.

mod constraint;
mod judge;
mod number;
mod pattern;
mod phase;
mod told;

pub use judge::{Verdict, judge};
pub use phase::{Operand, When, readers, when};
pub use told::{demanded, told};

pub(crate) use constraint::of_heat;
pub(crate) use number::compare;
pub(crate) use pattern::compiled;
pub(crate) use phase::{operands, run_time};
pub(crate) use told::place;
