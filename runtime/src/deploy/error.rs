//! Errors of a deployment as a whole. The error of a single resource is not one of them: the engine reports it.

use wattle_converge::Refusal;

use crate::space::SealError;
use crate::store::StoreError;

/// Why a deployment cannot continue.
#[derive(Debug, thiserror::Error)]
pub enum DeployError {
    /// The data space fails.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Stored data cannot be read.
    #[error("the records of `{stack}`'s infrastructure are damaged at `{path}`: {reason}")]
    Damaged {
        /// The stack.
        stack: String,
        /// The node.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Stored data cannot be decrypted with this key.
    #[error("the desired state of `{stack}` was written with another operator's key: {source}")]
    Sealed {
        /// The stack.
        stack: String,
        /// The reason.
        source: SealError,
    },
    /// The request is impossible.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// There is no such deployment to roll back to.
    #[error("`{stack}` has no deployment {number} to go back to")]
    Unkept {
        /// The stack.
        stack: String,
        /// The requested number.
        number: u64,
        /// The existing numbers.
        kept: Vec<u64>,
    },
    /// The cloud's state cannot be read.
    #[error("cannot determine what exists of `{stack}` in the cloud: {why}")]
    Blind {
        /// The stack.
        stack: String,
        /// The reason.
        why: String,
    },
    /// The stack is being deployed at the moment.
    #[error("someone is deploying `{stack}` right now")]
    Led {
        /// The stack.
        stack: String,
    },
    /// The stack was destroyed while it was being deployed.
    #[error("`{stack}` was destroyed in the meantime by another `wattle destroy`")]
    Destroyed {
        /// The stack.
        stack: String,
    },
    /// Wattle has deployed nothing of this stack.
    #[error("`{stack}` has no infrastructure that wattle has brought up")]
    Nothing {
        /// The stack.
        stack: String,
    },
}

impl DeployError {
    /// Whether the data space responds, but its content is invalid.
    pub fn is_of_what_stands_there(&self) -> bool {
        matches!(self, Self::Damaged { .. } | Self::Store(StoreError::Disowned { .. }))
    }
}
