//! W1112: a function that the template's HOT version does not have yet.

use std::collections::HashSet;
use std::sync::Arc;

use crate::template::{Call, Context, Standing, Version};
use crate::yaml::{Node, Tree};

use super::Sink;
use super::registry::check;

check! {
    /// A function is from a later HOT version than the template's. Heat reads the call as a map with one key, and
    /// continues with that as far as it can.
    ///
    /// ```yaml
    /// heat_template_version: 2016-10-14
    /// resources:
    ///   names:
    ///     type: OS::Heat::Value
    ///     properties:
    ///       value: {list_concat: [[a], [b]]}
    /// ```
    ///
    /// Name a version that has the function:
    ///
    /// ```yaml
    /// heat_template_version: 2017-09-01
    /// resources:
    ///   names:
    ///     type: OS::Heat::Value
    ///     properties:
    ///       value: {list_concat: [[a], [b]]}
    /// ```
    LATER_FUNCTION: "W1112", Warning, "a function that the HOT version does not have yet", Each(run)
}

/// A hint that the map `node` looks like a call of a function that `version` does not have yet, to explain an unexpected
/// map.
pub(super) fn hint(node: &Node, version: Version) -> Option<String> {
    let call = Call::of_any(node, version, Context::Value).filter(|call| call.standing == Standing::Unknown)?;
    let (name, since) = (call.function.name(), call.function.since());
    Some(if version < since {
        format!("`{name}` is available from {since} on; this template has version {version}")
    } else {
        format!("`{name}` is a function for conditions only")
    })
}

fn run(sink: &mut Sink<'_>) {
    let template = sink.template();
    let (version, mut found) = (template.version(), Vec::new());
    let mut seen = HashSet::new();
    for resource in template.resources.values() {
        for part in [&resource.properties, &resource.metadata, &resource.update_policy, &resource.deletion_policy] {
            part.iter().for_each(|node| look(node, version, &mut seen, &mut found));
        }
    }
    for output in template.outputs.values() {
        output.value.iter().for_each(|node| look(node, version, &mut seen, &mut found));
    }
    for (node, hint) in found {
        let diagnostic = LATER_FUNCTION
            .diagnostic(format!("{hint}, so Heat reads it as a map"))
            .label(&sink.at(node.span), "not a function call")
            .help("write a newer `heat_template_version`, or another function");
        sink.push(diagnostic);
    }
}

fn look<'n>(node: &'n Node, version: Version, seen: &mut HashSet<*const Tree>, found: &mut Vec<(&'n Node, String)>) {
    match &*node.tree {
        Tree::List(items) if seen.insert(Arc::as_ptr(&node.tree)) => {
            items.iter().for_each(|item| look(item, version, seen, found));
        }
        Tree::Map(pairs) if seen.insert(Arc::as_ptr(&node.tree)) => {
            // `not`, `and` and `or` are also ordinary words.
            let call = Call::of_any(node, version, Context::Value);
            if call.is_some_and(|call| version < call.function.since())
                && let Some(hint) = hint(node, version)
            {
                found.push((node, hint));
            }
            // The condition of an `if` has functions of its own.
            let is_if = call.is_some_and(|call| call.function.name() == "if");
            for pair in pairs {
                match &*pair.value.tree {
                    Tree::List(items) if is_if => {
                        items.iter().skip(1).for_each(|item| look(item, version, seen, found));
                    }
                    _ => look(&pair.value, version, seen, found),
                }
            }
        }
        _ => {}
    }
}
