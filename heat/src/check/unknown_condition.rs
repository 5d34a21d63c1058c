//! W1115: a condition that does not exist, that depends on itself, or that is not a boolean.

use crate::evaluate::Defect;
use crate::template::{Call, Context, Standing};
use crate::yaml::{Span, Tree};

use super::Sink;
use super::registry::check;

check! {
    /// A condition is `true`, `false`, a call of a condition function, or the name of a condition from the section
    /// `conditions`. Within that section, a condition can only be `true`, `false` or a call, but not a name. Heat
    /// refuses an unknown name, a condition that depends on itself, and a condition whose result is neither `true` nor
    /// `false`.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// conditions:
    ///   production: true
    /// resources:
    ///   net:
    ///     type: OS::Neutron::Net
    ///     condition: prodcution
    /// ```
    ///
    /// Name a condition that the template defines:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// conditions:
    ///   production: true
    /// resources:
    ///   net:
    ///     type: OS::Neutron::Net
    ///     condition: production
    /// ```
    UNKNOWN_CONDITION: "W1115", Error, "an unknown or malformed condition", Each(run)
}

fn run(sink: &mut Sink<'_>) {
    let malformed = definitions(sink);
    // The result of a malformed definition adds nothing.
    let is_new = |span: &Span| !malformed.contains(span);
    for found in sink.faults().into_iter().filter(|found| !found.late && is_new(&found.fault.span)) {
        let at = sink.at(found.fault.span);
        let diagnostic = match &found.fault.cause {
            Defect::UnknownCondition { name } => {
                let known = sink.template().conditions.keys().map(String::as_str);
                UNKNOWN_CONDITION
                    .diagnostic(format!("there is no condition `{}`", name.escape_debug()))
                    .label(&at, "used here")
                    .help(match sink.meant(name, known) {
                        _ if sink.never == Some(name) => {
                            format!("define a condition that never holds: `conditions: {{{name}: false}}`")
                        }
                        Some(meant) => meant,
                        None => "define it in the section `conditions`, or write `true` or `false`".to_owned(),
                    })
            }
            Defect::CircularCondition { name } => UNKNOWN_CONDITION
                .diagnostic(format!("the condition `{name}` depends on itself"))
                .label(&at, "used here")
                .help("remove one of the conditions from the cycle"),
            Defect::NoTruth { found } => UNKNOWN_CONDITION
                .diagnostic(format!("a condition must be true or false, but this is {found}"))
                .label(&at, "this definition")
                .help("compare it: `{equals: [..., ...]}`"),
            _ => continue,
        };
        sink.push(diagnostic);
    }
}

/// Reports definitions that are invalid whether or not they are used. Returns where they are.
fn definitions(sink: &mut Sink<'_>) -> Vec<Span> {
    let mut found = Vec::new();
    let version = sink.template().version();
    for (name, condition) in &sink.template().conditions {
        let node = &condition.node;
        if matches!(*node.tree, Tree::Boolean(_)) || Call::within(node, version, Context::Condition).is_some() {
            continue;
        }
        let near = match (&*node.tree, node.tree.as_text()) {
            (_, Some(text)) => format!("name another condition by a call: `{{and: [{text}, {text}]}}`"),
            (Tree::Map(_), _) => match Call::of_any(node, version, Context::Condition) {
                Some(call) if call.standing == Standing::Unknown => {
                    format!(
                        "`{}` is available from {} on; this template has version {version}",
                        call.function.name(),
                        call.function.since()
                    )
                }
                _ => "conditions call get_param, equals, not, and, or, contains and yaql".to_owned(),
            },
            _ => "write `true`, `false`, or a call such as `{equals: [..., ...]}`".to_owned(),
        };
        let diagnostic = UNKNOWN_CONDITION
            .diagnostic(format!("the condition `{name}` is {} instead of `true`, `false` or a call", node.tree.kind()))
            .label(&sink.at(node.span), "Heat refuses this definition")
            .help(near);
        sink.push(diagnostic);
        found.push(node.span);
    }
    found
}
