//! The values of YAQL: Python's objects, as far as YAQL distinguishes them.

use std::collections::HashMap;
use std::rc::Rc;

use super::context::{Context, Lambda};
use super::expression::Expression;
use super::machine::{Stop, unknown, wrong};
use super::regex::Pattern;
use super::stream::{Memory, Ordering, Stream};

/// The maximum nesting of results. Deeper ones are unknown.
pub(super) const NESTED: u32 = 80;

/// A value of an expression.
#[derive(Clone, Debug)]
pub(super) enum Item {
    Null,
    Boolean(bool),
    Integer(i128),
    Float(f64),
    Text(Rc<str>),
    /// Immutable items in order: YAQL's own lists.
    Tuple(Rc<Row>),
    /// Items in order in a form that Python could change. These cannot be keys, and differ from every tuple.
    List(Rc<Row>),
    Map(Rc<Map>),
    /// The keys, values or items of a map.
    View(Rc<Map>, Part),
    /// A set. Its order is internal to Python.
    Set(Rc<Map>),
    /// A sequence that can be iterated once.
    Stream(Stream),
    /// A sequence that is iterated from the start each time.
    Memory(Memory),
    Ordering(Rc<Ordering>),
    Regex(Rc<Pattern>),
    Context(Context),
    Lambda(Rc<Lambda>),
    /// `key => value`, evaluated.
    Rule(Rc<(Item, Item)>),
    /// An expression that the function examines itself.
    Quoted(Rc<Expression>),
    /// An argument that was not given.
    Missing,
    /// A value that only a running stack knows.
    Unknown,
}

/// Items in order.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) items: Vec<Item>,
    depth: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Keys,
    Values,
    Items,
}

/// Items by key, in order.
#[derive(Debug, Default)]
pub(super) struct Map {
    pub(super) entries: Vec<(Item, Item)>,
    places: HashMap<Key, usize>,
    /// Whether Python could change it, in which case it cannot be a key.
    changes: bool,
    depth: u32,
}

/// A key as Python compares it: equal keys are one key.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Key {
    Null,
    Integer(i128),
    Float(u64),
    Text(Rc<str>),
    Row(Vec<Key>),
    Map(Vec<(Key, Key)>),
}

impl Key {
    pub(super) fn of(item: &Item) -> Result<Self, Stop> {
        Ok(match item {
            Item::Null => Self::Null,
            Item::Boolean(value) => Self::Integer(i128::from(*value)),
            Item::Integer(value) => Self::Integer(*value),
            Item::Float(value) => match whole(*value) {
                Some(value) => Self::Integer(value),
                None if value.is_finite() => Self::Float(value.to_bits()),
                None => return unknown(),
            },
            Item::Text(text) => Self::Text(text.clone()),
            Item::Tuple(row) => Self::Row(row.items.iter().map(Self::of).collect::<Result<_, _>>()?),
            Item::Map(map) if !map.changes => {
                let pair = |(key, value): &(Item, Item)| Ok((Self::of(key)?, Self::of(value)?));
                let mut pairs = map.entries.iter().map(pair).collect::<Result<Vec<_>, Stop>>()?;
                pairs.sort();
                Self::Map(pairs)
            }
            Item::List(_) | Item::Map(_) => return wrong(format!("{} cannot be a key", item.kind())),
            _ => return unknown(),
        })
    }
}

/// The integer that a float is equal to.
pub(super) fn whole(value: f64) -> Option<i128> {
    #[expect(clippy::cast_possible_truncation, reason = "it has no fraction and is within the bounds")]
    (value.fract() == 0.0 && value.abs() < 1e37).then_some(value as i128)
}

impl Map {
    pub(super) fn new() -> Self {
        Self::default()
    }

    pub(super) fn insert(&mut self, key: Item, value: Item) -> Result<(), Stop> {
        let depth = key.depth().max(value.depth()) + 1;
        if depth > NESTED {
            return unknown();
        }
        self.depth = self.depth.max(depth);
        let found = Key::of(&key)?;
        if let Some(&at) = self.places.get(&found) {
            self.entries[at].1 = value;
        } else {
            self.places.insert(found, self.entries.len());
            self.entries.push((key, value));
        }
        Ok(())
    }

    pub(super) fn get(&self, key: &Item) -> Result<Option<&Item>, Stop> {
        Ok(self.places.get(&Key::of(key)?).map(|at| &self.entries[*at].1))
    }

    /// The map as an immutable item, or as one that Python could change.
    pub(super) fn item(self, changes: bool) -> Item {
        Item::Map(Rc::new(Self { changes, ..self }))
    }

    pub(super) fn keys(&self) -> Vec<Item> {
        self.entries.iter().map(|(key, _)| key.clone()).collect()
    }
}

impl Item {
    pub(super) fn text(text: impl Into<Rc<str>>) -> Self {
        Self::Text(text.into())
    }

    pub(super) fn tuple(items: Vec<Self>) -> Result<Self, Stop> {
        Ok(Self::Tuple(Row::of(items)?))
    }

    pub(super) fn list(items: Vec<Self>) -> Result<Self, Stop> {
        Ok(Self::List(Row::of(items)?))
    }

