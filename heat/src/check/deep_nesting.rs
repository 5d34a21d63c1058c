//! W1209: stacks nested more deeply than Heat allows.

use wattle_model::Diagnostic;
use wattle_model::Source;

use crate::limits::NESTED;

use super::registry::check;

check! {
    /// Heat nests stacks up to five deep, counting groups and nested templates. A template that is nested in itself has no
    /// end.
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
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   a:
    ///     type: OS::Heat::ResourceGroup
    ///     properties: {resource_def: {type: OS::Heat::None}}
    /// ```
    DEEP_NESTING: "W1209", Error, "stacks nested deeper than Heat goes", Resources
}

/// The diagnostic for `called`, which would be nested too deeply.
pub(super) fn diagnostic(called: &str, at: &Source) -> Diagnostic {
    DEEP_NESTING
        .diagnostic(format!("{called} is a stack nested more than {NESTED} levels deep, which Heat refuses"))
        .label(at, "here")
        .help("nest stacks less deeply")
}
