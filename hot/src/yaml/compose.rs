//! From events to a tree.

use std::collections::HashMap;
use std::sync::Arc;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Tag};

use super::{Error, Node, Pair, Place, Problem, Span, Tree, printable, scalar};

/// The longest text that is read, in bytes: 128 times what Heat takes as a template by default.
pub const BYTES: usize = 64 << 20;
/// The deepest nesting that is read.
pub const DEPTH: usize = 256;
/// The most values that are read, each alias counted as all that it stands for.
pub const NODES: u64 = 4_000_000;

const CORE: &str = "tag:yaml.org,2002:";

/// Reads the one document of a text; a text without any is [`Tree::Null`].
///
/// # Errors
///
/// The first thing that keeps the text from being read.
pub fn read(text: &str) -> Result<Node, Error> {
    if text.len() > BYTES {
        return Err(Error { problem: Problem::TooLong { bytes: text.len() }, span: Span::default(), context: None });
    }
    printable::check(text)?;
    let mut parser = Parser::new_from_str(text);
    Composer::default().document(&mut || match parser.next_event() {
        Some(Ok((event, span))) => Ok(Some((event, Span { start: place(&span.start), end: place(&span.end) }))),
        Some(Err(error)) => {
            let at = place(error.marker());
            let problem = Problem::Syntax(error.info().to_owned());
            Err(Error { problem, span: Span { start: at, end: at }, context: None })
        }
        None => Ok(None),
    })
}

#[expect(clippy::cast_possible_truncation, reason = "a text has at most `BYTES` lines and columns")]
fn place(mark: &Marker) -> Place {
    Place { line: mark.line().saturating_sub(1) as u32, column: mark.col() as u32 }
}

/// What is being read: the collections that are open, and what has a name.
#[derive(Default)]
struct Composer {
    open: Vec<Open>,
    /// Nothing for an anchor whose value is not whole yet.
    anchors: HashMap<usize, (Span, Option<Item>)>,
    root: Option<Node>,
}

/// A collection whose end is still to come.
struct Open {
    kind: Collection,
    anchor: usize,
    span: Span,
    items: Vec<Item>,
}

#[derive(Clone, Copy, PartialEq)]
enum Collection {
    List,
    Map,
}

#[derive(Clone)]
struct Item {
    node: Node,
    word: Word,
}

/// What a scalar is besides its value.
#[derive(Clone, Copy, PartialEq)]
enum Word {
    None,
    /// `<<`: as a key it merges, as a value it is nothing.
    Merge,
    /// `=`: as a key it is text, as a value nothing.
    Equals,
}

impl Composer {
    fn document<'t>(
        mut self,
        next: &mut impl FnMut() -> Result<Option<(Event<'t>, Span)>, Error>,
    ) -> Result<Node, Error> {
        let mut documents = 0;
        while let Some((event, span)) = next()? {
            let fail = |problem| Error { problem, span, context: None };
            match event {
                Event::DocumentStart(_) => {
                    documents += 1;
                    if documents > 1 {
                        return Err(fail(Problem::SecondDocument));
                    }
                }
                Event::Alias(anchor) => self.alias(anchor, span)?,
                Event::Scalar(value, style, anchor, tag) => {
                    let tag = tag.map(|tag| name(&tag));
                    let plain = tag.is_none() && style == ScalarStyle::Plain;
                    let item = scalar(value.into_owned(), tag.as_deref(), plain, span)?;
                    self.add(item, anchor)?;
                }
                Event::SequenceStart(anchor, tag) => {
                    collection(tag.map(|tag| name(&tag)), Collection::List).map_err(fail)?;
                    self.open(Collection::List, anchor, span)?;
                }
                Event::MappingStart(anchor, tag) => {
                    collection(tag.map(|tag| name(&tag)), Collection::Map).map_err(fail)?;
                    self.open(Collection::Map, anchor, span)?;
                }
                Event::SequenceEnd | Event::MappingEnd => self.close(span)?,
                Event::StreamEnd => break,
                _ => {}
            }
        }
        Ok(self.root.unwrap_or_else(|| Node { span: Span::default(), tree: Arc::new(Tree::Null), size: 1 }))
    }

    fn alias(&mut self, anchor: usize, span: Span) -> Result<(), Error> {
        let Some((_, Some(item))) = self.anchors.get(&anchor) else {
            let context = self.anchors.get(&anchor).map(|(anchor, _)| ("what it names".to_owned(), *anchor));
            return Err(Error { problem: Problem::CyclicAlias, span, context });
        };
        let mut item = item.clone();
        item.node.span = span;
        self.add(item, 0)
    }

    fn open(&mut self, kind: Collection, anchor: usize, span: Span) -> Result<(), Error> {
        if self.open.len() == DEPTH {
            return Err(Error { problem: Problem::TooDeep, span, context: None });
        }
        if anchor > 0 {
            self.anchors.insert(anchor, (span, None));
        }
        self.open.push(Open { kind, anchor, span, items: Vec::new() });
        Ok(())
    }

