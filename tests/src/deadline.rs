//! Deadlines of runs, for tests that run recipes without an agent.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};
use wattle_runtime::recipe::Stop;

/// Waits until a run that begins now has reached its deadline, not counting the time in which it waited.
pub async fn over(deadline: Duration, waited: impl Fn() -> Duration) -> Stop {
    let begun = Instant::now();
    loop {
        let end = begun + deadline + waited();
        if end <= Instant::now() {
            return Stop::Deadline;
        }
        sleep_until(end).await;
    }
}
