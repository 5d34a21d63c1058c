//! A whole stack at one moment.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use wattle::diagram::State as Shown;
use wattle::model::{IndexMap, Name, Order};

use crate::space::{
    Alive, DesiredRevision, Finishing, Leaving, Revision, ServerPlan, Space, SpaceError, State, Status, writer_of,
};
use crate::store::StoreError;

use super::admission::Admission;
use super::bounded::{self, FEW};
use super::shown;

/// The largest number of concurrent requests.
pub(super) const AT_ONCE: usize = 64;

/// A whole stack at one moment. Its parts are read one after the other, so it may combine states that never existed at
/// the same time.
#[derive(Clone, Debug)]
pub struct StackSnapshot {
    /// The stack.
    pub stack: Name,
    /// The desired revision; `None` before the first seed.
    pub desired: Option<DesiredRevision>,
    /// Its servers, `app2` before `app10`.
    pub servers: IndexMap<Name, Standing>,
    /// Their identities.
    pub admission: Admission,
}

/// A server.
#[derive(Clone, Debug)]
pub struct Standing {
    /// The agent that acts for it.
    pub alive: Option<Alive>,
    /// Its plan.
    pub plan: Option<Arc<ServerPlan>>,
    /// Troubles of the server itself, each in one line.
    pub troubles: Vec<String>,
    /// What has left the model and has not been torn down yet.
    pub leaving: Vec<Leaving>,
    /// Remains of an earlier revision that may end before its agent begins this one.
    pub finishing: Vec<Finishing>,
    /// Whether its agent is alive, but has not begun its plan.
    pub is_behind: bool,
    /// Whether anything was ever reported in its name, even if it cannot be read.
    pub was_heard: bool,
    /// The states of its components, in their order. `None` for a component about which nothing was ever reported.
    pub components: IndexMap<Name, Option<Status>>,
}

impl Standing {
    /// Whether it has left the model. It has nothing left to do except to tear down what ran on it.
    pub fn has_left(&self) -> bool {
        self.plan.as_ref().is_some_and(|plan| plan.retired)
    }

    /// The first items that have left the model and have not been torn down yet, failures first.
    pub fn some_leaving(&self) -> impl Iterator<Item = &Leaving> {
        let (failed, torn_down): (Vec<_>, Vec<_>) = self.leaving.iter().partition(|leaving| leaving.failure.is_some());
        failed.into_iter().chain(torn_down).take(FEW)
    }

    /// How many more of them there are.
    pub fn more_leaving(&self) -> usize {
        self.leaving.len().saturating_sub(FEW)
    }

    /// The first troubles, with the number of further ones.
    pub fn some_troubles(&self) -> Vec<String> {
        let more = self.troubles.len().saturating_sub(FEW);
        let rest = (more > 0).then(|| format!("and {more} more"));
        self.troubles.iter().take(FEW).cloned().chain(rest).collect()
    }

    /// Drops what was reported in its name.
    fn forget(&mut self) {
        self.alive = None;
        self.troubles.clear();
        self.leaving.clear();
        self.finishing.clear();
        self.is_behind = false;
        self.was_heard = false;
        self.components.values_mut().for_each(|status| *status = None);
    }

    /// Whether something on it still has to be torn down: its agent is alive, and either has not seen yet what has left
    /// the model or is tearing it down.
    pub fn tears_down(&self) -> bool {
        self.alive.is_some() && (self.is_behind || !self.leaving.is_empty())
    }
}

/// A component in a snapshot.
#[derive(Clone, Copy, Debug)]
pub struct Part<'p> {
    /// Its server.
    pub server: &'p Name,
    /// Its name on the server.
    pub name: &'p Name,
    /// Its state, in relation to its server's plan.
    pub condition: Condition<'p>,
}

/// The state of a component, in relation to its server's plan.
#[derive(Clone, Copy, Debug)]
pub enum Condition<'p> {
    /// Nothing has been reported about it since its server got this plan.
    Idle,
    /// The state that its agent reports.
    Said(&'p Status),
}

/// The number of components by state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// All components.
    pub all: usize,
    /// Components that are done.
    pub done: usize,
    /// Components whose recipe runs.
    pub running: usize,
    /// Components that wait for something.
    pub waiting: usize,
    /// Components that failed themselves.
    pub failed: usize,
    /// Components that cannot run, because a dependency failed.
    pub blocked: usize,
    /// Components that are being torn down.
    pub leaving: usize,
    /// Components that could not be torn down.
    pub left_over: usize,
    /// Agents that have not begun their plans. It is unknown yet what they will tear down.
    pub behind: usize,
}

