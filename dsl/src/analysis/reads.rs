//! What an agent reads to get a value.

use crate::model::{Expr, Model, Name, Reference};

use super::attribute::Attribute;
use super::function::{self, is_heats, is_pseudo};

/// One thing that an agent reads.
pub(crate) enum Read<'m> {
    /// A parameter, known from the seed.
    Parameter(&'m Name),
    /// An output of a component.
    Output { component: &'m Name, output: &'m Name },
    /// An attribute of a resource. A server's attribute is an entry; any other reaches the reader in its user data.
    Attribute(Attribute<'m>),
    /// An export of another stack.
    Import { stack: &'m Name, export: &'m Name },
    /// A value that Heat resolves as a whole, with its name in the user data.
    Whole { key: String, value: &'m Expr },
}

/// Calls `visit` for each thing that is read for `value`. A forward reference is replaced by what fulfils it.
pub(crate) fn each<'m>(model: &'m Model, value: &'m Expr, visit: &mut impl FnMut(Read<'m>)) {
    within(model, value, visit, 0);
}

/// Calls `visit` for each thing that is known only at run time, with a name that is the same wherever the same thing is
/// read.
pub(crate) fn run_time<'m>(model: &'m Model, value: &'m Expr, visit: &mut impl FnMut(String)) {
    each(model, value, &mut |read| match read {
        Read::Parameter(_) => {}
        Read::Output { component, output } => visit(format!("{component}/{output}")),
        Read::Attribute(attribute) => visit(attribute.user_data_key()),
        Read::Import { stack, export } => visit(format!("{stack}:{export}")),
        Read::Whole { key, .. } => visit(key),
    });
}

fn within<'m>(model: &'m Model, value: &'m Expr, visit: &mut impl FnMut(Read<'m>), depth: usize) {
    let mut found = Vec::new();
    function::parts(model, value, 0, &mut |part| found.push(part));
    for part in found {
        match part {
            Expr::Leaf(Reference::Parameter(name)) if is_pseudo(name) => {
                visit(Read::Whole { key: name.to_string(), value: part });
            }
            Expr::Leaf(Reference::Parameter(name)) => visit(Read::Parameter(name)),
            Expr::Leaf(Reference::Output { component, output }) => visit(Read::Output { component, output }),
            Expr::Leaf(Reference::Attribute { resource, attribute, path }) => {
                visit(Read::Attribute(Attribute { resource, name: Some(attribute), path }));
            }
            Expr::Leaf(Reference::Resource(resource)) => {
                visit(Read::Attribute(Attribute { resource, name: None, path: &[] }));
            }
            Expr::Leaf(Reference::Import { stack, export }) => visit(Read::Import { stack, export }),
            Expr::Leaf(Reference::ForwardReference(name)) if depth <= model.forward_references.len() => {
                if let Some(binding) = model.fulfilled(name) {
                    within(model, &binding.value, visit, depth + 1);
                }
            }
            Expr::Function { name, .. } if is_heats(name) => {
                visit(Read::Whole { key: function::key(name, part), value: part });
            }
            Expr::Function { .. } => {
                if let Some(Reference::Parameter(name)) = part.subject() {
                    visit(Read::Parameter(name));
                }
            }
            _ => {}
        }
    }
}
