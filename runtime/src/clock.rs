//! The system's clock: the one place where wall time is read.

use std::time::SystemTime;

use wattle_agent_core::time::Time;

/// The time that it is now.
pub fn now() -> Time {
    SystemTime::now().into()
}
