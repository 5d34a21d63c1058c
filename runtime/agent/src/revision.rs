//! Revisions of a stack.

use std::fmt;

use serde::{Deserialize, Serialize};
use wattle_model::Name;

/// A revision. All revisions of a later data space are newer than those of an earlier one. Within a data space, a
/// larger number is newer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Revision {
    /// The name of its data space: the time of its creation and a random part. `None` for data spaces from before they
    /// had names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<Name>,
    /// Its number, from 1.
    pub number: u64,
}

/// For example `revision 3 of the data space of 2026-01-01T00:00:00Z-aa`.
impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "revision {}", self.number)?;
        self.space.iter().try_for_each(|space| write!(f, " of the data space of {space}"))
    }
}
