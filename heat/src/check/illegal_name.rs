//! W1210: a resource name that Heat refuses.

use wattle_model::Diagnostic;
use wattle_model::Source;

use super::registry::check;

check! {
    /// The name of a resource cannot contain `/`, because Heat separates names in its URLs with it. A group or a nested
    /// template becomes a stack, whose name is made of the name of the stack around it and the name of the resource. So
    /// the name of such a resource can contain only what Heat accepts in the name of a stack.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   web/1:
    ///     type: OS::Heat::None
    /// ```
    ///
    /// Choose a name that Heat accepts:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   web-1:
    ///     type: OS::Heat::None
    /// ```
    ILLEGAL_NAME: "W1210", Error, "a resource name that Heat refuses", Resources
}

/// The diagnostic for a resource named `name`.
pub(super) fn diagnostic(name: &str, at: &Source) -> Diagnostic {
    ILLEGAL_NAME
        .diagnostic(format!("the resource name `{}` contains a `/`", name.escape_debug()))
        .label(at, "Heat refuses this name")
        .help(format!("rename it to `{}`", name.replace('/', "-").escape_debug()))
}

/// The diagnostic for a separate stack named `name`.
pub(super) fn of_a_stack(name: &str, at: &Source) -> Diagnostic {
    let is_fine = |sign: char| sign.is_ascii_alphanumeric() || "_.-".contains(sign);
    let better: String = name.chars().map(|sign| if is_fine(sign) { sign } else { '_' }).collect();
    ILLEGAL_NAME
        .diagnostic(format!(
            "`{}` is a separate stack, whose name may have only letters, digits, `_`, `.` and `-`",
            name.escape_debug()
        ))
        .label(at, "Heat refuses this name")
        .help(format!("rename it to `{better}`"))
}
