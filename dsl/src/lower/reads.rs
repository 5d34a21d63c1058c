//! What an agent has to be given at run time for a value: entries, values that its server is told, other stacks' exports.

use crate::model::{Expr, Model, Reference};

use super::function::{self, is_heats, is_pseudo};
use super::plan::Attribute;

/// Calls `visit` for each, by a name that is the same wherever the same is read.
pub(crate) fn run_time<'m>(model: &'m Model, value: &'m Expr, visit: &mut impl FnMut(String)) {
    within(model, value, visit, 0);
}

fn within<'m>(model: &'m Model, value: &'m Expr, visit: &mut impl FnMut(String), depth: usize) {
    let mut found = Vec::new();
    function::parts(model, value, 0, &mut |part| found.push(part));
    for part in found {
        match part {
            Expr::Leaf(Reference::Parameter(name)) if is_pseudo(name) => visit(name.to_string()),
            Expr::Leaf(Reference::Output { component, output }) => visit(format!("{component}/{output}")),
            Expr::Leaf(Reference::Attribute { resource, attribute, path }) => {
                visit(format!("{resource}.{}", Attribute { resource, name: Some(attribute), path }.key()));
            }
            Expr::Leaf(Reference::Resource(resource)) => {
                visit(format!("{resource}.{}", Attribute { resource, name: None, path: &[] }.key()));
            }
            Expr::Leaf(Reference::Import { stack, export }) => visit(format!("{stack}:{export}")),
            Expr::Leaf(Reference::Promise(name)) if depth <= model.promises.len() => {
                if let Some(binding) = model.promises.get(name).and_then(|promise| promise.fulfilled.first()) {
                    within(model, &binding.value, visit, depth + 1);
                }
            }
            Expr::Function { name, .. } if is_heats(name) => visit(function::key(name, part)),
            _ => {}
        }
    }
}
