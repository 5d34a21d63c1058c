//! After an event, starts every possible action, until none is left.

use std::collections::BTreeSet;

use crate::naive::Reading;
use crate::predicates::{self, Action};
use crate::state::State;
use crate::view::View;
use crate::{Event, Good, Id, Notice, OnFailure, Stage, Time};

impl State {
    /// Starts every possible action.
    pub(crate) fn settle(&mut self) {
        self.settle_by(Self::next_free, Self::next_job);
    }

    /// Does the same with predicates that are computed from all rows each time.
    pub(crate) fn settle_naively(&mut self) {
        self.settle_by(|state| Reading::of(state).free(), |state| Reading::of(state).job());
    }

    fn settle_by(&mut self, free: fn(&mut Self) -> Option<Action>, job: fn(&mut Self) -> Option<Action>) {
        loop {
            self.propagate();
            if let Some(action) = free(self) {
                self.begin(action);
                continue;
            }
            let has_room = self.running < self.limits.at_once;
            if let Some(action) = if has_room { job(self) } else { None } {
                self.begin(action);
                continue;
            }
            if !self.reach() && !self.rest_or_roll_back() {
                return;
            }
        }
    }

    /// The first action that needs no job. A name stays marked until there is nothing to do for it.
    fn next_free(&mut self) -> Option<Action> {
        while let Some(place) = self.index.free.first().copied() {
            let action = predicates::free(self, place);
            if action.is_some() {
                return action;
            }
            self.index.free.remove(&place);
        }
        None
    }

    fn next_job(&mut self) -> Option<Action> {
        while let Some(place) = self.index.due.first().copied() {
            let action = predicates::job(self, place);
            if action.is_some() {
                return action;
            }
            self.index.due.remove(&place);
        }
        None
    }

    /// Records that the desired state is reached, if it is. From then on, the names of rows suffice to distinguish what
    /// stands for it from what existed before.
    fn reach(&mut self) -> bool {
        if !self.is_done() || (self.is_complete() && !self.has_news) {
            return false;
        }
        let picks = self.index.names.values().filter_map(|named| named.pick);
        self.has_news = false;
        if self.is_complete() && picks.clone().all(|pick| self.is_good(pick)) {
            return false;
        }
        let desired = self.desired.clone().expect("INVARIANT: what is done is a desired state");
        let upto = self.rows.last_key_value().map_or(Id::default(), |(id, _)| *id);
        let standing: BTreeSet<Id> = picks.collect();
        let is_left = |id: &Id| !standing.contains(id);
        let leftovers = self.rows.keys().copied().filter(is_left).collect();
        self.keep(Good { desired, upto, leftovers });
        self.progress = self.now;
        self.mark_surplus();
        true
    }

    /// Reports that nothing is in progress, or returns to the desired state that was reached last if the present one
    /// requests that on failure.
    fn rest_or_roll_back(&mut self) -> bool {
        // An engine that may start no job cannot tell whether something could be continued.
        if self.is_settled || self.limits.at_once == 0 || !self.waits_for_nothing() {
            return false;
        }
        let Some(desired) = &self.desired else { return false };
        let (generation, on_failure) = (desired.generation, desired.desire.on_failure);
        self.is_settled = true;
        let roots = self.unfinished().chain(self.roots()).collect();
        self.was_settled = true;
        self.out.notices.push(Notice::Settled { generation, roots });
        if self.is_done() || self.is_complete() || on_failure == OnFailure::Stop {
            return false;
        }
        self.on_rollback(None);
        true
    }

    /// Handles an event without starting anything.
    pub(crate) fn happen(&mut self, event: Event, now: Time) {
        self.now = self.now.max(now);
        self.propagate();
        self.ring();
        match event {
            Event::Desire(desire) => self.on_desire(desire),
            Event::Rollback { to } => self.on_rollback(to),
            Event::Adopt { target, things } => self.on_adopt(&*target, things),
            Event::Done { job, row, outcome } => self.on_done(job, row, outcome),
            Event::Seen { mark, kind, at, sight } => self.on_seen(mark, kind, at, sight),
            Event::Tick => {}
        }
    }

    /// Records that a rollback may use the row, and that the record of the desired state does not contain it yet.
    pub(crate) fn stands_newly(&mut self, id: Id) {
        self.has_news |= self.rows.get(&id).is_some_and(|entry| entry.row.stage == Stage::Sound);
    }
}
