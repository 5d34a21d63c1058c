//! Trying again what a broken connection interrupted, and what an answer that is none of that means.

use std::sync::Arc;
use std::time::Duration;

use zookeeper_client::Error;

use super::link::Link;
use super::session::Session;
use crate::store::StoreError;
use crate::store::path::parent;

/// The tries of one operation.
pub(super) struct Tries<'a> {
    session: &'a Session,
    lost: u32,
}

impl<'a> Tries<'a> {
    pub(super) fn new(session: &'a Session) -> Self {
        Self { session, lost: 0 }
    }

    /// The client to try it with.
    ///
    /// # Errors
    /// When there will be none.
    pub(super) async fn client(&self) -> Result<Arc<Link>, StoreError> {
        if self.lost > 1 {
            // The first loss needs no pause: what is sent then waits within the client for a new connection.
            tokio::time::sleep(Duration::from_millis(10 << self.lost.min(7))).await;
        }
        self.session.client().await
    }

    /// A try was made elsewhere, and nobody knows what became of it: a loss.
    pub(super) fn lost(&mut self) {
        self.lost += 1;
    }

    /// How many there were.
    pub(super) fn losses(&self) -> u32 {
        self.lost
    }

    /// Forgets former losses: an answer has come.
    pub(super) fn answered(&mut self) {
        self.lost = 0;
    }

    /// Whether a former try may have been carried out, unknown to us.
    pub(super) fn in_doubt(&self) -> bool {
        self.lost > 0
    }

    /// Whether to try again what ended with `error`.
    ///
    /// # Errors
    /// Why not.
    pub(super) fn again(&mut self, error: Error, action: &'static str, path: &str) -> Result<(), StoreError> {
        if is_loss(&error) {
            self.lost();
            return Ok(());
        }
        Err(self.refused(error, action, path))
    }

    /// What ZooKeeper's refusal means.
    pub(super) fn refused(&self, error: Error, action: &'static str, path: &str) -> StoreError {
        match error {
            Error::NoNode if action == "create" => StoreError::missing(parent(path).unwrap_or("/")),
            Error::NoNode => StoreError::missing(path),
            // Nobody makes anything below what is held.
            Error::NoAuth | Error::NoChildrenForEphemerals => StoreError::denied(action, path),
            Error::NodeExists => StoreError::Exists { path: path.to_owned() },
            Error::BadVersion => StoreError::Conflict { path: path.to_owned() },
            Error::NotEmpty => StoreError::NotEmpty { path: path.to_owned() },
            Error::QuotaExceeded => StoreError::Full { path: path.to_owned() },
            Error::InvalidAcl => self.session.settings().unusable(format!("nobody would have a right to `{path}`")),
            error => self.session.settings().unusable(format!("`{path}`: {error}")),
        }
    }
}

/// Whether `error` says that no answer came, rather than being the answer.
pub(super) fn is_loss(error: &Error) -> bool {
    // An operation that was under way ends with whatever ended the connection: most often a `Custom` that wraps an
    // error of the socket, but also one of what could not be read from it.
    matches!(
        error,
        Error::ConnectionLoss
            | Error::Custom(_)
            | Error::SessionExpired
            | Error::SessionMoved
            | Error::ClientClosed
            | Error::Timeout
            | Error::Throttled
            | Error::UnexpectedError(_)
            | Error::UnmarshalError { .. }
    )
}
