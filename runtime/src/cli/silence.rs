//! Waiting for what does not answer: whoever looks on hears soon what is waited for, and where.

use std::time::Duration;

use tokio::time::timeout;

use super::console::Console;
use super::failure::Failure;

/// After how long without an answer it is said what is waited for: longer than a machine with much to do takes.
const SILENCE: Duration = Duration::from_secs(3);

/// Waits for an answer of `whom`, which says where that is.
///
/// # Errors
/// The standard error is not there.
pub(super) async fn awaited<T>(
    console: &mut Console,
    whom: &str,
    mut request: impl Future<Output = T> + Unpin,
) -> Result<T, Failure> {
    if let Ok(answer) = timeout(SILENCE, &mut request).await {
        return Ok(answer);
    }
    console.err.write(&format!("waiting for {whom}, which does not answer yet\n"))?;
    Ok(request.await)
}
