//! W1207: an invalid combination of properties, according to the type's class.

use wattle_model::Diagnostic;
use wattle_model::Source;

use super::registry::check;

check! {
    /// Some resource types have rules for several properties at once: exactly one of two is needed, two exclude each
    /// other, or a combination is not allowed. If a rule is violated, Heat refuses the resource.
    ///
    /// A template that an environment substitutes for one of Heat's types must provide what that type has: a parameter
    /// of the same type for each required property, no required parameters beyond the type's properties, and the type's
    /// attributes as outputs.
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
    /// Set the properties that the type requires together:
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
    CLASS_RULE: "W1207", Error, "an invalid combination of properties", Resources
}

/// Creates the diagnostic.
pub(super) fn diagnostic(what: &str, at: &Source, help: &str) -> Diagnostic {
    CLASS_RULE.diagnostic(what).label(at, "Heat refuses this").help(help)
}
