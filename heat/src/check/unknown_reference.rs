//! W1205: a reference to a resource that does not exist.

use wattle_model::Diagnostic;
use wattle_model::Source;
use wattle_model::names::meant;

use super::registry::check;

check! {
    /// `get_resource`, `get_attr` or `depends_on` names a resource that the template does not contain, or one that is
    /// excluded by its condition. Only `depends_on` may name an excluded resource.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   text:
    ///     type: OS::Heat::RandomString
    ///   copy:
    ///     type: OS::Heat::Value
    ///     properties:
    ///       value: {get_resource: txet}
    /// ```
    ///
    /// Name a resource that exists:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   text:
    ///     type: OS::Heat::RandomString
    ///   copy:
    ///     type: OS::Heat::Value
    ///     properties:
    ///       value: {get_resource: text}
    /// ```
    UNKNOWN_REFERENCE: "W1205", Error, "a reference to an unknown resource", Resources
}

/// The diagnostic: there is no resource `name`, or its condition has `taken_out` the resource.
pub(super) fn diagnostic<'a>(
    name: &str,
    names: impl Iterator<Item = &'a str>,
    taken_out: Option<&Source>,
    at: &Source,
) -> Diagnostic {
    let name = name.escape_debug();
    match taken_out {
        Some(declared) => UNKNOWN_REFERENCE
            .diagnostic(format!("the resource `{name}` does not exist, because its condition is false"))
            .label(at, "refers to it")
            .label(declared, "removed by its condition")
            .help("refer to it within an `if` of the same condition"),
        None => UNKNOWN_REFERENCE
            .diagnostic(format!("there is no resource `{name}`"))
            .label(at, "refers to it")
            .help_if(meant(&name.to_string(), names)),
    }
}
