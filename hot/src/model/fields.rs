//! Maps with a fixed set of keys, and diagnostics for them.

use wattle::check::Diagnostic;
use wattle::model::{Bandwidth, Name};
use wattle::names::{list, meant};
use wattle_words::time;

use super::Reader;
use crate::codes::{FORM, MODEL_METADATA};
use wattle_heat::yaml::{Node, Span, Tree};

impl<'l> Reader<'l> {
    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Reports malformed content that only wattle reads.
    pub(super) fn malformed(&mut self, span: Span, message: String, label: &str, help: String) {
        let diagnostic = FORM.diagnostic(message).label(&self.at(span), label).help(help);
        self.push(diagnostic);
    }

    /// Reports keys that are not among `known`.
    pub(super) fn only(&mut self, node: &Node, what: &str, known: &[&str]) {
        let Tree::Map(pairs) = &*node.tree else { return };
        for pair in pairs {
            let key = pair.key.as_key();
            if known.contains(&key.as_str()) {
                continue;
            }
            let help = meant(&key, known.iter().copied())
                .unwrap_or_else(|| format!("its keys are {}", list(known.iter().copied(), "and")));
            self.malformed(pair.key.span, format!("{what} has no key `{key}`"), "unknown key", help);
        }
    }

    /// Whether `node` is a map; reports it otherwise.
    pub(super) fn is_map(&mut self, node: &Node, what: &str) -> bool {
        self.is_kind(node, what, "a map", matches!(*node.tree, Tree::Map(_)))
    }

    /// Whether `node` is a list; reports it otherwise.
    pub(super) fn is_list(&mut self, node: &Node, what: &str) -> bool {
        self.is_kind(node, what, "a list", matches!(*node.tree, Tree::List(_)))
    }

    fn is_kind(&mut self, node: &Node, what: &str, expected: &str, is_so: bool) -> bool {
        if !is_so {
            let found = node.tree.kind();
            self.malformed(node.span, format!("{what} is {found}, not {expected}"), found, format!("write {expected}"));
        }
        is_so
    }

    /// The text under `key`, if the key exists. Reports anything other than text.
    pub(super) fn text_of(&mut self, node: &'l Node, key: &str, what: &str) -> Option<&'l str> {
        let value = node.get(key)?;
        let text = value.tree.as_text();
        if text.is_none() {
            let found = value.tree.kind();
            let message = format!("`{key}` of {what} is {found}, not text");
            self.malformed(value.span, message, found, "write it in quotes".into());
        }
        text
    }

    /// The seconds under `key`, if the key exists, written as a number or as `10m`. Reports anything other than a duration.
    pub(super) fn seconds(&mut self, node: &Node, key: &str, what: &str) -> Option<u64> {
        let value = node.get(key)?;
        let seconds = match &*value.tree {
            Tree::Integer(0) => Err(format!("write at least one second, or no `{key}`")),
            Tree::Integer(seconds) => u64::try_from(*seconds).map_err(|_| format!("write seconds: `{key}: 600`")),
            Tree::Text { text, .. } => time::seconds(text),
            _ => Err(format!("write seconds, `{key}: 600`, or `{key}: 10m`")),
        };
        let wrong = |help| {
            self.malformed(
                value.span,
                format!("`{key}` of {what} is not a length of time"),
                "not a length of time",
                help,
            );
        };
        seconds.map_err(wrong).ok()
    }

    /// The bandwidth in the map. Reports anything else.
    pub(super) fn bandwidth(&mut self, node: &Node, what: &str) -> Option<Bandwidth> {
        let value = node.get("bandwidth")?;
        let read = match &*value.tree {
            Tree::Text { text, .. } => Bandwidth::read(text),
            _ => Bandwidth::read(&value.as_key()),
        };
        let wrong = |help| {
            let message = format!("`bandwidth` of {what} is not a bandwidth");
            self.malformed(value.span, message, "not a bandwidth", help);
        };
        read.map_err(wrong).ok()
    }

    /// The boolean under `key`. Reports anything else.
    pub(super) fn flag(&mut self, node: &Node, key: &str, what: &str) -> Option<bool> {
        let value = node.get(key)?;
        let Tree::Boolean(flag) = *value.tree else {
            let message = format!("`{key}` of {what} is {}, not a boolean", value.tree.kind());
            self.malformed(value.span, message, "not a boolean", "write `true` or `false`".into());
            return None;
        };
        Some(flag)
    }

    /// The texts of the list under `key`.
    pub(super) fn texts(&mut self, node: &Node, key: &str, what: &str) -> Vec<Name> {
        let Some(value) = node.get(key) else { return Vec::new() };
        if !self.is_list(value, &format!("`{key}` of {what}")) {
            return Vec::new();
        }
        super::items(value).iter().map(super::words).collect()
    }

    /// Reports that the content of `wattle_model` does not fit the rest of the template.
    pub(super) fn damaged(&mut self, span: Span, message: impl Into<String>, label: &str) {
        let diagnostic = MODEL_METADATA
            .diagnostic(message)
            .label(&self.at(span), label)
            .help("emit the model again, or remove what does not fit from `wattle_model`");
        self.push(diagnostic);
    }
}
