//! W1204: a required property that is missing.

use wattle_model::Diagnostic;
use wattle_model::Source;

use super::registry::check;

check! {
    /// Heat refuses a resource that lacks a property required by its type or by its nested template.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   mount:
    ///     type: OS::Cinder::VolumeAttachment
    ///     properties:
    ///       volume_id: data
    /// ```
    ///
    /// Set the property:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   mount:
    ///     type: OS::Cinder::VolumeAttachment
    ///     properties:
    ///       volume_id: data
    ///       instance_uuid: web
    /// ```
    MISSING_PROPERTY: "W1204", Error, "a required property is missing", Resources
}

/// The diagnostic: `called`, of type `ty`, lacks the property `name` at `path`.
pub(super) fn diagnostic(called: &str, ty: &str, path: &str, name: &str, at: &Source) -> Diagnostic {
    let path = if path.is_empty() { name } else { path };
    MISSING_PROPERTY
        .diagnostic(format!("{called} lacks the property `{path}`"))
        .label(at, format!("`{ty}` requires it"))
        .help(format!("set `{name}`"))
}
