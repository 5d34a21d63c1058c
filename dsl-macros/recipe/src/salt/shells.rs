//! Commands of states, which shells run: those of `cmd.run` and its kin.

use crate::analysis::Findings;
use crate::ansible::tree::{self, Kind, Node};
use crate::jinja::{Piece, pieces};
use crate::texts::UNKNOWN;

use super::feeds;

/// Functions of Salt's state `cmd` that run a command.
const RUNNING: [&str; 2] = ["run", "wait"];
/// What an expression is in the text of the states, which YAML takes as it is.
const COMPUTED: char = '\u{e000}';

/// Notes the first command in them after whose failure its shell goes on.
pub(super) fn note(source: &str, into: &mut Findings) {
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
    // What Jinja leaves of it may be YAML though this is not.
    let Ok(documents) = tree::parse(&text) else { return };
    for (id, states) in documents.iter().flat_map(Node::map) {
        for (name, arguments) in states.map() {
            let Some((module, function)) = name.text().map(|name| name.split_once('.').unwrap_or((name, ""))) else {
                continue;
            };
            let has_function = |item: &Node| item.text().is_some_and(|text| RUNNING.contains(&text));
            if module == "cmd" && (RUNNING.contains(&function) || arguments.list().iter().any(has_function)) {
                commands(id, arguments.list(), into);
            }
        }
    }
}

/// The commands of a state: its `name` or `names`, or what it is called.
fn commands(id: &Node, arguments: &[Node], into: &mut Findings) {
    let argument = |key: &str| arguments.iter().find_map(|argument| argument.get(key));
    // Another program may be named there, or `set -e` asked for.
    if argument("shell").and_then(Node::text).is_some_and(|shell| !shell.ends_with("sh")) {
        return;
    }
    let texts = match (argument("names"), argument("name")) {
        (Some(Node { kind: Kind::List(names), .. }), _) => names.iter().collect(),
        (_, Some(name)) => vec![name],
        (_, None) => vec![id],
    };
    for node in texts {
        let text = node.text().unwrap_or_default().replace(COMPUTED, &UNKNOWN.to_string());
        // What it reads and writes is told from the text of the whole file.
        crate::shell::failure(&text, node.line, into);
    }
}
