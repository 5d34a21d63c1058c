//! The meaning of the cursor's position in a template.

use wattle_catalog_generate::schema::{Property, ResourceType};
use wattle_heat::yaml::{Node, Tree};

use crate::cursor::{Cursor, Step};
use crate::document::Analysis;
use crate::shape;

/// A cursor in a template.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'c> {
    pub(crate) analysis: &'c Analysis,
    pub(crate) cursor: &'c Cursor,
}

/// The argument of a function that the cursor is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Argument<'c> {
    /// The function's name.
    pub(crate) function: &'c str,
    /// The preceding items, if the arguments are a list.
    pub(crate) before: Option<&'c [String]>,
}

impl<'c> Context<'c> {
    /// The steps to the cursor, in which an item is `None`.
    pub(crate) fn keys(&self) -> Vec<Option<&'c str>> {
        let key = |step: &'c Step| match step {
            Step::Key(key) => Some(key.as_str()),
            Step::Item(_) => None,
        };
        self.cursor.path.iter().map(key).collect()
    }

    /// The value that the cursor is in, as far as the template can be read.
    pub(crate) fn node(&self) -> Option<&'c Node> {
        let mut node = &self.analysis.loaded.template.root;
        for step in &self.cursor.path {
            node = match (step, &*node.tree) {
                (Step::Key(key), _) => node.get(key)?,
                (Step::Item(before), Tree::List(items)) => items.get(before.len())?,
                (Step::Item(_), _) => return None,
            };
        }
        Some(node)
    }

    /// The keys that the map at the cursor has.
    pub(crate) fn present(&self) -> Vec<&'c str> {
        match self.node().map(|node| &*node.tree) {
            Some(Tree::Map(pairs)) => pairs.iter().filter_map(|pair| pair.key.tree.as_text()).collect(),
            _ => Vec::new(),
        }
    }

    /// The argument that the cursor is in.
    pub(crate) fn argument(&self) -> Option<Argument<'c>> {
        match self.cursor.path.as_slice() {
            [.., Step::Key(function), Step::Item(before)] => Some(Argument { function, before: Some(before) }),
            [.., Step::Key(function)] => Some(Argument { function, before: None }),
            _ => None,
        }
    }

    /// The type whose properties the cursor is in, and the steps from them to the cursor.
    pub(crate) fn properties(&self) -> Option<(ResourceType, Vec<Option<&'c str>>)> {
        let keys = self.keys();
        let at = keys.iter().rposition(|key| *key == Some("properties")).filter(|at| *at >= 2)?;
        if keys[0] != Some("resources") {
            return None;
        }
        let above: Vec<&str> = keys[..at].iter().copied().collect::<Option<_>>()?;
        Some((shape::at(&self.analysis.loaded, &above)?, keys[at + 1..].to_vec()))
    }

    /// The property whose value contains the cursor.
    pub(crate) fn property(&self) -> Option<Property> {
        let (shape, keys) = self.properties()?;
        shape::descend(&shape, &keys).cloned()
    }

    /// The type of a resource.
    pub(crate) fn shape_of(&self, resource: &str) -> Option<ResourceType> {
        let ty = self.analysis.loaded.template.resources.get(resource)?.kind()?;
        shape::of(&self.analysis.loaded, resource, ty)
    }

    /// Whether the cursor is at the name of a resource's type, or of that of a group's members.
    pub(crate) fn is_type(&self) -> bool {
        matches!(
            self.keys().as_slice(),
            [Some("resources"), Some(_), Some("type")]
                | [Some("resources"), Some(_), Some("properties"), .., Some("resource_def" | "resource"), Some("type")]
        )
    }
}
