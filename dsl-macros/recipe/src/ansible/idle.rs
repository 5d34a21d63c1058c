//! Handlers of a play that nothing notifies.
//!
//! Conservative: nothing is reported if a name is computed, or for handlers from other files.

use super::tree::{Node, NodeKind};
use crate::idle::{Definition, NeverRun};

/// Keys of a handler that includes others, which have their own names.
const TAKING: [&str; 5] = ["block", "import_tasks", "include_tasks", "import_role", "include_role"];

/// All such handlers, in the order in which they appear.
pub(super) fn all(documents: &[Node]) -> Vec<NeverRun> {
    let mut notified = Vec::new();
    documents.iter().for_each(|document| collect(document, &mut notified));
    if notified.iter().any(|name| name.contains("{{")) {
        return Vec::new();
    }
    let is_notified = |name: &str| notified.iter().any(|own| *own == name || own.rsplit(" : ").next() == Some(name));
    let plays = documents.iter().flat_map(Node::list);
    let handlers = plays.filter_map(|play| play.get("handlers")).flat_map(Node::list);
    let idle = handlers.filter_map(|handler| {
        let name = handler.get("name").filter(|name| name.text().is_some())?;
        let takes_in =
            handler.map().iter().any(|(key, _)| key.text().is_some_and(|key| TAKING.contains(&super::short(key))));
        let mut names = handler.get("listen").map(texts).unwrap_or_default();
        names.extend(name.text());
        let is_used = names.iter().any(|name| name.contains("{{") || is_notified(name));
        (!takes_in && !is_used).then(|| NeverRun {
            kind: Definition::Handler,
            name: name.text().unwrap_or_default().to_owned(),
            line: name.line,
        })
    });
    idle.collect()
}

/// Collects everything that is notified. Names from elsewhere count as computed.
fn collect<'a>(node: &'a Node, into: &mut Vec<&'a str>) {
    for (key, value) in node.map() {
        if key.text() == Some("notify") {
            let is_plain = |node: &Node| matches!(node.kind, NodeKind::Text(_));
            if is_plain(value) || !value.list().is_empty() && value.list().iter().all(is_plain) {
                into.extend(texts(value));
            } else {
                into.push("{{");
            }
        }
        collect(value, into);
    }
    node.list().iter().for_each(|item| collect(item, into));
}

/// A text, or a list of texts.
fn texts(node: &Node) -> Vec<&str> {
    node.text().into_iter().chain(node.list().iter().filter_map(Node::text)).collect()
}
