//! How errors of the data space end a command.

pub(crate) use wattle::manners::Failure;
pub(super) use wattle::manners::{Exit, exit_codes};

use crate::space::SpaceError;
use crate::store::StoreError;

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
