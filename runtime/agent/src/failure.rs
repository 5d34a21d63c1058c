//! Failures, which take the place of missing values.

use std::fmt;

use serde::{Deserialize, Serialize};
use wattle_model::Name;

pub use wattle_model::values::FailureKind;

use crate::time::Time;

/// Why a component failed. Components that depend on it pass on the same failure, so that all of them name the root
/// cause.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// The component that failed first, as `SERVER/COMPONENT`.
    pub component: Name,
    /// The kind of failure.
    pub kind: FailureKind,
    /// What happened, in one line.
    pub message: String,
    /// The last lines of the recipe's output, secrets masked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<String>,
    /// When it happened.
    pub at: Time,
    /// The components that passed it on, from the root on, as `SERVER/COMPONENT`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub through: Vec<Name>,
}

/// The maximum number of bytes of a message or log that others pass on. An agent's own are shorter.
const LONGEST: usize = 16 << 10;

/// The maximum number of bytes of a name that others pass on.
const LONGEST_NAME: usize = 1 << 10;

/// The maximum number of bytes of the names of all components that passed a failure on.
const LONGEST_WAY: usize = 256 << 10;

impl Failure {
    /// Reduces the failure to what is known if its own component does not report it: only `component` reports it.
    #[must_use]
    pub fn only_said_by(self, component: &Name) -> Self {
        let named = &self.component;
        let message = format!("it reports that {named} has failed, but {named} does not report it: {}", self.message);
        Self { component: component.clone(), message, through: Vec::new(), ..self }
    }

    /// Converts a failure of another stack, reported by `component`. Within this stack, there is no report by its own
    /// component.
    #[must_use]
    pub fn said_of_another_stack(self, component: &Name) -> Self {
        let message = format!("it reports that {} of another stack has failed: {}", self.component, self.message);
        Self { component: component.clone(), message, through: Vec::new(), ..self }
    }

    /// Truncates the failure to what others can pass on. Otherwise an overlong failure would keep them from publishing
    /// anything.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        if self.component.len() > LONGEST_NAME {
            self.component = shortened(&self.component, LONGEST_NAME).into();
        }
        if self.message.len() > LONGEST {
            self.message = shortened(&self.message, LONGEST);
        }
        let mut room = LONGEST;
        // The last lines of a log matter most.
        let has_room = |line: &&String| room.checked_sub(line.len() + 1).map(|left| room = left).is_some();
        let kept = self.log.iter().rev().take_while(has_room).count();
        self.log.drain(..self.log.len() - kept);
        let mut room = LONGEST_WAY;
        let has_room = |name: &&Name| room.checked_sub(name.len() + 3).map(|left| room = left).is_some();
        self.through.truncate(self.through.iter().take_while(has_room).count());
        self
    }

    /// The failure of a component of `stack`, with its names as another stack sees them.
    #[must_use]
    pub fn of_stack(mut self, stack: &str) -> Self {
        for component in std::iter::once(&mut self.component).chain(&mut self.through) {
            *component = format!("{stack}:{component}").into();
        }
        self
    }

    /// The failure as passed on by `component`.
    pub fn passed_on(&self, component: &Name) -> Self {
        let mut failure = self.clone();
        failure.through.push(component.clone());
        failure
    }
}

fn shortened(text: &str, most: usize) -> String {
    format!("{} ...", &text[..text.floor_char_boundary(most)])
}

/// For example `db/postgres: the recipe ended with exit code 1`.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.component, self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(component: &str, message: &str, log: Vec<String>, through: Vec<Name>) -> Failure {
        let (kind, at) = (FailureKind::Type, Time::EPOCH);
        Failure { component: component.into(), kind, message: message.to_owned(), log, at, through }
    }

    #[test]
    fn what_is_passed_on_leaves_room_for_the_next() {
        let usual = failure("db/part", "no", vec!["a line".to_owned(); 40], vec!["web/part".into(); 1_000]);
        assert_eq!(usual.clone().bounded(), usual);
        let much = "\u{e9}".repeat(500_000);
        let through = vec![Name::from("web/part"), much.as_str().into()];
        let bounded = failure(&much, &much, vec![much.clone(), "last".to_owned()], through).bounded();
        assert!(serde_json::to_vec(&bounded).unwrap().len() < 300_000);
        assert!(bounded.message.ends_with("\u{e9} ..."));
        assert_eq!(
            (bounded.log.as_slice(), bounded.through.as_slice()),
            (&["last".to_owned()][..], &["web/part".into()][..])
        );
        let long = failure("", "", vec![String::new(); 900_000], vec!["x".into(); 900_000]).bounded();
        assert!(serde_json::to_vec(&long).unwrap().len() < 500_000);
    }
}
