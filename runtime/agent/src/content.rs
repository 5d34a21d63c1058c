//! What an entry holds.

use serde::{Deserialize, Serialize};
use wattle_model::{Name, Value};

use crate::failure::Failure;
use crate::revision::Revision;

/// What was written to an entry, and for which revision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Written {
    /// The number of the revision that it counts for.
    pub revision: u64,
    /// The data space of that revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<Name>,
    /// What it is.
    #[serde(flatten)]
    pub content: Content,
}

/// Bytes that a server's signature adds to what it says.
pub const ENVELOPE: usize = 101;

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
    /// `content`, which counts for `revision`.
    pub fn new(revision: &Revision, content: Content) -> Self {
        Self { revision: revision.number, space: revision.space.clone(), content }
    }

    /// The revision that it counts for.
    pub fn of(&self) -> Revision {
        Revision { space: self.space.clone(), number: self.revision }
    }

    /// As an entry's data.
    ///
    /// # Panics
    /// Never: a value is JSON.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("INVARIANT: what an entry holds is JSON")
    }
}
