//! The faults of a template and, if it describes software, of the software's wiring.

use std::collections::HashSet;

use wattle::check::{Diagnostic, Limits, check};
use wattle::model::Model;
use wattle_heat::Loaded;

use crate::model::is_extended;

/// The code for a parameter without a value.
pub const MISSING_VALUE: &str = "W1104";

/// The codes of a model for unknown types and functions, for functions with invalid arguments, and for software on a
/// resource that is not a server.
const JUDGED: [&str; 4] = ["W0302", "W0410", "W0411", "W0412"];

/// Codes of a model whose faults the template's own checks also report, with the template's codes. The template's checks
/// know the exact place. A model also checks values that only software can supply, so its codes are not ignored altogether.
const COUNTERPARTS: [(&str, &[&str]); 5] = [
    ("W0107", &["W1114", "W1205"]),
    ("W0401", &["W1202"]),
    ("W0402", &["W1202", "W1203", "W1204"]),
    ("W0403", &["W1204"]),
    ("W0404", &["W1206"]),
];

/// Whether a diagnostic of the template reports the same mistake as one of the model, perhaps at another line: every name
/// in it also occurs in the other one.
fn is_same(of_model: &Diagnostic, of_template: &Diagnostic) -> bool {
    let file = |diagnostic: &Diagnostic| diagnostic.labels.first().map(|label| label.at.file.clone());
    COUNTERPARTS.iter().any(|(code, others)| of_model.code == *code && others.contains(&of_template.code))
        && file(of_model) == file(of_template)
        && quoted(&of_template.message).all(|name| quoted(&of_model.message).any(|other| other == name))
}

/// The words in backticks, and each part of those that are paths.
fn quoted(message: &str) -> impl Iterator<Item = &str> {
    message.split('`').skip(1).step_by(2).flat_map(|name| name.split('.'))
}

/// Adds the diagnostics of `wattle`'s own checks in the model of an extended template to `found`, the diagnostics of
/// [`super::check()`] in the template. Sorted by severity.
pub fn with_wiring<'m>(
    found: Vec<Diagnostic>,
    loaded: &Loaded,
    model: impl FnOnce() -> &'m Model,
    limits: &Limits,
) -> Vec<Diagnostic> {
    if loaded.unreadable.is_some() || !is_extended(&loaded.template) {
        return found;
    }
    // A diagnostic of the template says more than one of the model at the same place.
    let place = |diagnostic: &Diagnostic| diagnostic.labels.first().map(|label| (label.at.file.clone(), label.at.line));
    let known: HashSet<_> = found.iter().map(place).collect();
    let mut all = check(model(), limits);
    // Functions and types are checked in the template: all of them, each at its own place, and with its environments.
    all.retain(|diagnostic| {
        let is_known = known.contains(&place(diagnostic)) || found.iter().any(|other| is_same(diagnostic, other));
        !is_known && !JUDGED.contains(&diagnostic.code)
    });
    all.extend(found);
    all.sort_by_key(|diagnostic| diagnostic.severity);
    all
}
