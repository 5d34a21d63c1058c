//! W1206: an attribute that the type does not have.

use wattle_model::Diagnostic;
use wattle_model::Source;
use wattle_model::names::meant;

use super::registry::check;

check! {
    /// `get_attr` reads an attribute that the type of the resource does not have.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   text:
    ///     type: OS::Heat::RandomString
    /// outputs:
    ///   text:
    ///     value: {get_attr: [text, vlaue]}
    /// ```
    ///
    /// Read an attribute of the type. The attribute `show` contains everything that the service reports about the
    /// resource.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   text:
    ///     type: OS::Heat::RandomString
    /// outputs:
    ///   text:
    ///     value: {get_attr: [text, value]}
    /// ```
    UNKNOWN_ATTRIBUTE: "W1206", Error, "an attribute that the resource type does not have", Resources
}

/// The diagnostic: `resource`, of type `ty`, has no attribute `name`.
pub(super) fn diagnostic<'a>(
    resource: &str,
    ty: &str,
    name: &str,
    known: impl Iterator<Item = &'a str>,
    at: &Source,
) -> Diagnostic {
    UNKNOWN_ATTRIBUTE
        .diagnostic(format!("`{resource}` has no attribute `{}`", name.escape_debug()))
        .label(at, format!("`{ty}` does not have it"))
        .help_if(meant(name, known))
}
