//! W1104: a parameter without a value.

use crate::parameters::Origin;

use super::Sink;
use super::registry::check;

check! {
    /// A parameter without a default must be given a value. Otherwise Heat refuses the template. `wattle check` of a template
    /// without any values or environment only warns: the values are given when the stack is created.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// parameters:
    ///   image:
    ///     type: string
    /// ```
    ///
    /// Give the parameter a value or a default:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// parameters:
    ///   image:
    ///     type: string
    ///     default: debian-12
    /// ```
    MISSING_VALUE: "W1104", Error, "a parameter without a value", Whole(run)
}

fn run(sink: &mut Sink<'_>) {
    // The check of the parent stack judges what a nested stack receives.
    if sink.loaded.is_nested() {
        return;
    }
    for (name, parameter) in &sink.template().parameters {
        if parameter.kind.is_some() && sink.loaded.parameters.values[name].origin == Origin::Missing {
            let help = if parameter.hidden {
                format!("set it with `--parameter-file {name}=FILE` or in an environment")
            } else {
                format!("set it with `-P {name}=VALUE` or in an environment, or give it a default")
            };
            let diagnostic = MISSING_VALUE
                .diagnostic(format!("the parameter `{name}` has no value"))
                .label(&sink.at(parameter.name_span), "declared without a default")
                .help(help);
            sink.push(diagnostic);
        }
    }
}
