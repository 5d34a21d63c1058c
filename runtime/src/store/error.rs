//! What goes wrong with a store.

use super::MAX_DATA;

/// Why a store did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Not a path that a store takes.
    #[error("`{path}` cannot be in the data space: {reason}")]
    Illegal {
        /// What was given.
        path: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// There is no such node.
    #[error("there is no `{path}` in the data space")]
    Missing {
        /// Where one was looked for.
        path: String,
    },
    /// There is such a node already.
    #[error("`{path}` is already in the data space")]
    Exists {
        /// Where.
        path: String,
    },
    /// The node has changed meanwhile.
    #[error("`{path}` was changed by someone else meanwhile")]
    Conflict {
        /// Where.
        path: String,
    },
    /// Another node was made in the place of the one that was meant, and it is what has been changed.
    #[error("`{path}` was removed and made again by someone else meanwhile, and has been changed")]
    Replaced {
        /// Where.
        path: String,
    },
    /// What the node holds is not as the operator has written it, and they were to read it.
    #[error("`{path}` in the data space is not as its operator has written it: {why}")]
    Disowned {
        /// Where.
        path: String,
        /// How that is known.
        why: String,
    },
    /// The node has children.
    #[error("`{path}` is not empty")]
    NotEmpty {
        /// Where.
        path: String,
    },
    /// The credential's rights do not allow it.
    #[error("this credential may not {action} `{path}`")]
    Denied {
        /// What was tried: `read`, `write`.
        action: &'static str,
        /// Where.
        path: String,
    },
    /// More data than a node takes.
    #[error("{bytes} bytes for `{path}` are more than the {MAX_DATA} that a data space takes for one")]
    TooLarge {
        /// Where.
        path: String,
        /// How many.
        bytes: usize,
    },
    /// More than one who is not the operator may make.
    #[error("there is no room for `{path}`: what a server may make in the data space is bounded")]
    Full {
        /// Where.
        path: String,
    },
    /// The store cannot be reached, or does not know the credential; trying again is of no use.
    #[error("cannot use the data space at {address}: {reason}")]
    Unusable {
        /// Where the store is.
        address: String,
        /// What is in the way.
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

    /// What became of a change to the node at `path`, which may be missing.
    ///
    /// # Errors
    /// Any other one.
    pub(crate) fn unless_missing(path: &str, outcome: Result<(), Self>) -> Result<(), Self> {
        match outcome {
            Err(Self::Missing { path: missing }) if missing == path => Ok(()),
            outcome => outcome,
        }
    }

    /// Refuses data that a store would not take.
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
