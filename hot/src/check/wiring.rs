//! What is wrong with a template and, if it describes software, with the software's wiring.

use std::collections::HashSet;

use wattle::check::{Diagnostic, Limits, check};
use wattle::model::Model;
use wattle_heat::Loaded;

use crate::model::is_extended;

/// The code for a parameter without a value.
pub const MISSING_VALUE: &str = "W1104";

/// The codes for types and functions that Heat does not have, and for functions with wrong arguments, in a model.
const JUDGED: [&str; 3] = ["W0410", "W0411", "W0412"];

/// Adds what `wattle`'s own checks find in the model of an extended template to `found`, which is what [`super::check()`] found
/// in the template. Sorted by severity.
pub fn with_wiring<'m>(
    found: Vec<Diagnostic>,
    loaded: &Loaded,
    model: impl FnOnce() -> &'m Model,
    limits: &Limits,
) -> Vec<Diagnostic> {
    if loaded.unreadable.is_some() || !is_extended(&loaded.template) {
        return found;
    }
    // A diagnostic of the template at some place says more than the one of the model at the same place.
    let place = |diagnostic: &Diagnostic| diagnostic.labels.first().map(|label| (label.at.file.clone(), label.at.line));
    let known: HashSet<_> = found.iter().map(place).collect();
    let mut all = check(model(), limits);
    // Functions and types are judged in the template: all of them, each at its own place, and with its environments.
    all.retain(|diagnostic| !known.contains(&place(diagnostic)) && !JUDGED.contains(&diagnostic.code));
    all.extend(found);
    all.sort_by_key(|diagnostic| diagnostic.severity);
    all
}
