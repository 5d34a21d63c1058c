//! How errors of the data space end a command.

pub(crate) use wattle::manners::Failure;
pub(super) use wattle::manners::{Exit, exit_codes};

use crate::space::SpaceError;
use crate::store::StoreError;

/// Why something is not as the operator wrote it.
pub(super) const CHANGED: &str = "somebody has got at it who is not its operator; or it was written by a version of wattle of before anything was signed";

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let failure = Self::new(error.to_string());
        match error {
            StoreError::Denied { .. } => failure
                .note("a data space belongs to the operator whose `seed apply` was the first to write to it")
                .help("give that operator's key, the `operator.key` beside the seed: `--key FILE`, or set WATTLE_KEY")
                .help(
                    "if the data space has another certificate authority than before, name both of them, the new one first: \
                     `--ca` takes a file with several certificates",
                ),
            StoreError::Disowned { .. } => failure.note(CHANGED).help(
                "`wattle seed apply DIR --restore` takes what stands there for yours, and names it: what is known of infrastructure \
                 is written nowhere else. Look at it with `wattle drift` before anything is done by it",
            ),
            _ => failure,
        }
    }
}

impl From<SpaceError> for Failure {
    fn from(error: SpaceError) -> Self {
        match error {
            SpaceError::Store(error) => error.into(),
            other => Self::new(other.to_string()),
        }
    }
}
