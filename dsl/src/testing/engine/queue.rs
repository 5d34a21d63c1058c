//! The queue: what is to happen, at which time of the run's own clock.

use std::collections::BTreeMap;
use std::time::Duration;

use wattle_agent_core::machine::{Event, RunId};

/// What happens to the agent of a server.
#[derive(Debug)]
pub(super) enum Happening {
    /// It begins.
    Boots,
    /// It dies, and begins again in a while.
    Dies,
    /// It is told something.
    Event(Event),
    /// A recipe begins to do what it does.
    Goes(RunId),
    /// A recipe comes to its end.
    Ends(RunId),
    /// It looks at the clock.
    Wakes,
}

/// What is to happen, in its order. Of what happens at the same time, what was scheduled first comes first; but time itself
/// comes last: a recipe that has ended in time has.
#[derive(Debug, Default)]
pub(super) struct Queue {
    pub(super) now: Duration,
    scheduled: u64,
    events: BTreeMap<(Duration, bool, u64), (usize, u32, Happening)>,
}

impl Queue {
    /// Lets something happen to the agent at this place, if it still lives this life then.
    pub(super) fn put(&mut self, at: Duration, (host, life): (usize, u32), what: Happening) {
        self.scheduled += 1;
        let is_time = matches!(what, Happening::Wakes);
        self.events.insert((at.max(self.now), is_time, self.scheduled), (host, life, what));
    }

    /// What happens next: it is that late then.
    pub(super) fn next(&mut self) -> Option<(usize, u32, Happening)> {
        let ((at, ..), what) = self.events.pop_first()?;
        self.now = at;
        Some(what)
    }
}
