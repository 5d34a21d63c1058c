//! What ends a command early, and with which exit code.

use std::process::ExitCode;

use crate::space::SpaceError;
use crate::store::StoreError;

/// The exit codes, which [`main`](super::main) explains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// Done.
    Fine = 0,
    /// It could not be done.
    Failed = 1,
    /// Wrong usage.
    Usage = 2,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why a command could not be done.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Failure {
    pub(super) exit: Exit,
    pub(super) message: String,
    pub(super) notes: Vec<String>,
    pub(super) help: Vec<String>,
}

impl Failure {
    /// What was asked for could not be done.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { exit: Exit::Failed, message: message.into(), notes: Vec::new(), help: Vec::new() }
    }

    /// The user asked for something that does not exist or does not fit.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, ..Self::new(message) }
    }

    /// A further explanation.
    pub(crate) fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// A way to mend it.
    pub(crate) fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// A way to mend it, if there is one.
    pub(crate) fn maybe_help(self, text: Option<String>) -> Self {
        match text {
            Some(text) => self.help(text),
            None => self,
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let failure = Self::new(error.to_string());
        match error {
            StoreError::Denied { .. } => failure
                .note("a data space belongs to the operator whose `seed apply` was the first to write to it")
                .help("give that operator's key, the `operator.key` beside the seed: `--key FILE`, or set WATTLE_KEY"),
            _ => failure,
        }
    }
}

impl From<SpaceError> for Failure {
    fn from(error: SpaceError) -> Self {
        match error {
            SpaceError::Store(error) => error.into(),
            other => Self::new(other.to_string()),
        }
    }
}
