//! What an entry holds.

use serde::{Deserialize, Serialize};
use wattle::model::Value;

use super::{Failure, SpaceError, parse_json, to_json};

/// What was written to an entry, and for which revision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Written {
    /// The revision that it counts for.
    pub revision: u64,
    /// What it is.
    #[serde(flatten)]
    pub content: Content,
}

/// What an entry holds: a value, or the failure that took its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Content {
    /// A value.
    Value(Value),
    /// A secret value: its JSON, encrypted for those who may read it (age's format, in base64).
    Sealed(String),
    /// Why there is no value and will be none in this revision.
    Failure(Failure),
}

impl Written {
    /// What an entry's data says; none for one that is empty.
    ///
    /// # Errors
    /// [`SpaceError::Malformed`].
    pub fn parse(path: &str, data: &[u8]) -> Result<Option<Self>, SpaceError> {
        parse_json(path, data)
    }

    /// As an entry's data.
    pub fn to_bytes(&self) -> Vec<u8> {
        to_json(self)
    }
}
