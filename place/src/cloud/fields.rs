//! Reads the maps of hosts files and policies: expected keys, unknown keys, and locations.

use std::borrow::Cow;

use wattle_heat::yaml::{Node, Pair, Span, Tree};
use wattle_model::check::About;
use wattle_model::{Diagnostic, Source};
use wattle_words::names::{did_you_mean, list, nearest};

use crate::codes::{AMOUNT, SHAPE, TWICE};

/// The file that is read, and the diagnostics found in it.
pub(crate) struct Reading {
    file: Cow<'static, str>,
    /// The check under which unexpected content is reported.
    shape: &'static About,
    pub(crate) found: Vec<Diagnostic>,
}

impl Reading {
    pub(super) fn of(file: &str) -> Self {
        Self::reporting(file, &SHAPE.about)
    }

    /// Creates a reader for `file` that reports unexpected content under `shape`.
    pub(crate) fn reporting(file: &str, shape: &'static About) -> Self {
        Self { file: Cow::Owned(file.to_owned()), shape, found: Vec::new() }
    }

    pub(crate) fn at(&self, span: Span) -> Source {
        Source { file: self.file.clone(), line: span.start.line + 1, column: span.start.column + 1 }
    }

    /// Reports `message` for a check at a place.
    pub(crate) fn report(&mut self, about: &About, span: Span, message: String, label: &str, help: Option<String>) {
        let diagnostic = about.diagnostic(message).label(&self.at(span), label).help_if(help);
        self.found.push(diagnostic);
    }

    /// The pairs of a map, each key once. Anything but a map is reported. `what` describes the map: `the hosts`.
    pub(crate) fn map<'n>(&mut self, node: &'n Node, what: &str) -> Vec<(&'n str, &'n Pair)> {
        let Tree::Map(pairs) = &*node.tree else {
            if !matches!(*node.tree, Tree::Null) {
                let message = format!("{what} must be a map, not {}", node.tree.kind());
                self.report(self.shape, node.span, message, "here", None);
            }
            return Vec::new();
        };
        let mut all: Vec<(&str, &Pair)> = Vec::new();
        for pair in pairs {
            let Some(key) = pair.key.tree.as_text() else {
                let message = format!("{what}: a name must be text, but this is {}", pair.key.tree.kind());
                self.report(self.shape, pair.key.span, message, "here", Some("quote it".to_owned()));
                continue;
            };
            // Explicit keys take precedence over merged ones (`<<`).
            match all.iter_mut().find(|(known, _)| *known == key) {
                Some(known) if known.1.merged => known.1 = pair,
                Some(_) if pair.merged => {}
                Some((_, first)) => {
                    let first = self.at(first.key.span);
                    let diagnostic = TWICE
                        .about
                        .diagnostic(format!("`{key}` appears twice in {what}"))
                        .label(&self.at(pair.key.span), "here again")
                        .label(&first, "first used here")
                        .help("give each its own name, or remove one");
                    self.found.push(diagnostic);
                }
                None => all.push((key, pair)),
            }
        }
        all
    }

    /// The pairs of a map in which only known keys are allowed.
    pub(crate) fn known<'n>(&mut self, node: &'n Node, what: &str, known: &[&str]) -> Vec<(&'n str, &'n Pair)> {
        let mut pairs = self.map(node, what);
        pairs.retain(|(key, pair)| {
            let is_known = known.contains(key);
            if !is_known {
                let keys = format!("keys of {what} are {}", list(known.iter().copied(), "and"));
                let help = match nearest(key, known.iter().copied()) {
                    Some(near) => format!("{} {keys}", did_you_mean(near)),
                    None => keys,
                };
                self.report(self.shape, pair.key.span, format!("{what}: unknown key `{key}`"), "here", Some(help));
            }
            is_known
        });
        pairs
    }

    /// A text; anything else is reported. A plain number counts as the text that was written.
    pub(crate) fn text<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n str> {
        let text = node.tree.as_text().or_else(|| node.written()).filter(|text| !text.is_empty());
        if text.is_none() {
            let message = format!("{what} must be text, not {}", node.tree.kind());
            self.report(self.shape, node.span, message, "here", None);
        }
        text
    }

    /// The texts of a list.
    pub(crate) fn texts(&mut self, node: &Node, what: &str) -> Vec<String> {
        let Tree::List(items) = &*node.tree else {
            let message = format!("{what} must be a list, not {}", node.tree.kind());
            self.report(self.shape, node.span, message, "here", Some("write `[NAME, NAME]`".to_owned()));
            return Vec::new();
        };
        items.iter().filter_map(|item| Some(self.text(item, what)?.to_owned())).collect()
    }

    /// Reports an invalid amount.
    pub(super) fn amount(&mut self, span: Span, what: &str, why: (String, Option<String>)) {
        self.report(&AMOUNT.about, span, format!("{what}: {}", why.0), "here", why.1);
    }
}
