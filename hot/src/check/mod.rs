//! The checks of what only wattle reads of a template, beside Heat's own.
//!
//! What lives here: the codes W13xx with their documentation, and everything that is wrong with a template at once. What
//! must not: what Heat refuses, which is `wattle_heat::check`'s.

mod nested_software;

use wattle::check::{About, Diagnostic};
use wattle::extended::RUN_TIME;
use wattle_heat::Loaded;
use wattle_heat::check::{Judged, diagnostics, each_nested, sorted};

use crate::codes::{FORM, KIND, MISPLACED, MODEL_METADATA, OLD_VERSION, RECIPE, UNKNOWN_TYPE};
use crate::model::{is_extended, read, stripped};

pub use crate::codes::Check;

/// Every check of this crate, by code.
pub static CHECKS: &[&Check] = &[
    &FORM,
    &UNKNOWN_TYPE,
    &RECIPE,
    &KIND,
    &MODEL_METADATA,
    &MISPLACED,
    &OLD_VERSION,
    &nested_software::NESTED_SOFTWARE,
];

/// What every check of templates says of itself, Heat's first.
pub fn all() -> impl Iterator<Item = &'static About> {
    wattle_heat::check::all().chain(CHECKS.iter().map(|check| &check.about))
}

/// Everything that is wrong with a template and those nested in it, for Heat and for wattle, sorted by severity, place and
/// code.
pub fn check(loaded: &Loaded) -> Vec<Diagnostic> {
    if !is_extended(&loaded.template) {
        return sorted(with_software(loaded, diagnostics(Judged { loaded, stock: None, never: None })));
    }
    // What only software tells is not for Heat to find in resources.
    let model = read(loaded);
    let stock = stripped(loaded, &model.run_time_exports());
    let mut found = diagnostics(Judged { loaded, stock: Some(&stock), never: Some(RUN_TIME) });
    found.extend(model.diagnostics);
    sorted(with_software(loaded, found))
}

fn with_software(loaded: &Loaded, mut found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    nested_software::run(loaded, &mut found);
    each_nested(loaded, &mut |nested| nested_software::run(nested, &mut found));
    found
}
