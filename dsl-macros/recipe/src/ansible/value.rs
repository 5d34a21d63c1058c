//! The possible texts of a templated text.

use std::cell::Cell;
use std::collections::BTreeMap;

use super::tree::{Node, NodeKind};
use crate::jinja::{Piece, pieces};
use crate::names::{OUTPUTS_PATH, is_identifier, is_output, is_output_byte};
use crate::texts::{OUTPUTS, UNKNOWN, VALUES, product};

const DEPTH: u32 = 16;
/// The maximum number of expressions that are evaluated for one file, so that recursive variables terminate.
const EVALUATIONS: u32 = 200_000;

/// The values of variables, as templated texts.
#[derive(Debug, Default)]
pub(super) struct Values<'a> {
    variables: BTreeMap<&'a str, Vec<&'a Node>>,
    /// The items of the loops around a task, the innermost last.
    pub(super) items: Vec<(&'a str, &'a Node)>,
    evaluated: Cell<u32>,
}

impl<'a> Values<'a> {
    pub(super) fn define(&mut self, name: &'a str, value: &'a Node) {
        self.variables.entry(name).or_default().push(value);
    }

    /// Whether the limit was reached, so that some texts are unknown.
    pub(super) fn exhausted(&self) -> bool {
        self.evaluated.get() > EVALUATIONS
    }

    /// Every text that `text` may become, with [`UNKNOWN`] and [`OUTPUTS`] in it.
    pub(super) fn of(&self, text: &str) -> Vec<String> {
        self.of_text(text, 0)
    }

    fn of_text(&self, text: &str, depth: u32) -> Vec<String> {
        let mut texts = vec![String::new()];
        for (piece, _) in pieces(text, 1) {
            let values = match piece {
                Piece::Text(text) => vec![text.to_owned()],
                Piece::Expression(code) => self.of_expression(code, depth),
                // The text enclosed by a statement remains.
                Piece::Statement(_) => vec![UNKNOWN.into()],
            };
            texts = product(&texts, &values);
        }
        texts
    }

    fn of_expression(&self, code: &str, depth: u32) -> Vec<String> {
        self.evaluated.set(self.evaluated.get().saturating_add(1));
        if self.exhausted() {
            return vec![UNKNOWN.into()];
        }
        let code = code.trim_matches(|c: char| c.is_whitespace() || c == '-' || c == '(' || c == ')');
        if let Some((_, rest)) = code.split_once(OUTPUTS_PATH) {
            return vec![format!("{OUTPUTS}{}", joined(rest))];
        }
        if let Some(text) = quoted(code) {
            return vec![text.to_owned()];
        }
        let name = code.split('|').next().unwrap_or_default().trim_end();
        if depth >= DEPTH || !name.split('.').all(is_identifier) {
            // `out ~ '.url'`, where `out` holds the prefix.
            return match name.split_once(['~', '+']) {
                Some((left, right)) if depth < DEPTH => {
                    let right = quoted(right.trim()).map_or_else(|| UNKNOWN.to_string(), str::to_owned);
                    self.of_expression(left, depth + 1).into_iter().map(|left| left + &right).collect()
                }
                _ => vec![UNKNOWN.into()],
            };
        }
        let mut path = name.split('.');
        let name = path.next().unwrap_or_default();
        let path: Vec<&str> = path.collect();
        let looped = self.items.iter().rev().find(|(item, _)| *item == name);
        let texts: Vec<String> = if let Some((_, list)) = looped {
            self.items_of(list, &path, depth + 1)
        } else {
            let nodes = self.variables.get(name).into_iter().flatten();
            nodes.flat_map(|node| self.of_node(node, &path, depth + 1)).collect()
        };
        if texts.is_empty() || texts.len() > VALUES { vec![UNKNOWN.into()] } else { texts }
    }

    fn items_of(&self, list: &Node, path: &[&str], depth: u32) -> Vec<String> {
        match &list.kind {
            NodeKind::List(items) => items.iter().flat_map(|item| self.of_node(item, path, depth)).collect(),
            // `with_dict`, and a `loop` over `x | dict2items`: the keys of a literal map are known.
            NodeKind::Map(pairs) if path == ["key"] => {
                pairs.iter().map(|(key, _)| key.text().map_or_else(|| UNKNOWN.into(), str::to_owned)).collect()
            }
            NodeKind::Text(text) if depth < DEPTH => {
                let name = pieces(text, 1).first().map(|(piece, _)| *piece);
                let name = match name {
                    Some(Piece::Expression(code) | Piece::Text(code)) => {
                        code.split('|').next().unwrap_or_default().trim()
                    }
                    _ => "",
                };
                let nodes = self.variables.get(name).into_iter().flatten();
                nodes.flat_map(|node| self.items_of(node, path, depth + 1)).collect()
            }
            _ => vec![UNKNOWN.into()],
        }
    }

    fn of_node(&self, node: &Node, path: &[&str], depth: u32) -> Vec<String> {
        match (path, &node.kind) {
            ([], NodeKind::Text(text)) if depth < DEPTH => self.of_text(text, depth),
            ([key, rest @ ..], NodeKind::Map(_)) => match node.get(key) {
                Some(value) => self.of_node(value, rest, depth),
                None => vec![UNKNOWN.into()],
            },
            _ => vec![UNKNOWN.into()],
        }
    }
}

/// The text that an expression appends to the prefix: `) ~ '.url'`.
fn joined(rest: &str) -> String {
    let rest = rest.trim_start_matches(['\'', '"', ']', ')', ' ', ',']);
    match rest.strip_prefix(['~', '+']) {
        Some(rest) => quoted(rest.trim()).map_or_else(|| UNKNOWN.to_string(), str::to_owned),
        // Filters such as `default` do not change the prefix.
        None if rest.is_empty() || rest.starts_with('|') => String::new(),
        None => UNKNOWN.to_string(),
    }
}

fn quoted(code: &str) -> Option<&str> {
    let quote = code.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let text = code[1..].strip_suffix(quote)?;
    (!text.contains(quote)).then_some(text)
}

/// The text after the prefix in a longer text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Suffix<'a> {
    /// The name of an output.
    Name(&'a str),
    /// The computed name of an output.
    Computed,
    /// Nothing, or another file such as `.url.tmp`.
    Other,
}

pub(super) fn suffix(rest: &str) -> Suffix<'_> {
    let Some(name) = rest.strip_prefix('.') else {
        return if rest.starts_with(UNKNOWN) { Suffix::Computed } else { Suffix::Other };
    };
    let end = name.bytes().position(|byte| !is_output_byte(byte)).unwrap_or(name.len());
    let (name, behind) = name.split_at(end);
    if behind.starts_with(UNKNOWN) {
        Suffix::Computed
    } else if is_output(name) && !behind.starts_with(['.', '/']) {
        Suffix::Name(name)
    } else {
        Suffix::Other
    }
}
