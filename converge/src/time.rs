//! Points of wall time. Nothing here reads a clock.

use std::ops::Add;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A point of wall time, in whole milliseconds since the beginning of 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Time(u64);

impl Time {
    /// The time that is `millis` milliseconds after the beginning of 1970.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the beginning of 1970.
    pub const fn as_millis(self) -> u64 {
        self.0
    }
}

/// Saturates at the end of the range.
impl Add<Duration> for Time {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)))
    }
}
