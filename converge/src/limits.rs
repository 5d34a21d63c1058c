//! How long things may take, and how many may be under way.

use std::time::Duration;

/// How long things may take, and how many may be under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How long after a job is begun its worker may still begin requests.
    pub lease: Duration,
    /// How long after that a request may still reach the cloud: the longest that a worker waits for an answer, and by how much
    /// the clocks of two leaders differ.
    pub grace: Duration,
    /// How long a row may take from the first intent until it is as wanted, unless [`Wanted::patience`](crate::Wanted) says so.
    pub patience: Duration,
    /// How long the teardown on a server may take before the server is deleted.
    pub drain: Duration,
    /// How many jobs are carried out at the same time. What waits for its turn is not written down.
    pub at_once: usize,
    /// After so long without progress, [`Notice::Stalled`](crate::Notice) says what is waited for.
    pub stall: Duration,
    /// How many times an hour what drifted from a complete goal is put right, for each name.
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
