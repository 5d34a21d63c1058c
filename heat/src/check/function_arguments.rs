//! W1110: a function with invalid arguments.

use crate::evaluate::Defect;
use crate::template::Function;

use super::Sink;
use super::registry::check;

check! {
    /// A function is called with too few or too many arguments, or with arguments of the wrong type. Heat finds some of
    /// these mistakes everywhere, and others only where it needs the value immediately: in properties, policies and
    /// conditions.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   name:
    ///     type: OS::Heat::Value
    ///     properties:
    ///       value: {list_join: [db, 1]}
    /// ```
    ///
    /// Call the function with valid arguments:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   name:
    ///     type: OS::Heat::Value
    ///     properties:
    ///       value: {list_join: ['-', [db, '1']]}
    /// ```
    FUNCTION_ARGUMENTS: "W1110", Error, "a function with invalid arguments", Each(run)
}

/// What is wrong with a call's arguments, and the function's correct form.
pub(super) fn message(function: Function, why: &str) -> (String, String) {
    (format!("`{}`: {why}", function.name()), format!("call it as `{}`", function.form()))
}

fn run(sink: &mut Sink<'_>) {
    for found in sink.faults().into_iter().filter(|found| !found.late) {
        if let Defect::Arguments { function, why } = &found.fault.cause {
            let (what, help) = message(*function, why);
            let diagnostic =
                FUNCTION_ARGUMENTS.diagnostic(what).label(&sink.at(found.fault.span), "called here").help(help);
            sink.push(diagnostic);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Loaded;
    use crate::check::check;
    use crate::template::FUNCTIONS;

    #[test]
    fn the_help_names_the_function_that_was_called() {
        let mut helped = 0;
        for function in FUNCTIONS {
            let (name, version) = (function.name(), function.since());
            let text = format!(
                "heat_template_version: {version}\nresources:\n  r: {{type: OS::Heat::Value, properties: {{value: {{'{name}': [3]}}}}}}\n"
            );
            for found in check(&Loaded::of(&text, "template.yaml")).iter().filter(|found| found.code == "W1110") {
                let help = format!("{:?}", found.help);
                assert!(help.contains(&format!("`{name}: ")), "{name}: {help}");
                helped += 1;
            }
        }
        assert!(helped > 15, "{helped}");
    }
}
