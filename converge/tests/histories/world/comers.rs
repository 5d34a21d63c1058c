//! Leaders that leave and return, their late writes, and preexisting things.

use wattle_converge::{Adopted, Event, Step};

use super::World;
use super::happening::Happening;
use crate::wish::name;

/// How long a leader waits for its jobs before it leaves.
const LAST: u64 = 10_000;

impl World {
    /// Sends a leader's writes, which take time to reach the store. Meanwhile it handles nothing.
    pub(super) fn send(&mut self, leader: usize, step: Step) {
        if step.writes.is_empty() || !self.chance.once_in(self.faults.slow) {
            return self.carry_out(leader, step);
        }
        self.say(|| "    what it writes is on its way".to_owned());
        self.leaders[leader].hears = Some(Vec::new());
        let delay = self.chance.below(60_000);
        self.after(delay, Happening::Written { leader, step });
    }

    pub(super) fn written(&mut self, leader: usize, step: Step) {
        self.carry_out(leader, step);
        let heard = self.leaders[leader].hears.take().unwrap_or_default();
        for event in heard {
            self.tell(leader, event);
        }
    }

    /// Requests a leader to end: it starts nothing more, and waits a while for its jobs.
    pub(super) fn is_to_leave(&mut self, leader: usize) {
        let Some(state) = &mut self.leaders[leader].state else { return };
        state.begin_at_once(0);
        self.leaders[leader].leaves = true;
        self.say(|| "it is to leave".to_owned());
        let delay = self.chance.below(LAST);
        self.after(delay, Happening::Leave { leader });
    }

    pub(super) fn leaves(&mut self, leader: usize) {
        if self.leaders[leader].hears.is_some() {
            return self.after(1_000, Happening::Leave { leader });
        }
        let Some(state) = &mut self.leaders[leader].state else { return };
        let step = state.leave();
        self.say(|| "it leaves".to_owned());
        self.carry_out(leader, step);
        if self.leaders[leader].state.take().is_some() && self.leaders[leader].term == self.store.term {
            // The same one returns, or another.
            let delay = self.chance.below(120_000);
            self.after(delay, Happening::Lead);
        }
    }

    /// Adopts a preexisting thing that is part of the desired state.
    pub(super) fn adopts(&mut self, leader: usize) {
        let alone = self.wish.0.iter().filter(|(_, resource)| resource.uses.is_empty());
        let alone: Vec<usize> = alone.map(|(place, _)| *place).collect();
        if alone.is_empty() {
            return;
        }
        let place = alone[self.chance.index(alone.len())];
        if self.store.rows.values().any(|row| row.name == name(place)) {
            return;
        }
        let wanted = self.wish.wanted(place, |_| None).expect("it refers to nothing");
        let phys = self.cloud.was_there(&name(place), &wanted);
        let thing = self.cloud.thing(&phys);
        self.say(|| format!("{phys} was there before"));
        let target = self.wish.target();
        let things = vec![Adopted { name: name(place), thing, differs: None }];
        self.tell(leader, Event::Adopt { target, things });
    }
}
