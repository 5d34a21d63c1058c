//! How text that people write is interpreted: misspelt names, durations, bandwidths, scalar types, and the resources that a
//! flavor needs.
//!
//! What lives here: functions of text that the macros, the reader of recipes, the model and the commands share, so that all
//! of them read it the same way. What must not: values, models, or anything that needs more than a few small crates,
//! because this is built before the macros.

mod bandwidth;
mod cidr;
pub mod flavor;
pub mod names;
mod scalar;
pub mod shown;
pub mod time;
mod url;

pub use bandwidth::Bandwidth;
pub use scalar::{Carrier, Scalar};

/// Rust types of scalars that the standard library lacks.
pub mod types {
    pub use crate::cidr::Cidr;
    pub use crate::url::Url;
}

/// Text that is not a value of the type that it was read as.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not {scalar}")]
pub struct Malformed {
    scalar: Scalar,
    text: String,
}

impl Malformed {
    fn new(scalar: Scalar, text: &str) -> Self {
        Self { scalar, text: text.to_owned() }
    }
}
