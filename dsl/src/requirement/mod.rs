//! Evaluates requirements: when their values are known, whether they hold, and the message if they do not.
//!
//! A requirement is evaluated wherever its values are known: by `check`, by Heat, by `seed apply`, or by agents. This
//! module knows when each value is known ([`When`]), and what Heat itself can check. The only evaluator ([`judge`]) and the
//! shared wording are in the model crate.

mod constraint;
mod phase;

pub use crate::model::requirement::{Operand, Verdict, demanded, judge, unmet};
pub use phase::{When, readers, when};

pub(crate) use crate::model::requirement::words::place;
pub(crate) use crate::model::requirement::{compare, compiled};
pub(crate) use constraint::of_heat;
pub(crate) use phase::{operands, run_time};
