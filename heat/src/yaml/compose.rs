//! Composes a tree from events.

use std::collections::HashMap;

use super::parser::{Event, EventKind, Properties};
use super::{DEPTH, Error, NODES, Node, Pair, Problem, Span, Tree, scalar};
use crate::truth;

const CORE: &str = "tag:yaml.org,2002:";

/// The most faults in single values that are reported at once.
const FAULTS: usize = 20;

/// Composes the tree of the only document from the events that `next` returns. Without a document, the result is
/// [`Tree::Null`].
///
/// A fault in a single value does not stop reading: all such faults are reported together with the first.
pub(super) fn compose<E: From<Error>>(next: impl FnMut() -> Result<Event, E>) -> Result<Node, E> {
    let mut composer = Composer::default();
    let done = composer.document(next);
    let mut faults = composer.faults.into_iter();
    match faults.next() {
        Some(first) => Err(Error { others: faults.collect(), ..first }.into()),
        None => done.map(|()| composer.root.unwrap_or_else(|| Item::of(Tree::Null, Span::default()).node)),
    }
}

/// The state of reading: the open collections, and the anchors.
#[derive(Default)]
struct Composer {
    open: Vec<Open>,
    /// `None` for an anchor whose value is not complete yet.
    anchors: HashMap<String, (Span, Option<Item>)>,
    root: Option<Node>,
    /// The number of values so far. Each alias counts as its whole value.
    size: u64,
    /// The first few faults in single values.
    faults: Vec<Error>,
}

impl Composer {
    fn document<E: From<Error>>(&mut self, mut next: impl FnMut() -> Result<Event, E>) -> Result<(), E> {
        let mut documents = 0;
        loop {
            let Event { kind, span } = next()?;
            match kind {
                EventKind::Document => {
                    documents += 1;
                    if documents > 1 {
                        return Err(Error::new(Problem::SecondDocument, span).into());
                    }
                }
                EventKind::End => break,
                EventKind::Alias(name) => self.alias(name, span)?,
                EventKind::Scalar { text, plain, properties } => {
                    let item = scalar(text, properties.tag.as_deref(), plain, span).unwrap_or_else(|error| {
                        note(&mut self.faults, error);
                        Item::of(Tree::Null, span)
                    });
                    self.leaf(item, properties.anchor)?;
                }
                EventKind::Value(tree) => self.leaf(Item::of(tree, span), None)?,
                EventKind::ListStart(properties) => self.open(Collection::List, properties, span)?,
                EventKind::MapStart(properties) => self.open(Collection::Map, properties, span)?,
                EventKind::ListEnd | EventKind::MapEnd => self.close(span)?,
            }
        }
        Ok(())
    }
}

/// A collection that has not ended yet.
struct Open {
    kind: Collection,
    /// The tag that makes a list one of pairs.
    pairs: Option<String>,
    anchor: Option<String>,
    span: Span,
    fault: Option<Box<Error>>,
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
    /// Its meaning as a value, if that differs from its meaning as the operand of a merge.
    value: Option<Node>,
    /// Whether it is a `<<`, which merges if it is a key.
    merges: bool,
    /// Why it is not a valid value, although it is valid as something else: as a key, or as the operand of a merge.
    fault: Option<Box<Error>>,
}

impl Composer {
    fn count(&mut self, size: u64, span: Span) -> Result<(), Error> {
        self.size += size;
        if self.size > NODES { Err(Error::new(Problem::TooMany, span)) } else { Ok(()) }
    }

    fn alias(&mut self, name: String, span: Span) -> Result<(), Error> {
        let mut item = match self.anchors.get(&name) {
            Some((_, Some(item))) => item.clone(),
            Some((anchor, None)) => {
                return Err(
                    Error::new(Problem::CyclicAlias(name), span).with("the value that it names begins", *anchor)
                );
            }
            None => return Err(Error::new(Problem::UnknownAlias(name), span)),
        };
        if self.open.len() + usize::from(item.node.height) > DEPTH {
            return Err(Error::new(Problem::TooDeep, span));
        }
        self.count(u64::from(item.node.size), span)?;
        item.node.span = span;
        if let Some(value) = &mut item.value {
            value.span = span;
        }
        self.add(item)
    }

    /// Registers an anchor for the next value.
    fn name(&mut self, anchor: Option<&String>, span: Span) -> Result<(), Error> {
        let Some(name) = anchor else { return Ok(()) };
        match self.anchors.insert(name.clone(), (span, None)) {
            Some((first, _)) => {
                Err(Error::new(Problem::DuplicateAnchor(name.clone()), span).with("first defined", first))
            }
            None => Ok(()),
        }
    }

