//! Converts errors of the data space to errors of commands.

pub(crate) use wattle::manners::CommandError;
pub(super) use wattle::manners::{Exit, exit_codes};

use crate::space::SpaceError;
use crate::store::StoreError;

/// The reason why a node differs from what the operator wrote.
pub(super) const CHANGED: &str = "someone other than its operator has changed it, or it was written by a version of \
                                  wattle that did not sign anything yet";

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> Self {
        let failure = Self::new(error.to_string());
        match error {
            StoreError::Denied { .. } => failure
                .note("a data space belongs to the operator whose `seed apply` was the first to write to it")
                .help("give that operator's key, the `operator.key` beside the seed: `--key FILE`, or set WATTLE_KEY")
                .help(
                    "if the data space has a different certificate authority than before, name both, the new one \
                     first: `--ca` takes a file with several certificates",
                ),
            StoreError::Disowned { .. } => failure.note(CHANGED).help(
                "`wattle seed apply DIR --restore` accepts what it finds there as yours, and names it, because what is \
                 known of infrastructure is recorded nowhere else. Check it with `wattle drift` before anything acts \
                 on it",
            ),
            _ => failure,
        }
    }
}

impl From<SpaceError> for CommandError {
    fn from(error: SpaceError) -> Self {
        match error {
            SpaceError::Store(error) => error.into(),
            other => Self::new(other.to_string()),
        }
    }
}
