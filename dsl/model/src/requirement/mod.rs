//! Requirements: what must hold of values, whenever they are known.
//!
//! One requirement is judged wherever its values are known: by `check`, by Heat, by `seed apply`, by agents. What lives
//! here: requirements as data, the one evaluator ([`judge()`]) and its words for all of them. What must not: how a value
//! is had; that is the caller's.

mod judge;
pub mod number;
pub mod pattern;
pub mod words;

use serde::{Deserialize, Serialize};

use super::{Expr, Name, Source};

pub use judge::{Verdict, judge};
pub use number::compare;
pub use pattern::compiled;
pub use words::{demanded, told};

/// What an author requires of values. Those of Heat's own that decide what there is are [`super::Condition`]s.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Requirement {
    /// What must hold.
    pub predicate: Predicate<Expr>,
    /// Why, in the author's words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub because: String,
    /// Where it was required.
    pub at: Source,
}

impl Requirement {
    /// A requirement without a reason.
    pub fn new(predicate: Predicate<Expr>, at: Source) -> Self {
        Self { predicate, because: String::new(), at }
    }
}

/// What must hold of values, each of which is told by a `V`: an [`Expr`] in a model, what an agent resolves in a seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Predicate<V> {
    /// All of these.
    All(Vec<Predicate<V>>),
    /// At least one of these.
    Any(Vec<Predicate<V>>),
    /// The opposite of this.
    Opposite(Box<Predicate<V>>),
    /// What a value is tested for.
    Tested(Tested<V>),
}

/// A value and what it is tested for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tested<V> {
    /// The value; none for the item that [`Test::EveryItem`] and [`Test::SomeItem`] look at.
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    pub value: Option<V>,
    /// The test.
    pub test: Test<V>,
    /// Whether no message may show a value of it, besides those that its types say are secret.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub secret: bool,
}

fn none<V>() -> Option<V> {
    None
}

/// What a value is tested for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Test<V> {
    /// It is the same; of numbers, by value.
    Is(V),
    /// It is not the same.
    IsNot(V),
    /// A number, and not less.
    AtLeast(V),
    /// A number, and not more.
    AtMost(V),
    /// A number, and more.
    MoreThan(V),
    /// A number, and less.
    LessThan(V),
    /// A number, not less than the one and not more than the other.
    Between(V, V),
    /// It is the same as one of these.
    OneOf(Vec<V>),
    /// A whole number that this divides.
    MultipleOf(u32),
    /// Text, all of which this regular expression matches.
    Matches(Name),
    /// Text that begins with this.
    StartsWith(V),
    /// Text that ends with this.
    EndsWith(V),
    /// Text with this in it, a list with this item, or a map with this name.
    Includes(V),
    /// Characters of text, or items of a list or a map.
    Length {
        /// The least number.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min: Option<u32>,
        /// The greatest number.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max: Option<u32>,
    },
    /// A list or a map, each of whose values is so.
    EveryItem(Box<Predicate<V>>),
    /// A list or a map, one of whose values is so.
    SomeItem(Box<Predicate<V>>),
}

impl<V> Predicate<V> {
    /// The same of what `other` makes of each value.
    ///
    /// # Errors
    /// The first that `other` returns.
    pub fn try_map<W, E>(&self, other: &mut impl FnMut(&V) -> Result<W, E>) -> Result<Predicate<W>, E> {
        let mut all = |parts: &[Self]| parts.iter().map(|part| part.try_map(other)).collect::<Result<Vec<_>, _>>();
        Ok(match self {
            Self::All(parts) => Predicate::All(all(parts)?),
            Self::Any(parts) => Predicate::Any(all(parts)?),
            Self::Opposite(part) => Predicate::Opposite(Box::new(part.try_map(other)?)),
            Self::Tested(Tested { value, test, secret }) => {
                let value = value.as_ref().map(&mut *other).transpose()?;
                Predicate::Tested(Tested { value, test: test.try_map(other)?, secret: *secret })
            }
        })
    }

