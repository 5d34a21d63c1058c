//! What an entry holds.

use serde::{Deserialize, Serialize};
use wattle_model::values::MAX_DATA;
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
    /// Beside a failure, what the entry held before it, if there was a value: nobody of this revision takes it for one, but
    /// other stacks go on with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Box<Written>>,
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
        Self { revision: revision.number, space: revision.space.clone(), before: None, content }
    }

    /// This in the place of what the entry held: a failure takes no value away that was there. One that has no room beside the
    /// failure goes all the same.
    #[must_use]
    pub fn in_the_place_of(mut self, former: Option<Self>) -> Self {
        if matches!(self.content, Content::Failure(_)) {
            self.before = former.and_then(Self::into_good).map(Box::new);
            if self.to_bytes().len() + ENVELOPE > MAX_DATA {
                self.before = None;
            }
        }
        self
    }

    /// The last value that the entry has had, and of which revision.
    pub fn good(&self) -> Option<&Self> {
        match self.content {
            Content::Value(_) | Content::Sealed(_) => Some(self),
            Content::Failure(_) => self.before.as_deref(),
        }
    }

    /// As [`Written::good`].
    pub fn into_good(self) -> Option<Self> {
        match self.content {
            Content::Value(_) | Content::Sealed(_) => Some(self),
            Content::Failure(_) => self.before.map(|before| *before),
        }
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
