//! Versions with which nodes can be written without reading them first.

use std::collections::HashMap;

use wattle_model::Name;

use crate::content::Written;
use crate::node::Version;

/// The versions, by path, of the last writes and of entries that were read. Versions restart when a node is created
/// again, so those of another data space have no meaning, nor do those of another session: no session outlives its data
/// space.
#[derive(Clone, Debug, Default)]
pub struct Versions {
    session: i64,
    known: HashMap<String, Known>,
}

#[derive(Clone, Debug)]
struct Known {
    space: Option<Name>,
    version: Version,
    /// What the entry held at this version.
    held: Option<Written>,
}

impl Versions {
    /// Associates everything that follows with this session of the store.
    pub fn in_session(&mut self, session: i64) {
        if std::mem::replace(&mut self.session, session) != session {
            self.known.clear();
        }
    }

    /// The version of the node at `path` in this data space. It is returned only once: the writer records the next one.
    pub fn take(&mut self, path: &str, space: Option<&Name>) -> Option<Version> {
        self.take_entry(path, space).map(|(version, _)| version)
    }

    /// Like [`Versions::take`], with the content of the entry at `path` at that version.
    pub fn take_entry(&mut self, path: &str, space: Option<&Name>) -> Option<(Version, Option<Written>)> {
        let known = self.known.remove(path)?;
        (known.space.as_ref() == space).then_some((known.version, known.held))
    }

    /// Records the version of the node at `path` in this data space.
    pub fn note(&mut self, path: String, space: Option<&Name>, version: Version) {
        self.note_entry(path, space, version, None);
    }

    /// Records the version and the content of the entry at `path` in this data space.
    pub fn note_entry(&mut self, path: String, space: Option<&Name>, version: Version, held: Option<Written>) {
        self.known.insert(path, Known { space: space.cloned(), version, held });
    }
}
