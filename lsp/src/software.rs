//! The components of servers in an extended template, each with its location.

use wattle::extended::{KEY, MODEL};
use wattle::model::{Declaration, Model};
use wattle_heat::template::Template;
use wattle_heat::yaml::{Node, Span, Tree};

/// A component as written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Written<'t> {
    pub(crate) server: &'t str,
    pub(crate) name: &'t str,
    pub(crate) at: Span,
    pub(crate) node: &'t Node,
}

/// All components of a template, in its order.
pub(crate) fn components(template: &Template) -> Vec<Written<'_>> {
    let mut found = Vec::new();
    for (server, resource) in template.resources.iter().filter(|(name, _)| *name != MODEL) {
        let Some(components) =
            resource.metadata.as_ref().and_then(|node| node.get(KEY)).and_then(|ours| ours.get("components"))
        else {
            continue;
        };
        for (key, node) in entries(components) {
            let named = key.or_else(|| node.get("name"));
            if let Some((at, name)) = named.and_then(|named| Some((named.span, named.tree.as_text()?))) {
                found.push(Written { server, name, at, node });
            }
        }
    }
    found
}

/// The names of the outputs that a component's node declares.
pub(crate) fn outputs(node: &Node) -> Vec<&Node> {
    let declared = node.get("outputs").map(entries).unwrap_or_default();
    declared.into_iter().filter_map(|(key, item)| key.or_else(|| item.get("name")).or(Some(item))).collect()
}

/// The declaration of a component in the model.
pub(crate) fn declaration<'m>(model: &'m Model, server: &str, name: &str) -> Option<&'m Declaration> {
    let component = model.components.get(Model::component_key(server, name).as_str())?;
    model.declarations.get(&component.declaration)
}

/// The entries of a list or a map: the key, for a map, and the value.
pub(crate) fn entries(node: &Node) -> Vec<(Option<&Node>, &Node)> {
    match &*node.tree {
        Tree::List(items) => items.iter().map(|item| (None, item)).collect(),
        Tree::Map(pairs) => pairs.iter().map(|pair| (Some(&pair.key), &pair.value)).collect(),
        _ => Vec::new(),
    }
}
