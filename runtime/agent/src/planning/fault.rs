//! Errors in turning a seed into plans.

use std::fmt;

/// An error with its subject. As a message: `the input `url` of `web/app`: WHY`.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault<E> {
    /// The subject: an input, a requirement or an export.
    pub of: String,
    /// The error.
    pub why: Why<E>,
}

/// Why something cannot be planned.
#[derive(Clone, Debug, PartialEq)]
pub enum Why<E> {
    /// A Heat function does not accept its arguments.
    Function(String),
    /// The seed refers to something that it does not contain: "there is no declaration X".
    Damaged(String),
    /// A secret cannot be sealed.
    Sealing(E),
}

impl<E: fmt::Display> fmt::Display for Fault<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.of)?;
        match &self.why {
            Why::Function(why) => f.write_str(why),
            Why::Damaged(what) => write!(f, "the seed is damaged: {what}"),
            Why::Sealing(error) => error.fmt(f),
        }
    }
}
