//! The revision that is to be reached, written by `seed apply`.

use serde::{Deserialize, Serialize};

use wattle::model::Name;
use wattle_agent_core::applying::There;
use wattle_agent_core::revision::Revision;

use crate::store::Principal;

/// The revision that is to be reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Goal {
    /// Its number, from 1.
    pub revision: u64,
    /// The data space: when it was made, and something by chance. None for those of before they had names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<Name>,
    /// The digest of the seed.
    pub digest: String,
    /// The number that a `seed apply` under way works at: plans may already be of that revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applying: Option<u64>,
    /// Whom the store takes for the operator, who may read what agents make as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator: Option<Principal>,
}

impl Goal {
    /// The revision.
    pub fn of(&self) -> Revision {
        Revision { space: self.space.clone(), number: self.revision }
    }

    /// What it says of who writes.
    pub fn there(&self) -> There {
        There { revision: self.revision, applying: self.applying }
    }
}
