//! The embedded store: a tree in one process, served to the others of this machine over a Unix socket, with a log on
//! disk so that it survives whatever ends that process.
//!
//! - [`Server`] owns the tree and its log; `state` is the two together, `log` the file.
//! - `client` is the [`Store`](super::Store) of whoever connects: it comes back by itself when the server does.
//! - `wire` is what they say to each other, `outbox` and `socket` how it gets across.
//!
//! A hand-over is one hop each way: the task that reads a writer's request changes the tree and writes the new node to
//! the sockets of those who wait for it, before it answers. No other task has a part in it but the reader's own.

mod client;
mod log;
mod outbox;
mod server;
mod socket;
mod state;
#[cfg(test)]
mod tests;
mod wire;

use std::io;
use std::path::{Path, PathBuf};

pub use client::Embedded;
pub use server::Server;

use super::{Login, StoreError};

/// Connects to the server of `socket` as one who has all of `logins`, and waits for it as long as it takes.
///
/// # Errors
/// [`StoreError::Unusable`] when waiting is of no use: a login is refused, or it is no server that we understand.
pub async fn connect(socket: &Path, logins: &[Login]) -> Result<Embedded, StoreError> {
    Embedded::connect(socket, logins).await
}

/// Why a server does not start.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The file system does not allow it.
    #[error("cannot {action} `{path}`: {source}")]
    File {
        /// What was tried: `read`, `bind`.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Another server has the log or the socket.
    #[error("`{path}` is in use by another data space; end that one first, or give this one another place")]
    InUse {
        /// What is in use.
        path: PathBuf,
    },
    /// The file is not a log.
    #[error("`{path}` is not the log of a data space; give another place, or move it away")]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The log is damaged, and not just at its end.
    #[error(
        "the log `{path}` is damaged at byte {at}: {reason}. Nothing of it was changed; bring back a sound copy, or move \
         it away to begin with an empty data space"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where the damage begins.
        at: u64,
        /// What it is.
        reason: String,
    },
}

impl ServerError {
    fn file(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::File { action, path: path.to_owned(), source }
    }
}
