//! A diagnostic of a check, as data. Rendering it is the job of `view`.

use serde::Serialize;
use wattle_words::shown::bounded;

use crate::Source;

/// How many labels of a diagnostic are shown: the first ones and the last ones.
const SHOWN: (usize, usize) = (12, 4);

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The model cannot be deployed.
    Error,
    /// The model can be deployed, but is probably not what its author meant.
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
    /// The check's code, such as `W0101`. Codes are stable.
    pub code: &'static str,
    /// Its severity.
    pub severity: Severity,
    /// What is wrong: lowercase, one line, with the author's names in backticks.
    pub message: String,
    /// The places that show it. The first is the one to look at.
    pub labels: Vec<Label>,
    /// Explanations.
    pub notes: Vec<String>,
    /// Ways to fix it.
    pub help: Vec<String>,
}

/// A place and what to see there.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Label {
    /// The place.
    pub at: Source,
    /// What to see there.
    pub text: String,
}

impl Diagnostic {
    /// A diagnostic without labels.
    pub fn new(code: &'static str, severity: Severity, message: impl Into<String>) -> Self {
        let message = bounded(message.into());
        Self { code, severity, message, labels: Vec::new(), notes: Vec::new(), help: Vec::new() }
    }

    /// Limits the labels to as many as people read. Those in the middle are left out and counted.
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

    /// The first place to look at.
    pub fn place(&self) -> Option<&Source> {
        self.labels.first().map(|label| &label.at)
    }

    /// Adds a label.
    pub fn label(mut self, at: &Source, text: impl Into<String>) -> Self {
        self.labels.push(Label { at: at.clone(), text: bounded(text.into()) });
        self
    }

    /// Adds an explanation.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(bounded(text.into()));
        self
    }

    /// Adds a way to fix it.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(bounded(text.into()));
        self
    }

    /// Adds a way to fix it, if there is one.
    pub fn help_if(self, text: Option<impl Into<String>>) -> Self {
        match text {
            Some(text) => self.help(text),
            None => self,
        }
    }
}
