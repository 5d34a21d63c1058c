//! W1004: a key that occurs twice in a map.

use wattle_model::Diagnostic;
use wattle_model::Source;

use crate::template::Map;
use crate::yaml::{Pair, Span, Tree};

use super::Sink;
use super::everything::each_value;
use super::registry::check;

check! {
    /// A key occurs twice in a map. Heat silently uses the last value, so the first one is lost.
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
    /// Keep one of the two:
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
    /// Keys that are different in YAML can be equal in Heat, because templates are sent to it as JSON: `1` and `"1"`
    /// are the same key.
    DUPLICATE_KEY: "W1004", Warning, "a key that occurs twice in a map", Whole(run)
}

fn run(sink: &mut Sink<'_>) {
    let mut found = Vec::new();
    each_value(sink.loaded, &mut |node, at| {
        if let Tree::Map(pairs) = &*node.tree {
            duplicates(pairs, at, &mut found);
        }
    });
    for diagnostic in found {
        sink.push(diagnostic);
    }
}

fn duplicates(pairs: &[Pair], at: &dyn Fn(Span) -> Source, found: &mut Vec<Diagnostic>) {
    let mut first: Map<&Pair> = Map::default();
    for pair in pairs.iter().filter(|pair| !pair.merged) {
        let key = pair.key.as_key();
        let Some(earlier) = first.get(&key) else {
            first.insert(key, pair);
            continue;
        };
        let diagnostic = DUPLICATE_KEY
            .diagnostic(format!("the key `{}` appears twice", key.escape_debug()))
            .label(&at(pair.key.span), "Heat uses this one")
            .label(&at(earlier.key.span), "not this one")
            .help("remove the one that is not meant");
        found.push(diagnostic);
    }
}
