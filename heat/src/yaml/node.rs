//! The tree that a text is read into.

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

/// As people count: from 1.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line + 1, self.column + 1)
    }
}

/// From where to where something stands, the end not included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// Where it begins.
    pub start: Place,
    /// Where the next thing may begin.
    pub end: Place,
}

impl Span {
    /// Of one character.
    pub(super) fn of_one(start: Place) -> Self {
        Self { start, end: Place { column: start.column + 1, ..start } }
    }
}

/// A comment, which means nothing to Heat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Where its `#` is.
    pub place: Place,
    /// What it says, behind the `#`.
    pub text: String,
    /// Whether something stands before it on its line.
    pub trails: bool,
    /// Where the next word is, or the end.
    pub next: Place,
}

/// A value and its place.
///
/// Cheap to clone: an alias shares what it stands for, and has a place of its own.
#[derive(Clone, Debug)]
pub struct Node {
    /// Where it is written; of an alias, where the alias is.
    pub span: Span,
    /// What it is.
    pub tree: Arc<Tree>,
    /// How many values it holds, itself included; of an alias, how many it stands for. Long text counts as several.
    pub(super) size: u32,
    /// How many levels of lists and maps it has.
    pub(super) height: u16,
    /// What a word was that was written without quotes and is no text.
    pub(super) written: Option<Arc<str>>,
}

/// What a value can be.
#[derive(Debug)]
pub enum Tree {
    /// Nothing.
    Null,
    /// A truth value, however it was written.
    Boolean(bool),
    /// A whole number, in whatever base it was written.
    Integer(i128),
    /// A number with a fraction.
    Float(f64),
    /// Text.
    Text {
        /// The text.
        text: String,
        /// Whether it was written without quotes, so that other words in its place may not have been text.
        plain: bool,
    },
    /// Values in order.
    List(Vec<Node>),
    /// Values by key, in the order in which Heat sees them: what is merged (`<<`) comes first. Equal keys are all
    /// here; the last one counts.
    Map(Vec<Pair>),
}

/// A key and its value.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The key: no list and no map.
    pub key: Node,
    /// The value.
    pub value: Node,
    /// Whether it came by a merge (`<<`), so that an equal key of the map itself is no mistake.
    pub merged: bool,
}

impl Tree {
    /// The word for its kind in a message.
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

    /// Whether both are the same key to Python: `1`, `1.0` and `true` are.
    #[expect(clippy::float_cmp, reason = "Python compares keys so")]
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

/// How many bytes of text count as one more value.
const TEXT: usize = 64;

impl Node {
    /// What is written, as a model has it: a call of a function is a map.
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

    /// Nothing, at no place.
    pub fn null() -> Self {
        Self::new(Tree::Null, Span::default())
    }

    /// A value whose parts are whole.
    pub fn new(tree: Tree, span: Span) -> Self {
        let (size, height) = match &tree {
            Tree::Text { text, .. } => (u32::try_from(text.len() / TEXT).unwrap_or(u32::MAX), 0),
            Tree::List(items) => measure(items.iter()),
            Tree::Map(pairs) => measure(pairs.iter().flat_map(|pair| [&pair.key, &pair.value])),
            _ => (0, 0),
        };
        Self { span, tree: Arc::new(tree), size: size.saturating_add(1), height, written: None }
    }

    /// The word that was written, if it had no quotes and means something else than itself: `0644`, `on`, `22:22`,
    /// `1_000`; empty if nothing was written. JSON has no such words.
    pub fn written(&self) -> Option<&str> {
        self.written.as_deref()
    }

    /// The value under `key`, if this is a map that has it: the last one, as Heat sees it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.pair(key).map(|pair| &pair.value)
    }

    /// That value with its key.
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

/// The pairs of a map that count: of equal keys the last one.
pub(crate) fn counting(pairs: &[Pair]) -> impl Iterator<Item = &Pair> {
    let mut last: IndexMap<String, &Pair> = IndexMap::with_capacity_and_hasher(pairs.len(), Default::default());
    for pair in pairs {
        last.insert(pair.key.as_key(), pair);
    }
    last.into_values()
}
