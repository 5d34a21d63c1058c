//! Checks of the template content that only wattle reads, in addition to Heat's own.
//!
//! What lives here: the codes W13xx with their documentation, and the function that reports all faults of a template at
//! once. What must not: faults that Heat refuses, which are the job of `wattle_heat::check`.

mod nested_software;
mod wiring;

use wattle::check::{About, Diagnostic};
use wattle::extended::RUN_TIME;
use wattle_heat::Loaded;
use wattle_heat::check::{Judged, diagnostics, each_nested, sorted};

use crate::codes::{COMPONENT_TYPE, FORM, MISPLACED, MODEL_METADATA, OLD_VERSION, RECIPE, UNKNOWN_TYPE};
use crate::model::{is_extended, read, stripped};

pub use crate::codes::Check;
pub use wiring::{MISSING_VALUE, with_wiring};

/// Every check of this crate, by code.
pub static CHECKS: &[&Check] = &[
    &FORM,
    &UNKNOWN_TYPE,
    &RECIPE,
    &COMPONENT_TYPE,
    &MODEL_METADATA,
    &MISPLACED,
    &OLD_VERSION,
    &nested_software::NESTED_SOFTWARE,
];

/// The descriptions of all checks of templates, Heat's first.
pub fn all() -> impl Iterator<Item = &'static About> {
    wattle_heat::check::all().chain(CHECKS.iter().map(|check| &check.about))
}

/// All faults of a template and those nested in it, for Heat and for wattle, sorted by severity, place and code.
pub fn check(loaded: &Loaded) -> Vec<Diagnostic> {
    if !is_extended(&loaded.template) {
        let mut found = diagnostics(Judged { loaded, stock: None, never: None });
        found.extend(wattle_place::template::check(loaded));
        return sorted(with_software(loaded, found));
    }
    // Heat's resources cannot supply values of software, so Heat must not look for them there.
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
