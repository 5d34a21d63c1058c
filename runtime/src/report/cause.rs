//! Why something makes no progress: follows waits to their ends.

use std::collections::HashSet;

use wattle::model::{IndexMap, Name};
use wattle_agent_core::time::Time;
use wattle_words::time::short;

use crate::space::{Failure, Finishing, Held, State, Status, Waiting};

use super::{Condition, FEW, Part, StackSnapshot, Standing};

/// The root cause of a wait, which is not itself blocked.
#[derive(Clone, Debug, PartialEq)]
pub enum Cause {
    /// A component has failed.
    Failed(Failure),
    /// Something that has left the model could not be torn down.
    LeftOver(Failure),
    /// Something that has left the model is being torn down. This is normal.
    Leaving {
        /// The component.
        component: Name,
        /// When it began.
        since: Time,
    },
    /// A recipe of an earlier revision still runs, and may end first. This is normal.
    Finishing(Finishing),
    /// A recipe runs. This is normal.
    Running {
        /// The component.
        component: Name,
        /// When it began.
        since: Time,
        /// When it will be stopped if it still runs.
        deadline: Option<Time>,
    },
    /// A recipe was running when its agent disappeared.
    Abandoned {
        /// The component.
        component: Name,
        /// When it began to run.
        since: Time,
    },
    /// A server has no agent.
    NoAgent {
        /// The server.
        server: Name,
        /// Whether it ever had one.
        was_there: bool,
    },
    /// The agent is alive, but has not begun with a component that nothing blocks.
    NotBegun {
        /// The component.
        component: Name,
    },
    /// The agent is alive, but has not published an attribute of its server.
    Attribute {
        /// `SERVER/server/ATTRIBUTE`.
        entry: Name,
    },
    /// Something outside of this stack: a value of another stack.
    Elsewhere {
        /// What is awaited.
        what: Name,
        /// When the wait began.
        since: Time,
    },
    /// Components wait for each other in a ring.
    Circle {
        /// The components.
        components: Vec<Name>,
    },
}

/// A cause, and what it blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct Root {
    /// The cause.
    pub cause: Cause,
    /// The components that it blocks, as `SERVER/COMPONENT`, without the component of the cause itself.
    pub holds: Vec<Name>,
}

/// Finds every cause for which some component is not done. Failures come first, and then those that block the most.
pub fn roots(snapshot: &StackSnapshot) -> Vec<Root> {
    let mut found: IndexMap<String, Root> = IndexMap::default();
    for part in snapshot.parts() {
        let component: Name = part.path().into();
        let mut search = Search { snapshot, path: Vec::new(), seen: HashSet::new(), causes: Vec::new() };
        search.component(part);
        for cause in search.causes {
            let root = found.entry(cause.key()).or_insert_with(|| Root { cause, holds: Vec::new() });
            if root.cause.component().is_none_or(|own| *own != component) {
                root.holds.push(component.clone());
            }
        }
    }
    for finishing in snapshot.servers.values().flat_map(|standing| standing.finishing.iter().take(FEW)) {
        let cause = Cause::Finishing(finishing.clone());
        found.entry(cause.key()).or_insert_with(|| Root { cause, holds: Vec::new() });
    }
    for leaving in snapshot.servers.values().flat_map(Standing::some_leaving) {
        let (component, since) = (leaving.component.clone(), leaving.since);
        let cause = leaving.failure.clone().map_or(Cause::Leaving { component, since }, Cause::LeftOver);
        found.insert(cause.key(), Root { cause, holds: Vec::new() });
    }
    let mut found: Vec<Root> = found.into_values().collect();
    found.sort_by_key(|root| (root.cause.rank(), std::cmp::Reverse(root.holds.len())));
    found
}

struct Search<'p> {
    snapshot: &'p StackSnapshot,
    path: Vec<Name>,
    seen: HashSet<String>,
    causes: Vec<Cause>,
}

impl<'p> Search<'p> {
    fn component(&mut self, part: Part<'p>) {
        let component: Name = part.path().into();
        if let Some(at) = self.path.iter().position(|on_the_way| *on_the_way == component) {
            self.causes.push(Cause::Circle { components: self.path[at..].to_vec() });
            return;
        }
        if !self.seen.insert(component.to_string()) {
            return;
        }
        let standing = self.snapshot.servers.get(part.server);
        let is_alive = standing.is_some_and(|standing| standing.alive.is_some());
        let finishing = standing.map_or(&[][..], |standing| &standing.finishing);
        self.path.push(component.clone());
        match part.condition {
            Condition::Said(status) => match &status.state {
                State::Done => {}
                State::Failed(failure) => self.causes.push(Cause::Failed(self.snapshot.own_word(&component, failure))),
                State::Running if is_alive => {
                    let (since, deadline) = (status.since, status.deadline);
                    self.causes.push(Cause::Running { component, since, deadline });
                }
                State::Running => self.causes.push(Cause::Abandoned { component, since: status.since }),
                State::Waiting(_) if !is_alive => self.no_agent(part.server),
                State::Waiting(waits) => waits.iter().for_each(|wait| self.wait(part, wait)),
            },
            Condition::Idle if !is_alive => self.no_agent(part.server),
            Condition::Idle if !finishing.is_empty() => {
                self.causes.extend(finishing.iter().take(FEW).cloned().map(Cause::Finishing));
            }
            Condition::Idle => match self.snapshot.predecessor(part.server, part.name) {
                Some(before) => self.component(before),
                None => self.causes.push(Cause::NotBegun { component }),
            },
        }
        self.path.pop();
    }

