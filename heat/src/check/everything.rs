//! Walks everything that is written, in the template and in its environment files.

use std::collections::HashSet;
use std::sync::Arc;

use wattle_model::Source;

use crate::Loaded;
use crate::environment::place;
use crate::yaml::{Node, Span, Tree};

/// Processes a value. The second argument converts positions in the value's file to places.
type Visit<'v> = &'v mut dyn FnMut(&Node, &dyn Fn(Span) -> Source);

/// Calls `visit` once for every value, however many aliases it has, together with a function that converts positions in its
/// file to places.
pub(super) fn each_value(loaded: &Loaded, visit: Visit<'_>) {
    let template = &loaded.template;
    let mut seen = HashSet::new();
    go(&template.root, &mut seen, &|span| template.at(span), visit);
    for file in &loaded.environment.files {
        go(&file.root, &mut seen, &|span| place(&file.name, span), visit);
    }
}

fn go(node: &Node, seen: &mut HashSet<*const Tree>, at: &dyn Fn(Span) -> Source, visit: Visit<'_>) {
    if !seen.insert(Arc::as_ptr(&node.tree)) {
        return;
    }
    visit(node, at);
    match &*node.tree {
        Tree::List(items) => items.iter().for_each(|item| go(item, seen, at, visit)),
        Tree::Map(pairs) => pairs.iter().for_each(|pair| go(&pair.value, seen, at, visit)),
        _ => {}
    }
}
