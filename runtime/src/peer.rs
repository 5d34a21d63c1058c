//! Checks which user serves a socket, so that nothing is sent to another user's.

use std::io;
use std::path::Path;

use rustix::process::geteuid;
use tokio::net::UnixStream;

/// Refuses a connection to a socket that neither this user nor root serves, before anything is sent over it. The check
/// is on the listening user, not on the owner of the file, which may change during the check.
///
/// # Errors
/// [`io::ErrorKind::PermissionDenied`], with the serving user; or an error of the system.
pub(crate) fn check(stream: &UnixStream, path: &Path) -> io::Result<()> {
    let (theirs, ours) = (stream.peer_cred()?.uid(), geteuid().as_raw());
    if theirs == ours || theirs == 0 {
        return Ok(());
    }
    let path = path.display();
    let why = format!("`{path}` belongs to the user {theirs}; the user {ours} does not use it");
    Err(io::Error::new(io::ErrorKind::PermissionDenied, why))
}
