//! The checks: what Heat refuses of a template, all at once, each with its place and a way to mend it.
//!
//! What lives here: one file a check with its code, documentation, function and tests; the registry. What must not:
//! I/O, or how a diagnostic looks. What Heat accepts is at most a warning. One mistake is one finding: a check says
//! nothing of what another one has already found wrong.
//!
//! Codes: sections, syntax and YAML W10xx; parameters, conditions and functions W11xx; resources, properties, references
//! and cycles W12xx; `wattle`'s metadata W13xx.

mod explain;
mod registry;
mod sink;

mod unknown_version;
mod unreadable;

#[cfg(test)]
mod tests;

use wattle::check::Diagnostic;

use crate::Loaded;

pub use explain::explain;
pub use registry::Check;
pub use sink::Sink;

/// Every check, by code.
pub static CHECKS: &[&Check] = &[&unreadable::UNREADABLE, &unknown_version::UNKNOWN_VERSION];

/// The check with the code `code`, in any case of letters.
pub fn find(code: &str) -> Option<&'static Check> {
    CHECKS.iter().copied().find(|check| check.code.eq_ignore_ascii_case(code))
}

/// Everything that Heat would refuse of a template and those nested in it, sorted by severity, place and code.
pub fn check(loaded: &Loaded) -> Vec<Diagnostic> {
    let mut sink = Sink { loaded, found: Vec::new() };
    for check in CHECKS {
        (check.run)(&mut sink);
    }
    let mut found = sink.found;
    found.sort_by(|a, b| {
        fn place(finding: &Diagnostic) -> Option<&wattle::model::Source> {
            finding.labels.first().map(|label| &label.at)
        }
        let rank = (a.severity, place(a), a.code).cmp(&(b.severity, place(b), b.code));
        rank.then_with(|| a.message.cmp(&b.message))
    });
    found.dedup();
    found
}