    fn leaf(&mut self, item: Item, anchor: Option<String>) -> Result<(), Error> {
        self.count(u64::from(item.node.size), item.node.span)?;
        self.name(anchor.as_ref(), item.node.span)?;
        self.named(item, anchor)
    }

    fn open(&mut self, kind: Collection, properties: Properties, span: Span) -> Result<(), Error> {
        let (pairs, fault) = match collection(properties.tag, kind) {
            Ok(pairs) => (pairs, None),
            Err(problem) => (None, Some(Error::new(problem, span).into())),
        };
        if self.open.len() == DEPTH {
            return Err(Error::new(Problem::TooDeep, span));
        }
        self.count(1, span)?;
        self.name(properties.anchor.as_ref(), span)?;
        self.open.push(Open { kind, pairs, anchor: properties.anchor, span, fault, items: Vec::new() });
        Ok(())
    }

    fn close(&mut self, end: Span) -> Result<(), Error> {
        let open = self.open.pop().expect("INVARIANT: the parser closes what it opened");
        // By indentation, a collection ends only where the next one begins.
        let end = match open.items.last() {
            Some(last) if end.start == end.end => last.node.span.end,
            _ => end.end,
        };
        let mut fault = open.fault;
        let mut pairs_of_it = None;
        let tree = match open.kind {
            Collection::List => {
                if let Some(tag) = open.pairs {
                    pairs_of_it = single_pairs(&open.items);
                    if pairs_of_it.is_none() {
                        let problem = mistagged(&tag, "a list of anything but maps with one key each".to_owned());
                        fault = Some(Error::new(problem, open.span).into());
                    }
                }
                // PyYAML ignores the tags of such maps.
                let is_seen = pairs_of_it.is_none();
                let mut nodes = Vec::with_capacity(open.items.len());
                for mut item in open.items {
                    fault = fault.or(item.fault.take().filter(|_| is_seen));
                    nodes.push(item.value(&mut self.faults));
                }
                Tree::List(nodes)
            }
            Collection::Map => Tree::Map(pairs(open.items, &mut self.faults)?),
        };
        let span = Span { start: open.span.start, end };
        let value = pairs_of_it.map(|pairs| Node::new(Tree::List(pairs), span));
        self.named(Item { value, fault, ..Item::of(tree, span) }, open.anchor)
    }

    /// Adds a complete item, which its anchor can refer to from now on.
    fn named(&mut self, item: Item, anchor: Option<String>) -> Result<(), Error> {
        if let Some(name) = anchor {
            self.anchors.insert(name, (item.node.span, Some(item.clone())));
        }
        self.add(item)
    }

    fn add(&mut self, item: Item) -> Result<(), Error> {
        let Some(open) = self.open.last_mut() else {
            self.root = Some(item.value(&mut self.faults));
            return Ok(());
        };
        if open.kind == Collection::Map
            && open.items.len() % 2 == 0
            && let kind @ ("a list" | "a map") = item.node.tree.kind()
        {
            return Err(Error::new(Problem::KeyOf(kind), item.node.span));
        }
        open.items.push(item);
        Ok(())
    }
}

impl Item {
    /// A value whose parts are complete.
    fn of(tree: Tree, span: Span) -> Self {
        Self { node: Node::new(tree, span), value: None, merges: false, fault: None }
    }

    /// The node as a value rather than a key. Returns a node in any case.
    fn value(self, faults: &mut Vec<Error>) -> Node {
        if let Some(fault) = self.fault {
            note(faults, *fault);
        }
        self.value.unwrap_or(self.node)
    }
}

fn note(faults: &mut Vec<Error>, fault: Error) {
    if faults.len() < FAULTS {
        faults.push(fault);
    }
}

/// The pairs of a map in PyYAML's order: merged ones first, and of several merged maps the last first.
fn pairs(items: Vec<Item>, faults: &mut Vec<Error>) -> Result<Vec<Pair>, Error> {
    let mut merged = Vec::new();
    let mut own = Vec::with_capacity(items.len() / 2);
    let mut items = items.into_iter();
    while let (Some(key), Some(value)) = (items.next(), items.next()) {
        if key.merges {
            // Its tags do not matter.
            merge(&value.node, &mut merged)?;
        } else {
            own.push(Pair { key: key.node, value: value.value(faults), merged: false });
        }
    }
    merged.append(&mut own);
    Ok(merged)
}

