//! The contents of entries.

use serde::{Deserialize, Serialize};
use wattle_model::values::MAX_DATA;
use wattle_model::{Name, Value};

use crate::failure::Failure;
use crate::revision::Revision;

/// The content of an entry, with its revision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Written {
    /// The number of the revision that it belongs to.
    pub revision: u64,
    /// The data space of that revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<Name>,
    /// Beside a failure: the value that the entry held before, if there was one. Within this revision it is no longer a
    /// value, but other stacks continue to use it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Box<Written>>,
    /// The content itself.
    #[serde(flatten)]
    pub content: Content,
}

/// The number of bytes that a server's signature adds to signed data.
pub const ENVELOPE: usize = 101;

/// The content of an entry: a value, or the failure that replaces it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Content {
    /// A value.
    Value(Value),
    /// A secret value: its JSON, encrypted for its readers (age's format, in base64).
    Sealed(String),
    /// Why there is no value, and will be none in this revision.
    Failure(Failure),
}

impl Written {
    /// Creates `content` for `revision`.
    pub fn new(revision: &Revision, content: Content) -> Self {
        Self { revision: revision.number, space: revision.space.clone(), before: None, content }
    }

    /// This content as a replacement for the entry's former content. A failure keeps an existing value, unless there is
    /// no room for it beside the failure.
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

    /// The last value of the entry, with its revision.
    pub fn good(&self) -> Option<&Self> {
        match self.content {
            Content::Value(_) | Content::Sealed(_) => Some(self),
            Content::Failure(_) => self.before.as_deref(),
        }
    }

    /// Like [`Written::good`], by value.
    pub fn into_good(self) -> Option<Self> {
        match self.content {
            Content::Value(_) | Content::Sealed(_) => Some(self),
            Content::Failure(_) => self.before.map(|before| *before),
        }
    }

    /// The revision that it belongs to.
    pub fn of(&self) -> Revision {
        Revision { space: self.space.clone(), number: self.revision }
    }

    /// Encodes the data of an entry.
    ///
    /// # Panics
    /// Never: a value can always be written as JSON.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("INVARIANT: what an entry holds is JSON")
    }
}
