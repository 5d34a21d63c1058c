//! Failures that nobody notices.

/// A command after whose failure a shell script goes on, or is done, as if nothing had happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unnoticed {
    /// Its program, without folders.
    pub program: String,
    /// Its line, counted from one.
    pub line: u32,
    /// Why.
    pub why: Why,
}

/// Why a failure goes unnoticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The script has no `set -e`.
    NeverCounts,
    /// It stands behind `set +e`.
    NoLongerCounts,
    /// It is not the last command of its pipe.
    Piped,
}

/// How a script takes failures. The commands are the first of their kind.
#[derive(Debug, Default)]
pub(crate) struct Failures {
    /// It sees to it that they are noticed.
    pub(crate) traps: bool,
    /// Its pipes fail as any of their commands does.
    pub(crate) pipefail: bool,
    /// What is unnoticed if it does not.
    pub(crate) unguarded: Option<Unnoticed>,
    /// What is unnoticed although it does.
    pub(crate) lenient: Option<Unnoticed>,
    /// What is unnoticed if its pipes do not.
    pub(crate) piped: Option<Unnoticed>,
}
