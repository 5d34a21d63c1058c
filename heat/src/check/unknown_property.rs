//! W1202: a property that the type does not have.

use wattle_model::Diagnostic;
use wattle_model::Source;
use wattle_model::names::meant;

use super::registry::check;

check! {
    /// A resource sets a property that its type does not have, or a map within a property has an unknown key.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   net:
    ///     type: OS::Neutron::Net
    ///     properties:
    ///       nmae: backbone
    /// ```
    ///
    /// Use a property of the type:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   net:
    ///     type: OS::Neutron::Net
    ///     properties:
    ///       name: backbone
    /// ```
    UNKNOWN_PROPERTY: "W1202", Error, "a property that the resource type does not have", Resources
}

/// The diagnostic: `called`, of type `ty`, has no property `name`, or none with this name within the one at `path`.
pub(super) fn diagnostic(called: &str, ty: &str, path: &str, name: &str, known: &[String], at: &Source) -> Diagnostic {
    let what = match path {
        "" => format!("{called} has no property `{}`", name.escape_debug()),
        path => format!("the property `{path}` of {called} has no key `{}`", name.escape_debug()),
    };
    UNKNOWN_PROPERTY
        .diagnostic(what)
        .label(at, format!("`{ty}` does not have it"))
        .help_if(meant(name, known.iter().map(String::as_str)))
}
