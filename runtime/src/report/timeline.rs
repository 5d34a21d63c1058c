//! What took the time: the chain of waits and runs that ended last.

use std::collections::{HashMap, HashSet};

use serde::Serialize;
use wattle::model::Name;
use wattle_agent_core::time::Time;

use crate::space::{Did, State, Status, Step};

use super::{Condition, Part, Picture};

/// One component of a critical path: from when what it awaited last was there until it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hop {
    /// The component, as `SERVER/COMPONENT`.
    pub component: Name,
    /// What it awaited last, an entry or a component; none if it waited for nothing, or came only after that was there.
    #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
    pub awaited: Option<Name>,
    /// The input that needed that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Name>,
    /// When the hop before ended; of the first one, when its component began.
    pub since: Time,
    /// When its recipe began to run; none if it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ran: Option<Time>,
    /// When it ended, or gave what the next one awaited.
    pub until: Time,
    /// Whether it has not ended: `until` is when it was looked at.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
    /// Whether the server's clock was set back meanwhile, so that the lengths of time are not known.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub clock_jumped: bool,
}

/// What a component has behind it, and what it is at.
#[derive(Clone, Debug)]
pub struct Life<'p> {
    /// The component.
    pub part: Part<'p>,
    /// Its steps, the one that it is at included: that ends when it was looked at.
    pub steps: Vec<Step>,
    /// When it ended; none if it has not.
    pub ended: Option<Time>,
}

impl Life<'_> {
    /// When it began.
    pub fn began(&self) -> Time {
        self.steps.iter().map(|step| step.since).min().unwrap_or(Time::EPOCH)
    }

    /// Whether its server's clock was set back during one of its steps or between them: steps are kept in the order in
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

/// What every component has behind it in the revision of `picture`, in their order. One that was found unchanged, and
/// waited for nothing, is not here, nor is one that has ended on a server for which that revision changes nothing.
pub fn lives(picture: &Picture, now: Time) -> Vec<Life<'_>> {
    let life = |part| {
        let Part { condition: Condition::Said(status), .. } = part else { return None };
        let (steps, ended) = steps(status, now);
        let is_here = status.of() >= picture.of() || ended.is_none();
        (is_here && !steps.is_empty()).then_some(Life { part, steps, ended })
    };
    picture.parts().filter_map(life).collect()
}

fn steps(status: &Status, now: Time) -> (Vec<Step>, Option<Time>) {
    match &status.state {
        State::Done | State::Failed(_) => (status.past.clone(), Some(status.since)),
        State::Waiting(waits) if waits.is_empty() => (status.past.clone(), None),
        State::Waiting(_) | State::Running => (status.past_at(now, &State::Done), None),
    }
}

/// The chain of waits and runs that ended last, or that whatever has not ended waits for now; its first hop first. Each
/// begins when the one before ended.
pub fn critical_path(picture: &Picture, now: Time) -> Vec<Hop> {
    let lives: HashMap<String, Life<'_>> =
        lives(picture, now).into_iter().map(|life| (life.part.path(), life)).collect();
    let rank = |life: &Life<'_>| {
        let is_running = matches!(life.part.condition, Condition::Said(Status { state: State::Running, .. }));
        let path = std::cmp::Reverse(life.part.path());
        (life.ended.unwrap_or(now), is_running, std::cmp::Reverse(life.began()), path)
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
            let writer = picture.writer(what).and_then(|part| lives.get(&part.path()));
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
