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
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// The script has no `set -e`.
    NeverCounts,
    /// It stands behind `set +e`.
    NoLongerCounts,
    /// It is not the last command of its pipe.
    Piped,
    /// It stands in a substitution whose failure is not that of the command around it.
    Substituted {
        /// The variable that is to have its output.
        name: String,
        /// The command: `local`, `export` and their like, or one that is given the variable.
        by: String,
    },
    /// It stands where `set -e` does not apply, because how something around it ends is asked.
    Asked {
        /// The function whose end is asked, and the line that does so.
        function: Option<(String, u32)>,
    },
    /// It stands in the text of a shell that is started, which has no `set -e`.
    OwnShell,
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
    /// What is unnoticed because it is asked about as a whole.
    pub(crate) asked: Option<Unnoticed>,
    /// What is unnoticed because it is substituted.
    pub(crate) substituted: Option<Unnoticed>,
    /// What is unnoticed within a shell that it starts.
    pub(crate) started: Option<Unnoticed>,
}
