//! Errors of stores.

use super::MAX_DATA;
use super::path::short;

/// Why a store refused a request.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The path is not valid.
    #[error("`{}` cannot be in the data space: {reason}", short(.path))]
    Illegal {
        /// The given path.
        path: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The node does not exist.
    #[error("there is no `{}` in the data space", short(.path))]
    Missing {
        /// Its path.
        path: String,
    },
    /// The node already exists.
    #[error("`{}` is already in the data space", short(.path))]
    Exists {
        /// Its path.
        path: String,
    },
    /// The node has changed in the meantime.
    #[error("`{}` was changed by someone else in the meantime", short(.path))]
    Conflict {
        /// Its path.
        path: String,
    },
    /// Another node was created in place of the intended one, and was changed instead.
    #[error("someone else removed and recreated `{}` in the meantime, and the new node was changed", short(.path))]
    Replaced {
        /// Its path.
        path: String,
    },
    /// A node that the operator reads differs from what they have written.
    #[error("`{}` in the data space is not as its operator wrote it: {why}", short(.path))]
    Disowned {
        /// Its path.
        path: String,
        /// The evidence.
        why: String,
    },
    /// The node has children.
    #[error("`{}` is not empty", short(.path))]
    NotEmpty {
        /// Its path.
        path: String,
    },
    /// The credential does not have the rights.
    #[error("this credential may not {action} `{}`", short(.path))]
    Denied {
        /// The action: `read`, `write`.
        action: &'static str,
        /// The path of the node.
        path: String,
    },
    /// The data is too large for a node.
    #[error("{bytes} bytes for `{}` are more than the {MAX_DATA} that a data space accepts for one node", short(.path))]
    TooLarge {
        /// The path of the node.
        path: String,
        /// The number of bytes.
        bytes: usize,
    },
    /// Clients other than the operator may not create more.
    #[error("there is no room for `{}`: the server has reached its limit in the data space", short(.path))]
    Full {
        /// The path of the node.
        path: String,
    },
    /// The store cannot be reached or does not know the credential, and retrying is pointless.
    #[error("cannot use the data space at {address}: {reason}")]
    Unusable {
        /// The address of the store.
        address: String,
        /// The reason.
        reason: String,
    },
}

impl StoreError {
    pub(crate) fn missing(path: &str) -> Self {
        Self::Missing { path: path.to_owned() }
    }

    pub(crate) fn denied(action: &'static str, path: &str) -> Self {
        Self::Denied { action, path: path.to_owned() }
    }

    /// The outcome of a change to the node at `path`, which need not exist.
    ///
    /// # Errors
    /// All errors except that the node is missing.
    pub(crate) fn unless_missing(path: &str, outcome: Result<(), Self>) -> Result<(), Self> {
        match outcome {
            Err(Self::Missing { path: missing }) if missing == path => Ok(()),
            outcome => outcome,
        }
    }

    /// Refuses data that no store would accept.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`].
    pub(crate) fn check_size(path: &str, data: &[u8]) -> Result<(), Self> {
        if data.len() > MAX_DATA {
            return Err(Self::TooLarge { path: path.to_owned(), bytes: data.len() });
        }
        Ok(())
    }
}