    fn no_agent(&mut self, server: &Name) {
        let standing = self.snapshot.servers.get(server);
        let was_there = standing.is_some_and(|standing| standing.was_heard);
        self.causes.push(Cause::NoAgent { server: server.clone(), was_there });
    }

    /// Follows a wait of `waiting`.
    fn wait(&mut self, waiting: Part<'p>, wait: &Waiting) {
        // A component's own report counts only for itself. Its waits according to its plan are signed.
        if !self.snapshot.waits_for(waiting, &wait.what) {
            return self.causes.push(Cause::NotBegun { component: waiting.path().into() });
        }
        if let Some(part) = self.snapshot.writer(&wait.what) {
            return self.component(part);
        }
        let Some((producer, _)) = wait.what.rsplit_once('/') else { return self.elsewhere(wait) };
        let server = producer.strip_suffix("/server").and_then(|server| self.snapshot.servers.get_key_value(server));
        match server {
            Some((server, standing)) if standing.alive.is_none() => self.no_agent(server),
            Some(_) => self.causes.push(Cause::Attribute { entry: wait.what.clone() }),
            None => self.elsewhere(wait),
        }
    }

    fn elsewhere(&mut self, wait: &Waiting) {
        self.causes.push(Cause::Elsewhere { what: wait.what.clone(), since: wait.since });
    }
}

impl Cause {
    /// A stable keyword for the cause.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Failed(_) => "failed",
            Self::LeftOver(_) => "left-over",
            Self::Leaving { .. } => "leaving",
            Self::Finishing(_) => "finishing",
            Self::Running { .. } => "running",
            Self::Abandoned { .. } => "abandoned",
            Self::NoAgent { .. } => "no-agent",
            Self::NotBegun { .. } => "not-begun",
            Self::Attribute { .. } => "attribute",
            Self::Elsewhere { .. } => "elsewhere",
            Self::Circle { .. } => "circle",
        }
    }

    /// The component that is itself the cause.
    pub fn component(&self) -> Option<&Name> {
        match self {
            Self::Failed(failure) | Self::LeftOver(failure) => Some(&failure.component),
            Self::Finishing(Finishing { component, .. })
            | Self::Leaving { component, .. }
            | Self::Running { component, .. }
            | Self::Abandoned { component, .. }
            | Self::NotBegun { component } => Some(component),
            _ => None,
        }
    }

    /// Whether it will not end by itself.
    pub fn is_stuck(&self) -> bool {
        !matches!(
            self,
            Self::Finishing(_)
                | Self::Leaving { .. }
                | Self::Running { .. }
                | Self::NotBegun { .. }
                | Self::Attribute { .. }
        )
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Failed(_) | Self::LeftOver(_) => 0,
            Self::Circle { .. } => 1,
            Self::Abandoned { .. } | Self::NoAgent { .. } => 2,
            Self::Elsewhere { .. } => 3,
            Self::Attribute { .. } | Self::NotBegun { .. } => 4,
            Self::Finishing(_) | Self::Leaving { .. } | Self::Running { .. } => 5,
        }
    }

    /// A key that is the same for equal causes.
    fn key(&self) -> String {
        match self {
            Self::Failed(failure) => format!("failed {} {}", failure.component, failure.at),
            Self::Finishing(Finishing { component, revision, .. }) => format!("finishing {component} {revision}"),
            Self::LeftOver(Failure { component, .. }) | Self::Leaving { component, .. } => {
                format!("teardown {component}")
            }
            Self::Running { component, .. } | Self::Abandoned { component, .. } | Self::NotBegun { component } => {
                format!("component {component}")
            }
            Self::NoAgent { server, .. } => format!("server {server}"),
            Self::Attribute { entry } => format!("entry {entry}"),
            Self::Elsewhere { what, .. } => format!("elsewhere {what}"),
            Self::Circle { components } => {
                let mut components = components.clone();
                components.sort();
                format!("circle {components:?}")
            }
        }
    }

    /// The cause as a sentence, at the time `now`.
    pub fn sentence(&self, now: Time) -> String {
        let ago = |since: &Time| between(*since, now);
        match self {
            Self::Failed(failure) => format!("{} has failed: {}", failure.component, failure.message),
            Self::LeftOver(failure) => {
                format!("{} has left the model, and its teardown has failed: {}", failure.component, failure.message)
            }
            Self::Leaving { component, since } => {
                format!("{component} has left the model, and its teardown has been running for {}", ago(since))
            }
            Self::Finishing(finishing) => still_runs(finishing, now),
            Self::Running { component, since, deadline } => {
                let deadline = deadline.map(|deadline| format!("; its deadline is in {}", between(now, deadline)));
                format!("{component} has been running for {}{}", ago(since), deadline.unwrap_or_default())
            }
            Self::Abandoned { component, since } => {
                let server = component.rsplit_once('/').map_or("", |(server, _)| server);
                format!("{component} started {} ago, but the agent of {server} is gone", ago(since))
            }
            Self::NoAgent { server, was_there: false } => {
                format!("{server} has never started: no agent of it has come up")
            }
            Self::NoAgent { server, was_there: true } => format!("{server} has stopped: its agent is gone"),
            Self::NotBegun { component } => format!("{component} is about to start"),
            Self::Attribute { entry } => {
                let (server, attribute) = entry.split_once("/server/").unwrap_or((entry, ""));
                format!("the agent of {server} has not published its `{attribute}` yet")
            }
            Self::Elsewhere { what, since } => {
                format!("{what} of another stack has been awaited for {}", ago(since))
            }
            Self::Circle { components } => {
                format!(
                    "{} wait for each other in a circle",
                    wattle::names::list(components.iter().map(|c| &**c), "and")
                )
            }
        }
    }
}

