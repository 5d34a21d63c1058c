//! W1008: an environment that is not in Heat's form.

use wattle_model::Diagnostic;

use super::Sink;
use super::registry::check;
use crate::environment::Fault;

check! {
    /// An environment can have the sections `parameters`, `parameter_defaults`, `resource_registry`,
    /// `encrypted_param_names`, `event_sinks` and `parameter_merge_strategies`. The registry maps a type to another
    /// type or to a template. Its hooks and restricted actions must be ones that Heat has.
    ///
    /// ```yaml
    /// # environment.yaml
    /// parameter:
    ///   image: debian
    /// ```
    ///
    /// Use the names of Heat's sections:
    ///
    /// ```yaml
    /// # environment.yaml
    /// parameter_defaults:
    ///   image: debian
    /// ```
    ENVIRONMENT_FORM: "W1008", Error, "a malformed environment", Whole(run)
}

fn run(sink: &mut Sink<'_>) {
    for fault in sink.loaded.environment.faults() {
        sink.push(diagnostic(fault));
    }
}

/// The diagnostic for a fault.
pub(super) fn diagnostic(fault: Fault) -> Diagnostic {
    ENVIRONMENT_FORM.diagnostic(fault.message).label(&fault.at, fault.label).help(fault.help)
}
