//! What an entry holds.

use serde::{Deserialize, Serialize};
use wattle_model::Value;

use crate::failure::Failure;

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
    /// As an entry's data.
    ///
    /// # Panics
    /// Never: a value is JSON.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("INVARIANT: what an entry holds is JSON")
    }
}
