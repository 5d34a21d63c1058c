//! Waiting for what does not answer: whoever looks on hears soon what is waited for, and where.

use std::pin::pin;
use std::time::{Duration, Instant};

use tokio::time::timeout;

use super::console::Console;
use super::error::CommandError;

/// After how long without an answer it is said what is waited for: longer than a machine with much to do takes.
pub(super) const SILENCE: Duration = Duration::from_secs(3);

/// How often it is looked whether somebody has been silent for that long.
pub(super) const PAUSE: Duration = Duration::from_secs(1);

/// Waits for an answer of `whom`, which says where that is.
///
/// # Errors
/// The standard error is not there.
pub(super) async fn awaited<T>(
    console: &mut Console,
    whom: &str,
    request: impl Future<Output = T>,
) -> Result<T, CommandError> {
    let begun = Instant::now();
    let mut is_said = false;
    let waits = || (begun.elapsed() >= SILENCE && !std::mem::replace(&mut is_said, true)).then(|| unanswered(whom));
    watched(console, waits, request).await
}

/// Waits for work that asks others. `waits` says what is to be said of them now, if there is anything new.
///
/// # Errors
/// The standard error is not there.
pub(super) async fn watched<T>(
    console: &mut Console,
    mut waits: impl FnMut() -> Option<String>,
    work: impl Future<Output = T>,
) -> Result<T, CommandError> {
    let mut work = pin!(work);
    loop {
        if let Ok(done) = timeout(PAUSE, &mut work).await {
            return Ok(done);
        }
        if let Some(line) = waits() {
            console.err.write(&format!("{line}\n"))?;
        }
    }
}

/// What is said of somebody who does not answer.
pub(super) fn unanswered(whom: &str) -> String {
    format!("waiting for {whom}, which does not answer yet")
}
