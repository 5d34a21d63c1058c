//! W1308: software in a place that wattle does not read.

use wattle::check::Diagnostic;
use wattle::extended::KEY;

use crate::codes::check;
use crate::group::definition;
use wattle_heat::Loaded;
use wattle_heat::yaml::{Node, Span};

check! {
    /// Software must be described in the template that is given to wattle. Nested templates and the definitions of
    /// group members are read only by Heat, so software that they describe would never run.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   web:
    ///     type: OS::Heat::ResourceGroup
    ///     properties:
    ///       count: 2
    ///       resource_def:
    ///         type: OS::Nova::Server
    ///         properties: {flavor: m1.small, image: debian-12, networks: [{network: private}]}
    ///         metadata: {wattle: {components: [{name: web, recipe: {script: 'true'}}]}}
    /// ```
    ///
    /// Describe the server and its software in the template itself:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   web:
    ///     type: OS::Nova::Server
    ///     properties: {flavor: m1.small, image: debian-12, networks: [{network: private}]}
    ///     metadata: {wattle: {components: [{name: web, recipe: {script: 'true'}}]}}
    /// ```
    NESTED_SOFTWARE: "W1308", Error, "software in a nested template or in a group"
}

/// Adds diagnostics to `found`.
pub(super) fn run(loaded: &Loaded, found: &mut Vec<Diagnostic>) {
    for (name, resource) in &loaded.template.resources {
        let own = resource.metadata.as_ref().and_then(software);
        if let Some(span) = own.filter(|_| loaded.is_nested()) {
            found.push(diagnostic(
                loaded,
                format!("`{name}` in a nested template declares software that runs on it"),
                span,
            ));
        }
        let mut member = definition(resource.kind(), resource.properties.as_ref());
        while let Some(of) = member {
            if let Some(span) = of.get("metadata").and_then(software) {
                let message = format!("the members of the group `{name}` declare software that runs on them");
                found.push(diagnostic(loaded, message, span));
            }
            let ty = of.get("type").and_then(|ty| ty.tree.as_text());
            member = definition(ty, of.get("properties"));
        }
    }
}

fn diagnostic(loaded: &Loaded, message: String, span: Span) -> Diagnostic {
    NESTED_SOFTWARE
        .diagnostic(message)
        .label(&loaded.template.at(span), "this software would never run")
        .help("move the server and its software into the template that is passed to wattle")
}

/// The place of the software that the metadata describes.
fn software(metadata: &Node) -> Option<Span> {
    metadata.get(KEY).map(|ours| ours.span)
}
