//! Waiting for a service that does not respond: the user soon sees what this process waits for, and where.

use std::pin::pin;
use std::time::{Duration, Instant};

use tokio::time::timeout;

use super::console::Console;
use super::error::CommandError;

/// How long a response may take before this is reported: longer than on a busy machine.
pub(super) const SILENCE: Duration = Duration::from_secs(3);

/// How often to check for services that have been silent for that long.
pub(super) const PAUSE: Duration = Duration::from_secs(1);

/// Waits for a response from `whom`, a text that also gives the address.
///
/// # Errors
/// The standard error is closed.
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

/// Waits for work that sends requests to others. `waits` returns the message about them, if there is anything new.
///
/// # Errors
/// The standard error is closed.
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

/// The message about a service that does not respond.
pub(super) fn unanswered(whom: &str) -> String {
    format!("waiting for {whom}, which does not answer yet")
}
