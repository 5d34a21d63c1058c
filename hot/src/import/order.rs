//! The order in which resources are added, so that every handle exists before it is used.

use std::collections::HashSet;

use wattle_heat::template::{Context, Step, Template, walk};
use wattle_heat::yaml::Node;

/// The names of the resources in the template's order, except that each comes after those that it refers to, if possible.
pub(super) fn resources(template: &Template) -> Vec<&str> {
    let mut order = Vec::new();
    let mut seen = HashSet::new();
    for name in template.resources.keys() {
        visit(template, name, &mut seen, &mut order);
    }
    order
}

/// Not recursive, because chains of thousands of resources are valid.
fn visit<'t>(template: &'t Template, name: &'t str, seen: &mut HashSet<&'t str>, order: &mut Vec<&'t str>) {
    let mut stack = vec![(name, 0)];
    if !seen.insert(name) {
        return;
    }
    let mut waiting = vec![references(template, name)];
    while let Some((name, at)) = stack.last_mut() {
        let next = waiting.last().and_then(|list| list.get(*at)).copied();
        *at += 1;
        if let Some(other) = next {
            if template.resources.contains_key(other) && seen.insert(other) {
                stack.push((other, 0));
                waiting.push(references(template, other));
            }
        } else {
            order.push(name);
            stack.pop();
            waiting.pop();
        }
    }
}

fn references<'t>(template: &'t Template, name: &str) -> Vec<&'t str> {
    let Some(resource) = template.resources.get(name) else { return Vec::new() };
    let mut found = Vec::new();
    let parts = [&resource.properties, &resource.metadata, &resource.update_policy, &resource.external_id];
    for node in parts.into_iter().flatten() {
        of_value(template, node, &mut found);
    }
    found.extend(resource.depends_on().map(|(name, _)| name));
    found
}

/// The resources that a value refers to by name.
fn of_value<'t>(template: &'t Template, node: &'t Node, found: &mut Vec<&'t str>) {
    walk(node, template.version(), Context::Value, &mut |_, call, _| {
        if let Some(call) = call {
            found.extend(call.resource());
        }
        Step::Into
    });
}

/// The conditions, each after those that it refers to.
pub(super) fn conditions(template: &Template) -> Vec<&str> {
    let mut order: Vec<&str> = Vec::new();
    let mut waiting: Vec<&str> = template.conditions.keys().map(|name| &**name).collect();
    while !waiting.is_empty() {
        let before = waiting.len();
        waiting.retain(|name| {
            let mut ready = true;
            if let Some(condition) = template.conditions.get(*name) {
                walk(&condition.node, template.version(), Context::Condition, &mut |node, _, _| {
                    if let Some(other) = node.tree.as_text() {
                        ready &= other == *name || !template.conditions.contains_key(other) || order.contains(&other);
                    }
                    Step::Into
                });
            }
            if ready {
                order.push(name);
            }
            !ready
        });
        // Either a cycle, which Heat refuses, or a text that happens to be the name of a condition.
        if waiting.len() == before {
            order.append(&mut waiting);
        }
    }
    order
}
