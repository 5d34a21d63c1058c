//! Waiting for something that does not answer: the user soon sees what this process waits for, and where.

use std::pin::pin;
use std::time::{Duration, Instant};

use tokio::time::timeout;

use super::console::Console;
use super::error::CommandError;

/// How long an answer may take before this is reported: longer than a busy machine takes.
pub(super) const SILENCE: Duration = Duration::from_secs(3);

/// How often to check whether anything has not answered for that long.
pub(super) const PAUSE: Duration = Duration::from_secs(1);

/// Waits for an answer from `whom`, a text that also says where that is.
///
/// # Errors
/// If the standard error is closed.
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

/// Waits for work that asks others. `waits` returns the message about them, if there is anything new.
///
/// # Errors
/// If the standard error is closed.
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

/// What is reported about a service that does not answer.
pub(super) fn unanswered(whom: &str) -> String {
    format!("waiting for {whom}, which does not answer yet")
}
