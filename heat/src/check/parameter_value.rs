//! W1103: a value that a parameter does not accept.

use crate::parameters::Origin;

use super::Sink;
use super::registry::check;

check! {
    /// The value of a parameter does not match its type, or violates one of its constraints. The value may be the
    /// default, come from an environment, or be given by name. Heat refuses a wrong default even if another value is
    /// given.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// parameters:
    ///   port:
    ///     type: number
    ///     default: 80
    ///     constraints:
    ///       - range: {min: 1024, max: 65535}
    /// ```
    ///
    /// Give a value that the constraints allow:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// parameters:
    ///   port:
    ///     type: number
    ///     default: 8080
    ///     constraints:
    ///       - range: {min: 1024, max: 65535}
    /// ```
    PARAMETER_VALUE: "W1103", Error, "a value that a parameter does not accept", Each(run)
}

fn run(sink: &mut Sink<'_>) {
    for (name, parameter) in &sink.template().parameters {
        let valued = &sink.loaded.parameters.values[name];
        // Values passed to a nested stack are judged with the resource that it belongs to.
        for wrong in valued.wrong.iter().filter(|wrong| wrong.always || !sink.loaded.is_nested()) {
            let (what, help) = match (wrong.default, valued.origin) {
                (true, _) => ("default", "fix the default or the constraint, or remove the default"),
                (false, Origin::EnvironmentDefault) => ("value", "fix it in the environment's `parameter_defaults`"),
                (false, _) => ("value", "set a value that it takes"),
            };
            // Messages must not contain secret values.
            let why = if parameter.hidden { "it breaks one of the parameter's own rules" } else { &wrong.why };
            let own = parameter.default.as_ref().map_or(parameter.name_span, |default| default.span);
            let declared = sink.at(if wrong.default { own } else { parameter.name_span });
            let mut diagnostic =
                PARAMETER_VALUE.diagnostic(format!("the parameter `{name}` does not take its {what}: {why}"));
            diagnostic = match (&valued.at, wrong.default) {
                (Some(at), false) => diagnostic.label(at, "given here").label(&declared, "declared here"),
                _ => diagnostic.label(&declared, format!("of the parameter `{name}`")),
            };
            sink.push(diagnostic.help(help));
        }
    }
}
