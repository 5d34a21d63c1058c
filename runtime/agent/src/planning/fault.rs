//! Why a seed does not become plans.

use std::fmt;

/// What is wrong with something, in a message: `the input `url` of `web/app`: WHY`.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault<E> {
    /// Of what: an input, a requirement, an export.
    pub of: String,
    /// What is wrong with it.
    pub why: Why<E>,
}

/// What is wrong with something.
#[derive(Clone, Debug, PartialEq)]
pub enum Why<E> {
    /// A function of Heat's does not take what it is given.
    Function(String),
    /// The seed lacks what it mentions: "there is no declaration X".
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
