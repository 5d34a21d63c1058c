//! W1208: resources that wait for each other.

use wattle_model::Diagnostic;
use wattle_model::Source;

use crate::resource::How;

use super::registry::check;

check! {
    /// Resources need each other in a cycle, so none of them can be created first. Heat's own dependencies count as
    /// well: for example, a port waits for the subnets of its network. The report shows the shortest cycle step by
    /// step.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   left:
    ///     type: OS::Heat::Value
    ///     properties:
    ///       value: {get_attr: [right, value]}
    ///   right:
    ///     type: OS::Heat::Value
    ///     properties:
    ///       value: {get_attr: [left, value]}
    /// ```
    ///
    /// To break the cycle, remove one of the references:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   left:
    ///     type: OS::Heat::Value
    ///     properties:
    ///       value: {get_attr: [right, value]}
    ///   right:
    ///     type: OS::Heat::Value
    ///     properties:
    ///       value: first
    /// ```
    DEPENDENCY_CYCLE: "W1208", Error, "resources depend on each other in a cycle", Resources
}

/// The diagnostic. Each hop has the resource that waits, the one it waits for, how it depends on it, and where.
pub(super) fn diagnostic(hops: &[(String, String, Option<How>, Source)]) -> Diagnostic {
    let first = hops.first().map_or("", |hop| &*hop.0);
    let message = match hops.len() {
        1 => format!("`{first}` waits for itself"),
        2 => format!("2 resources wait for each other: `{first}` waits for itself through the other"),
        n => format!("{n} resources wait for each other: `{first}` waits for itself through the {} others", n - 1),
    };
    let mut diagnostic = DEPENDENCY_CYCLE.diagnostic(message);
    for (from, to, how, at) in hops {
        let why = match how {
            Some(How::DependsOn) => format!("`{from}` depends on `{to}`"),
            Some(How::Resource) => format!("`{from}` refers to `{to}`"),
            Some(How::Attribute(path)) => match path.first() {
                Some((name, _)) => {
                    format!("`{from}` reads the attribute `{}` of `{to}`", name.python().escape_debug())
                }
                None => format!("`{from}` reads the attributes of `{to}`"),
            },
            None => format!("`{from}` waits for `{to}`: Heat adds this dependency for its type"),
        };
        diagnostic = diagnostic.label(at, why);
    }
    diagnostic.help("remove one of these dependencies")
}
