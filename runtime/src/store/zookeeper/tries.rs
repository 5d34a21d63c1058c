//! Retries operations that a broken connection interrupted, and interprets ZooKeeper's errors.

use std::sync::Arc;
use std::time::Duration;

use zookeeper_client::Error;

use super::link::Link;
use super::session::Session;
use crate::store::StoreError;
use crate::store::path::{parent, short};

/// The attempts at one operation.
pub(super) struct Tries<'a> {
    session: &'a Session,
    lost: u32,
}

impl<'a> Tries<'a> {
    pub(super) fn new(session: &'a Session) -> Self {
        Self { session, lost: 0 }
    }

    /// The client for the next attempt.
    ///
    /// # Errors
    /// There will be none.
    pub(super) async fn client(&self) -> Result<Arc<Link>, StoreError> {
        if self.lost > 1 {
            // The first loss needs no pause: within the client, the next request waits for a new connection.
            tokio::time::sleep(Duration::from_millis(10 << self.lost.min(7))).await;
        }
        self.session.client().await
    }

    /// Records an attempt made elsewhere with an unknown result, which counts as a loss.
    pub(super) fn lost(&mut self) {
        self.lost += 1;
    }

    /// The number of losses.
    pub(super) fn losses(&self) -> u32 {
        self.lost
    }

    /// Forgets earlier losses, because a response has arrived.
    pub(super) fn answered(&mut self) {
        self.lost = 0;
    }

    /// Whether an earlier attempt may have been carried out without our knowing.
    pub(super) fn in_doubt(&self) -> bool {
        self.lost > 0
    }

    /// Decides whether to retry the operation after `error`.
    ///
    /// # Errors
    /// The error that makes a retry pointless.
    pub(super) fn again(&mut self, error: Error, action: &'static str, path: &str) -> Result<(), StoreError> {
        if is_loss(&error) {
            self.lost();
            return Ok(());
        }
        Err(self.refused(error, action, path))
    }

    /// The meaning of a refusal by ZooKeeper.
    pub(super) fn refused(&self, error: Error, action: &'static str, path: &str) -> StoreError {
        match error {
            Error::NoNode if action == "create" => StoreError::missing(parent(path).unwrap_or("/")),
            Error::NoNode => StoreError::missing(path),
            // Nothing can be created below a held node.
            Error::NoAuth | Error::NoChildrenForEphemerals => StoreError::denied(action, path),
            Error::NodeExists => StoreError::Exists { path: path.to_owned() },
            Error::BadVersion => StoreError::Conflict { path: path.to_owned() },
            Error::NotEmpty => StoreError::NotEmpty { path: path.to_owned() },
            Error::QuotaExceeded => StoreError::Full { path: path.to_owned() },
            Error::InvalidAcl => {
                self.session.settings().unusable(format!("no one would have a right to `{}`", short(path)))
            }
            error => self.session.settings().unusable(format!("`{}`: {error}", short(path))),
        }
    }
}

/// Whether `error` means that no response arrived, rather than being the response.
pub(super) fn is_loss(error: &Error) -> bool {
    // An operation in progress ends with the error that ended the connection. That is most often a `Custom` that wraps
    // an error of the socket, but may also be about data that could not be parsed.
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
