//! The code within Jinja's braces: what it reads of the pillar, and whether its blocks match.

use super::{read, word};
use crate::analysis::{Analysis, Findings, SyntaxError};
use crate::jinja::{Piece, pieces};
use crate::lookup::Names;
use crate::names::{leading_identifier, line_feeds};

/// Statements that are closed by `end` and their word.
const BLOCKS: [&str; 6] = ["if", "for", "macro", "call", "filter", "with"];
/// Modules of Salt that give values of the pillar by key.
const GETTERS: [&str; 4] = ["pillar.get", "config.get", "pillar.fetch", "config.option"];

/// Refuses blocks of Jinja that do not match.
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

/// What an expression or statement reads of the pillar. Where it `asks`, a key need not be there.
pub(super) fn reads(code: &str, line: u32, asks: bool, into: &mut Findings) {
    if asks {
        let mut own = Findings::default();
        reads(code, line, false, &mut own);
        own.names.spare_all();
        into.merge(own);
        return;
    }
    // What is asked for, or has a default, need not be there.
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
            if GETTERS.contains(&text) {
                argument(rest.trim_start_matches([']', ' ']), line, into, needs.as_deref_mut());
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

/// What follows `pillar`.
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
        "" => into.dynamic_reads = true,
        _ if behind.trim_start().starts_with('(') => into.dynamic_reads = true,
        name => {
            need(name, line, needs.take());
            read(name, line, into);
        }
    }
}

/// `('redis:port', ...)`.
fn argument(rest: &str, line: u32, into: &mut Analysis, needs: Option<&mut Names>) {
    let inside = rest.trim_start().strip_prefix('(').map(str::trim_start);
    match inside.and_then(quoted) {
        Some((name, behind)) if behind.trim_start().starts_with([',', ')']) => {
            need(name, line, needs.filter(|_| behind.trim_start().starts_with(')')));
            read(name, line, into);
        }
        _ => into.dynamic_reads = true,
    }
}

/// Notes a key that has no default; of `redis:port`, the first part.
fn need(key: &str, line: u32, needs: Option<&mut Names>) {
    if let (Some(names), Some(name)) = (needs, key.split(':').next()) {
        names.need(name, line);
    }
}

/// A string at the beginning of `rest`, and what stands behind it.
pub(super) fn quoted(rest: &str) -> Option<(&str, &str)> {
    let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let inside = &rest[1..];
    Some(inside.split_once(quote).unwrap_or((inside, "")))
}
