//! The event queue, on the run's own clock.

use std::collections::BTreeMap;
use std::time::Duration;

use wattle_agent_core::machine::{Event, RunId};

/// An event of a server's agent.
#[derive(Debug)]
pub(super) enum Happening {
    /// It starts.
    Boots,
    /// It dies, and starts again after a while.
    Dies,
    /// It receives an event.
    Event(Event),
    /// A recipe starts its work.
    Goes(RunId),
    /// A recipe ends.
    Ends(RunId),
    /// It looks at the clock.
    Wakes,
}

/// The scheduled events, in order. Of simultaneous events, those that were scheduled first come first. Only clock ticks
/// come last: a recipe that ends exactly at its deadline has ended in time.
#[derive(Debug, Default)]
pub(super) struct Queue {
    pub(super) now: Duration,
    scheduled: u64,
    events: BTreeMap<(Duration, bool, u64), (usize, u32, Happening)>,
}

impl Queue {
    /// Schedules an event for the agent at this index. It happens only if the agent is then still in this life.
    pub(super) fn put(&mut self, at: Duration, (host, life): (usize, u32), what: Happening) {
        self.scheduled += 1;
        let is_time = matches!(what, Happening::Wakes);
        self.events.insert((at.max(self.now), is_time, self.scheduled), (host, life, what));
    }

    /// Returns the next event, and moves the clock to its time.
    pub(super) fn next(&mut self) -> Option<(usize, u32, Happening)> {
        let ((at, ..), what) = self.events.pop_first()?;
        self.now = at;
        Some(what)
    }
}
