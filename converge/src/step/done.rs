//! Handles the end of a job.

use std::time::Duration;

use wattle_model::Name;

use crate::deadlines::TOO_LATE;
use crate::state::{Phase, State};
use crate::view::View;
use crate::{Act, Id, Notice, Outcome, Row, RowFailure, Stage, Thing};

impl State {
    /// Handles a response to a job. An unexpected response is only a reason to look.
    pub(crate) fn on_done(&mut self, job: Id, id: Id, outcome: Outcome) {
        if self.rows.get(&id).is_none_or(|entry| entry.phase != Phase::Running(job)) {
            return self.out.notices.push(Notice::Look(id));
        }
        if self.rows[&id].drain.is_some() {
            return self.on_drained(id, outcome);
        }
        let row = &self.rows[&id].row;
        let act = row.act().expect("INVARIANT: a job has an intent");
        match outcome {
            Outcome::Done(thing) => self.succeed(id, thing),
            Outcome::Accepted(phys) => {
                let until = row.until;
                self.accepted(id, phys, until);
            }
            Outcome::Absent => match act {
                Act::Delete => self.succeed(id, None),
                Act::Look => self.remove(id),
                Act::Update { .. } | Act::Read { .. } | Act::Release { .. } => self.vanish(id),
                Act::Create => self.wait_for_lease(id),
            },
            Outcome::Later(after) => self.later(id, after),
            Outcome::Refused(cause) => self.fail(id, cause, false),
            Outcome::Broken(cause) => self.fail(id, cause, true),
            Outcome::Unknown => self.wait_for_lease(id),
        }
    }

    /// Handles the end of the teardown. Whatever its outcome, the server is deleted.
    fn on_drained(&mut self, id: Id, outcome: Outcome) {
        match outcome {
            Outcome::Later(after) => self.later(id, after),
            Outcome::Accepted(_) => {
                let until = self.rows[&id].drain;
                self.stops_running(id);
                self.turn(id, Phase::Accepted, until);
            }
            _ => self.delete_now(id),
        }
    }

    fn accepted(&mut self, id: Id, phys: Option<Name>, until: Option<crate::Time>) {
        self.stops_running(id);
        self.turn(id, Phase::Accepted, until);
        self.entry(id).changed = self.now;
        if let (Some(phys), None) = (phys, &self.rows[&id].row.thing) {
            // This is not stored, because the thing can be found again by its mark.
            self.entry(id).row.thing = Some(Thing { phys, attributes: Default::default() });
        }
    }

    fn later(&mut self, id: Id, after: Duration) {
        if self.is_over_time() {
            return self.fail(id, TOO_LATE.into(), false);
        }
        let entry = &self.rows[&id];
        let end = entry.drain.or(entry.row.until);
        let at = end.map_or(self.now + after, |end| end.min(self.now + after));
        self.stops_running(id);
        self.turn(id, Phase::Retry, Some(at));
    }

    fn wait_for_lease(&mut self, id: Id) {
        let grace = self.limits.grace;
        let lease = self.rows[&id].row.intent.as_ref().map(|intent| intent.not_after + grace);
        self.stops_running(id);
        self.turn(id, Phase::Lease, lease);
    }

    /// Records that the action succeeded.
    pub(crate) fn succeed(&mut self, id: Id, thing: Option<Thing>) {
        self.rest(id);
        let row = &self.rows[&id].row;
        if row.is_being_deleted() && row.failed.as_ref().is_none_or(|failure| failure.generation != self.generation()) {
            return self.remove(id);
        }
        let edition = self.issue();
        self.alter(id, |row| succeed(row, thing, edition));
        self.stands_newly(id);
    }

    /// Records that the action failed. A refusal has changed nothing, unless the action was requested more than once.
    pub(crate) fn fail(&mut self, id: Id, cause: Name, is_broken: bool) {
        let is_known = !is_broken && !self.rows[&id].is_retried;
        let failure = self.failure(id, cause);
        self.rest(id);
        self.alter(id, |row| {
            match row.act() {
                Some(Act::Create) if !is_broken => row.is_gone(),
                Some(Act::Create | Act::Look | Act::Delete) | None => row.stage = Stage::Failed,
                Some(Act::Update { .. }) if !is_known => row.may_be_updated(),
                Some(Act::Release { .. }) if !is_known => row.free = None,
                Some(Act::Update { .. } | Act::Read { .. } | Act::Release { .. }) => {}
            }
            if is_broken {
                row.stage = Stage::Failed;
            }
            row.intent = None;
            row.until = None;
            row.failed = Some(failure);
        });
    }

    /// Records that the thing no longer exists. If it was created for this desired state, it is not created again for
    /// it.
    pub(crate) fn vanish(&mut self, id: Id) {
        let (generation, is_complete) = (self.generation(), self.is_complete());
        self.rest(id);
        self.alter(id, |row| {
            let needs = Some(row.requires.clone());
            row.is_gone();
            if row.made == generation && !is_complete {
                let cause = "it vanished after it was created".into();
                row.failed = Some(RowFailure { generation, deleting: false, needs, cause });
            }
        });
    }

    /// The record of an action on a row that failed for this desired state.
    pub(crate) fn failure(&self, id: Id, cause: Name) -> RowFailure {
        let row = &self.rows[&id].row;
        let needs = match row.act() {
            Some(Act::Create | Act::Look) => Some(row.requires.clone()),
            Some(Act::Update { requires, .. } | Act::Read { requires, .. }) => Some(requires.clone()),
            Some(Act::Release { .. } | Act::Delete) | None => None,
        };
        RowFailure { generation: self.generation(), deleting: row.is_being_deleted(), needs, cause }
    }
}

/// Updates a row after its action succeeded. If the action changed the thing, this is another edition of it.
fn succeed(row: &mut Row, thing: Option<Thing>, edition: Id) {
    let intent = row.intent.take();
    row.until = None;
    match intent.map(|intent| intent.act) {
        Some(Act::Delete) | None => row.is_gone(),
        Some(Act::Create | Act::Look) => {
            row.stage = Stage::Sound;
            row.failed = None;
        }
        Some(Act::Update { free, varying, requires, shown, holds, given }) => {
            row.free = Some(free);
            (row.varying, row.requires, row.holds, row.given) = (varying, requires, holds, given);
            (row.edition, row.shown) = (edition, shown);
            row.failed = None;
            row.drift = None;
        }
        Some(Act::Read { requires, shown }) => {
            (row.edition, row.requires, row.shown) = (edition, requires, shown);
            row.failed = None;
        }
        Some(Act::Release { exclusive }) => {
            row.holds.retain(|held| !exclusive.contains(held));
            row.free = None;
        }
    }
    if row.stage != Stage::Gone && thing.is_some() {
        row.thing = thing;
    }
}
