//! What ends a command early.

use super::Exit;

/// Why a command could not be done.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// With which code the command ends.
    pub exit: Exit,
    /// What could not be done, and why.
    pub message: String,
    /// What explains it.
    pub notes: Vec<String>,
    /// How to fix it.
    pub help: Vec<String>,
}

impl Failure {
    /// What was asked for could not be done.
    pub fn new(message: impl Into<String>) -> Self {
        Self { exit: Exit::Failed, message: message.into(), notes: Vec::new(), help: Vec::new() }
    }

    /// The user asked for something that does not exist or does not fit.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, ..Self::new(message) }
    }

    /// Something could not be written.
    pub fn files(message: impl Into<String>) -> Self {
        Self { exit: Exit::Files, ..Self::new(message) }
    }

    /// A further explanation.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// A way to fix it.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// A way to fix it, if there is one.
    #[must_use]
    pub fn help_if(self, text: Option<String>) -> Self {
        match text {
            Some(text) => self.help(text),
            None => self,
        }
    }
}
