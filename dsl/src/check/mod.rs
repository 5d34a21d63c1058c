//! The checks: what is wrong with a model, all at once, each with the author's place and a way to mend it.
//!
//! What lives here: one file a check with its code, documentation, function and tests; the registry; diagnostics as
//! data; and what several checks share (`flow`, `place`, `property`, `size`, `suggestion`, `unused`,
//! `uses`). What must not: I/O, a clock, or how a diagnostic looks.

mod explain;
mod flow;
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

mod broken_requirement;
mod conditional_server;
mod cycle;
mod deployment_name;
mod doubly_fulfilled_promise;
mod doubly_set_property;
mod doubly_wired_input;
mod duplicate_name;
mod early_output;
mod entry_size;
mod export_of_another_stack;
mod exported_secret;
mod foreign_handle;
mod heats_function;
mod heats_requirement;
mod illegal_move;
mod illegal_name;
mod imported_value;
mod impossible_requirement;
mod late_property;
mod live_recipe;
mod missing_input;
mod missing_property;
mod mixed_export;
mod needless_move;
mod not_a_server;
mod own_format;
mod own_user_data;
mod parameter_default;
mod promise_ring;
mod property_value;
mod reserved_name;
mod resource_count;
mod resource_size;
mod secret_constant;
mod secret_leak;
mod server_dependency;
mod shared_name;
mod stored_secret;
mod taken_identity;
mod unconnected_network;
mod unfulfilled_promise;
mod unjudged_requirement;
mod unknown_attribute;
mod unknown_constraint;
mod unknown_name;
mod unknown_property;
mod unlimited_wait;
mod unread_input;
mod unread_output;
mod unused_parameter;
mod unused_promise;
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

/// Every check, by code.
pub static CHECKS: &[&Check] = &[
    &cycle::CYCLE,
    &unfulfilled_promise::UNFULFILLED_PROMISE,
    &doubly_fulfilled_promise::DOUBLY_FULFILLED_PROMISE,
    &promise_ring::PROMISE_RING,
    &doubly_wired_input::DOUBLY_WIRED_INPUT,
    &missing_input::MISSING_INPUT,
    &unknown_name::UNKNOWN_NAME,
    &wrong_type::WRONG_TYPE,
    &duplicate_name::DUPLICATE_NAME,
    &illegal_name::ILLEGAL_NAME,
    &reserved_name::RESERVED_NAME,
    &shared_name::SHARED_NAME,
    &taken_identity::TAKEN_IDENTITY,
    &needless_move::NEEDLESS_MOVE,
    &illegal_move::ILLEGAL_MOVE,
    &foreign_handle::FOREIGN_HANDLE,
    &not_a_server::NOT_A_SERVER,
    &server_dependency::SERVER_DEPENDENCY,
    &own_user_data::OWN_USER_DATA,
    &mixed_export::MIXED_EXPORT,
    &unconnected_network::UNCONNECTED_NETWORK,
    &export_of_another_stack::EXPORT_OF_ANOTHER_STACK,
    &heats_function::HEATS_FUNCTION,
    &conditional_server::CONDITIONAL_SERVER,
    &unknown_property::UNKNOWN_PROPERTY,
    &property_value::PROPERTY_VALUE,
    &missing_property::MISSING_PROPERTY,
    &unknown_attribute::UNKNOWN_ATTRIBUTE,
    &late_property::LATE_PROPERTY,
    &doubly_set_property::DOUBLY_SET_PROPERTY,
    &user_data_size::USER_DATA_SIZE,
    &entry_size::ENTRY_SIZE,
    &resource_count::RESOURCE_COUNT,
    &resource_size::RESOURCE_SIZE,
    &secret_leak::SECRET_LEAK,
    &secret_constant::SECRET_CONSTANT,
    &unread_output::UNREAD_OUTPUT,
    &unused_parameter::UNUSED_PARAMETER,
    &unread_input::UNREAD_INPUT,
    &unused_promise::UNUSED_PROMISE,
    &unwritten_output::UNWRITTEN_OUTPUT,
    &parameter_default::PARAMETER_DEFAULT,
    &unknown_constraint::UNKNOWN_CONSTRAINT,
    &broken_requirement::BROKEN_REQUIREMENT,
    &unjudged_requirement::UNJUDGED_REQUIREMENT,
    &impossible_requirement::IMPOSSIBLE_REQUIREMENT,
    &imported_value::IMPORTED_VALUE,
    &live_recipe::LIVE_RECIPE,
    &early_output::EARLY_OUTPUT,
    &exported_secret::EXPORTED_SECRET,
    &stored_secret::STORED_SECRET,
    &unlimited_wait::UNLIMITED_WAIT,
    &whole_stack::WHOLE_STACK,
    &deployment_name::DEPLOYMENT_NAME,
    &own_format::OWN_FORMAT,
    &heats_requirement::HEATS_REQUIREMENT,
];

/// What every check of models says of itself.
pub fn all() -> Vec<&'static About> {
    CHECKS.iter().map(|check| &check.about).collect()
}

/// The check with the code `code`, in any case of letters.
pub fn find(code: &str) -> Option<&'static Check> {
    CHECKS.iter().copied().find(|check| check.code.eq_ignore_ascii_case(code))
}

/// Everything that is wrong with `model` for the lowering that `limits` names, sorted by severity, place and code.
pub fn check(model: &Model, limits: &Limits) -> Vec<Diagnostic> {
    let shared = sink::Shared::default();
    let mut sink = sink::Sink { model, limits, shared: &shared, found: Vec::new() };
    for check in CHECKS.iter().filter(|check| check.run.lowering.is_none_or(|lowering| lowering == limits.lowering)) {
        (check.run.look)(&mut sink);
    }
    crate::model::check::sorted(sink.found)
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