impl Tally {
    /// Whether there will be no more progress: everything is done or has failed, including teardowns.
    pub fn is_over(self) -> bool {
        self.done + self.failed + self.blocked == self.all && self.leaving + self.behind == 0
    }

    /// Whether something has failed.
    pub fn has_failed(self) -> bool {
        self.failed + self.blocked + self.left_over > 0
    }

    /// Whether everything is done.
    pub fn is_done(self) -> bool {
        self.is_over() && !self.has_failed()
    }
}

impl StackSnapshot {
    /// The snapshot without what was reported in the name of these servers: their disks are new, and reports of the
    /// agents of the former disks do not apply to them.
    #[must_use]
    pub fn without_words_of(&self, servers: &[Name]) -> Cow<'_, Self> {
        if servers.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut snapshot = self.clone();
        for (name, standing) in &mut snapshot.servers {
            if servers.contains(name) {
                standing.forget();
            }
        }
        Cow::Owned(snapshot)
    }

    /// Reads everything, except for the parts of `before` that cannot have changed.
    ///
    /// # Errors
    /// Something cannot be read.
    pub async fn read(space: &Space, before: Option<&Self>) -> Result<Self, SpaceError> {
        let desired = space.desired_revision().await?;
        let mut names = space.store().children(&space.layout().servers()).await?;
        names.sort_by(|a, b| natural(a, b));
        let of = desired.as_ref().map_or(Revision { space: None, number: 0 }, DesiredRevision::of);
        // Plans are written for a desired revision that is announced first.
        let is_same = desired.as_ref().is_some_and(|desired| desired.applying.is_none())
            && before.is_some_and(|before| before.desired == desired);
        let read = |name: String| {
            let of = &of;
            async move {
                let known =
                    before.filter(|_| is_same).and_then(|before| before.servers.get(name.as_str())?.plan.clone());
                let known = known.filter(|plan| plan.of() <= *of);
                let mut unread = Vec::new();
                let mut alive = or_trouble(space.alive(&name).await, &mut unread)?;
                let mut says_more = alive.as_mut().is_some_and(bounded::alive);
                let plan = match known {
                    Some(plan) => Some(plan),
                    None => space.plan(&name).await?.map(Arc::new),
                };
                let mut status = or_trouble(space.server_status(&name).await, &mut unread)?;
                says_more |= status.as_mut().is_some_and(bounded::server);
                if says_more {
                    unread.push("the server reports more about itself than is shown".to_owned());
                }
                let expected = expected(plan.as_deref(), of);
                let is_current = status.as_ref().is_some_and(|status| status.of() >= expected);
                let is_planned = plan.as_ref().is_some_and(|plan| plan.of() <= *of);
                let is_behind = alive.is_some() && is_planned && !is_current;
                let new_disk_since = status.as_ref().and_then(|status| status.new_disk_since).filter(|_| is_current);
                let has_said = status.is_some();
                let reported = status.map(|status| (status.troubles, status.leaving, status.finishing));
                let (mut troubles, mut leaving, mut finishing) = reported.unwrap_or_default();
                // A server may report only on its own components.
                let is_own = |component: &str| component.rsplit_once('/').is_some_and(|(server, _)| server == name);
                leaving.retain(|leaving| is_own(&leaving.component));
                for Leaving { component, failure, .. } in &mut leaving {
                    failure.iter_mut().for_each(|failure| failure.component.clone_from(component));
                }
                finishing.retain(|finishing| is_own(&finishing.component));
                if !is_current {
                    // An agent that is alive but makes no progress may report the reason. It finishes what it began.
                    if !is_behind {
                        troubles.clear();
                    }
                    leaving.retain(|leaving| is_behind && leaving.failure.is_none());
                }
                finishing.retain(|finishing| is_behind && finishing.revision < expected.number);
                let mut components = IndexMap::default();
                for component in plan.iter().flat_map(|plan| plan.components.keys()) {
                    let mut status = match space.status(&format!("{name}/{component}")).await {
                        // A running `seed apply` is removing it.
                        Err(SpaceError::Store(StoreError::Missing { .. })) => None,
                        status => or_trouble(status, &mut unread)?,
                    };
                    if status.as_mut().is_some_and(bounded::status) {
                        unread.push(format!("the server reports more about `{name}/{component}` than is shown"));
                    }
                    components.insert(component.clone(), status);
                }
                let was_heard = has_said || !unread.is_empty() || components.values().any(Option::is_some);
                troubles.extend(new_disk_since.map(|since| {
                    format!(
                        "its agent started with an empty disk at {since:.0}, where another one had acted before: \
                         everything on it runs again"
                    )
                }));
                troubles.extend(unread);
                Ok::<_, SpaceError>((
                    Name::from(name),
                    Standing { alive, plan, troubles, leaving, finishing, is_behind, was_heard, components },
                ))
            }
        };
        let servers: Vec<_> = stream::iter(names).map(read).buffered(AT_ONCE).try_collect().await?;
        // A server that has left the model and has nothing left to do.
        let stays =
            |standing: &Standing| !standing.has_left() || standing.alive.is_some() || !standing.leaving.is_empty();
        let servers = servers.into_iter().filter(|(_, standing)| stays(standing)).collect();
        let known = before.filter(|_| is_same).map(|before| &before.admission);
        let admission = Admission::read(space, desired.as_ref(), known).await?;
        let mut snapshot = Self { stack: space.layout().stack().into(), desired, servers, admission };
        snapshot.judge_blames();
        Ok(snapshot)
    }

    /// The revision number of this snapshot; 0 before the first seed.
    pub fn revision(&self) -> u64 {
        self.desired.as_ref().map_or(0, |desired| desired.revision)
    }

    /// The revision of this snapshot, including its data space.
    pub fn of(&self) -> Revision {
        self.desired.as_ref().map_or(Revision { space: None, number: 0 }, DesiredRevision::of)
    }

    /// The revision of everything that `server` reports and writes now. `None` if its plan is not known, for example
    /// while another revision is being applied.
    pub fn revision_of(&self, server: &str) -> Option<Revision> {
        let plan = self.servers.get(server)?.plan.as_ref()?;
        Some(plan.of()).filter(|revision| *revision <= self.of())
    }

    /// The plan of the server that writes `entry`.
    pub fn plan_of(&self, entry: &str) -> Option<&ServerPlan> {
        self.servers.get(entry.split('/').next()?)?.plan.as_deref()
    }

    /// Every component, in order.
    pub fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        self.servers.iter().flat_map(move |(server, standing)| {
            standing.components.iter().map(move |(name, status)| self.part(server, name, status.as_ref()))
        })
    }

    /// One component, by `SERVER/COMPONENT`.
    pub fn find(&self, component: &str) -> Option<Part<'_>> {
        // Names of servers may contain slashes, but those of components never do.
        let (server, name) = component.rsplit_once('/')?;
        let (server, standing) = self.servers.get_key_value(server)?;
        let (name, status) = standing.components.get_key_value(name)?;
        Some(self.part(server, name, status.as_ref()))
    }

    /// The component that writes an entry `SERVER/COMPONENT/OUTPUT`, or the component named by `what` itself. `None`
    /// for what belongs to another stack, or is published by a server's agent.
    pub fn writer(&self, what: &str) -> Option<Part<'_>> {
        self.find(what).or_else(|| self.find(what.rsplit_once('/')?.0))
    }

    fn part<'p>(&'p self, server: &'p Name, name: &'p Name, status: Option<&'p Status>) -> Part<'p> {
        let plan = self.servers.get(server).and_then(|standing| standing.plan.as_deref());
        let condition = match status {
            Some(status) if status.of() >= expected(plan, &self.of()) => Condition::Said(status),
            _ => Condition::Idle,
        };
        Part { server, name, condition }
    }

    /// Counts the components by state.
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for standing in self.servers.values() {
            tally.left_over += standing.leaving.iter().filter(|leaving| leaving.failure.is_some()).count();
            tally.leaving += standing.leaving.iter().filter(|leaving| leaving.failure.is_none()).count();
            tally.behind += usize::from(standing.is_behind);
        }
        self.parts().fold(tally, |mut tally, part| {
            tally.all += 1;
            if let Condition::Said(status) = part.condition {
                match shown(&status.state) {
                    Shown::Waiting => tally.waiting += 1,
                    Shown::Running => tally.running += 1,
                    Shown::Done => tally.done += 1,
                    Shown::Failed => tally.failed += 1,
                    Shown::Blocked => tally.blocked += 1,
                }
            }
            tally
        })
    }

    /// The component on the same server that must end before this one begins, if it has not ended yet.
    pub(super) fn predecessor(&self, server: &str, name: &str) -> Option<Part<'_>> {
        let (server, standing) = self.servers.get_key_value(server)?;
        if standing.plan.as_ref().is_some_and(|plan| plan.order == Order::Dataflow) {
            return None;
        }
        let at = standing.components.get_index_of(name)?;
        let before = standing.components.iter().take(at);
        let mut before = before.map(|(name, status)| self.part(server, name, status.as_ref()));
        before.find(|part| !matches!(part.condition, Condition::Said(Status { state: State::Done, .. })))
    }
}

