//! Requirements judged: when their values are known, whether they hold, and what is said if they do not.
//!
//! One requirement is judged wherever its values are known: by `check`, by Heat, by `seed apply`, by agents. What lives
//! here: when each value is known ([`When`]), and what Heat can judge itself. The one evaluator ([`judge`]) and the words
//! for all of them are the model crate's.

mod constraint;
mod phase;

pub use crate::model::requirement::{Operand, Verdict, demanded, judge, told};
pub use phase::{When, readers, when};

pub(crate) use crate::model::requirement::words::place;
pub(crate) use crate::model::requirement::{compare, compiled};
pub(crate) use constraint::of_heat;
pub(crate) use phase::{operands, run_time};
