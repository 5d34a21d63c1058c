//! Schemas of resource types, and how Heat judges values by them.
//!
//! What lives here: what Heat's own engine declares about its types, its conversions to numbers and text, its notion of
//! equality, and the requirements of its constraints. What must not: the use of a value, in a model or in a template; the
//! behaviour of a class beyond its schema (`classes`).

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
