//! Handles a request for a new desired state.

use crate::desired_state::places;
use crate::state::State;
use crate::view::View;
use crate::{Desire, DesiredState, Id, Notice, OnFailure, Refusal, Row, Stage, Write};

impl State {
    /// Makes this the desired state from now on, whatever is in progress.
    pub(crate) fn on_desire(&mut self, desire: Desire) {
        let names = match places(&*desire.target) {
            Ok(names) => names,
            Err(refusal) => return self.out.notices.push(Notice::Refused(refusal)),
        };
        let former = self.good.front().map_or(0, |good| good.desired.generation);
        let desired = DesiredState { generation: self.generation().max(former) + 1, desire };
        self.out.writes.push(Write::DesiredState(desired.clone()));
        self.desired = Some(desired);
        self.corrections.clear();
        self.is_settled = false;
        self.was_settled = false;
        self.has_news = true;
        self.progress = self.now;
        self.rebuild(names);
        self.put_drift_right();
    }

    /// Has present drift corrected with the new desired state. Otherwise that state would count as reached although
    /// some resources differ from it. Where a property of a thing is unknown, the thing is changed before it counts as
    /// done.
    fn put_drift_right(&mut self) {
        let is_left =
            |row: &Row| self.desired.as_ref().is_some_and(|desired| desired.desire.leaves.contains(&row.name));
        let is_drifted = |row: &Row| {
            let is_known = row.stage == Stage::Sound && row.is_idle() && row.free.is_some();
            is_known && row.drift.is_some() && !is_left(row)
        };
        let drifted: Vec<Id> =
            self.rows.values().map(|stored| &stored.row).filter(|row| is_drifted(row)).map(|row| row.id).collect();
        for id in drifted {
            self.alter(id, |row| row.free = None);
        }
    }

    /// Makes an earlier desired state the present one again.
    pub(crate) fn on_rollback(&mut self, to: Option<u64>) {
        let found = match to {
            Some(generation) => match self.good.iter().find(|good| good.desired.generation == generation) {
                Some(good) => Some(good),
                None => return self.out.notices.push(Notice::Refused(Refusal::NotReached(generation))),
            },
            None => self.good.get(usize::from(self.is_complete())),
        };
        let desire = found.map_or_else(Desire::nothing, |good| good.desired.desire.clone());
        self.on_desire(Desire { on_failure: OnFailure::Stop, deadline: None, ..desire });
    }
}
