//! W1116: a call that Heat accepts, but that fails when the stack is created.

use wattle_model::{Diagnostic, Source};

use crate::evaluate::Defect;

use super::Sink;
use super::function_arguments::message;
use super::registry::check;
use super::unknown_parameter::help;

check! {
    /// A call fails as soon as its value is needed. Heat does not notice this during validation, because the call is in
    /// a place whose value is not needed then: in an output, in metadata, or in an unused condition. It also accepts
    /// outputs with `get_resource` of a resource that does not exist, and `get_attr` of an output that a nested template
    /// does not have. Later, the output is empty, or the resource fails.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// parameters:
    ///   zone: {type: string, default: nova}
    /// outputs:
    ///   zone:
    ///     value: {get_param: zoen}
    /// ```
    ///
    /// Correct the call:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// parameters:
    ///   zone: {type: string, default: nova}
    /// outputs:
    ///   zone:
    ///     value: {get_param: zone}
    /// ```
    LATE_FAULT: "W1116", Warning, "a call that Heat accepts but that fails when its value is needed", Each(run)
}

fn run(sink: &mut Sink<'_>) {
    for found in sink.faults().into_iter().filter(|found| found.late) {
        let (what, fix) = match &found.fault.cause {
            Defect::Arguments { function, why } => {
                let (what, help) = message(*function, why);
                (what, Some(help))
            }
            Defect::UnknownParameter { name } => {
                (format!("the template has no parameter `{}`", name.escape_debug()), Some(help(sink, name)))
            }
            Defect::UnknownCondition { name } => (format!("there is no condition `{}`", name.escape_debug()), None),
            Defect::CircularCondition { name } => (format!("the condition `{name}` depends on itself"), None),
            Defect::NoTruth { found } => (format!("a condition must be true or false, but this is {found}"), None),
            _ => continue,
        };
        sink.push(diagnostic(what, &sink.at(found.fault.span), fix));
    }
}

/// The diagnostic: `what` is wrong there, which Heat notices once it needs the value.
pub(super) fn diagnostic(what: String, at: &Source, fix: Option<String>) -> Diagnostic {
    LATE_FAULT.diagnostic(what).label(at, "Heat accepts this, but fails when it needs the value").help_if(fix)
}
