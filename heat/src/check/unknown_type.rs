//! W1201: a resource with an unknown type.

use wattle_model::Diagnostic;
use wattle_model::Source;
use wattle_model::names::{likeness, meant, nearest};

use super::registry::check;

check! {
    /// Heat has no type with this name, and no environment maps the name to another type.
    ///
    /// A template can be a type only where clients send it to Heat together with the stack's own template: as the value
    /// of `type:`, but not in the list of a chain, nor as a name that a function returns.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   web:
    ///     type: OS::Nova::Sever
    /// ```
    ///
    /// Correct the name. If the type comes from a plug-in that only your own cloud has, map it to `OS::Heat::None` in
    /// an environment to check the rest of the template here:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   web:
    ///     type: OS::Heat::None
    /// ```
    UNKNOWN_TYPE_OF_RESOURCE: "W1201", Error, "a resource of an unknown type", Resources
}

/// The minimum similarity for a typo: one additional or different letter.
const SLIP: f64 = 0.95;

/// The diagnostic: `called` has the unknown type `ty`.
pub(super) fn diagnostic<'a>(called: &str, ty: &str, mapped: impl Iterator<Item = &'a str>, at: &Source) -> Diagnostic {
    UNKNOWN_TYPE_OF_RESOURCE
        .diagnostic(format!("the type `{}` of {called} does not exist", ty.escape_debug()))
        .label(at, "neither Heat nor an environment defines it")
        .help(
            meant(ty, crate::schema::types().map(|ty| -> &'a str { ty }).chain(mapped)).unwrap_or_else(|| {
                "map it in an environment: `resource_registry: {TYPE: OTHER-TYPE-OR-FILE}`".to_owned()
            }),
        )
}

/// The type of Heat that `ty` is a typo of.
pub(super) fn misspelt(ty: &str) -> Option<&'static str> {
    let meant = nearest(ty, crate::schema::types())?;
    (likeness(&ty.to_lowercase(), &meant.to_lowercase()) >= SLIP).then_some(meant)
}

/// Whether a diagnostic is about an unknown type that may exist in some cloud: no type of Heat has a similar name.
pub fn is_of_a_cloud(diagnostic: &Diagnostic) -> bool {
    let is_heats = ["OS::", "AWS::"].iter().any(|heats| diagnostic.message.starts_with(&format!("the type `{heats}")));
    diagnostic.code == UNKNOWN_TYPE_OF_RESOURCE.about.code && !is_heats
}

/// The diagnostic: `called` should be created from the template `file`, which Heat does not receive.
pub(super) fn not_sent(called: &str, file: &str, at: &Source) -> Diagnostic {
    let file = file.escape_debug();
    UNKNOWN_TYPE_OF_RESOURCE
        .diagnostic(format!("Heat does not receive the template `{file}`, from which {called} is created"))
        .label(at, "a client sends only templates that `type:` names")
        .help(format!(
            "map your own type to it in an environment, `resource_registry: {{My::Type: {file}}}`, and use that type"
        ))
}
