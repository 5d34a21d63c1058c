//! Commands and scripts of states, which shells run: those of `cmd.run` and the like.

use crate::analysis::FileOutline;
use crate::ansible::tree::{self, Node, NodeKind};
use crate::jinja::{Piece, pieces};
use crate::texts::UNKNOWN;

use super::feeds;

/// Functions of Salt's state `cmd` that run a command.
const RUNNING: [&str; 2] = ["run", "wait"];
/// The placeholder for an expression in the text of the states, which YAML leaves unchanged.
const COMPUTED: char = '\u{e000}';

/// Records the first command in them after whose failure its shell continues.
pub(super) fn note(source: &str, into: &mut FileOutline) {
    let mut text = String::new();
    for (piece, line) in pieces(source, 1) {
        let reached = 1 + crate::names::line_feeds(&text);
        text.push_str(&"\n".repeat(line.saturating_sub(reached) as usize));
        match piece {
            Piece::Text(own) => text.push_str(own),
            Piece::Expression(code) => {
                text.push(COMPUTED);
                text.push_str(&feeds(code));
            }
            Piece::Statement(code) => text.push_str(&feeds(code)),
        }
    }
    // The rendered text may be YAML even if this one is not.
    let Ok(documents) = tree::parse(&text) else { return };
    for (id, states) in documents.iter().flat_map(Node::map) {
        for (name, arguments) in states.map() {
            let Some((module, function)) = name.text().map(|name| name.split_once('.').unwrap_or((name, ""))) else {
                continue;
            };
            let has = |function: &str| arguments.list().iter().any(|item| item.text() == Some(function));
            if module == "cmd" && (function == "script" || has("script")) {
                script(id, arguments.list(), into);
            } else if module == "cmd" && (RUNNING.contains(&function) || RUNNING.into_iter().any(has)) {
                commands(id, arguments.list(), into);
            }
        }
    }
}

/// An argument of a state.
fn argument<'a>(arguments: &'a [Node], key: &str) -> Option<&'a Node> {
    arguments.iter().find_map(|argument| argument.get(key))
}

/// Whether another program is the shell, or `set -e` is set.
fn has_other_shell(arguments: &[Node]) -> bool {
    argument(arguments, "shell").and_then(Node::text).is_some_and(|shell| !shell.ends_with("sh"))
}

/// The script of a `cmd.script`: its `source`, its `name`, or the state's ID. If the `source` is a template, the text is
/// not known.
fn script(id: &Node, arguments: &[Node], into: &mut FileOutline) {
    let source = ["source", "name"].iter().find_map(|key| argument(arguments, key)).unwrap_or(id);
    let path = source.text().and_then(|text| text.split_ascii_whitespace().next()).unwrap_or_default();
    if !has_other_shell(arguments) && argument(arguments, "template").is_none() && path.starts_with("salt://") {
        into.runs.push(crate::names::file_name(path).to_owned());
    }
}

/// The commands of a state: its `name` or `names`, or its ID.
fn commands(id: &Node, arguments: &[Node], into: &mut FileOutline) {
    if has_other_shell(arguments) {
        return;
    }
    let argument = |key: &str| argument(arguments, key);
    let texts = match (argument("names"), argument("name")) {
        (Some(Node { kind: NodeKind::List(names), .. }), _) => names.iter().collect(),
        (_, Some(name)) => vec![name],
        (_, None) => vec![id],
    };
    for node in texts {
        let text = node.text().unwrap_or_default().replace(COMPUTED, &UNKNOWN.to_string());
        // The analysis of the whole file determines reads and writes.
        crate::shell::failure(&text, node.line, into);
    }
}
