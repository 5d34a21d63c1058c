//! What a check is: a code, its documentation, and the function that looks.

use crate::{Diagnostic, Severity};

/// One check. `Run` is its function: checks of models and checks of templates are given different things to look at.
#[derive(Debug)]
pub struct Check<Run: 'static> {
    /// The code of its diagnostics: `W0101`. Codes are stable and never used again for something else.
    pub code: &'static str,
    /// How bad its diagnostics are.
    pub severity: Severity,
    /// What it reports, in one line.
    pub summary: &'static str,
    /// What it reports, why that is wrong, an example that fails and the same example fixed; Markdown.
    pub docs: &'static str,
    /// What looks.
    pub run: Run,
}

impl<Run> Check<Run> {
    /// A diagnostic of this check.
    pub fn finding(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.code, self.severity, message)
    }

    /// Its documentation for a terminal, as Markdown: its code, severity and summary, then what it says of itself.
    pub fn page(&self) -> String {
        let mut text = format!("{} ({}): {}\n\n", self.code, self.severity, self.summary);
        for line in self.docs.lines() {
            text.push_str(line.strip_prefix(' ').unwrap_or(line));
            text.push('\n');
        }
        text
    }
}

/// Declares a check: its documentation, `NAME: "W0101", Error, "summary"`, and its function. The documentation is what
/// `explain` prints; its code blocks are tests.
#[macro_export]
macro_rules! check {
    ($(#[doc = $doc:literal])+ $visibility:vis $name:ident: $code:literal, $severity:ident, $summary:literal, $run:expr, $ty:ty) => {
        $(#[doc = $doc])+
        $visibility static $name: $crate::Check<$ty> = $crate::Check {
            code: $code,
            severity: $crate::Severity::$severity,
            summary: $summary,
            docs: concat!($($doc, "\n"),+),
            run: $run,
        };
    };
}