/// Unwraps a server's report. Invalid or inaccessible reports become a trouble of this server alone.
fn or_trouble<T>(said: Result<Option<T>, SpaceError>, troubles: &mut Vec<String>) -> Result<Option<T>, SpaceError> {
    match said {
        Err(SpaceError::Malformed { path, .. } | SpaceError::Store(StoreError::Denied { path, .. })) => {
            troubles.push(format!("what the server reports in `{path}` cannot be read"));
            Ok(None)
        }
        Err(SpaceError::Untrusted { path, reason }) => {
            let writer = writer_of(&path).map_or_else(String::new, |writer| {
                format!("; apart from the operator, only `{writer}` can have written it")
            });
            troubles.push(format!("what is in `{path}` is not trusted: {reason}{writer}"));
            Ok(None)
        }
        said => said,
    }
}

/// The lowest revision that a server's report must have in order to count for `desired`: the one in which its plan last
/// changed. If the plan belongs to no desired revision yet, the earlier one is unknown, so every report counts.
fn expected(plan: Option<&ServerPlan>, desired: &Revision) -> Revision {
    match plan {
        Some(plan) if plan.of() <= *desired => plan.of(),
        Some(_) => Revision { space: desired.space.clone(), number: 0 },
        None => desired.clone(),
    }
}

