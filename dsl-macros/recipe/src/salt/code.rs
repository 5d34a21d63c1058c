//! The code within Jinja's braces: its reads of the pillar, and matching of blocks.

use super::{read, word};
use crate::analysis::{Analysis, FileOutline, SyntaxError};
use crate::jinja::{Piece, pieces};
use crate::lookup::Names;
use crate::names::{leading_identifier, line_feeds};

/// Statements that are closed by `end` and the same word.
const BLOCKS: [&str; 6] = ["if", "for", "macro", "call", "filter", "with"];
/// Salt modules that return values of the pillar by key.
const GETTERS: [&str; 4] = ["pillar.get", "config.get", "pillar.fetch", "config.option"];
/// Functions of Salt's module `pillar` that return values by key and have no default; `item` takes several keys.
const WITHOUT_DEFAULT: [&str; 3] = ["item", "raw", "keys"];
/// Arguments of `get` that are not defaults.
const NO_DEFAULTS: [&str; 5] = ["merge", "merge_nested_lists", "delimiter", "pillarenv", "saltenv"];

/// Refuses unbalanced Jinja blocks.
pub(super) fn balanced(source: &str) -> Result<(), SyntaxError> {
    let mut open: Vec<(&str, u32)> = Vec::new();
    for (piece, line) in pieces(source, 1) {
        let Piece::Statement(code) = piece else { continue };
        let word = word(code);
        if BLOCKS.contains(&word) {
            open.push((word, line));
        } else if let Some(closed) = word.strip_prefix("end").filter(|closed| BLOCKS.contains(closed)) {
            match open.pop() {
                Some((opened, _)) if opened == closed => {}
                Some((opened, at)) => {
                    return Err(SyntaxError::new(line, format!("`{word}` closes the `{opened}` on line {at}")));
                }
                None => return Err(SyntaxError::new(line, format!("`{word}` closes nothing"))),
            }
        }
    }
    match open.pop() {
        Some((word, line)) => Err(SyntaxError::new(line, format!("`{word}` is never closed by `end{word}`"))),
        None => Ok(()),
    }
}

/// Adds the reads of an expression or statement from the pillar. If it `asks`, a key may be absent.
pub(super) fn reads(code: &str, line: u32, asks: bool, into: &mut FileOutline) {
    if asks {
        let mut own = FileOutline::default();
        reads(code, line, false, &mut own);
        own.names.spare_all();
        into.merge(own);
        return;
    }
    // Keys with a default, or whose existence is tested, may be absent.
    let is_spare = [" or ", "default", " is ", "defined"].iter().any(|word| code.contains(word));
    let (mut needs, into) = ((!is_spare).then_some(&mut into.names), &mut into.analysis);
    let (mut rest, mut line) = (code, line);
    while let Some(c) = rest.chars().next() {
        let name = leading_identifier(rest);
        if !name.is_empty() {
            rest = &rest[name.len()..];
            match name {
                "pillar" => key(rest, line, into, needs.as_deref_mut()),
                "opts" | "context" => into.dynamic_reads |= !rest.trim_start().starts_with(['.', '[', '=', ',']),
                _ => {}
            }
        } else if let Some((text, behind)) = quoted(rest) {
            rest = behind;
            let called = rest.trim_start_matches([']', ' ']);
            if GETTERS.contains(&text) {
                argument(called, line, into, needs.as_deref_mut());
            } else if text.strip_prefix("pillar.").is_some_and(|name| WITHOUT_DEFAULT.contains(&name)) {
                arguments(called, line, into, needs.as_deref_mut());
            } else {
                into.dynamic_reads |=
                    text.starts_with("pillar") || text.starts_with("config.") || text.contains("inputs.json");
            }
            line = line.saturating_add(line_feeds(text));
        } else {
            line += u32::from(c == '\n');
            rest = &rest[c.len_utf8()..];
        }
    }
}

/// Handles the code after `pillar`.
fn key(rest: &str, line: u32, into: &mut Analysis, mut needs: Option<&mut Names>) {
    let rest = rest.trim_start();
    if let Some(inside) = rest.strip_prefix('[') {
        match quoted(inside.trim_start()) {
            Some((name, behind)) if behind.trim_start().starts_with(']') => {
                need(name, line, needs);
                read(name, line, into);
            }
            _ => into.dynamic_reads = true,
        }
        return;
    }
    let name = rest.strip_prefix('.').map(leading_identifier).unwrap_or_default();
    let behind = rest.get(1 + name.len()..).unwrap_or_default();
    match name {
        "get" => argument(behind, line, into, needs),
        // `salt.pillar.item('x')`; as a method of the map itself, `keys` has no arguments.
        _ if WITHOUT_DEFAULT.contains(&name) && behind.trim_start().starts_with('(') => {
            arguments(behind, line, into, needs);
        }
        "" => into.dynamic_reads = true,
        _ if behind.trim_start().starts_with('(') => into.dynamic_reads = true,
        name => {
            need(name, line, needs.take());
            read(name, line, into);
        }
    }
}

/// Handles `('redis:port', ...)`, and a key given by name.
fn argument(rest: &str, line: u32, into: &mut Analysis, needs: Option<&mut Names>) {
    let inside = rest.trim_start().strip_prefix('(').map(str::trim_start);
    let named =
        |inside: &'_ str| inside.strip_prefix("key").and_then(|rest| rest.trim_start().strip_prefix('=')).is_some();
    let inside = inside.map(|inside| if named(inside) { inside[3..].trim_start()[1..].trim_start() } else { inside });
    match inside.and_then(quoted) {
        Some((name, behind)) if behind.trim_start().starts_with([',', ')']) => {
            need(name, line, needs.filter(|_| !has_default(behind)));
            read(name, line, into);
        }
        _ => into.dynamic_reads = true,
    }
}

/// Whether something among the arguments after a key is a default.
fn has_default(behind: &str) -> bool {
    let mut rest = behind.trim_start();
    while let Some(inside) = rest.strip_prefix(',') {
        let name = leading_identifier(inside.trim_start());
        let is_named = inside.trim_start()[name.len()..].trim_start().starts_with('=');
        if !is_named || !NO_DEFAULTS.contains(&name) {
            return !inside.trim_start().starts_with(')');
        }
        rest = inside.find([',', ')']).map_or("", |at| &inside[at..]);
    }
    false
}

/// Handles `('redis', 'port')`: keys without a default.
fn arguments(rest: &str, line: u32, into: &mut Analysis, mut needs: Option<&mut Names>) {
    let mut inside = rest.trim_start().strip_prefix('(').map(str::trim_start);
    while let Some((name, behind)) = inside.and_then(quoted) {
        need(name, line, needs.as_deref_mut());
        read(name, line, into);
        let behind = behind.trim_start();
        if behind.starts_with(')') {
            return;
        }
        inside = behind.strip_prefix(',').map(str::trim_start);
    }
    into.dynamic_reads = true;
}

/// Records a key without a default; for `redis:port`, the first part.
fn need(key: &str, line: u32, needs: Option<&mut Names>) {
    if let (Some(names), Some(name)) = (needs, key.split(':').next()) {
        names.need(name, line);
    }
}

/// A string at the beginning of `rest`, and the text after it.
pub(super) fn quoted(rest: &str) -> Option<(&str, &str)> {
    let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let inside = &rest[1..];
    Some(inside.split_once(quote).unwrap_or((inside, "")))
}
