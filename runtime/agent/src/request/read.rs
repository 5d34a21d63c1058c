//! Reading, at once or once there is something to be read.

use std::cmp::Ordering;

use serde::Deserialize;
use wattle_model::Name;

use crate::content::{Content, Written};
use crate::failure::Failure;
use crate::layout::Layout;
use crate::node::{Node, Version};
use crate::plan::Plan;
use crate::record::RevisionId;
use crate::revision::Revision;
use crate::status::{State, Status};

use super::{Answer, Op, Refused, Request, Step, parse};

/// What is looked for at a path, and what it means.
pub trait Judge {
    /// What comes of it.
    type Out;

    /// What the node says; none if it does not say it yet.
    ///
    /// # Errors
    /// When it never will.
    fn judge(&self, path: &str, node: Option<&Node>) -> Result<Option<Self::Out>, Refused>;
}

/// Waits until a node says something.
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

/// Looks at a node, and never waits.
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

fn there<'n>(name: &Name, node: Option<&'n Node>) -> Result<&'n Node, Refused> {
    node.ok_or_else(|| Refused::Unknown(name.to_string()))
}

/// What an entry holds of a revision.
#[derive(Clone, Debug)]
pub struct Entry {
    name: Name,
    revision: Revision,
}

impl Entry {
    /// Waits for what the entry `SERVER/COMPONENT/OUTPUT` holds of `revision`.
    pub fn wait(layout: &Layout, name: &Name, revision: &Revision) -> Wait<Self> {
        Wait { path: layout.entry(name), judge: Self { name: name.clone(), revision: revision.clone() } }
    }
}

impl Judge for Entry {
    type Out = Content;

    fn judge(&self, path: &str, node: Option<&Node>) -> Result<Option<Content>, Refused> {
        let Some(written) = parse::<Written>(path, &there(&self.name, node)?.data)? else { return Ok(None) };
        let newer = written.of();
        match newer.cmp(&self.revision) {
            Ordering::Less => Ok(None),
            Ordering::Equal => Ok(Some(written.content)),
            Ordering::Greater => Err(Refused::Superseded { ours: self.revision.clone(), newer }),
        }
    }
}

/// What an entry holds, of whatever revision: how another stack's values are read.
#[derive(Clone, Debug)]
pub struct Latest {
    name: Name,
}

impl Latest {
    /// Waits until the entry `SERVER/COMPONENT/OUTPUT` holds anything.
    pub fn wait(layout: &Layout, name: &Name) -> Wait<Self> {
        Wait { path: layout.entry(name), judge: Self { name: name.clone() } }
    }

    /// What the entry holds now, if anything.
    pub fn look(layout: &Layout, name: &Name) -> Look<Self> {
        Look { path: layout.entry(name), judge: Self { name: name.clone() } }
    }
}

impl Judge for Latest {
    type Out = Written;

    fn judge(&self, path: &str, node: Option<&Node>) -> Result<Option<Written>, Refused> {
        parse(path, &there(&self.name, node)?.data)
    }
}

/// How a component ended in a revision: the failure, if it failed.
#[derive(Clone, Debug)]
pub struct Ended {
    name: Name,
    revision: Revision,
}

impl Ended {
    /// Waits until `component`, `SERVER/COMPONENT`, has ended in `revision`.
    pub fn wait(layout: &Layout, component: &Name, revision: &Revision) -> Wait<Self> {
        let judge = Self { name: component.clone(), revision: revision.clone() };
        Wait { path: layout.status(component), judge }
    }
}

impl Judge for Ended {
    type Out = Option<Failure>;

    fn judge(&self, path: &str, node: Option<&Node>) -> Result<Option<Option<Failure>>, Refused> {
        let Some(status) = parse::<Status>(path, &there(&self.name, node)?.data)? else { return Ok(None) };
        let newer = status.of();
        match (newer.cmp(&self.revision), status.state) {
            (Ordering::Greater, _) => Err(Refused::Superseded { ours: self.revision.clone(), newer }),
            (Ordering::Equal, State::Done) => Ok(Some(None)),
            (Ordering::Equal, State::Failed(failure)) => Ok(Some(Some(failure))),
            (Ordering::Equal | Ordering::Less, _) => Ok(None),
        }
    }
}

/// The revision that is to be reached, when it is another than the one that was seen.
#[derive(Clone, Debug)]
pub struct Newer {
    seen: Option<RevisionId>,
}

/// What a goal says of its revision.
#[derive(Deserialize)]
struct Goal {
    revision: u64,
    #[serde(default)]
    space: Option<Name>,
    digest: String,
}

impl Newer {
    /// Waits for a revision that is newer than the one that was `seen`, or of another data space; for any if none was.
    pub fn wait(layout: &Layout, seen: Option<RevisionId>) -> Wait<Self> {
        Wait { path: layout.revision(), judge: Self { seen } }
    }
}

/// The revision, and the data that says so.
impl Judge for Newer {
    type Out = (RevisionId, Vec<u8>);

    fn judge(&self, path: &str, node: Option<&Node>) -> Result<Option<Self::Out>, Refused> {
        let Some(node) = node else { return Ok(None) };
        let Some(Goal { revision, space, digest }) = parse(path, &node.data)? else { return Ok(None) };
        let there = RevisionId { revision: Revision { space, number: revision }, digest };
        let is_news = there.revision.number > 0
            && self.seen.as_ref().is_none_or(|seen| {
                // Data spaces of former versions have no name: the digest may tell them apart.
                let is_other = seen.revision.space != there.revision.space;
                let is_changed = seen.revision.number == there.revision.number && seen.digest != there.digest;
                is_other || is_changed || there.revision > seen.revision
            });
        Ok(is_news.then(|| (there, node.data.clone())))
    }
}

/// What a server is to do.
#[derive(Clone, Debug)]
pub struct ServerPlan;

impl ServerPlan {
    /// The plan of `server`, if there is one.
    pub fn look(layout: &Layout, server: &str) -> Look<Self> {
        Look { path: layout.plan(server), judge: Self }
    }
}

impl Judge for ServerPlan {
    type Out = Plan;

    fn judge(&self, path: &str, node: Option<&Node>) -> Result<Option<Plan>, Refused> {
        node.map_or(Ok(None), |node| parse(path, &node.data))
    }
}

/// What an entry holds of a revision now.
#[derive(Clone, Debug)]
pub struct Peek {
    path: String,
    name: Name,
    revision: Revision,
}

/// What was seen at an entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Peeked {
    /// What it holds of the revision.
    pub content: Option<Content>,
    /// The version at which it may be written, if nothing of this revision or a newer one is there.
    pub version: Option<Version>,
}

impl Peek {
    /// Looks at the entry `SERVER/COMPONENT/OUTPUT`.
    pub fn new(layout: &Layout, name: &Name, revision: &Revision) -> Self {
        Self { path: layout.entry(name), name: name.clone(), revision: revision.clone() }
    }

    /// Which entry it looks at.
    pub fn entry(&self) -> &Name {
        &self.name
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
            let node = there(&self.name, node.as_ref())?;
            let nothing = Peeked { content: None, version: Some(node.version) };
            let Some(written) = parse::<Written>(&self.path, &node.data)? else { return Ok(nothing) };
            Ok(match written.of().cmp(&self.revision) {
                Ordering::Less => nothing,
                Ordering::Equal => Peeked { content: Some(written.content), version: None },
                Ordering::Greater => Peeked { content: None, version: None },
            })
        };
        Step::Over(look())
    }
}
