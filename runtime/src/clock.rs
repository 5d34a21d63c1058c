//! The system clock: the only place where wall time is read.

use std::time::SystemTime;

use wattle_agent_core::time::Time;

/// Returns the current time.
pub fn now() -> Time {
    SystemTime::now().into()
}

/// Returns the current time in whole milliseconds since 1970.
pub fn millis() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
