//! W1001: a text that is not YAML, or not a map.

use super::Sink;
use super::registry::check;
use crate::yaml;

check! {
    /// The text is not YAML as Heat reads it, or it is not a map of sections.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   server:
    ///     type: OS::Heat::None
    ///    properties: {}
    /// ```
    ///
    /// Correct the YAML:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   server:
    ///     type: OS::Heat::None
    ///     properties: {}
    /// ```
    UNREADABLE: "W1001", Error, "a text that cannot be read as a template", Each(run)
}

fn run(sink: &mut Sink<'_>) {
    for error in sink.loaded.unreadable.iter().flat_map(yaml::Error::all) {
        let mut diagnostic = UNREADABLE.diagnostic(error.problem.to_string()).label(&sink.at(error.span), "here");
        if let Some((context, span)) = &error.context {
            diagnostic = diagnostic.label(&sink.at(*span), context.clone());
        }
        diagnostic.help.extend(error.help());
        sink.push(diagnostic);
    }
}
