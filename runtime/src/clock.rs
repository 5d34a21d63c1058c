//! The system's clock: the one place where wall time is read.

use std::time::SystemTime;

use wattle_agent_core::time::Time;

/// The time that it is now.
pub fn now() -> Time {
    SystemTime::now().into()
}

/// The same in whole milliseconds since 1970, as those count who have days before them.
pub fn millis() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
