//! The critical path: the chain of waits and runs that ended last.

use std::collections::{HashMap, HashSet};

use serde::Serialize;
use wattle::model::Name;
use wattle_agent_core::time::Time;

use crate::space::{DesiredRevision, Did, State, Status, Step};

use super::{Condition, Part, StackSnapshot};

/// One component of a critical path: from the arrival of the last thing that it waited for until its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hop {
    /// The component, as `SERVER/COMPONENT`.
    pub component: Name,
    /// The last thing that it waited for, an entry or a component. `None` if it waited for nothing, or began only after
    /// that had arrived.
    #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
    pub awaited: Option<Name>,
    /// The input that required it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Name>,
    /// When the previous hop ended. For the first hop, when its component began.
    pub since: Time,
    /// When its recipe began to run; `None` if it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ran: Option<Time>,
    /// When it ended, or wrote what the next hop waited for.
    pub until: Time,
    /// Whether it has not ended. `until` is then the present.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
    /// Whether the server's clock was set back in the meantime, so that durations are unknown.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub clock_jumped: bool,
}

/// A component's past and its current step.
#[derive(Clone, Debug)]
pub struct Life<'p> {
    /// The component.
    pub part: Part<'p>,
    /// Its steps, including the current one, which ends at the present.
    pub steps: Vec<Step>,
    /// When it ended; `None` if it has not.
    pub ended: Option<Time>,
    /// Whether part of it precedes this revision. It is cut there.
    pub is_early: bool,
    /// Whether part of it is in the future. It is cut at the present.
    pub is_late: bool,
    /// Whether it is plausible by the operator's clock: it is not in the future, and began before this revision only if
    /// it belongs to an earlier one.
    pub is_credible: bool,
}

impl Life<'_> {
    /// When it began.
    pub fn began(&self) -> Time {
        self.steps.iter().map(|step| step.since).min().unwrap_or(Time::EPOCH)
    }

    /// Whether its server's clock was set back during one of its steps or between them. Steps are kept in the order in
    /// which they ended.
    pub fn clock_jumped(&self) -> bool {
        let ends = self.steps.iter().map(|step| step.until).chain(self.ended);
        self.steps.iter().any(|step| step.took().is_none()) || !ends.is_sorted()
    }

    fn ran(&self) -> Option<Time> {
        let ran = self.steps.iter().filter(|step| !matches!(step.did, Did::Waited { .. }));
        ran.map(|step| step.since).min()
    }
}

/// The past of every component in the revision of `snapshot`, in their order. Omits components that were found
/// unchanged and waited for nothing, and those that have ended on a server for which that revision changes nothing.
pub fn lives(snapshot: &StackSnapshot, now: Time) -> Vec<Life<'_>> {
    let all = |begin: Time| -> Vec<Life<'_>> {
        let life = |part| {
            let Part { condition: Condition::Said(status), .. } = part else { return None };
            let (steps, ended) = steps(status, now);
            let is_of_this = status.of() >= snapshot.of();
            let is_here = is_of_this || ended.is_none();
            (is_here && !steps.is_empty()).then(|| cut(part, steps, ended, (begin, now), is_of_this))
        };
        snapshot.parts().filter_map(life).collect()
    };
    let lives = all(snapshot.desired.as_ref().and_then(DesiredRevision::since).unwrap_or_default());
    // A desired revision that was signed again, to be valid for longer, is newer than everything else.
    if lives.iter().all(|life| life.is_early) { all(Time::EPOCH) } else { lives }
}

/// Cuts a life to its plausible part.
fn cut(
    part: Part<'_>,
    mut steps: Vec<Step>,
    mut ended: Option<Time>,
    (begin, now): (Time, Time),
    is_of_this: bool,
) -> Life<'_> {
    let (mut is_early, mut is_late) = (false, false);
    for time in steps.iter_mut().flat_map(|step| [&mut step.since, &mut step.until]).chain(&mut ended) {
        is_early |= *time < begin;
        is_late |= *time > now;
        *time = (*time).clamp(begin.min(now), now);
    }
    Life { part, steps, ended, is_early, is_late, is_credible: !(is_late || is_early && is_of_this) }
}

fn steps(status: &Status, now: Time) -> (Vec<Step>, Option<Time>) {
    match &status.state {
        State::Done | State::Failed(_) => (status.past.clone(), Some(status.since)),
        State::Waiting(waits) if waits.is_empty() => (status.past.clone(), None),
        State::Waiting(_) | State::Running => (status.past_at(now, &State::Done), None),
    }
}

/// The chain of waits and runs that ended last, or that unfinished components wait for now, first hop first. Each hop
/// begins when the previous one ended.
pub fn critical_path(snapshot: &StackSnapshot, now: Time) -> Vec<Hop> {
    let lives: HashMap<String, Life<'_>> =
        lives(snapshot, now).into_iter().map(|life| (life.part.path(), life)).collect();
    let rank = |life: &Life<'_>| {
        let is_running = matches!(life.part.condition, Condition::Said(Status { state: State::Running, .. }));
        let path = std::cmp::Reverse(life.part.path());
        (life.is_credible, life.ended.unwrap_or(now), is_running, std::cmp::Reverse(life.began()), path)
    };
    let mut next = lives.values().max_by_key(|life| rank(life));
    let mut limit = now;
    let mut seen = HashSet::new();
    let mut hops = Vec::new();
    while let Some(life) = next.take() {
        let component: Name = life.part.path().into();
        seen.insert(component.clone());
        let until = life.ended.unwrap_or(now).min(limit);
        let held = life.steps.iter().filter_map(|step| {
            let Did::Waited { what, input } = &step.did else { return None };
            let writer = snapshot.writer(what).and_then(|part| lives.get(&part.path()));
            let writer = writer.filter(|writer| !seen.contains(&*writer.part.path()))?;
            let ready = writer.ended.unwrap_or(now).min(step.until).min(until);
            (ready > life.began()).then_some((ready, what, input, writer))
        });
        let held = held.max_by_key(|(ready, ..)| *ready);
        let first = || life.began().min(until);
        hops.push(Hop {
            component,
            awaited: held.as_ref().map(|(_, what, ..)| (*what).clone()),
            input: held.as_ref().and_then(|(_, _, input, _)| (*input).clone()),
            since: held.as_ref().map_or_else(first, |(ready, ..)| *ready),
            ran: life.ran().map(|ran| ran.min(until)),
            until,
            open: life.ended.is_none() && until == now,
            clock_jumped: life.clock_jumped(),
        });
        if let Some((ready, .., writer)) = held {
            (next, limit) = (Some(writer), ready);
        }
    }
    hops.reverse();
    hops
}
