//! The checks: what is wrong with a model, reported all at once, each with its place in the author's source and a way to
//! fix it.
//!
//! What lives here: one file per check with its code, documentation, function and tests; the registry; diagnostics as
//! data; and what several checks share (`flow`, `gathered`, `place`, `property`, `size`, `suggestion`, `unused`,
//! `uses`). What must not: I/O, a clock, or how a diagnostic looks.

mod contradiction;
mod counted;
mod explain;
mod flow;
mod gathered;
mod limits;
mod place;
mod property;
mod recipe;
mod registry;
mod sink;
mod size;
mod suggestion;
mod unused;
mod uses;

mod attribute_type;
mod broken_requirement;
mod class_rule;
mod conditional_server;
mod contrary_policies;
mod cycle;
mod deployment_name;
mod doubly_fulfilled_forward_reference;
mod doubly_set_property;
mod doubly_wired_input;
mod duplicate_name;
mod early_output;
mod empty_range;
mod entry_size;
mod export_of_another_stack;
mod exported_secret;
mod foreign_handle;
mod forward_reference_ring;
mod function_arguments;
mod heats_function;
mod heats_requirement;
mod illegal_move;
mod illegal_name;
mod imported_secret;
mod imported_value;
mod impossible_requirement;
mod late_property;
mod live_recipe;
mod missing_input;
mod missing_property;
mod mixed_export;
mod needless_move;
mod never_run;
mod not_a_server;
mod own_format;
mod own_user_data;
mod parameter_default;
mod placed_servers;
mod property_value;
mod repeated_address;
mod repeated_key;
mod repeated_name;
mod repeated_port;
mod reserved_name;
mod resource_count;
mod resource_size;
mod secret_constant;
mod secret_leak;
mod secret_parameter;
mod server_dependency;
mod shared_name;
mod shown_secret;
mod stored_secret;
mod taken_identity;
mod unconnected_network;
mod unfulfilled_forward_reference;
mod unjudged_requirement;
mod unknown_attribute;
mod unknown_constraint;
mod unknown_function;
mod unknown_lookup;
mod unknown_name;
mod unknown_property;
mod unknown_type;
mod unlimited_wait;
mod unnoticed_failure;
mod unread_import;
mod unread_input;
mod unread_output;
mod unused_forward_reference;
mod unused_parameter;
mod unused_part;
mod unwritten_output;
mod user_data_size;
mod whole_stack;
mod wrong_type;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use crate::model::Model;

pub use crate::model::check::About;
pub use crate::model::{Diagnostic, Label, Severity};
pub use explain::explain;
pub use limits::Limits;
pub(crate) use parameter_default::refused;
pub use registry::Check;
pub(crate) use secret_leak::is_for_secrets;

/// Lists the checks, which are in files with these names, by code.
macro_rules! checks {
    ($($file:ident)*) => {
        /// Every check, by code.
        pub static CHECKS: &[&Check] = &[$(&$file::CHECK),*];

        /// Each check with a model for which it reports something, and no other check does.
        #[cfg(test)]
        const FAILING: &[(&Check, fn() -> Model)] = &[$((&$file::CHECK, $file::tests::failing)),*];
    };
}

checks! {
    cycle unfulfilled_forward_reference doubly_fulfilled_forward_reference forward_reference_ring doubly_wired_input missing_input unknown_name
    wrong_type duplicate_name illegal_name reserved_name shared_name taken_identity needless_move illegal_move
    foreign_handle not_a_server server_dependency own_user_data mixed_export unconnected_network
    export_of_another_stack heats_function conditional_server repeated_address repeated_name repeated_key
    placed_servers contrary_policies repeated_port unknown_property property_value missing_property
    unknown_attribute late_property doubly_set_property empty_range attribute_type class_rule function_arguments unknown_type unknown_function user_data_size entry_size resource_count resource_size
    secret_leak secret_constant imported_secret secret_parameter unread_output unused_parameter unread_input unused_forward_reference unwritten_output unread_import
    unknown_lookup unnoticed_failure unused_part never_run shown_secret
    parameter_default unknown_constraint broken_requirement unjudged_requirement impossible_requirement
    imported_value live_recipe early_output exported_secret stored_secret unlimited_wait whole_stack deployment_name
    own_format heats_requirement
}

/// The descriptions of all checks of models.
pub fn all() -> Vec<&'static About> {
    CHECKS.iter().map(|check| &check.about).collect()
}

/// The check with the code `code`, ignoring case.
pub fn find(code: &str) -> Option<&'static Check> {
    CHECKS.iter().copied().find(|check| check.code.eq_ignore_ascii_case(code))
}

/// Checks `model` for the lowering that `limits` names. Returns all diagnostics, sorted by severity, place and code.
pub fn check(model: &Model, limits: &Limits) -> Vec<Diagnostic> {
    let shared = sink::Shared::default();
    let mut sink = sink::Sink { model, limits, shared: &shared, found: Vec::new() };
    for check in CHECKS.iter().filter(|check| check.run.lowering.is_none_or(|lowering| lowering == limits.lowering)) {
        (check.run.look)(&mut sink);
    }
    let found = sink.found.into_iter().map(foreign_handle::shown).collect();
    gathered::gathered(model, crate::model::check::sorted(found))
}

/// Whether any diagnostic keeps the model from being deployed.
pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}

/// Whether the check with the code `code` finds anything in `model`: for the examples in the documentation of checks.
#[doc(hidden)]
pub fn finds(model: &Model, code: &str) -> bool {
    let lowering = find(code).and_then(|check| check.run.lowering).unwrap_or_default();
    let limits = Limits { lowering, ..Limits::default() };
    check(model, &limits).iter().any(|diagnostic| diagnostic.code == code)
}
