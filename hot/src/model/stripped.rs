//! A template without the content that only wattle reads: the part for stock Heat to check.

use std::sync::Arc;

use wattle::extended::{KEY, MODEL, MODEL_TYPE};

use wattle_heat::Loaded;
use wattle_heat::template::Template;
use wattle_heat::yaml::{Node, Pair, Tree};

/// The metadata of the resource with the content that does not belong to one server.
pub(super) fn model_metadata(template: &Template) -> Option<&Node> {
    let resource = template.resources.get(MODEL).filter(|resource| resource.kind() == Some(MODEL_TYPE))?;
    resource.metadata.as_ref()?.get(KEY)
}

/// Whether a template contains more than stock Heat reads.
pub fn is_extended(template: &Template) -> bool {
    template
        .resources
        .values()
        .any(|resource| resource.metadata.as_ref().is_some_and(|metadata| metadata.get(KEY).is_some()))
}

/// The template without wattle's metadata except for the names of components, and without the outputs that depend on
/// software, which are `exports`.
pub fn stripped(loaded: &Loaded, exports: &[&str]) -> Loaded {
    let root = without(&loaded.template.root, &|section, node| match section {
        "resources" => without(node, &|name, resource| match name {
            MODEL => Node::null(),
            _ => without(resource, &|key, node| match key {
                "metadata" => without(node, &|key, node| if key == KEY { names(node) } else { node.clone() }),
                _ => node.clone(),
            }),
        }),
        "outputs" => without(node, &|name, output| if exports.contains(&name) { Node::null() } else { output.clone() }),
        _ => node.clone(),
    });
    let mut stripped = loaded.clone();
    stripped.template = Arc::new(Template::of(root, loaded.template.file.clone()));
    stripped
}

/// The components by name only: Heat cannot resolve references to them.
fn names(ours: &Node) -> Node {
    let Some(components) = ours.get("components") else { return Node::null() };
    let map = |key: &str, node: &Node, value: Node| {
        let key = Node::new(Tree::Text { text: key.to_owned(), plain: false }, node.span);
        Node::new(Tree::Map(vec![Pair { key, value, merged: false }]), node.span)
    };
    let named: Vec<Node> = match &*components.tree {
        Tree::Map(pairs) => pairs.iter().map(|pair| pair.key.clone()).collect(),
        Tree::List(items) => items.iter().filter_map(|item| item.get("name").cloned()).collect(),
        _ => Vec::new(),
    };
    let named = named.into_iter().filter(|name| name.tree.as_text().is_some());
    let listed = Tree::List(named.map(|name| map("name", &name.clone(), name)).collect());
    map("components", components, Node::new(listed, components.span))
}

/// A map with `change` applied to each value. Values that `change` turns into null are left out.
fn without(node: &Node, change: &dyn Fn(&str, &Node) -> Node) -> Node {
    let Tree::Map(pairs) = &*node.tree else { return node.clone() };
    let pair = |pair: &Pair| {
        let value = match pair.key.tree.as_text() {
            Some(key) => change(key, &pair.value),
            None => pair.value.clone(),
        };
        let is_gone = matches!(*value.tree, Tree::Null) && !matches!(*pair.value.tree, Tree::Null);
        (!is_gone).then(|| Pair { key: pair.key.clone(), value, merged: pair.merged })
    };
    Node::new(Tree::Map(pairs.iter().filter_map(pair).collect()), node.span)
}
