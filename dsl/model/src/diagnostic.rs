//! One diagnostic of a check, as data. How it looks is `view`'s business.

use serde::Serialize;

use crate::Source;

/// How bad a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The model cannot be deployed.
    Error,
    /// The model can be deployed, and is probably not what its author meant.
    Warning,
}

impl std::fmt::Display for Severity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
        })
    }
}

/// One diagnostic: what is wrong, where, and how to fix it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Diagnostic {
    /// The check's code: `W0101`. Codes are stable.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong: lowercase, one line, the author's names in backticks.
    pub message: String,
    /// The places that show it; the first is the one to look at.
    pub labels: Vec<Label>,
    /// What explains it.
    pub notes: Vec<String>,
    /// How to fix it.
    pub help: Vec<String>,
}

/// What is to be seen at one place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Label {
    /// The place.
    pub at: Source,
    /// What is to be seen there.
    pub text: String,
}

impl Diagnostic {
    /// A diagnostic that shows no place yet.
    pub fn new(code: &'static str, severity: Severity, message: impl Into<String>) -> Self {
        Self { code, severity, message: message.into(), labels: Vec::new(), notes: Vec::new(), help: Vec::new() }
    }

    /// The place to look at first.
    pub fn place(&self) -> Option<&Source> {
        self.labels.first().map(|label| &label.at)
    }

    /// A label at a further place.
    pub fn label(mut self, at: &Source, text: impl Into<String>) -> Self {
        self.labels.push(Label { at: at.clone(), text: text.into() });
        self
    }

    /// A further explanation.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// A way to fix it.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// A way to fix it, if there is one.
    pub fn help_if(self, text: Option<impl Into<String>>) -> Self {
        match text {
            Some(text) => self.help(text),
            None => self,
        }
    }
}
