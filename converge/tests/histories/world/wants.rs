//! New desired states during the faults.

use std::time::Duration;

use wattle_converge::{Cleanup, Desire, Event, OnFailure, Time};

use super::World;
use super::happening::Happening;

impl World {
    /// Requests a new desired state.
    pub(super) fn wants(&mut self) {
        if self.is_calm {
            return;
        }
        let delay = self.chance.below(self.faults.pace);
        self.after(delay, Happening::Want);
        let leader = self.leaders.len() - 1;
        if self.leaders[leader].state.is_none() || self.leaders[leader].leaves {
            return;
        }
        if self.chance.once_in(self.faults.adopted) {
            self.adopts(leader);
        }
        let event = if self.chance.once_in(4) {
            let to = self.store.good.get(self.chance.index(4)).map(|good| good.desired.generation);
            Event::Rollback { to: to.filter(|_| self.chance.flip()) }
        } else {
            if !self.chance.once_in(5) {
                self.wish = self.wish.next(&mut self.chance, self.size, self.shows);
            }
            let wish = if self.chance.once_in(16) { self.wish.clashing() } else { self.wish.clone() };
            let deadline = self
                .chance
                .once_in(8)
                .then(|| Time::from_millis(self.now) + Duration::from_millis(self.chance.below(400_000)));
            Event::Desire(Desire {
                deadline,
                on_failure: if self.chance.once_in(4) { OnFailure::Rollback } else { OnFailure::Stop },
                cleanup: if self.chance.once_in(4) { Cleanup::Early } else { Cleanup::Last },
                corrects: self.chance.once_in(3),
                ..Desire::new(wish.target())
            })
        };
        self.tell(leader, event);
    }
}
