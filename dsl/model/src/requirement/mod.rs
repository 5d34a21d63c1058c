//! Requirements: what must hold of values, whenever they are known.
//!
//! A requirement is evaluated wherever its values are known: by `check`, by Heat, by `seed apply` and by agents. What lives
//! here: requirements as data, the one evaluator ([`judge()`]), and the wording of its messages. What must not: how to
//! obtain a value, which is up to the caller.

mod judge;
pub mod number;
pub mod pattern;
pub mod words;

use serde::{Deserialize, Serialize};

use super::{Expr, Name, Source};

pub use judge::{Verdict, judge};
pub use number::compare;
pub use pattern::compiled;
pub use words::{demanded, unmet};

/// A condition that an author requires values to meet. Heat's own conditions, which decide what is created, are
/// [`super::Condition`]s.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Requirement {
    /// What must hold.
    pub predicate: Predicate<Expr>,
    /// Why, in the author's words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub because: String,
    /// Where it was declared.
    pub at: Source,
}

impl Requirement {
    /// A requirement without a reason.
    pub fn new(predicate: Predicate<Expr>, at: Source) -> Self {
        Self { predicate, because: String::new(), at }
    }
}

/// A predicate over values of type `V`: an [`Expr`] in a model, or what an agent resolves in a seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Predicate<V> {
    /// All of these hold.
    All(Vec<Predicate<V>>),
    /// At least one of these holds.
    Any(Vec<Predicate<V>>),
    /// This does not hold.
    Opposite(Box<Predicate<V>>),
    /// A test of a value.
    Tested(Tested<V>),
}

/// A value and its test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tested<V> {
    /// The value. `None` for the item that [`Test::EveryItem`] or [`Test::SomeItem`] examines.
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    pub value: Option<V>,
    /// The test.
    pub test: Test<V>,
    /// Whether messages must not show its value. Values of secret types are never shown in any case.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub secret: bool,
}

fn none<V>() -> Option<V> {
    None
}

/// A test of a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Test<V> {
    /// It equals this. Numbers are compared by value.
    Is(V),
    /// It does not equal this.
    IsNot(V),
    /// A number greater than or equal to this.
    AtLeast(V),
    /// A number less than or equal to this.
    AtMost(V),
    /// A number greater than this.
    MoreThan(V),
    /// A number less than this.
    LessThan(V),
    /// A number within these inclusive bounds.
    Between(V, V),
    /// It equals one of these.
    OneOf(Vec<V>),
    /// An integer divisible by this.
    MultipleOf(u32),
    /// Text that this regular expression matches as a whole.
    Matches(Name),
    /// Text that starts with this.
    StartsWith(V),
    /// Text that ends with this.
    EndsWith(V),
    /// Text that contains this, a list with this item, or a map with this key.
    Includes(V),
    /// The number of characters of text, or of items of a list or a map.
    Length {
        /// The minimum.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min: Option<u32>,
        /// The maximum.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max: Option<u32>,
    },
    /// A list or a map whose values all meet this.
    EveryItem(Box<Predicate<V>>),
    /// A list or a map with at least one value that meets this.
    SomeItem(Box<Predicate<V>>),
}

impl<V> Predicate<V> {
    /// Replaces each value with what `other` returns for it.
    ///
    /// # Errors
    /// The first error that `other` returns.
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

    /// Replaces each value with what `other` returns for it.
    pub fn map<W>(&self, mut other: impl FnMut(&V) -> W) -> Predicate<W> {
        let mapped = self.try_map(&mut |value| Ok::<_, std::convert::Infallible>(other(value)));
        match mapped {
            Ok(mapped) => mapped,
            Err(never) => match never {},
        }
    }

    /// Calls `visit` for every value, in source order.
    pub fn each<'p>(&'p self, visit: &mut impl FnMut(&'p V)) {
        self.tested(&mut |tested| {
            tested.value.iter().for_each(&mut *visit);
            tested.test.each(visit);
        });
    }

    /// Whether any of its values is secret.
    pub fn is_secret(&self) -> bool {
        let mut is_secret = false;
        self.tested(&mut |tested| is_secret |= tested.secret);
        is_secret
    }

    /// Calls `visit` for every tested value with its test. Tests of items come after their list.
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

    /// Calls `visit` for each value that the test compares with, except those in tests of items.
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

/// A value of a requirement, with its name in messages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Operand<V> {
    /// Its name: `memory`, `db/postgres/port`. `None` for a constant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
    /// The value, or where it comes from.
    pub from: V,
}
