//! The content of a template's sections, except for parameters.

use crate::yaml::{Node, Span, Tree};

use super::{Map, entries};

/// A resource's definition.
#[derive(Clone, Debug)]
pub struct Resource {
    /// The place of the name.
    pub name_span: Span,
    /// The definition as written.
    pub node: Node,
    /// Its type.
    pub ty: Option<Node>,
    /// Its properties.
    pub properties: Option<Node>,
    /// The metadata that Heat stores.
    pub metadata: Option<Node>,
    /// The resources that are created before it, by name.
    pub depends_on: Option<Node>,
    /// The condition under which it exists.
    pub condition: Option<Node>,
    /// What happens to it when it is deleted.
    pub deletion_policy: Option<Node>,
    /// How it is updated.
    pub update_policy: Option<Node>,
    /// The identity of the existing resource outside of Heat that it refers to.
    pub external_id: Option<Node>,
    /// Its description.
    pub description: Option<Node>,
}

impl Resource {
    fn of(name_span: Span, node: &Node) -> Self {
        let part = |key| node.get(key).cloned();
        Self {
            name_span,
            ty: part("type"),
            properties: part("properties"),
            metadata: part("metadata"),
            depends_on: part("depends_on"),
            condition: part("condition"),
            deletion_policy: part("deletion_policy"),
            update_policy: part("update_policy"),
            external_id: part("external_id"),
            description: part("description"),
            node: node.clone(),
        }
    }

    /// Its type, if it is written as text.
    pub fn kind(&self) -> Option<&str> {
        self.ty.as_ref().and_then(|ty| ty.tree.as_text())
    }

    /// The resources that `depends_on` names, each with its place.
    pub fn depends_on(&self) -> impl Iterator<Item = (&str, Span)> {
        let nodes = match self.depends_on.as_ref().map(|node| (node, &*node.tree)) {
            Some((_, Tree::List(items))) => items.as_slice(),
            Some((node, Tree::Text { .. })) => std::slice::from_ref(node),
            _ => &[],
        };
        nodes.iter().filter_map(|node| Some((node.tree.as_text()?, node.span)))
    }
}

/// A condition's definition.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The place of the name.
    pub name_span: Span,
    /// The definition.
    pub node: Node,
}

/// An output's definition.
#[derive(Clone, Debug)]
pub struct Output {
    /// The place of the name.
    pub name_span: Span,
    /// The definition as written.
    pub node: Node,
    /// Its value.
    pub value: Option<Node>,
    /// Its description.
    pub description: Option<Node>,
    /// The condition under which it has its value.
    pub condition: Option<Node>,
}

/// A group of parameters.
#[derive(Clone, Debug)]
pub struct Group {
    /// As written.
    pub node: Node,
    /// Its label.
    pub label: Option<String>,
    /// Its description.
    pub description: Option<String>,
    /// Their names, with their places.
    pub parameters: Vec<(String, Span)>,
}

pub(super) fn resources(section: Option<&Node>) -> Map<Resource> {
    entries(section).map(|(name, span, node)| (name, Resource::of(span, node))).collect()
}

pub(super) fn conditions(section: Option<&Node>) -> Map<Condition> {
    entries(section).map(|(name, name_span, node)| (name, Condition { name_span, node: node.clone() })).collect()
}

pub(super) fn outputs(section: Option<&Node>) -> Map<Output> {
    let output = |name_span, node: &Node| Output {
        name_span,
        value: node.get("value").cloned(),
        description: node.get("description").cloned(),
        condition: node.get("condition").cloned(),
        node: node.clone(),
    };
    entries(section).map(|(name, span, node)| (name, output(span, node))).collect()
}

pub(super) fn groups(section: Option<&Node>) -> Vec<Group> {
    let Some(Tree::List(items)) = section.map(|section| &*section.tree) else { return Vec::new() };
    let group = |node: &Node| Group {
        node: node.clone(),
        label: node.get("label").and_then(Node::as_prose),
        description: node.get("description").and_then(Node::as_prose),
        parameters: match node.get("parameters").map(|parameters| &*parameters.tree) {
            Some(Tree::List(items)) => {
                items.iter().filter_map(|item| Some((item.tree.as_text()?.to_owned(), item.span))).collect()
            }
            _ => Vec::new(),
        },
    };
    items.iter().map(group).collect()
}
