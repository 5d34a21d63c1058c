//! Schemas of resource types, and how Heat judges values by them.
//!
//! What lives here: what Heat's own engine says about its types, which number and which text Heat converts a value to, which
//! values it considers equal, and what its constraints require of a value. What must not: what a value is used for, in a
//! model or in a template; what a class does beyond its schema (`classes`).

mod constraint;
mod conversion;
mod cron;
mod digits;
mod named;
mod pattern;
mod types;
mod zone;

pub use constraint::{broken, too_few_or_many};
pub use conversion::{is_integer, is_same, number, outside_of, plain};
pub(crate) use digits::with_ascii_digits;
pub use named::{NAMED_CONSTRAINTS, broken_named};
pub(crate) use pattern::{matches, outside_of_classes};
pub use types::{TYPES, is_type, schema, types, written};
