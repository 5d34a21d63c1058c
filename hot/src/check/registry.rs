//! What a check is.

use wattle::check::{Diagnostic, Severity};

use super::Sink;

/// One check: its code, its documentation, its function.
#[derive(Debug)]
#[non_exhaustive]
pub struct Check {
    /// The code of its findings: `W1001`. Codes are stable and never used again for something else.
    pub code: &'static str,
    /// How bad its findings are.
    pub severity: Severity,
    /// What it finds, in one line.
    pub summary: &'static str,
    /// What it finds, why that is wrong, a template that fails and the same mended; Markdown.
    pub docs: &'static str,
    pub(super) run: fn(&mut Sink<'_>),
}

impl Check {
    /// A finding of this check.
    pub(crate) fn finding(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.code, self.severity, message)
    }
}

/// Declares a check. Its documentation is what `explain` prints; of its code blocks the first is a template in which
/// it finds something, and the second one in which no check does.
macro_rules! check {
    ($(#[doc = $doc:literal])+ $name:ident: $code:literal, $severity:ident, $summary:literal, $run:path) => {
        $(#[doc = $doc])+
        pub(crate) static $name: $crate::check::Check = $crate::check::Check {
            code: $code,
            severity: wattle::check::Severity::$severity,
            summary: $summary,
            docs: concat!($($doc, "\n"),+),
            run: $run,
        };
    };
}
pub(super) use check;
