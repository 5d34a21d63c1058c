//! Limits of time and concurrency.

use std::time::Duration;

/// Limits of time and concurrency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How long after the start of a job its worker may still start requests.
    pub lease: Duration,
    /// How much longer a request may still reach the cloud: the longest time that a worker waits for a response, plus
    /// the clock skew between two leaders.
    pub grace: Duration,
    /// How long a row may take from its first intent to its wanted state, unless [`Wanted::patience`](crate::Wanted)
    /// sets another limit.
    pub patience: Duration,
    /// How long the teardown on a server may take before the server is deleted.
    pub drain: Duration,
    /// How many jobs run concurrently. Waiting for a turn is not recorded.
    pub at_once: usize,
    /// After this time without progress, [`Notice::Stalled`](crate::Notice) reports what is awaited.
    pub stall: Duration,
    /// How many times an hour, for each name, drift from a reached desired state is corrected.
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
