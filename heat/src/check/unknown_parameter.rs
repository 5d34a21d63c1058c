//! W1114: a reference to a parameter that does not exist.

use crate::evaluate::Defect;
use crate::parameters::PSEUDO;

use super::Sink;
use super::registry::check;

check! {
    /// `get_param` names a parameter that the template does not declare. Heat refuses this where it needs the value
    /// immediately: in properties, policies and conditions.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// parameters:
    ///   zone: {type: string, default: nova}
    /// resources:
    ///   name:
    ///     type: OS::Heat::Value
    ///     properties:
    ///       value: {get_param: zoen}
    /// ```
    ///
    /// Name a parameter that the template declares:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// parameters:
    ///   zone: {type: string, default: nova}
    /// resources:
    ///   name:
    ///     type: OS::Heat::Value
    ///     properties:
    ///       value: {get_param: zone}
    /// ```
    UNKNOWN_PARAMETER: "W1114", Error, "a reference to an unknown parameter", Each(run)
}

fn run(sink: &mut Sink<'_>) {
    for found in sink.faults().into_iter().filter(|found| !found.late) {
        if let Defect::UnknownParameter { name } = &found.fault.cause {
            let diagnostic = UNKNOWN_PARAMETER
                .diagnostic(format!("the template has no parameter `{}`", name.escape_debug()))
                .label(&sink.at(found.fault.span), "read here")
                .help(help(sink, name));
            sink.push(diagnostic);
        }
    }
}

/// Suggests the parameter that was probably meant.
pub(super) fn help(sink: &Sink<'_>, name: &str) -> String {
    let known = sink.template().parameters.keys().map(String::as_str).chain(PSEUDO);
    if let Some(meant) = sink.meant(name, known) {
        return meant;
    }
    if sink.template().resources.contains_key(name) {
        return format!("`{name}` is a resource: write `get_resource`, or `get_attr: [{name}, ATTRIBUTE]`");
    }
    format!("declare it: `parameters: {{{name}: {{type: string}}}}`")
}