/// The items of an `!!omap` as PyYAML creates them: tuples, which are lists in JSON. PyYAML ignores everything except the
/// pairs of the maps, including their tags. `None` if an item is not a map with one key.
fn single_pairs(items: &[Item]) -> Option<Vec<Node>> {
    let pair = |item: &Item| {
        let Tree::Map(pairs) = &*item.node.tree else { return None };
        let [Pair { key, value, merged: false }] = pairs.as_slice() else { return None };
        let is_odd = matches!(&*key.tree, Tree::Text { text, plain: true } if text == "=");
        (!is_odd).then(|| Node::new(Tree::List(vec![key.clone(), value.clone()]), item.node.span))
    };
    items.iter().map(pair).collect()
}

fn merge(value: &Node, merged: &mut Vec<Pair>) -> Result<(), Error> {
    let maps = match &*value.tree {
        Tree::List(maps) => maps.as_slice(),
        _ => std::slice::from_ref(value),
    };
    for map in maps.iter().rev() {
        let Tree::Map(pairs) = &*map.tree else {
            return Err(Error::new(Problem::Merge(map.tree.kind()), map.span));
        };
        merged.extend(pairs.iter().map(|pair| Pair { merged: true, ..pair.clone() }));
    }
    Ok(())
}

fn scalar(text: String, tag: Option<&str>, plain: bool, span: Span) -> Result<Item, Error> {
    let fail = |problem| Error::new(problem, span);
    let mut written = None;
    let mut odd = None;
    let tree = match tag.filter(|tag| *tag != "!").map(|tag| (tag, tag.strip_prefix(CORE))) {
        None if plain => {
            odd = match text.as_str() {
                "<<" => Some(Problem::MergeAsValue),
                "=" => Some(Problem::EqualsAsValue),
                _ => None,
            };
            match scalar::plain(&text).map_err(fail)? {
                Some(tree) => {
                    written = Some(text.into());
                    tree
                }
                None => Tree::Text { text, plain: true },
            }
        }
        None | Some((_, Some("str" | "timestamp"))) => Tree::Text { text, plain: false },
        Some((_, Some("null"))) => Tree::Null,
        Some((tag, Some("bool"))) => {
            Tree::Boolean(truth::of_tagged(&text).ok_or_else(|| fail(mistagged(tag, format!("`{text}`"))))?)
        }
        Some((tag, Some("int"))) => match scalar::integer(&text) {
            Ok(value) => Tree::Integer(value),
            Err(Problem::NotAnInteger(_)) => return Err(fail(mistagged(tag, format!("`{text}`")))),
            Err(problem) => return Err(fail(problem)),
        },
        Some((tag, Some("float"))) => {
            Tree::Float(scalar::float(&text).map_err(|_| fail(mistagged(tag, format!("`{text}`"))))?)
        }
        Some((_, Some("merge"))) => {
            odd = Some(Problem::MergeAsValue);
            Tree::Text { text, plain: false }
        }
        Some((tag, Some("seq" | "map" | "omap" | "pairs" | "set"))) => {
            return Err(fail(mistagged(tag, "a single value".to_owned())));
        }
        Some((tag, _)) => return Err(fail(unknown(tag.to_owned()))),
    };
    Ok(Item {
        node: Node { written, ..Node::new(tree, span) },
        value: None,
        merges: odd == Some(Problem::MergeAsValue),
        fault: odd.map(|problem| fail(problem).into()),
    })
}

/// Returns the tag if it makes a list one of pairs.
fn collection(tag: Option<String>, kind: Collection) -> Result<Option<String>, Problem> {
    let Some(tag) = tag.filter(|tag| tag != "!") else { return Ok(None) };
    let found = match kind {
        Collection::List => "a list",
        Collection::Map => "a map",
    };
    match (tag.strip_prefix(CORE), kind) {
        (Some("seq"), Collection::List) | (Some("map"), Collection::Map) => Ok(None),
        (Some("omap" | "pairs"), Collection::List) => Ok(Some(tag)),
        (
            Some("seq" | "map" | "omap" | "pairs" | "str" | "int" | "float" | "bool" | "null" | "timestamp" | "binary"),
            _,
        ) => Err(mistagged(&tag, found.to_owned())),
        _ => Err(unknown(tag)),
    }
}

fn mistagged(tag: &str, found: String) -> Problem {
    Problem::Mistagged { tag: tag.to_owned(), found }
}

fn unknown(tag: String) -> Problem {
    match tag.strip_prefix(CORE) {
        Some("set") => Problem::Set,
        Some("binary") => Problem::Binary,
        _ => Problem::UnknownTag(tag),
    }
}
