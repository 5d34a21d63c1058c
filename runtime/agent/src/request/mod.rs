//! Requests to a data space: what its nodes mean, over the few operations that a store has.
//!
//! A request is a small state machine: it says what to ask the store next, is given the answer, and comes to an end. What
//! lives here: what an answer means, and what is asked next. What must not: how a store is reached, and how often something
//! is tried that the store could not do.
//!
//! Of everything that is kept for a revision, what belongs to an older one is as if nothing were there, and what belongs to
//! a newer one ends the request: [`Refused::Superseded`]. All that waits is level-triggered: it looks at what is there,
//! and again after every change.

mod follow;
mod read;
mod say;
mod task;
mod versions;
mod write;

use std::fmt;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use wattle_model::Name;

use crate::layout::Layout;
use crate::node::{Node, Version};
use crate::revision::Revision;

pub use follow::Follow;
pub use read::{Ended, Entry, Judge, Latest, Look, Peek, Peeked, Wait};
pub use say::Say;
pub use task::Task;
pub use versions::Versions;
pub use write::Write;

/// What is asked of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// The node at a path.
    Get(String),
    /// The node at a path, once it is not as it was seen.
    Changed(String, Option<Version>),
    /// Other data for the node at a path, if its version is this one.
    Set(String, Vec<u8>, Version),
}

/// What a store says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// To [`Op::Get`] and [`Op::Changed`]: the node, if there is one.
    Node(Option<Node>),
    /// To [`Op::Set`]: it was done, and this is the version now.
    Set(Version),
    /// To [`Op::Set`]: its version was another one. When it is not known whether it was done, this is said as well: what
    /// the node holds tells.
    Conflict,
    /// To [`Op::Set`]: there is no such node.
    Missing,
}

/// How a request goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<T> {
    /// The store is to be asked this.
    Ask(Op),
    /// It has come to its end.
    Over(T),
}

/// Why the data space did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There is no such entry in the model: it would be waited for in vain.
    Unknown {
        /// The stack.
        stack: Name,
        /// `SERVER/COMPONENT/OUTPUT`, or `SERVER/COMPONENT`.
        entry: Name,
    },
    /// What is asked for belongs to a newer revision already.
    Superseded {
        /// The revision that was asked for.
        ours: Revision,
        /// The one that is there.
        newer: Revision,
    },
    /// A node does not hold what it should.
    Malformed {
        /// Where.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { stack, entry } => write!(f, "the data space of `{stack}` has no entry `{entry}`"),
            Self::Superseded { ours, newer } => f.write_str(&superseded(ours, newer)),
            Self::Malformed { path, reason } => {
                write!(f, "`{path}` in the data space does not hold what it should: {reason}")
            }
        }
    }
}

/// That one revision was superseded by another, for people.
pub fn superseded(ours: &Revision, newer: &Revision) -> String {
    let made = if ours.space == newer.space { "" } else { " of a data space that was made later" };
    format!("revision {} was superseded by revision {}{made}", ours.number, newer.number)
}

/// A request to a data space.
pub trait Request {
    /// What it comes to.
    type Out;

    /// What to ask the store first.
    fn begin(&mut self) -> Op;

    /// What comes of the store's answer.
    fn answered(&mut self, answer: Answer) -> Step<Result<Self::Out, Refused>>;
}

/// What JSON a node holds; none if it is empty.
///
/// # Errors
/// [`Refused::Malformed`].
pub fn parse<T: DeserializeOwned>(path: &str, data: &[u8]) -> Result<Option<T>, Refused> {
    if data.is_empty() {
        return Ok(None);
    }
    let malformed = |error: serde_json::Error| Refused::Malformed { path: path.to_owned(), reason: error.to_string() };
    serde_json::from_slice(data).map(Some).map_err(malformed)
}

/// Something that a data space has if the model of its stack does.
#[derive(Clone, Debug)]
struct Named {
    stack: Name,
    name: Name,
}

impl Named {
    fn new(layout: &Layout, name: &Name) -> Self {
        Self { stack: layout.stack().into(), name: name.clone() }
    }

    fn unknown(&self) -> Refused {
        Refused::Unknown { stack: self.stack.clone(), entry: self.name.clone() }
    }

    fn there<'n>(&self, node: Option<&'n Node>) -> Result<&'n Node, Refused> {
        node.ok_or_else(|| self.unknown())
    }
}

/// For which revision something was written, whatever else it says.
#[derive(Deserialize)]
struct Stamp {
    revision: u64,
    #[serde(default)]
    space: Option<Name>,
}

impl Stamp {
    fn of(path: &str, data: &[u8]) -> Result<Option<Revision>, Refused> {
        let stamp: Option<Self> = parse(path, data)?;
        Ok(stamp.map(|Self { revision, space }| Revision { space, number: revision }))
    }
}

#[cfg(test)]
mod tests;
