//! Errors of stores.

use super::MAX_DATA;

/// Why a store refused a request.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The path is not valid.
    #[error("`{path}` cannot be in the data space: {reason}")]
    Illegal {
        /// The given path.
        path: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The node does not exist.
    #[error("there is no `{path}` in the data space")]
    Missing {
        /// Its path.
        path: String,
    },
    /// The node already exists.
    #[error("`{path}` is already in the data space")]
    Exists {
        /// Its path.
        path: String,
    },
    /// The node has changed in the meantime.
    #[error("`{path}` was changed by someone else in the meantime")]
    Conflict {
        /// Its path.
        path: String,
    },
    /// Another node was created in place of the intended one, and was changed instead.
    #[error("`{path}` was removed and made again by someone else in the meantime, and has been changed")]
    Replaced {
        /// Its path.
        path: String,
    },
    /// The operator was to read a node whose contents are not as they have written it.
    #[error("`{path}` in the data space is not as its operator wrote it: {why}")]
    Disowned {
        /// Its path.
        path: String,
        /// How that is known.
        why: String,
    },
    /// The node has children.
    #[error("`{path}` is not empty")]
    NotEmpty {
        /// Its path.
        path: String,
    },
    /// The credential does not have the rights.
    #[error("this credential may not {action} `{path}`")]
    Denied {
        /// The action: `read`, `write`.
        action: &'static str,
        /// The path of the node.
        path: String,
    },
    /// The data is too large for a node.
    #[error("{bytes} bytes for `{path}` are more than the {MAX_DATA} that a data space accepts for one node")]
    TooLarge {
        /// The path of the node.
        path: String,
        /// The number of bytes.
        bytes: usize,
    },
    /// Clients other than the operator may not create more.
    #[error("there is no room for `{path}`: what a server may make in the data space is limited")]
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
    /// All other errors.
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