/// A line about a server that is not in its revision yet, at the time `now`.
pub(crate) fn still_runs(finishing: &Finishing, now: Time) -> String {
    let Finishing { component, revision, since, deadline } = finishing;
    let server = component.rsplit_once('/').map_or("", |(server, _)| server);
    let deadline = deadline.map(|deadline| format!(", its deadline in {}", between(now, deadline)));
    wattle::shown::one_line(&format!(
        "{server} still runs {component} of revision {revision}, since {} ago{}; the newer revision starts there once \
         that has ended",
        between(*since, now),
        deadline.unwrap_or_default()
    ))
}

/// Formats the time from one moment to another. It is zero if `since` is in the future, which happens with the clocks
/// of several machines.
pub(crate) fn between(since: Time, now: Time) -> String {
    short(now.as_secs().saturating_sub(since.as_secs()))
}

impl StackSnapshot {
    /// Whether a component waits for `what` according to its plan, as far as that is known.
    fn waits_for(&self, part: Part<'_>, what: &str) -> bool {
        let plan = self.servers.get(part.server).and_then(|standing| standing.plan.as_ref());
        let Some(component) = plan.and_then(|plan| plan.components.get(part.name)) else { return true };
        let mut waits = component.after.iter().any(|after| **after == *what);
        component.sources(&mut |source| {
            waits |= source.leaves().any(|held| match held {
                Held::Entry(entry) => **entry == *what,
                Held::Foreign { stack, entry } => what.split_once(':') == Some((&**stack, &**entry)),
                Held::Sealed(_) | Held::UserData(_) => false,
            });
        });
        waits
    }

    /// Attributes a component's report of another one's failure to the reporting component, unless the other one
    /// reports it itself.
    pub(super) fn judge_blames(&mut self) {
        let mut judged = Vec::new();
        for part in self.parts() {
            let Condition::Said(Status { state: State::Failed(failure), .. }) = part.condition else { continue };
            let own = self.own_word(&format!("{}/{}", part.server, part.name).into(), failure);
            if own.component != failure.component {
                judged.push((part.server.clone(), part.name.clone(), own));
            }
        }
        for (server, name, own) in judged {
            let status = self.servers.get_mut(&server).and_then(|standing| standing.components.get_mut(&name));
            if let Some(Status { state, .. }) = status.and_then(Option::as_mut) {
                *state = State::Failed(own);
            }
        }
    }

    /// The `failure` of `component`, attributed to its reporter. No server can put blame on another: if the other one
    /// does not report the failure, only the report of `component` is known.
    pub(super) fn own_word(&self, component: &Name, failure: &Failure) -> Failure {
        let named = &failure.component;
        let said = |part: Part<'_>| match part.condition {
            Condition::Said(Status { state: State::Failed(own), .. }) if own.component == *named => own.clone(),
            _ => failure.clone().only_said_by(component),
        };
        // Components of another stack are called `STACK:SERVER/COMPONENT`, and names cannot contain a colon.
        let is_others = named.split('/').next().is_some_and(|server| server.contains(':'));
        match self.find(named) {
            _ if named == component => failure.clone(),
            _ if is_others => failure.clone().said_of_another_stack(component),
            Some(part) => said(part),
            None => failure.clone().only_said_by(component),
        }
    }

    /// Like [`Self::own_word`], including the intermediate components that report it themselves.
    pub(super) fn own_words(&self, component: &Name, failure: &Failure) -> Failure {
        let mut own = self.own_word(component, failure);
        if own.component == failure.component {
            let says_so = |name: &Name| match self.find(name).map(|part| part.condition) {
                Some(Condition::Said(Status { state: State::Failed(said), .. })) => said.component == own.component,
                _ => false,
            };
            own.through = failure.through.iter().filter(|name| *name == component || says_so(name)).cloned().collect();
        }
        own
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_the_future_is_no_time_ago() {
        let [now, later] = [0, 4].map(Time::from_secs);
        assert_eq!([between(now, later), between(later, now)], ["4s", "0s"]);
    }
}
