//! Limits of time and concurrency.

use std::time::Duration;

/// How long things may take, and how many may be under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How long after a job begins its worker may still begin requests.
    pub lease: Duration,
    /// How much longer a request may still reach the cloud: the longest time that a worker waits for an answer, and by how
    /// much the clocks of two leaders differ.
    pub grace: Duration,
    /// How long a row may take from its first intent until it is as wanted, unless [`Wanted::patience`](crate::Wanted) says
    /// otherwise.
    pub patience: Duration,
    /// How long the teardown on a server may take before the server is deleted.
    pub drain: Duration,
    /// How many jobs run at the same time. Waiting for a turn is not recorded.
    pub at_once: usize,
    /// After this long without progress, [`Notice::Stalled`](crate::Notice) says what is waited for.
    pub stall: Duration,
    /// How many times an hour, for each name, drift from a goal that was reached is corrected.
    pub corrections: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            lease: Duration::from_mins(1),
            grace: Duration::from_secs(90),
            patience: Duration::from_hours(1),
            drain: Duration::from_mins(10),
            at_once: 64,
            stall: Duration::from_mins(5),
            corrections: 3,
        }
    }
}
