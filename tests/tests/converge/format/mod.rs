//! The format of scenarios, with all errors reported.

mod read;
pub(crate) mod tests;

use std::collections::BTreeMap;
use std::fmt;

use wattle::model::Name;

use super::template::Template;

pub(crate) use read::scenarios;

/// A scenario.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Scenario {
    pub(crate) name: String,
    pub(crate) templates: BTreeMap<Name, Template>,
    pub(crate) steps: Vec<Step>,
    /// How many things there are at the end, by resource; nothing if it does not say so.
    pub(crate) end: Option<BTreeMap<Name, usize>>,
}

/// The template that asks for nothing.
pub(crate) const NOTHING: &str = "nothing";

/// What is done or checked, and when.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    /// The key that says what it is.
    pub(crate) word: &'static str,
    pub(crate) taken: Taken,
    pub(crate) at: Option<At>,
}

impl Step {
    /// The step in short, for people.
    pub(crate) fn words(&self) -> String {
        match &self.taken {
            Taken::Goal(template) if self.word != "delete" => format!("`{}: {template}`", self.word),
            _ => format!("`{}`", self.word),
        }
    }
}

/// What a step does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Taken {
    /// A template is asked for.
    Goal(Name),
    /// What completed last is asked for.
    Rollback,
    /// Reality is looked at.
    Expect(Expect),
    /// A clock that is not ours goes on.
    Ticks,
}

/// When a step is taken.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum At {
    /// Nothing is left to do.
    Idle,
    /// Reality has changed as this says, and no more.
    Moment { done: Vec<Change>, one_of: Vec<Change>, open: Vec<Name> },
}

/// A change of reality.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) verb: String,
    pub(crate) name: Name,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.verb, self.name)
    }
}

/// What reality must look like.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Expect {
    pub(crate) matches: Option<Name>,
    pub(crate) total: Option<usize>,
    pub(crate) count: BTreeMap<Name, usize>,
    /// What is noted, by the word for it.
    pub(crate) remember: BTreeMap<Name, Name>,
    /// By resource, the word for what it is to be, or not to be.
    pub(crate) same: BTreeMap<Name, Name>,
    pub(crate) differs: BTreeMap<Name, Name>,
}
