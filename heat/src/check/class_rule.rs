//! W1207: what a type requires of its properties in combination.

use wattle_model::Diagnostic;
use wattle_model::Source;

use super::registry::check;

check! {
    /// Some types ask more of their properties than that each of them fits: one of two, not both, not in that combination.
    /// Heat refuses the resource.
    ///
    /// A template that an environment puts in the place of one of Heat's types has what the type has: a parameter of the same
    /// type for each property that it requires, no required parameter beside its properties, and its attributes as outputs.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   subnet:
    ///     type: OS::Neutron::Subnet
    ///     properties:
    ///       network: backbone
    /// ```
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   subnet:
    ///     type: OS::Neutron::Subnet
    ///     properties:
    ///       network: backbone
    ///       cidr: 10.0.0.0/24
    /// ```
    CLASS_RULE: "W1207", Error, "what the type asks of its properties together", Resources
}

/// Creates the diagnostic.
pub(super) fn diagnostic(what: &str, at: &Source, help: &str) -> Diagnostic {
    CLASS_RULE.diagnostic(what).label(at, "Heat refuses this").help(help)
}
