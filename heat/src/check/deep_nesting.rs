//! W1209: stacks nested more deeply than Heat allows.

use wattle_model::Diagnostic;
use wattle_model::Source;

use crate::limits::NESTED;

use super::registry::check;

check! {
    /// Heat nests stacks at most five levels deep. Groups and nested templates count as levels. A template that
    /// contains itself would be nested without end.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   a:
    ///     type: OS::Heat::ResourceGroup
    ///     properties:
    ///       resource_def:
    ///         type: OS::Heat::ResourceGroup
    ///         properties:
    ///           resource_def:
    ///             type: OS::Heat::ResourceGroup
    ///             properties:
    ///               resource_def:
    ///                 type: OS::Heat::ResourceGroup
    ///                 properties:
    ///                   resource_def:
    ///                     type: OS::Heat::ResourceGroup
    ///                     properties:
    ///                       resource_def:
    ///                         type: OS::Heat::ResourceGroup
    ///                         properties: {resource_def: {type: OS::Heat::None}}
    /// ```
    ///
    /// Use fewer levels:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   a:
    ///     type: OS::Heat::ResourceGroup
    ///     properties: {resource_def: {type: OS::Heat::None}}
    /// ```
    DEEP_NESTING: "W1209", Error, "stacks nested more deeply than Heat allows", Resources
}

/// The diagnostic for `called`, which would be nested too deeply.
pub(super) fn diagnostic(called: &str, at: &Source) -> Diagnostic {
    DEEP_NESTING
        .diagnostic(format!("{called} is a stack nested more than {NESTED} levels deep, which Heat refuses"))
        .label(at, "here")
        .help("nest stacks less deeply")
}
