//! W1004: a key that a map has twice.

use std::collections::HashSet;
use std::sync::Arc;

use crate::template::Map;
use crate::yaml::{Node, Pair, Span, Tree};
use wattle::check::Diagnostic;
use wattle::model::Source;

use crate::environment::place;

use super::Sink;
use super::registry::check;

check! {
    /// A map has a key twice. Heat takes the last value and says nothing, so that what is written first is lost.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   net:
    ///     type: OS::Neutron::Net
    ///     properties:
    ///       name: front
    ///       name: back
    /// ```
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   net:
    ///     type: OS::Neutron::Net
    ///     properties:
    ///       name: back
    /// ```
    ///
    /// Keys that differ only to YAML are the same to Heat, as templates are sent to it as JSON: `1` and `"1"`.
    DUPLICATE_KEY: "W1004", Warning, "a key that a map has twice", run
}

fn run(sink: &mut Sink<'_>) {
    let template = sink.template();
    let mut found = Vec::new();
    look(&template.root, &mut HashSet::new(), &|span| template.at(span), &mut found);
    for file in &sink.loaded.environment.files {
        look(&file.root, &mut HashSet::new(), &|span| place(&file.name, span), &mut found);
    }
    for finding in found {
        sink.push(finding);
    }
}

/// Looks at every map once, however many aliases it has.
fn look(node: &Node, seen: &mut HashSet<*const Tree>, at: &dyn Fn(Span) -> Source, found: &mut Vec<Diagnostic>) {
    match &*node.tree {
        Tree::List(items) if seen.insert(Arc::as_ptr(&node.tree)) => {
            items.iter().for_each(|item| look(item, seen, at, found));
        }
        Tree::Map(pairs) if seen.insert(Arc::as_ptr(&node.tree)) => {
            duplicates(pairs, at, found);
            pairs.iter().for_each(|pair| look(&pair.value, seen, at, found));
        }
        _ => {}
    }
}

fn duplicates(pairs: &[Pair], at: &dyn Fn(Span) -> Source, found: &mut Vec<Diagnostic>) {
    let mut first: Map<&Pair> = Map::new();
    for pair in pairs.iter().filter(|pair| !pair.merged) {
        let key = pair.key.as_key();
        let Some(earlier) = first.get(&key) else {
            first.insert(key, pair);
            continue;
        };
        let finding = DUPLICATE_KEY
            .finding(format!("the key `{}` is here twice", key.escape_debug()))
            .label(&at(pair.key.span), "Heat takes this one")
            .label(&at(earlier.key.span), "and not this one")
            .help("take out the one that is not meant");
        found.push(finding);
    }
}
