//! Requests to a data space: the meaning of its nodes, in terms of the few operations of a store.
//!
//! A request is a small state machine. It emits an operation for the store, takes the response, and ends at some time.
//! This module knows what a response means, and which operation comes next. It must not know how to reach a store, nor
//! how often to retry failed operations.
//!
//! For nodes that belong to a revision, contents of an older revision count as nothing, and contents of a newer one end
//! the request with [`Refused::Superseded`]. All waits are level-triggered: they read the present contents, and read
//! them again after every change.

mod follow;
mod read;
mod say;
mod task;
mod versions;
mod write;

use std::fmt;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use wattle_model::{Name, json};

use crate::layout::Layout;
use crate::node::{Node, Version};
use crate::revision::Revision;

pub use follow::Follow;
pub use read::{Ended, Entry, Judge, Latest, Look, Peek, Peeked, Wait};
pub use say::Say;
pub use task::Task;
pub use versions::Versions;
pub use write::Write;

/// An operation for a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// The node at a path.
    Get(String),
    /// The node at a path, once it differs from this version. `None` means that no node was seen.
    Changed(String, Option<Version>),
    /// Sets the data of the node at a path, if it has this version.
    Set(String, Vec<u8>, Version),
}

/// A store's response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// To [`Op::Get`] and [`Op::Changed`]: the node, if there is one.
    Node(Option<Node>),
    /// To [`Op::Set`]: the data is set, and this is the version now.
    Set(Version),
    /// To [`Op::Set`]: the node had another version. A store also responds with this if it does not know whether the
    /// data was set: the contents of the node show that.
    Conflict,
    /// To [`Op::Set`]: there is no such node.
    Missing,
}

/// The next step of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<T> {
    /// Send this operation to the store.
    Ask(Op),
    /// The request is complete.
    Over(T),
}

/// Why the data space refused a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There is no such entry in the model, so waiting for it would be in vain.
    Unknown {
        /// The stack.
        stack: Name,
        /// `SERVER/COMPONENT/OUTPUT`, or `SERVER/COMPONENT`.
        entry: Name,
    },
    /// The node already belongs to a newer revision.
    Superseded {
        /// The requested revision.
        ours: Revision,
        /// The present revision.
        newer: Revision,
    },
    /// The contents of a node are malformed.
    Malformed {
        /// The path of the node.
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
                write!(f, "`{path}` in the data space is malformed: {reason}")
            }
        }
    }
}

/// The message that one revision was superseded by another.
pub fn superseded(ours: &Revision, newer: &Revision) -> String {
    let made = if ours.space == newer.space { "" } else { " of a data space that was made later" };
    format!("revision {} was superseded by revision {}{made}", ours.number, newer.number)
}

/// A request to a data space.
pub trait Request {
    /// Its result.
    type Out;

    /// The first operation for the store.
    fn begin(&mut self) -> Op;

    /// Takes the store's response and returns what to do next.
    fn answered(&mut self, answer: Answer) -> Step<Result<Self::Out, Refused>>;
}

/// Parses the JSON of a node. Returns `None` if the node is empty.
///
/// # Errors
/// [`Refused::Malformed`].
pub fn parse<T: DeserializeOwned>(path: &str, data: &[u8]) -> Result<Option<T>, Refused> {
    if data.is_empty() {
        return Ok(None);
    }
    json::read(data).map(Some).map_err(|reason| Refused::Malformed { path: path.to_owned(), reason })
}

/// A named thing that exists in a data space if the model of its stack has it.
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

/// The revision for which a node was written, whatever its other contents.
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
