//! W1203: a value that a property does not accept.

use wattle_model::Diagnostic;
use wattle_model::Source;

use crate::properties::What;

use super::registry::check;

check! {
    /// The value of a property has the wrong type, is out of bounds, or is not one of the allowed values. Heat converts
    /// values: it accepts `"80"` where it expects a number, and `80` where it expects text. While a value still refers
    /// to a resource, Heat does not check bounds.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   subnet:
    ///     type: OS::Neutron::Subnet
    ///     properties:
    ///       network: backbone
    ///       cidr: 10.0.0.0/24
    ///       ip_version: 5
    /// ```
    ///
    /// Give a value that the property accepts:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   subnet:
    ///     type: OS::Neutron::Subnet
    ///     properties:
    ///       network: backbone
    ///       cidr: 10.0.0.0/24
    ///       ip_version: 4
    /// ```
    PROPERTY_VALUE: "W1203", Error, "a value that a property does not accept", Resources
}

/// The diagnostic: the property at `path` of the resource `name` cannot have its value, for a reason that the caller knows.
pub fn refused(name: &str, path: &str, why: &str, at: &Source) -> Diagnostic {
    PROPERTY_VALUE.diagnostic(format!("the property `{path}` of `{name}`: {why}")).label(at, "here")
}

/// The diagnostic: the property at `path` of `called` cannot have its value.
pub(super) fn diagnostic(called: &str, path: &str, what: &What, at: &Source) -> Diagnostic {
    let label = match what {
        What::Kind(..) | What::Constraint(_) => "this value",
        What::Both(..) => "one of them",
        What::Hidden(_) => "not implemented",
        What::Unknown { .. } | What::Missing(_) => "here",
    };
    let why = what.why();
    PROPERTY_VALUE.diagnostic(format!("the property `{path}` of {called}: {why}")).label(at, label)
}
