//! Follows the plan of a server, as far as the desired revision has progressed.
//!
//! A plan is written before the desired revision that makes it valid, and a `seed apply` may be interrupted in between:
//! a plan is valid only once a desired revision says so. So the desired revision is read when there is another plan,
//! and not before: a revision that changes nothing for a server costs its agent nothing. Each number belongs to one
//! plan of a server only, so the plan with the number of the desired revision is the right one. Any other plan that was
//! read before the desired revision is read again.

use std::sync::Arc;

use serde::Deserialize;
use wattle_model::Name;

use crate::layout::Layout;
use crate::machine::Desired;
use crate::node::{Node, Version};
use crate::server_plan::ServerPlan;

use super::{Answer, Op, Refused, Step, parse};

/// Follows the plans of one server, one after the other. You can call [`Follow::begin`] again at any time. It skips
/// only plans that have been replaced in the meantime.
#[derive(Clone, Debug)]
pub struct Follow {
    desired: Watched<DesiredRevision>,
    plan: Watched<Arc<ServerPlan>>,
    asks: Asks,
    /// Whether the plan was read after the desired revision.
    is_after: bool,
    given: Option<Arc<ServerPlan>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asks {
    Desired,
    Plan,
}

/// A node as it was last seen.
#[derive(Clone, Debug)]
struct Watched<T> {
    path: String,
    is_seen: bool,
    /// `None` if there was no node.
    version: Option<Version>,
    says: Option<T>,
}

/// The information about its revision in a desired revision.
#[derive(Clone, Debug, Deserialize)]
struct DesiredRevision {
    revision: u64,
    #[serde(default)]
    space: Option<Name>,
    digest: String,
}

impl<T> Watched<T> {
    fn new(path: String) -> Self {
        Self { path, is_seen: false, version: None, says: None }
    }

    fn look(&self) -> Op {
        Op::Get(self.path.clone())
    }

    /// Waits until the node differs from the last reading, or exists if it was never read.
    fn wait(&self) -> Op {
        Op::Changed(self.path.clone(), self.version)
    }

    fn takes(&mut self, node: Option<Node>, says: impl FnOnce(T) -> Option<T>) -> Result<(), Refused>
    where
        T: for<'de> Deserialize<'de>,
    {
        (self.is_seen, self.version, self.says) = (true, node.as_ref().map(|node| node.version), None);
        self.says = node.map_or(Ok(None), |node| parse(&self.path, &node.data))?.and_then(says);
        Ok(())
    }
}

impl Follow {
    /// Follows `server`.
    pub fn new(layout: &Layout, server: &str) -> Self {
        Self {
            desired: Watched::new(layout.revision()),
            plan: Watched::new(layout.plan(server)),
            asks: Asks::Desired,
            is_after: false,
            given: None,
        }
    }

    /// The path of the plan.
    pub fn plan(&self) -> &str {
        &self.plan.path
    }

    /// The first operation, after [`Step::Over`], and whenever a response was lost.
    pub fn begin(&mut self) -> Op {
        let (asks, op) = self.next();
        self.asks = asks;
        op
    }

    fn next(&self) -> (Asks, Op) {
        let Some(desired) = &self.desired.says else {
            return (Asks::Desired, if self.desired.is_seen { self.desired.wait() } else { self.desired.look() });
        };
        let Some(plan) = self.plan.says.as_ref().filter(|plan| self.is_news(plan)) else {
            return (Asks::Plan, self.plan.wait());
        };
        let is_same_space = plan.space == desired.space;
        if is_same_space && plan.revision <= desired.revision || !is_same_space && !self.is_after {
            return (Asks::Plan, self.plan.look());
        }
        (Asks::Desired, self.desired.wait())
    }

    /// Takes the store's response and returns what to do next.
    pub fn answered(&mut self, answer: Answer) -> Step<Result<Desired, Refused>> {
        let Answer::Node(node) = answer else { return Step::Ask(self.begin()) };
        let taken = match self.asks {
            Asks::Desired => {
                self.is_after = false;
                // Before the first revision, the number is 0.
                self.desired.takes(node, |desired| (desired.revision > 0).then_some(desired))
            }
            Asks::Plan => {
                self.is_after = true;
                self.plan.takes(node, Some)
            }
        };
        if let Err(refused) = taken {
            return Step::Over(Err(refused));
        }
        match self.ready() {
            None => Step::Ask(self.begin()),
            Some(desired) => {
                self.given = Some(Arc::clone(&desired.plan));
                Step::Over(Ok(desired))
            }
        }
    }

    fn ready(&self) -> Option<Desired> {
        let (desired, plan) = (self.desired.says.as_ref()?, self.plan.says.as_ref()?);
        let is_led_to = plan.space == desired.space && plan.revision <= desired.revision;
        let is_it = self.is_after || (plan.revision == desired.revision && plan.space.is_some());
        let both = || Desired { plan: Arc::clone(plan), digest: desired.digest.clone() };
        (self.is_news(plan) && is_led_to && is_it).then(both)
    }

    fn is_news(&self, plan: &Arc<ServerPlan>) -> bool {
        self.given.as_ref().is_none_or(|given| plan.is_news_after(given))
    }
}
