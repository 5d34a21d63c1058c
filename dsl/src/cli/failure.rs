//! What ends a command early, and with which exit code.

use std::process::ExitCode;

/// The exit codes, which [`main`](super::main) explains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// Done.
    Fine = 0,
    /// The model has errors.
    Errors = 1,
    /// Wrong usage.
    Usage = 2,
    /// Files could not be written.
    Files = 3,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why a command could not be done.
#[derive(Debug, PartialEq)]
pub(super) struct Failure {
    pub(super) exit: Exit,
    pub(super) message: String,
    pub(super) notes: Vec<String>,
    pub(super) help: Vec<String>,
}

impl Failure {
    /// The user asked for something that does not exist or does not fit.
    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, message: message.into(), notes: Vec::new(), help: Vec::new() }
    }

    /// Something could not be written.
    pub(super) fn files(message: impl Into<String>) -> Self {
        Self { exit: Exit::Files, ..Self::usage(message) }
    }

    /// A further explanation.
    pub(super) fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// A way to mend it.
    pub(super) fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }
}
