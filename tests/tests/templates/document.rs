//! A template as a tree that can be changed and written.

use std::fmt::Write as _;

use wattle_heat::yaml::{Node, Tree};

/// A value of a template. A map may contain a key twice.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Document {
    /// Written unchanged.
    Raw(String),
    /// Written in quotes.
    Text(String),
    List(Vec<Document>),
    Map(Vec<(String, Document)>),
}

use Document::{List, Map, Raw, Text};

impl Document {
    pub(crate) fn of(node: &Node) -> Self {
        match &*node.tree {
            Tree::Null => Raw("null".to_owned()),
            Tree::Boolean(value) => Raw(value.to_string()),
            Tree::Integer(value) => Raw(value.to_string()),
            Tree::Float(value) => Raw(format!("{value:?}")),
            Tree::Text { text, .. } => Text(text.clone()),
            Tree::List(items) => List(items.iter().map(Self::of).collect()),
            Tree::Map(pairs) => {
                let key = |node: &Node| match Self::of(node) {
                    Text(text) | Raw(text) => text,
                    _ => unreachable!("a key is a scalar"),
                };
                Map(pairs.iter().map(|pair| (key(&pair.key), Self::of(&pair.value))).collect())
            }
        }
    }

    /// The value under `key`, if this is a map that has it.
    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Document> {
        self.pairs_mut()?.iter_mut().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    pub(crate) fn pairs_mut(&mut self) -> Option<&mut Vec<(String, Document)>> {
        match self {
            Map(pairs) => Some(pairs),
            _ => None,
        }
    }

    pub(crate) fn text_mut(&mut self) -> Option<&mut String> {
        match self {
            Text(text) => Some(text),
            _ => None,
        }
    }

    /// The paths to all values in it, starting with its own.
    pub(crate) fn ways(&self) -> Vec<Vec<usize>> {
        fn collect(at: &Document, way: &mut Vec<usize>, ways: &mut Vec<Vec<usize>>) {
            ways.push(way.clone());
            let children: Vec<&Document> = match at {
                List(items) => items.iter().collect(),
                Map(pairs) => pairs.iter().map(|(_, value)| value).collect(),
                _ => return,
            };
            for (index, child) in children.into_iter().enumerate() {
                way.push(index);
                collect(child, way, ways);
                way.pop();
            }
        }
        let mut ways = Vec::new();
        collect(self, &mut Vec::new(), &mut ways);
        ways
    }

    pub(crate) fn at(&mut self, way: &[usize]) -> &mut Document {
        way.iter().fold(self, |at, index| match at {
            List(items) => &mut items[*index],
            Map(pairs) => &mut pairs[*index].1,
            _ => unreachable!("a way of this document"),
        })
    }

    /// The tree as a template: sections and their entries on separate lines.
    pub(crate) fn template(&self) -> String {
        let mut text = String::new();
        let Map(sections) = self else { return self.flow() + "\n" };
        for (name, section) in sections {
            match section {
                Map(entries) if !entries.is_empty() => {
                    writeln!(text, "{}:", key(name)).expect("a string");
                    for (name, entry) in entries {
                        writeln!(text, "  {}: {}", key(name), entry.flow()).expect("a string");
                    }
                }
                _ => writeln!(text, "{}: {}", key(name), section.flow()).expect("a string"),
            }
        }
        text
    }

    fn flow(&self) -> String {
        let joined = |parts: Vec<String>| parts.join(", ");
        match self {
            Raw(text) => text.clone(),
            Text(text) => quoted(text),
            List(items) => format!("[{}]", joined(items.iter().map(Self::flow).collect())),
            Map(pairs) => {
                let pair = |(name, value): &(String, Document)| format!("{}: {}", key(name), value.flow());
                format!("{{{}}}", joined(pairs.iter().map(pair).collect()))
            }
        }
    }
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("JSON")
}

/// Quotes a key only if it needs quotes, so that a changed template is as readable as the original.
fn key(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !matches!(name, "on" | "off" | "yes" | "no" | "y" | "n" | "true" | "false" | "null");
    if plain { name.to_owned() } else { quoted(name) }
}
