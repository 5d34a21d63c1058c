//! The tree of a text.

use std::fmt;
use std::sync::Arc;

use wattle_model::{IndexMap, Name, Value};

/// A place in a text: lines and columns from 0, columns in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// The place as people count: from 1.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line + 1, self.column + 1)
    }
}

/// The extent of something in a text. The end is exclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// Where it begins.
    pub start: Place,
    /// Where the next thing can begin.
    pub end: Place,
}

impl Span {
    /// The span of one character.
    pub(super) fn of_one(start: Place) -> Self {
        Self { start, end: Place { column: start.column + 1, ..start } }
    }
}

/// A comment. Heat ignores it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The place of its `#`.
    pub place: Place,
    /// Its text after the `#`.
    pub text: String,
    /// Whether something precedes it on its line.
    pub trails: bool,
    /// The place of the next token, or the end.
    pub next: Place,
}

/// A value and its place.
///
/// Cheap to clone: an alias shares its value, but has its own place.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its extent. For an alias, the extent of the alias.
    pub span: Span,
    /// The value.
    pub tree: Arc<Tree>,
    /// The number of values in it, including itself. An alias counts as its whole value, and long text as several values.
    pub(super) size: u32,
    /// The number of levels of lists and maps in it.
    pub(super) height: u16,
    /// The word as written, if it was not quoted and is not text.
    pub(super) written: Option<Arc<str>>,
}

/// The kinds of values.
#[derive(Debug)]
pub enum Tree {
    /// Null.
    Null,
    /// A boolean, however it was written.
    Boolean(bool),
    /// An integer, in whatever base it was written.
    Integer(i128),
    /// A float.
    Float(f64),
    /// Text.
    Text {
        /// The text.
        text: String,
        /// Whether it was written without quotes, where another word might not have been text.
        plain: bool,
    },
    /// Values in order.
    List(Vec<Node>),
    /// Values by key, in the order in which Heat sees them: merged ones (`<<`) come first. All pairs with equal keys are
    /// kept; the last one is effective.
    Map(Vec<Pair>),
}

/// A key and its value.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The key, which is neither a list nor a map.
    pub key: Node,
    /// The value.
    pub value: Node,
    /// Whether it comes from a merge (`<<`), so that an equal key in the map itself is not a mistake.
    pub merged: bool,
}

impl Tree {
    /// The word for its type in a message.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Boolean(_) => "a boolean",
            Self::Integer(_) => "an integer",
            Self::Float(_) => "a float",
            Self::Text { .. } => "a string",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
        }
    }

    /// The text, if it is text.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Whether both are the same key in Python, where `1`, `1.0` and `true` are equal.
    #[expect(clippy::float_cmp, reason = "Python compares keys in this way")]
    pub fn is_same_key(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Text { text: one, .. }, Self::Text { text: other, .. }) => one == other,
            _ => match (self.number(), other.number()) {
                (Some(Number::Integer(one)), Some(Number::Integer(other))) => one == other,
                (Some(Number::Float(one)), Some(Number::Float(other))) => one == other,
                (Some(Number::Integer(whole)), Some(Number::Float(float)))
                | (Some(Number::Float(float)), Some(Number::Integer(whole))) => equals(whole, float),
                _ => false,
            },
        }
    }

    fn number(&self) -> Option<Number> {
        match self {
            Self::Boolean(value) => Some(Number::Integer(i128::from(*value))),
            Self::Integer(value) => Some(Number::Integer(*value)),
            Self::Float(value) => Some(Number::Float(*value)),
            _ => None,
        }
    }
}

enum Number {
    Integer(i128),
    Float(f64),
}

#[expect(clippy::cast_possible_truncation, reason = "a float without fraction within the bounds is such an integer")]
#[expect(clippy::cast_precision_loss, reason = "2 to the 127th is a float")]
fn equals(whole: i128, float: f64) -> bool {
    float.fract() == 0.0 && float.abs() < i128::MAX as f64 && float as i128 == whole
}

/// The number of bytes of text that count as one more value.
const TEXT: usize = 64;

impl Node {
    /// The value as written, in a model's form. A call of a function is a map.
    pub fn constant(&self) -> Value {
        match &*self.tree {
            Tree::Null => Value::Null,
            Tree::Boolean(value) => Value::Boolean(*value),
            Tree::Integer(value) => Value::Integer(*value),
            Tree::Float(value) => Value::Float(*value),
            Tree::Text { text, .. } => text.as_str().into(),
            Tree::List(items) => Value::List(items.iter().map(Self::constant).collect()),
            Tree::Map(pairs) => {
                Value::Map(pairs.iter().map(|pair| (Name::from(pair.key.as_key()), pair.value.constant())).collect())
            }
        }
    }

    /// A null value without a place.
    pub fn null() -> Self {
        Self::new(Tree::Null, Span::default())
    }

    /// A value whose parts are complete.
    pub fn new(tree: Tree, span: Span) -> Self {
        let (size, height) = match &tree {
            Tree::Text { text, .. } => (u32::try_from(text.len() / TEXT).unwrap_or(u32::MAX), 0),
            Tree::List(items) => measure(items.iter()),
            Tree::Map(pairs) => measure(pairs.iter().flat_map(|pair| [&pair.key, &pair.value])),
            _ => (0, 0),
        };
        Self { span, tree: Arc::new(tree), size: size.saturating_add(1), height, written: None }
    }

    /// The word as written, if it was not quoted and means something other than itself: `0644`, `on`, `22:22`, `1_000`.
    /// Empty if nothing was written. JSON has no such words.
    pub fn written(&self) -> Option<&str> {
        self.written.as_deref()
    }

    /// The value of `key`, if this is a map that has it: the last one, as Heat sees it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.pair(key).map(|pair| &pair.value)
    }

    /// The pair of `key`, likewise.
    pub fn pair(&self, key: &str) -> Option<&Pair> {
        match &*self.tree {
            Tree::Map(pairs) => pairs.iter().rev().find(|pair| pair.key.tree.as_text() == Some(key)),
            _ => None,
        }
    }
}

fn measure<'n>(parts: impl Iterator<Item = &'n Node>) -> (u32, u16) {
    let start = (0_u32, 1_u16);
    parts
        .fold(start, |(size, height), part| (size.saturating_add(part.size), height.max(part.height.saturating_add(1))))
}

/// The effective pairs of a map: of equal keys, the last one.
pub(crate) fn counting(pairs: &[Pair]) -> impl Iterator<Item = &Pair> {
    let mut last: IndexMap<String, &Pair> = IndexMap::with_capacity_and_hasher(pairs.len(), Default::default());
    for pair in pairs {
        last.insert(pair.key.as_key(), pair);
    }
    last.into_values()
}
