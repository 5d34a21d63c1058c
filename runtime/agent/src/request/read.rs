//! Reads, either at once or as soon as there is something to read.

use std::cmp::Ordering;

use wattle_model::Name;

use crate::content::{Content, Written};
use crate::failure::Failure;
use crate::layout::Layout;
use crate::machine::Seen;
use crate::node::{Node, Version};
use crate::revision::Revision;
use crate::status::{State, Status};

use super::{Answer, Named, Op, Refused, Request, Step, Versions, parse};

/// Interprets the node at a path.
pub trait Judge {
    /// The result.
    type Out;

    /// Returns the meaning of the node, or `None` if it does not have one yet.
    ///
    /// # Errors
    /// It never will.
    fn judge(&self, path: &str, node: Option<&Node>) -> Result<Option<Self::Out>, Refused>;
}

/// Waits until a node has a meaning.
#[derive(Clone, Debug)]
pub struct Wait<J> {
    path: String,
    judge: J,
}

impl<J: Judge> Request for Wait<J> {
    type Out = J::Out;

    fn begin(&mut self) -> Op {
        Op::Get(self.path.clone())
    }

    fn answered(&mut self, answer: Answer) -> Step<Result<J::Out, Refused>> {
        let Answer::Node(node) = answer else { return Step::Ask(self.begin()) };
        match self.judge.judge(&self.path, node.as_ref()) {
            Ok(Some(out)) => Step::Over(Ok(out)),
            Ok(None) => Step::Ask(Op::Changed(self.path.clone(), node.map(|node| node.version))),
            Err(refused) => Step::Over(Err(refused)),
        }
    }
}

/// Reads a node without waiting.
#[derive(Clone, Debug)]
pub struct Look<J> {
    path: String,
    judge: J,
}

impl<J: Judge> Request for Look<J> {
    type Out = Option<J::Out>;

    fn begin(&mut self) -> Op {
        Op::Get(self.path.clone())
    }

    fn answered(&mut self, answer: Answer) -> Step<Result<Option<J::Out>, Refused>> {
        let Answer::Node(node) = answer else { return Step::Ask(self.begin()) };
        Step::Over(self.judge.judge(&self.path, node.as_ref()))
    }
}

/// The content of an entry in a given revision.
#[derive(Clone, Debug)]
pub struct Entry {
    name: Named,
    revision: Revision,
}

impl Entry {
    /// Waits for the content of the entry `SERVER/COMPONENT/OUTPUT` in `revision`.
    pub fn wait(layout: &Layout, name: &Name, revision: &Revision) -> Wait<Self> {
        Wait { path: layout.entry(name), judge: Self { name: Named::new(layout, name), revision: revision.clone() } }
    }
}

impl Judge for Entry {
    type Out = Content;

    fn judge(&self, path: &str, node: Option<&Node>) -> Result<Option<Content>, Refused> {
        let Some(written) = parse::<Written>(path, &self.name.there(node)?.data)? else { return Ok(None) };
        let newer = written.of();
        match newer.cmp(&self.revision) {
            Ordering::Less => Ok(None),
            Ordering::Equal => Ok(Some(written.content)),
            Ordering::Greater => Err(Refused::Superseded { ours: self.revision.clone(), newer }),
        }
    }
}

/// The content of an entry, of any revision. Values of other stacks are read like this.
#[derive(Clone, Debug)]
pub struct Latest {
    name: Named,
}

impl Latest {
    /// Waits until the entry `SERVER/COMPONENT/OUTPUT` has any content.
    pub fn wait(layout: &Layout, name: &Name) -> Wait<Self> {
        Wait { path: layout.entry(name), judge: Self { name: Named::new(layout, name) } }
    }

    /// Reads the present content of the entry, if any.
    pub fn look(layout: &Layout, name: &Name) -> Look<Self> {
        Look { path: layout.entry(name), judge: Self { name: Named::new(layout, name) } }
    }
}

impl Judge for Latest {
    type Out = Written;

    fn judge(&self, path: &str, node: Option<&Node>) -> Result<Option<Written>, Refused> {
        parse(path, &self.name.there(node)?.data)
    }
}

/// How a component ended in a revision: its failure, or `None`.
#[derive(Clone, Debug)]
pub struct Ended {
    name: Named,
    revision: Revision,
}

impl Ended {
    /// Waits until `component`, `SERVER/COMPONENT`, has ended in `revision`.
    pub fn wait(layout: &Layout, component: &Name, revision: &Revision) -> Wait<Self> {
        let judge = Self { name: Named::new(layout, component), revision: revision.clone() };
        Wait { path: layout.status(component), judge }
    }
}

impl Judge for Ended {
    type Out = Option<Failure>;

    fn judge(&self, path: &str, node: Option<&Node>) -> Result<Option<Option<Failure>>, Refused> {
        let Some(status) = parse::<Status>(path, &self.name.there(node)?.data)? else { return Ok(None) };
        let newer = status.of();
        match (newer.cmp(&self.revision), status.state) {
            (Ordering::Greater, _) => Err(Refused::Superseded { ours: self.revision.clone(), newer }),
            (Ordering::Equal, State::Done) => Ok(Some(None)),
            (Ordering::Equal, State::Failed(failure)) => Ok(Some(Some(failure))),
            (Ordering::Equal | Ordering::Less, _) => Ok(None),
        }
    }
}

/// The present content of an entry in a revision.
#[derive(Clone, Debug)]
pub struct Peek {
    path: String,
    name: Named,
    revision: Revision,
}

/// The result of reading an entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Peeked {
    /// Its content for the revision.
    pub content: Option<Content>,
    /// The version with which it can be written, if it holds nothing of this revision or a newer one.
    pub version: Option<Version>,
    /// Its content of an earlier revision.
    pub before: Option<Written>,
}

impl From<Peeked> for Seen {
    fn from(peeked: Peeked) -> Self {
        match peeked {
            Peeked { content: Some(content), .. } => Self::Content(content),
            Peeked { version: None, .. } => Self::Newer,
            Peeked { .. } => Self::Nothing,
        }
    }
}

impl Peek {
    /// Reads the entry `SERVER/COMPONENT/OUTPUT`.
    pub fn new(layout: &Layout, name: &Name, revision: &Revision) -> Self {
        Self { path: layout.entry(name), name: Named::new(layout, name), revision: revision.clone() }
    }

    /// Records the version with which the entry can be written.
    pub fn note(&self, peeked: &Peeked, versions: &mut Versions) {
        if let Some(version) = peeked.version {
            let before = peeked.before.clone();
            versions.note_entry(self.path.clone(), self.revision.space.as_ref(), version, before);
        }
    }
}

impl Request for Peek {
    type Out = Peeked;

    fn begin(&mut self) -> Op {
        Op::Get(self.path.clone())
    }

    fn answered(&mut self, answer: Answer) -> Step<Result<Peeked, Refused>> {
        let Answer::Node(node) = answer else { return Step::Ask(self.begin()) };
        let look = || {
            let node = self.name.there(node.as_ref())?;
            let written = parse::<Written>(&self.path, &node.data)?;
            let order = written.as_ref().map(|written| written.of().cmp(&self.revision));
            Ok(match (written, order) {
                (Some(written), Some(Ordering::Equal)) => {
                    Peeked { content: Some(written.content), version: None, before: None }
                }
                (_, Some(Ordering::Greater)) => Peeked { content: None, version: None, before: None },
                (before, _) => Peeked { content: None, version: Some(node.version), before },
            })
        };
        Step::Over(look())
    }
}