impl Part<'_> {
    /// `SERVER/COMPONENT`.
    pub fn path(&self) -> String {
        format!("{}/{}", self.server, self.name)
    }
}

/// Natural order of names: compares numbers within them by value.
pub(crate) fn natural(a: &str, b: &str) -> Ordering {
    let split = |text: &str| -> usize {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 { digits } else { text.bytes().take_while(|byte| !byte.is_ascii_digit()).count() }
    };
    let (mut a, mut b) = (a, b);
    loop {
        if a.is_empty() || b.is_empty() {
            return a.len().cmp(&b.len());
        }
        let (left, right) = (&a[..split(a)], &b[..split(b)]);
        let is_number = |text: &str| text.starts_with(|first: char| first.is_ascii_digit());
        let order = if is_number(left) && is_number(right) {
            // Works for any number of digits.
            let [left, right] = [left, right].map(|digits| digits.trim_start_matches('0'));
            left.len().cmp(&right.len()).then_with(|| left.cmp(right))
        } else {
            left.cmp(right)
        };
        if order != Ordering::Equal {
            return order;
        }
        (a, b) = (&a[left.len()..], &b[right.len()..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_the_order_of_people() {
        let mut names = ["app10", "app2", "db", "app", "app2b", "10", "9"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(names, ["9", "10", "app", "app2", "app2b", "app10", "db"]);
    }

    /// Sorting panics if there is no total order.
    #[test]
    fn there_is_an_order_of_all_names() {
        let large = "1".repeat(40);
        assert_eq!(natural("9", "10"), Ordering::Less);
        assert_eq!(natural("10", &large), Ordering::Less);
        assert_eq!(natural("9", &large), Ordering::Less);
        assert_eq!(natural("007", "7"), Ordering::Equal);
    }

    #[test]
    fn a_server_with_a_new_disk_has_reported_nothing() {
        let status = r#"{"revision": 1, "state": "done", "since": "2026-01-01T00:00:00Z"}"#;
        let status: Status = serde_json::from_str(status).expect("a status");
        let mut standing = Standing {
            alive: None,
            plan: None,
            troubles: vec!["its clock is wrong".to_owned()],
            leaving: Vec::new(),
            finishing: Vec::new(),
            is_behind: true,
            was_heard: true,
            components: [(Name::from("app"), Some(status))].into_iter().collect(),
        };
        standing.forget();
        assert!(!standing.was_heard && !standing.is_behind && standing.troubles.is_empty());
        assert!(standing.components["app"].is_none(), "the component is still one of the server's");
    }

    #[test]
    fn an_agent_that_has_not_seen_yet_what_left_the_model_has_yet_to_tear_it_down() {
        let alive = r#"{"since": "2026-01-01T00:00:00Z", "host": "h", "pid": 1, "version": "0"}"#;
        let alive: Option<Alive> = Some(serde_json::from_str(alive).expect("an agent"));
        let server = |alive: &Option<Alive>, is_behind| Standing {
            alive: alive.clone(),
            plan: None,
            troubles: Vec::new(),
            leaving: Vec::new(),
            finishing: Vec::new(),
            is_behind,
            was_heard: false,
            components: IndexMap::default(),
        };
        assert!(server(&alive, true).tears_down());
        assert!(!server(&alive, false).tears_down());
        // There is no agent to do it.
        assert!(!server(&None, true).tears_down());
    }
}
