//! The embedded store: a tree in one process, which serves the other processes of this machine over a Unix socket. A
//! log on disk makes it survive any end of that process.
//!
//! - [`Server`] owns the tree and its log. `state` combines both, `log` is the file.
//! - `client` is the [`Store`](super::Store) of connected processes. It reconnects by itself when the server comes
//!   back.
//! - `wire` is their protocol. `outbox` and `socket` are the transport.
//!
//! A hand-over takes one hop in each direction. The task that reads a writer's request changes the tree, and writes the
//! new node to the sockets of the waiting readers before it responds. Apart from the reader's own, no other task is
//! involved.

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

/// Connects to the server of `socket` with all of `logins`, and waits for it as long as it takes.
///
/// # Errors
/// [`StoreError::Unusable`] if waiting is pointless: a login is refused, or the server speaks another protocol.
pub async fn connect(socket: &Path, logins: &[Login]) -> Result<Embedded, StoreError> {
    Embedded::connect(socket, logins).await
}

/// Why a server does not start.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The file system does not allow it.
    #[error("cannot {action} `{path}`: {source}")]
    File {
        /// The action: `read`, `bind`.
        action: &'static str,
        /// The affected path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Another server uses the log or the socket.
    #[error("`{path}` is in use by another data space; end that one first, or choose another place for this one")]
    InUse {
        /// The path in use.
        path: PathBuf,
    },
    /// The file is not a log.
    #[error("`{path}` is not the log of a data space; choose another place, or move it away")]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The log is damaged, and not just at its end.
    #[error(
        "the log `{path}` is damaged at byte {at}: {reason}. It was not changed; restore an intact copy, or move it \
         away to start with an empty data space"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where the damage begins.
        at: u64,
        /// A description of the damage.
        reason: String,
    },
}

impl ServerError {
    fn file(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::File { action, path: path.to_owned(), source }
    }
}
