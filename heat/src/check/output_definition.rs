//! W1007: an output's definition that is not in Heat's form.

use crate::yaml::Tree;

use super::Sink;
use super::registry::check;

check! {
    /// An output is a map with a `value`. It can also have a `description`, and from version 2016-10-14 on a
    /// `condition`.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// outputs:
    ///   answer: 42
    /// ```
    ///
    /// Put the value under `value`:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// outputs:
    ///   answer:
    ///     value: 42
    /// ```
    OUTPUT_DEFINITION: "W1007", Error, "a malformed output definition", Each(run)
}

fn run(sink: &mut Sink<'_>) {
    for (name, output) in &sink.template().outputs {
        let at = sink.at(output.name_span);
        let diagnostic = match &*output.node.tree {
            Tree::Map(_) if output.value.is_some() => continue,
            Tree::Map(_) => OUTPUT_DEFINITION
                .diagnostic(format!("the output `{name}` has no value"))
                .label(&at, "`value` is missing")
                .help("add it: `value: ...`"),
            other => OUTPUT_DEFINITION
                .diagnostic(format!("the output `{name}` is {} instead of a map", other.kind()))
                .label(&at, "its definition begins here")
                .help("put it under `value`: `{value: ...}`"),
        };
        sink.push(diagnostic);
    }
}