    /// The same of what `other` makes of each value.
    pub fn map<W>(&self, mut other: impl FnMut(&V) -> W) -> Predicate<W> {
        let mapped = self.try_map(&mut |value| Ok::<_, std::convert::Infallible>(other(value)));
        match mapped {
            Ok(mapped) => mapped,
            Err(never) => match never {},
        }
    }

    /// Calls `visit` for every value, in the order in which they were written.
    pub fn each<'p>(&'p self, visit: &mut impl FnMut(&'p V)) {
        self.tested(&mut |tested| {
            tested.value.iter().for_each(&mut *visit);
            tested.test.each(visit);
        });
    }

    /// Whether any of its values is a secret.
    pub fn is_secret(&self) -> bool {
        let mut is_secret = false;
        self.tested(&mut |tested| is_secret |= tested.secret);
        is_secret
    }

    /// Calls `visit` for every value and what it is tested for; what items are tested for behind their list.
    pub fn tested<'p>(&'p self, visit: &mut impl FnMut(&'p Tested<V>)) {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|part| part.tested(visit)),
            Self::Opposite(part) => part.tested(visit),
            Self::Tested(tested) => {
                visit(tested);
                if let Test::EveryItem(item) | Test::SomeItem(item) = &tested.test {
                    item.tested(visit);
                }
            }
        }
    }
}

impl<V> Test<V> {
    fn try_map<W, E>(&self, other: &mut impl FnMut(&V) -> Result<W, E>) -> Result<Test<W>, E> {
        Ok(match self {
            Self::Is(value) => Test::Is(other(value)?),
            Self::IsNot(value) => Test::IsNot(other(value)?),
            Self::AtLeast(value) => Test::AtLeast(other(value)?),
            Self::AtMost(value) => Test::AtMost(other(value)?),
            Self::MoreThan(value) => Test::MoreThan(other(value)?),
            Self::LessThan(value) => Test::LessThan(other(value)?),
            Self::Between(least, most) => Test::Between(other(least)?, other(most)?),
            Self::OneOf(values) => Test::OneOf(values.iter().map(&mut *other).collect::<Result<_, _>>()?),
            Self::MultipleOf(step) => Test::MultipleOf(*step),
            Self::Matches(pattern) => Test::Matches(pattern.clone()),
            Self::StartsWith(value) => Test::StartsWith(other(value)?),
            Self::EndsWith(value) => Test::EndsWith(other(value)?),
            Self::Includes(value) => Test::Includes(other(value)?),
            Self::Length { min, max } => Test::Length { min: *min, max: *max },
            Self::EveryItem(item) => Test::EveryItem(Box::new(item.try_map(other)?)),
            Self::SomeItem(item) => Test::SomeItem(Box::new(item.try_map(other)?)),
        })
    }

    /// Calls `visit` for each value that the test compares with; not for those of items.
    pub fn each<'t>(&'t self, visit: &mut impl FnMut(&'t V)) {
        match self {
            Self::Is(value)
            | Self::IsNot(value)
            | Self::AtLeast(value)
            | Self::AtMost(value)
            | Self::MoreThan(value)
            | Self::LessThan(value)
            | Self::StartsWith(value)
            | Self::EndsWith(value)
            | Self::Includes(value) => visit(value),
            Self::Between(least, most) => [least, most].into_iter().for_each(visit),
            Self::OneOf(values) => values.iter().for_each(visit),
            Self::MultipleOf(_) | Self::Matches(_) | Self::Length { .. } | Self::EveryItem(_) | Self::SomeItem(_) => {}
        }
    }
}

/// A value of a requirement, and what messages call it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Operand<V> {
    /// What it is called: `memory`, `db/postgres/port`; none for a constant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
    /// The value, or where it comes from.
    pub from: V,
}
