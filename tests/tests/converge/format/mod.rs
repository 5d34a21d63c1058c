//! The format of scenarios; reading reports all faults in a file.

mod read;
pub(crate) mod tests;

use std::collections::BTreeMap;
use std::fmt;

use wattle::model::Name;

use super::template::Template;

pub(crate) use read::scenarios;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Scenario {
    pub(crate) name: String,
    pub(crate) templates: BTreeMap<Name, Template>,
    pub(crate) steps: Vec<Step>,
    /// The expected number of things at the end, by resource; `None` if the scenario does not specify it.
    pub(crate) end: Option<BTreeMap<Name, usize>>,
}

/// The empty template.
pub(crate) const NOTHING: &str = "nothing";

/// An action or a check, and its time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    /// The key that names its kind.
    pub(crate) word: &'static str,
    pub(crate) taken: Taken,
    pub(crate) at: Option<At>,
}

impl Step {
    /// A short description of the step, for people.
    pub(crate) fn words(&self) -> String {
        match &self.taken {
            Taken::Desire(template) if self.word != "delete" => format!("`{}: {template}`", self.word),
            _ => format!("`{}`", self.word),
        }
    }
}

/// The kinds of steps.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Taken {
    /// Requests a template.
    Desire(Name),
    /// Requests the last complete template.
    Rollback,
    /// Checks reality.
    Expect(Expect),
    /// Advances a clock that this engine does not have.
    Ticks,
}

/// The time of a step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum At {
    /// As soon as nothing is left to do.
    Idle,
    /// As soon as reality has changed in this way, and no further.
    Moment { done: Vec<Change>, one_of: Vec<Change>, open: Vec<Name> },
}

/// A change in reality.
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

/// The expected reality.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Expect {
    pub(crate) matches: Option<Name>,
    pub(crate) total: Option<usize>,
    pub(crate) count: BTreeMap<Name, usize>,
    /// Names to remember, each under a word.
    pub(crate) remember: BTreeMap<Name, Name>,
    /// For each resource, the word for the name that it must, or must not, have.
    pub(crate) same: BTreeMap<Name, Name>,
    pub(crate) differs: BTreeMap<Name, Name>,
}
