//! Where something was written.

use std::borrow::Cow;
use std::panic::Location;

use serde::{Deserialize, Serialize};

/// A place in the author's source: a Rust file, or the YAML file that a model was read from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Source {
    /// The file, as the compiler was told it.
    pub file: Cow<'static, str>,
    /// Line, from 1; 0 when nothing is known.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

impl Source {
    /// A place.
    pub const fn new(file: &'static str, line: u32, column: u32) -> Self {
        Self { file: Cow::Borrowed(file), line, column }
    }

    /// The caller of the innermost function that is not `#[track_caller]`.
    #[track_caller]
    pub fn caller() -> Self {
        Location::caller().into()
    }

    /// Whether the place is known.
    pub fn is_known(&self) -> bool {
        self.line > 0
    }
}

impl From<&'static Location<'static>> for Source {
    fn from(at: &'static Location<'static>) -> Self {
        Self::new(at.file(), at.line(), at.column())
    }
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}
