//! Checks that waits end in time.

use wattle_agent_core::content::Content;
use wattle_agent_core::failure::FailureKind;
use wattle_agent_core::status::{State, Status};
use wattle_model::Name;

use crate::happening::Happening;
use crate::world::World;

/// How much longer than its limit a wait may take, in milliseconds: to determine the reason, again whenever something
/// has arrived, and to linger for the failure of others.
const ASKED: u64 = 15_000;

/// A wait of a component.
pub(super) struct Wait {
    incarnation: u64,
    /// The published start time.
    since: String,
    number: u64,
    /// Its end, in time during which the agent was awake.
    end: u64,
}

impl World {
    /// The awaited things of a component, if it does not only wait for its turn on its own server.
    fn waits(&self, host: usize, status: &Status) -> Option<String> {
        let State::Waiting(list) = &status.state else { return None };
        let own = format!("{}/", self.hosts[host].server);
        let far = list.iter().find(|wait| wait.input.is_some() || !wait.what.starts_with(&own))?;
        Some(format!("{:?} {:?}", status.of(), far.since))
    }

    /// Handles a published state of a component.
    pub(super) fn shows_wait(&mut self, host: usize, component: &Name, status: &Status) {
        let key = (host, component.clone());
        let Some(since) = self.waits(host, status) else {
            let wait = self.oracle.waits.remove(&key);
            return self.check_patience(host, component, status, wait.as_ref());
        };
        let incarnation = self.hosts[host].incarnation;
        if self.oracle.waits.get(&key).is_some_and(|wait| wait.incarnation == incarnation && wait.since == since) {
            return;
        }
        let agent = self.hosts[host].agent.as_ref();
        let desired = agent.and_then(|agent| agent.desired.clone()).filter(|desired| desired.of() == status.of());
        let planned = desired.and_then(|desired| desired.components.get(component).cloned());
        // In a superseded revision, nothing is waited for.
        let Some(limit) = planned.map(|planned| planned.recipe.wait.unwrap_or(60)) else { return };
        let limit = limit * 1_000 + ASKED;
        self.oracle.wait_number += 1;
        let (number, end) = (self.oracle.wait_number, self.awake(host) + limit);
        self.oracle.waits.insert(key, Wait { incarnation, since, number, end });
        let component = component.clone();
        self.after(limit, Happening::WaitEnds { host, incarnation, component, wait: number });
    }

    /// Checks that no wait ends in vain before its time.
    fn check_patience(&mut self, host: usize, component: &Name, status: &Status, wait: Option<&Wait>) {
        let (State::Failed(failure), Some(wait)) = (&status.state, wait) else { return };
        let full = Name::from(format!("{}/{component}", self.hosts[host].server));
        let is_own = failure.kind == FailureKind::Wait && failure.component == full && failure.through.is_empty();
        // The failure of a former machine stays.
        let is_known = |content: &Content| matches!(content, Content::Failure(known) if known == failure);
        let is_own = is_own && !self.oracle.first.values().any(is_known);
        // A recipe that requests its inputs waits for each from its start.
        let asks = self.models.iter().any(|model| model.parts.get(&full).is_some_and(|part| part.live));
        let (awake, end) = (self.awake(host), wait.end - ASKED);
        if is_own && !asks && wait.incarnation == self.hosts[host].incarnation && awake < end {
            self.breaks(|| format!("h{host}: {component} gives up {} ms before its time", end - awake));
        }
    }

    pub(crate) fn wait_ends(&mut self, host: usize, incarnation: u64, component: &Name, number: u64) {
        let key = (host, component.clone());
        let Some(wait) = self.oracle.waits.get(&key).filter(|wait| wait.number == number) else { return };
        let end = wait.end;
        let Some(agent) = self.hosts[host].agent.as_ref().filter(|_| self.hosts[host].incarnation == incarnation)
        else {
            return;
        };
        let shown = agent.machine.board().components().get(component);
        // In a superseded revision, nothing is waited for, whatever was last published.
        let is_current = |status: &Status| agent.desired.as_ref().is_some_and(|desired| desired.of() == status.of());
        let shown = shown.filter(|status| is_current(status)).and_then(|status| self.waits(host, status));
        // Nor does an agent wait that has lost its place.
        if shown.as_ref() != Some(&wait.since) || agent.machine.is_settled() || !agent.is_claimed {
            return;
        }
        let awake = self.awake(host);
        // The steps after a wait need a disk and a store.
        let has_room = !self.hosts[host].is_full && self.now >= self.hosts[host].room_since + ASKED;
        let has_room = has_room && self.is_heard(host) && self.now >= self.hosts[host].hears_since + ASKED;
        if awake >= end && has_room {
            return self
                .breaks(|| format!("h{host}: {component} still waits, {} ms after it may", awake + ASKED - end));
        }
        let component = component.clone();
        self.after(
            end.saturating_sub(awake).max(1_000),
            Happening::WaitEnds { host, incarnation, component, wait: number },
        );
    }
}