    pub(super) fn set(items: impl IntoIterator<Item = Self>) -> Result<Self, Stop> {
        let mut map = Map::new();
        for item in items {
            if map.get(&item)?.is_none() {
                map.insert(item, Self::Null)?;
            }
        }
        Ok(Self::Set(Rc::new(map)))
    }

    /// The depth of nested items.
    pub(super) fn depth(&self) -> u32 {
        match self {
            Self::Tuple(row) | Self::List(row) => row.depth,
            Self::Map(map) | Self::View(map, _) | Self::Set(map) => map.depth,
            Self::Stream(stream) => stream.depth,
            Self::Memory(memory) => memory.depth,
            Self::Ordering(ordering) => ordering.depth,
            Self::Context(context) => context.depth(),
            Self::Lambda(lambda) => lambda.depth(),
            Self::Rule(rule) => rule.0.depth().max(rule.1.depth()) + 1,
            _ => 0,
        }
    }

    /// The items, if they are ordered and all available.
    pub(super) fn row(&self) -> Option<&[Self]> {
        match self {
            Self::Tuple(row) | Self::List(row) => Some(&row.items),
            _ => None,
        }
    }

    pub(super) fn is_iterator(&self) -> bool {
        matches!(self, Self::Stream(_) | Self::Memory(_))
    }

    pub(super) fn is_set(&self) -> bool {
        matches!(self, Self::Set(_) | Self::View(_, Part::Keys | Part::Items))
    }

    pub(super) fn is_iterable(&self) -> bool {
        matches!(self, Self::Tuple(_) | Self::List(_) | Self::View(..) | Self::Set(_) | Self::Ordering(_))
            || self.is_iterator()
    }

    /// Python's truth value.
    pub(super) fn truth(&self) -> Result<bool, Stop> {
        Ok(match self {
            Self::Unknown => return unknown(),
            Self::Null => false,
            Self::Boolean(value) => *value,
            Self::Integer(value) => *value != 0,
            Self::Float(value) => *value != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::Tuple(row) | Self::List(row) => !row.items.is_empty(),
            Self::Map(map) | Self::View(map, _) | Self::Set(map) => !map.entries.is_empty(),
            _ => true,
        })
    }

    /// Python's equality.
    pub(super) fn equals(&self, other: &Self) -> Result<bool, Stop> {
        Ok(match (self, other) {
            (Self::Unknown, _) | (_, Self::Unknown) => return unknown(),
            (Self::Tuple(one), Self::Tuple(other)) | (Self::List(one), Self::List(other)) => {
                if one.items.len() != other.items.len() {
                    return Ok(false);
                }
                for (one, other) in one.items.iter().zip(&other.items) {
                    if !one.equals(other)? {
                        return Ok(false);
                    }
                }
                true
            }
            (Self::Map(one), Self::Map(other)) => {
                if one.entries.len() != other.entries.len() {
                    return Ok(false);
                }
                for (key, value) in &one.entries {
                    match other.get(key)? {
                        Some(other) if value.equals(other)? => {}
                        _ => return Ok(false),
                    }
                }
                true
            }
            (Self::Set(one), Self::Set(other)) => {
                one.places.len() == other.places.len() && one.places.keys().all(|key| other.places.contains_key(key))
            }
            (Self::Text(one), Self::Text(other)) => one == other,
            (one, other) if one.is_plain() && other.is_plain() => Key::of(one)? == Key::of(other)?,
            (one, other) if one.is_plain() || other.is_plain() => false,
            (one, other) if one.is_data() && other.is_data() => false,
            // An iterator is equal only to itself.
            (one, other) if one.is_data() && other.is_iterator() || one.is_iterator() && other.is_data() => false,
            _ => return unknown(),
        })
    }

    fn is_plain(&self) -> bool {
        matches!(self, Self::Null | Self::Boolean(_) | Self::Integer(_) | Self::Float(_) | Self::Text(_))
    }

    fn is_data(&self) -> bool {
        matches!(self, Self::Tuple(_) | Self::List(_) | Self::Map(_))
    }

    /// The word for its type in a message.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Null | Self::Missing => "nothing",
            Self::Boolean(_) => "a boolean",
            Self::Integer(_) => "an integer",
            Self::Float(_) => "a float",
            Self::Text(_) => "a string",
            Self::Tuple(_) | Self::List(_) | Self::Stream(_) | Self::Memory(_) | Self::Ordering(_) => "a list",
            Self::View(..) => "a view of a map",
            Self::Map(_) => "a map",
            Self::Set(_) => "a set",
            Self::Regex(_) => "a regular expression",
            Self::Context(_) => "a context",
            Self::Lambda(_) | Self::Quoted(_) => "an expression",
            Self::Rule(_) => "a rule",
            Self::Unknown => "not known yet",
        }
    }
}

impl Row {
    fn of(items: Vec<Item>) -> Result<Rc<Self>, Stop> {
        let depth = items.iter().map(Item::depth).max().unwrap_or(0) + 1;
        if depth > NESTED { unknown() } else { Ok(Rc::new(Self { items, depth })) }
    }
}
