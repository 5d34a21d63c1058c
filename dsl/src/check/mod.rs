//! The checks: what is wrong with a model, all at once, each with the author's place and a way to mend it.
//!
//! What lives here: one file a check with its code, documentation, function and tests; the registry; diagnostics as
//! data. What must not: I/O, a clock, or how a diagnostic looks.

mod cycle;
mod diagnostic;
mod limits;
mod registry;
mod sink;

use crate::model::Model;

pub use diagnostic::{Diagnostic, Label, Severity};
pub use limits::Limits;
pub use registry::Check;

/// Every check, by code.
pub static CHECKS: &[&Check] = &[&cycle::CYCLE];

/// The check with the code `code`, in any case of letters.
pub fn find(code: &str) -> Option<&'static Check> {
    CHECKS.iter().copied().find(|check| check.code.eq_ignore_ascii_case(code))
}

/// Everything that is wrong with `model`, sorted by severity, place and code.
pub fn check(model: &Model, limits: &Limits) -> Vec<Diagnostic> {
    let shared = sink::Shared::default();
    let mut sink = sink::Sink { model, limits, shared: &shared, found: Vec::new() };
    for check in CHECKS {
        (check.run)(&mut sink);
    }
    let mut found = sink.found;
    found.sort_by(|a, b| {
        let key = |d: &Diagnostic| (d.severity, d.labels.first().map(|label| label.at.clone()), d.code);
        key(a).cmp(&key(b)).then_with(|| a.message.cmp(&b.message))
    });
    found
}

/// Whether any finding keeps the model from being deployed.
pub fn has_errors(findings: &[Diagnostic]) -> bool {
    findings.iter().any(|finding| finding.severity == Severity::Error)
}
