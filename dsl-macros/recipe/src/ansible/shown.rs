//! Secrets that a playbook shows: by `debug` and similar modules without `no_log`, or in an output that everyone may read.
//!
//! Conservative: only a name that is alone in its braces counts, and only if the playbook assigns no other value to it.

use super::short;
use super::tree::{Node, NodeKind};
use crate::jinja::{Piece, pieces};
use crate::shown::{How, Shown};

/// Keys under which variables are defined.
const DEFINING: [&str; 3] = ["vars", "set_fact", "vars_prompt"];

/// The first such place, in the order in which they appear.
pub(super) fn first(documents: &[Node], secrets: &[&str], plain: &[&str]) -> Option<Shown> {
    let mut set = Vec::new();
    documents.iter().for_each(|document| defined(document, &mut set));
    let held: Vec<&str> = secrets.iter().copied().filter(|name| !set.contains(name)).collect();
    documents.iter().find_map(|document| within(document, &held, plain))
}

/// The names that are set anywhere.
fn defined<'a>(node: &'a Node, into: &mut Vec<&'a str>) {
    for (key, value) in node.map() {
        match key.text().map(short) {
            Some("register" | "loop_var" | "index_var") => into.extend(value.text()),
            Some(key) if DEFINING.contains(&key) => into.extend(value.map().iter().filter_map(|(key, _)| key.text())),
            _ => {}
        }
        defined(value, into);
    }
    node.list().iter().for_each(|item| defined(item, into));
}

fn within(node: &Node, held: &[&str], plain: &[&str]) -> Option<Shown> {
    // A task that may be hidden counts as hidden.
    if node.get("no_log").is_some_and(|hides| !matches!(hides.text(), Some("false" | "no" | "False"))) {
        return None;
    }
    let of_pair = |(key, value): &(Node, Node)| match short(key.text()?) {
        "debug" => said(value, "debug", held),
        "fail" => said(value, "fail", held),
        "set_stats" => written(value, held, plain),
        _ => within(value, held, plain),
    };
    node.map().iter().find_map(of_pair).or_else(|| node.list().iter().find_map(|item| within(item, held, plain)))
}

/// The secret that a module prints.
fn said(module: &Node, by: &str, held: &[&str]) -> Option<Shown> {
    // Only a playbook run with `-v` would show it.
    if module.get("verbosity").is_some() || module.text().is_some_and(|text| text.contains("verbosity=")) {
        return None;
    }
    let shown = |name: &str, line| Shown { name: name.to_owned(), line, how: How::Printed { by: by.to_owned() } };
    if let Some(text) = module.text() {
        let bare = text.split_ascii_whitespace().find_map(|word| word.strip_prefix("var="));
        let bare = bare.and_then(|bare| held.iter().copied().find(|name| *name == bare));
        return bare.or_else(|| expanded(text, held)).map(|name| shown(name, module.line));
    }
    let variable = module.get("var").and_then(|var| {
        let text = var.text()?;
        let name = held.iter().copied().find(|name| *name == text.trim()).or_else(|| expanded(text, held))?;
        Some(shown(name, var.line))
    });
    variable.or_else(|| {
        let message = module.get("msg")?;
        let texts = std::iter::once(message).chain(message.list());
        let texts = texts.filter_map(|node| Some((node.text()?, node.line)));
        texts.into_iter().find_map(|(text, line)| Some(shown(expanded(text, held)?, line)))
    })
}

/// The secret that is written to an output.
fn written(module: &Node, held: &[&str], plain: &[&str]) -> Option<Shown> {
    module.get("data")?.map().iter().find_map(|(key, value)| {
        let output = key.text().filter(|name| plain.contains(name))?;
        let NodeKind::Text(text) = &value.kind else { return None };
        let name = expanded(text, held)?;
        Some(Shown { name: name.to_owned(), line: value.line, how: How::Written { output: output.to_owned() } })
    })
}

/// The secret that is alone in braces of a text. If statements decide what is printed, nothing is certain.
fn expanded<'h>(text: &str, held: &[&'h str]) -> Option<&'h str> {
    let pieces = pieces(text, 1);
    if pieces.iter().any(|(piece, _)| matches!(piece, Piece::Statement(_))) {
        return None;
    }
    pieces.iter().find_map(|(piece, _)| match piece {
        Piece::Expression(code) => {
            let code = code.trim_matches(|c: char| c.is_whitespace() || c == '-');
            held.iter().copied().find(|name| *name == code)
        }
        _ => None,
    })
}
