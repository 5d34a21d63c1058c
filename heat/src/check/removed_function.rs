//! W1111: a function that the template's HOT version no longer has, or does not have in this place.

use crate::evaluate::Defect;
use crate::template::{Context, Function, Standing};

use super::Sink;
use super::registry::check;

check! {
    /// The template's HOT version no longer has the function, or has it in values but not in conditions. Heat
    /// recognizes the call, and refuses it.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   name:
    ///     type: OS::Heat::Value
    ///     properties:
    ///       value: {"Fn::Join": ['-', [db, '1']]}
    /// ```
    ///
    /// Use a function that the version has in this place:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   name:
    ///     type: OS::Heat::Value
    ///     properties:
    ///       value: {list_join: ['-', [db, '1']]}
    /// ```
    REMOVED_FUNCTION: "W1111", Error, "a function that the HOT version no longer has, or does not allow here", Each(run)
}

/// The replacement for a function.
fn instead(function: &str) -> &'static str {
    match function {
        "Fn::Join" => "write `list_join`",
        "Fn::Split" => "write `str_split`",
        "Fn::Replace" => "write `str_replace`",
        "Fn::Select" => "write a path in `get_attr` or `get_param`, or `str_split` with an index",
        "Fn::Base64" => "write the text itself",
        "Fn::ResourceFacade" => "write `resource_facade`",
        "Ref" => "write `get_param` or `get_resource`",
        _ => "use an older version, or write what it returns",
    }
}

fn run(sink: &mut Sink<'_>) {
    let version = sink.template().version();
    for found in sink.faults() {
        let at = sink.at(found.fault.span);
        let diagnostic = match &found.fault.cause {
            Defect::Removed { function } => {
                let removed = Function::of(function).and_then(Function::removed).unwrap_or_default();
                REMOVED_FUNCTION
                    .diagnostic(format!(
                        "`{function}` is available only before {removed}; this template has version {version}"
                    ))
                    .label(&at, "Heat no longer has it")
                    .help(instead(function))
            }
            Defect::Misplaced { function } => {
                let later = crate::template::Version::all().find(|version| {
                    Function::of(function)
                        .is_some_and(|function| function.standing(*version, Context::Condition) == Standing::Known)
                });
                REMOVED_FUNCTION
                    .diagnostic(format!("`{function}` cannot be called in a condition"))
                    .label(&at, "conditions have their own functions")
                    .help(match later {
                        Some(later) => format!("it is available from {later} on; this template has version {version}"),
                        None => "conditions call get_param, equals, not, and, or, contains and yaql".to_owned(),
                    })
            }
            _ => continue,
        };
        sink.push(diagnostic);
    }
}
