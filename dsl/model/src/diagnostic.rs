//! One diagnostic of a check, as data. How it looks is `view`'s business.

use serde::Serialize;
use wattle_words::shown::bounded;

use crate::Source;

/// The places of a diagnostic that are shown: the first ones, and the last ones.
const SHOWN: (usize, usize) = (12, 4);

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
        let message = bounded(message.into());
        Self { code, severity, message, labels: Vec::new(), notes: Vec::new(), help: Vec::new() }
    }

    /// The same with no more places than people look at. What is left out stands in the middle, and is counted.
    pub fn bounded(mut self) -> Self {
        let (first, last) = SHOWN;
        let left_out = self.labels.len().saturating_sub(first + last);
        if left_out > 1 {
            self.labels.drain(first..first + left_out);
            self.notes
                .push(format!("{left_out} further places between the first {first} and the last {last} are not shown"));
        }
        self
    }

    /// The place to look at first.
    pub fn place(&self) -> Option<&Source> {
        self.labels.first().map(|label| &label.at)
    }

    /// A label at a further place.
    pub fn label(mut self, at: &Source, text: impl Into<String>) -> Self {
        self.labels.push(Label { at: at.clone(), text: bounded(text.into()) });
        self
    }

    /// A further explanation.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(bounded(text.into()));
        self
    }

    /// A way to fix it.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(bounded(text.into()));
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