    fn close(&mut self, end: Span) -> Result<(), Error> {
        let open = self.open.pop().expect("INVARIANT: the parser closes what it opened");
        let span = Span { start: open.span.start, end: end.end };
        let tree = match open.kind {
            Collection::List => Tree::List(open.items.into_iter().map(Item::value).collect::<Result<_, _>>()?),
            Collection::Map => Tree::Map(pairs(open.items)?),
        };
        let size = match &tree {
            Tree::Map(pairs) => pairs.iter().map(|pair| pair.key.size + pair.value.size).sum(),
            Tree::List(items) => items.iter().map(|item| item.size).sum(),
            _ => 0_u64,
        };
        if size >= NODES {
            return Err(Error { problem: Problem::TooMany, span, context: None });
        }
        self.add(Item { node: Node { span, tree: Arc::new(tree), size: size + 1 }, word: Word::None }, open.anchor)
    }

    fn add(&mut self, item: Item, anchor: usize) -> Result<(), Error> {
        if anchor > 0 {
            self.anchors.insert(anchor, (item.node.span, Some(item.clone())));
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(item.value()?);
            return Ok(());
        };
        if open.kind == Collection::Map && open.items.len() % 2 == 0 {
            if let kind @ ("a list" | "a map") = item.node.tree.kind() {
                return Err(Error { problem: Problem::KeyOf(kind), span: item.node.span, context: None });
            }
        }
        open.items.push(item);
        Ok(())
    }
}

impl Item {
    /// What it is where it is no key.
    fn value(self) -> Result<Node, Error> {
        let problem = match self.word {
            Word::None => return Ok(self.node),
            Word::Merge => Problem::MergeAsValue,
            Word::Equals => Problem::EqualsAsValue,
        };
        Err(Error { problem, span: self.node.span, context: None })
    }
}

/// The pairs of a map as PyYAML makes them: what is merged first, of several the last first.
fn pairs(items: Vec<Item>) -> Result<Vec<Pair>, Error> {
    let mut merged = Vec::new();
    let mut own = Vec::with_capacity(items.len() / 2);
    let mut items = items.into_iter();
    while let (Some(key), Some(value)) = (items.next(), items.next()) {
        let value = value.value()?;
        if key.word == Word::Merge {
            merge(&value, &mut merged)?;
        } else {
            own.push(Pair { key: key.node, value, merged: false });
        }
    }
    merged.append(&mut own);
    Ok(merged)
}

fn merge(value: &Node, merged: &mut Vec<Pair>) -> Result<(), Error> {
    let maps = match &*value.tree {
        Tree::List(maps) => maps.as_slice(),
        _ => std::slice::from_ref(value),
    };
    for map in maps.iter().rev() {
        let Tree::Map(pairs) = &*map.tree else { return Err(merge_of(map)) };
        // Before they are there: a few aliases can ask for more than the memory holds.
        if (merged.len() + pairs.len()) as u64 > NODES {
            return Err(Error { problem: Problem::TooMany, span: value.span, context: None });
        }
        merged.extend(pairs.iter().map(|pair| Pair { merged: true, ..pair.clone() }));
    }
    Ok(())
}

fn merge_of(node: &Node) -> Error {
    Error { problem: Problem::Merge(node.tree.kind()), span: node.span, context: None }
}

fn scalar(text: String, tag: Option<&str>, plain: bool, span: Span) -> Result<Item, Error> {
    let fail = |problem| Error { problem, span, context: None };
    let mut word = Word::None;
    let tree = match tag.filter(|tag| *tag != "!").map(|tag| (tag, tag.strip_prefix(CORE))) {
        None if plain => {
            word = match text.as_str() {
                "<<" => Word::Merge,
                "=" => Word::Equals,
                _ => Word::None,
            };
            scalar::plain(&text).map_err(fail)?
        }
        None | Some((_, Some("str" | "timestamp"))) => Tree::Text { text, plain: false },
        Some((_, Some("null"))) => Tree::Null,
        Some((tag, Some("bool"))) => {
            let mistagged = || Problem::Mistagged { tag: tag.to_owned(), found: format!("`{text}`") };
            Tree::Boolean(scalar::truth(&text).ok_or_else(mistagged).map_err(fail)?)
        }
        Some((_, Some("int"))) => Tree::Integer(scalar::integer(&text).map_err(fail)?),
        Some((_, Some("float"))) => Tree::Float(scalar::float(&text).map_err(fail)?),
        Some((_, Some("merge"))) => {
            word = Word::Merge;
            Tree::Text { text, plain: false }
        }
        Some((tag, Some("seq" | "map"))) => {
            return Err(fail(Problem::Mistagged { tag: tag.to_owned(), found: "a scalar".to_owned() }));
        }
        Some((tag, _)) => return Err(fail(Problem::UnknownTag(tag.to_owned()))),
    };
    Ok(Item { node: Node { span, tree: Arc::new(tree), size: 1 }, word })
}

/// A tag in full.
fn name(tag: &Tag) -> String {
    format!("{}{}", tag.handle, tag.suffix)
}

fn collection(tag: Option<String>, kind: Collection) -> Result<(), Problem> {
    let Some(tag) = tag.filter(|tag| tag != "!") else { return Ok(()) };
    let found = match kind {
        Collection::List => "a list",
        Collection::Map => "a map",
    };
    match (tag.strip_prefix(CORE), kind) {
        (Some("seq"), Collection::List) | (Some("map"), Collection::Map) => Ok(()),
        (Some("seq" | "map" | "str" | "int" | "float" | "bool" | "null" | "timestamp"), _) => {
            Err(Problem::Mistagged { tag, found: found.to_owned() })
        }
        _ => Err(Problem::UnknownTag(tag)),
    }
}
