//! How Heat reads and judges values.
//!
//! What lives here: which number and which text Heat takes a value for, which values are the same to it, and what its
//! constraints ask of a value. What must not: what a value is for, in a model or in a template.

mod constraint;
mod conversion;
mod named;

pub use constraint::{broken, too_few_or_many};
pub use conversion::{is_integer, is_same, number, outside_of, plain};
pub use named::broken_named;
