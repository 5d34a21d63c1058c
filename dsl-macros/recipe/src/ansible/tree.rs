//! YAML as a tree with lines.

use saphyr_parser::{Event, Parser};

use crate::analysis::SyntaxError;

/// The maximum nesting of lists and maps; playbooks written by people stay below twenty.
const DEPTH: usize = 128;

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) kind: NodeKind,
    pub(crate) line: u32,
}

#[derive(Debug)]
pub(crate) enum NodeKind {
    Text(String),
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
    /// A node that is analysed elsewhere.
    Alias,
}

impl Node {
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.kind {
            NodeKind::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn list(&self) -> &[Self] {
        match &self.kind {
            NodeKind::List(items) => items,
            _ => &[],
        }
    }

    pub(crate) fn map(&self) -> &[(Self, Self)] {
        match &self.kind {
            NodeKind::Map(pairs) => pairs,
            _ => &[],
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        self.map().iter().find(|(name, _)| name.text() == Some(key)).map(|(_, value)| value)
    }
}

/// A list or map that is still open; a map's keys and values alternate.
struct Open {
    items: Vec<Node>,
    map: bool,
    line: u32,
}

/// The documents of a file.
pub(crate) fn parse(source: &str) -> Result<Vec<Node>, SyntaxError> {
    let mut documents = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut parser = Parser::new_from_str(source);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| SyntaxError::new(line(error.marker().line()), error.info()))?;
        let at = line(span.start.line());
        let node = match event {
            // The parser reports the line of a block's text, not that of its `|`.
            Event::Scalar(text, ..) => Node { kind: NodeKind::Text(text.into_owned()), line: at },
            Event::Alias(_) => Node { kind: NodeKind::Alias, line: at },
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                if open.len() >= DEPTH {
                    return Err(SyntaxError::new(at, format!("lists and maps nest deeper than {DEPTH}")));
                }
                open.push(Open { items: Vec::new(), map: matches!(event, Event::MappingStart(..)), line: at });
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(done) => done.close(),
                None => continue,
            },
            _ => continue,
        };
        match open.last_mut() {
            Some(parent) => parent.items.push(node),
            None => documents.push(node),
        }
    }
    Ok(documents)
}

impl Open {
    fn close(self) -> Node {
        let kind = if self.map {
            let mut pairs = Vec::with_capacity(self.items.len() / 2);
            let mut items = self.items.into_iter();
            while let (Some(key), Some(value)) = (items.next(), items.next()) {
                pairs.push((key, value));
            }
            NodeKind::Map(pairs)
        } else {
            NodeKind::List(self.items)
        };
        Node { kind, line: self.line }
    }
}

fn line(line: usize) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}
