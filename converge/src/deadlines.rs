//! Handles the passage of time: expiring leases, due retries, and deadlines.

use wattle_model::Name;

use crate::state::{Entry, Phase, State};
use crate::{Act, Id, Notice, Row, Stage, Time};

/// Something that is due at a time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Alarm {
    /// Something about a row.
    Row(Id),
    /// This name's drift may be corrected again.
    Rested(Name),
}

/// The cause of a failure if the next request to the cloud would be after the deadline.
pub(crate) const TOO_LATE: &str = "the cloud could not do it before the deadline";

impl State {
    pub(crate) fn entry(&mut self, id: Id) -> &mut Entry {
        self.rows.get_mut(&id).expect("INVARIANT: only rows that are there are worked on")
    }

    /// Moves a row to its next phase, and replaces its alarm.
    pub(crate) fn turn(&mut self, id: Id, phase: Phase, alarm: Option<Time>) {
        let entry = self.entry(id);
        let old = entry.alarm;
        (entry.phase, entry.alarm) = (phase, alarm);
        if let Some(old) = old {
            self.alarms.remove(&(old, Alarm::Row(id)));
        }
        if let Some(alarm) = alarm {
            self.alarms.insert((alarm, Alarm::Row(id)));
        }
    }

    /// Makes a row idle: nothing more is carried out for it.
    pub(crate) fn rest(&mut self, id: Id) {
        self.stops_running(id);
        self.turn(id, Phase::Idle, None);
        self.entry(id).drain = None;
    }

    pub(crate) fn stops_running(&mut self, id: Id) {
        self.running -= usize::from(matches!(self.rows[&id].phase, Phase::Running(_)));
    }

    /// Takes over a stored row. If an action was begun for it, a former leader may still be carrying it out until its lease ends.
    pub(crate) fn take_over(&mut self, row: Row) {
        let id = row.id;
        let lease = row.intent.as_ref().map(|intent| intent.not_after + self.limits.grace);
        self.insert(row);
        // A former leader changed it before this one could observe anything.
        self.entry(id).changed = Time::default();
        if lease.is_some() {
            self.turn(id, Phase::Lease, lease);
        }
    }

    /// Handles everything that is due.
    pub(crate) fn ring(&mut self) {
        self.expire();
        while self.alarms.first().is_some_and(|(at, _)| *at <= self.now) {
            match self.alarms.pop_first().expect("INVARIANT: there is a first one").1 {
                Alarm::Row(id) => self.on_alarm(id),
                Alarm::Rested(name) => {
                    let place = self.index.place_of(&name);
                    self.mark(place);
                }
            }
        }
        if self.under_way > 0 && self.progress + self.limits.stall <= self.now {
            self.progress = self.now;
            self.out.notices.push(Notice::Stalled(self.waits()));
        }
    }

    /// Ends what the cloud could not do before the deadline.
    fn expire(&mut self) {
        if !self.is_over_time() {
            return;
        }
        let retries = |entry: &Entry| entry.phase == Phase::Retry;
        let ids: Vec<Id> = self.rows.iter().filter(|(_, entry)| retries(entry)).map(|(id, _)| *id).collect();
        for id in ids {
            self.fail(id, TOO_LATE.into(), false);
        }
    }

    fn on_alarm(&mut self, id: Id) {
        self.entry(id).alarm = None;
        match self.rows[&id].phase {
            Phase::Idle => {}
            Phase::Running(_) | Phase::Retry | Phase::Accepted if self.is_drained_by_now(id) => self.delete_now(id),
            Phase::Retry if self.is_late(id) => self.give_up(id),
            Phase::Retry if self.is_as_wanted(id) => {
                self.renew(id);
                self.entry(id).is_retried = true;
                self.request(id);
            }
            Phase::Running(_) | Phase::Lease | Phase::Retry => self.lapse(id),
            Phase::Accepted => self.give_up(id),
        }
    }

    fn is_drained_by_now(&self, id: Id) -> bool {
        self.rows[&id].drain.is_some_and(|until| until <= self.now)
    }

    /// Deletes a row's thing: its teardown has ended, or has run out of time.
    pub(crate) fn delete_now(&mut self, id: Id) {
        self.rest(id);
        self.renew(id);
        self.request(id);
    }

    fn is_late(&self, id: Id) -> bool {
        self.rows[&id].row.until.is_some_and(|until| until <= self.now)
    }

    /// Ends a lease: no request can arrive any more, and the outcome is unknown.
    fn lapse(&mut self, id: Id) {
        if self.is_late(id) {
            return self.give_up(id);
        }
        self.rest(id);
        self.alter(id, lapse);
    }

    /// Gives up on an action that has taken too long.
    fn give_up(&mut self, id: Id) {
        self.rest(id);
        let failure = self.failure(id, "it was not done in time".into());
        self.alter(id, |row| {
            lapse(row);
            if row.stage == Stage::New {
                row.stage = Stage::Failed;
            }
            row.until = None;
            row.failed = Some(failure);
        });
    }
}

/// Updates a row for which it is unknown whether the action that was begun has happened.
fn lapse(row: &mut Row) {
    match row.act() {
        Some(Act::Update { .. }) => row.may_be_updated(),
        Some(Act::Release { .. }) => row.free = None,
        Some(Act::Delete) => row.stage = Stage::Failed,
        Some(Act::Create | Act::Look | Act::Read { .. }) | None => {}
    }
    row.intent = None;
}
