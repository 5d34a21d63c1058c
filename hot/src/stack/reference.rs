//! What a resource refers to.

use crate::evaluate::{Scope, Value};
use crate::template::{Call, Context, Function, Resource, Step};
use crate::yaml::{Node, Span, Tree};

/// A resource's name where another one refers to it.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    /// The name.
    pub(crate) name: String,
    /// Where it stands.
    pub(crate) span: Span,
    /// How it is referred to.
    pub(crate) how: How,
}

/// How a resource is referred to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum How {
    /// `depends_on`.
    DependsOn,
    /// `get_resource`.
    Resource,
    /// `get_attr`, with the attribute's name and where it stands, if one is named.
    Attribute(Option<(Value, Span)>),
}

/// All that `resource` refers to: in properties and metadata, and by `depends_on`. Of each `if` only the branch that counts.
pub(crate) fn references(scope: &Scope<'_>, resource: &Resource) -> Vec<Reference> {
    let mut found: Vec<_> = resource
        .depends_on()
        .map(|(name, span)| Reference { name: name.to_owned(), span, how: How::DependsOn })
        .collect();
    for node in resource.properties.iter().chain(&resource.metadata) {
        found.extend(within(scope, node));
    }
    found
}

/// All that `node` refers to.
pub(crate) fn within(scope: &Scope<'_>, node: &Node) -> Vec<Reference> {
    let mut found = Vec::new();
    scope.walk(node, Context::Value, &mut |_, call, _| {
        if let Some(call) = call {
            found.extend(of_call(scope, call));
        }
        Step::Into
    });
    found
}

/// Whether `node` refers to any resource.
pub(crate) fn refers(scope: &Scope<'_>, node: &Node) -> bool {
    !within(scope, node).is_empty()
}

fn of_call(scope: &Scope<'_>, call: &Call<'_>) -> Option<Reference> {
    let text = |node: &Node| match scope.value(node) {
        Ok(Value::Text(name)) => Some(name),
        _ => None,
    };
    match call.function {
        Function::GetResource => {
            let (name, span) = (text(call.argument)?, call.argument.span);
            Some(Reference { name, span, how: How::Resource })
        }
        Function::Ref => {
            let (name, span) = (text(call.argument)?, call.argument.span);
            let is_resource = scope.template().resources.contains_key(&name);
            is_resource.then_some(Reference { name, span, how: How::Resource })
        }
        Function::GetAttr => {
            let items = call.arguments()?;
            let first = items.first()?;
            let attribute = items.get(1).and_then(|node| Some((scope.value(node).ok()?, node.span)));
            let attribute = attribute.filter(|_| !matches!(items.get(1).map(|node| &*node.tree), Some(Tree::Null)));
            Some(Reference { name: text(first)?, span: first.span, how: How::Attribute(attribute) })
        }
        _ => None,
    }
}
