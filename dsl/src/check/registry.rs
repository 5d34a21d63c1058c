//! What a check is, and the list of all of them.

use super::diagnostic::{Diagnostic, Severity};
use super::sink::Sink;
use crate::lower::Lowering;

/// One check: its code, its documentation, its function.
#[derive(Debug)]
#[non_exhaustive]
pub struct Check {
    /// The code of its findings: `W0101`. Codes are stable and never used again for something else.
    pub code: &'static str,
    /// How bad its findings are.
    pub severity: Severity,
    /// What it finds, in one line.
    pub summary: &'static str,
    /// What it finds, why that is wrong, an example that fails and the same mended; Markdown.
    pub docs: &'static str,
    /// The lowering for which it matters; none if it does for each.
    pub lowering: Option<Lowering>,
    pub(super) run: fn(&mut Sink<'_, '_>),
}

impl Check {
    /// A finding of this check.
    pub(crate) fn finding(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.code, self.severity, message)
    }
}

/// Declares a check, perhaps `only` for one lowering. Its documentation is what `explain` prints, and its code blocks are
/// tests.
macro_rules! check {
    ($(#[doc = $doc:literal])+ $name:ident: $code:literal, $severity:ident, $summary:literal, $run:path) => {
        $crate::check::registry::check! {
            $(#[doc = $doc])+ $name: $code, $severity, $summary, $run, None
        }
    };
    ($(#[doc = $doc:literal])+ $name:ident: $code:literal, $severity:ident, $summary:literal, $run:path, only $lowering:ident) => {
        $crate::check::registry::check! {
            $(#[doc = $doc])+ $name: $code, $severity, $summary, $run, Some($crate::lower::Lowering::$lowering)
        }
    };
    ($(#[doc = $doc:literal])+ $name:ident: $code:literal, $severity:ident, $summary:literal, $run:path, $lowering:expr) => {
        $(#[doc = $doc])+
        pub(in crate::check) static $name: $crate::check::Check = $crate::check::Check {
            code: $code,
            severity: $crate::check::Severity::$severity,
            summary: $summary,
            docs: concat!($($doc, "\n"),+),
            lowering: $lowering,
            run: $run,
        };
    };
}
pub(super) use check;
