//! The errors that end a command.

use super::Exit;

/// Why a command failed.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandError {
    /// The exit code of the command.
    pub exit: Exit,
    /// What failed, and why.
    pub message: String,
    /// Further explanations.
    pub notes: Vec<String>,
    /// How to fix it.
    pub help: Vec<String>,
}

impl CommandError {
    /// The requested operation failed.
    pub fn new(message: impl Into<String>) -> Self {
        Self { exit: Exit::Failed, message: message.into(), notes: Vec::new(), help: Vec::new() }
    }

    /// The user requested something that does not exist or is invalid.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, ..Self::new(message) }
    }

    /// Something could not be written.
    pub fn files(message: impl Into<String>) -> Self {
        Self { exit: Exit::Files, ..Self::new(message) }
    }

    /// Adds a further explanation.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Adds a way to fix it.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// Adds a way to fix it, if there is one.
    #[must_use]
    pub fn help_if(self, text: Option<String>) -> Self {
        match text {
            Some(text) => self.help(text),
            None => self,
        }
    }
}
