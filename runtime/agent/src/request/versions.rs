//! Versions at which nodes may be written without looking first.

use std::collections::HashMap;

use wattle_model::Name;

use crate::content::Written;
use crate::node::Version;

/// The versions by path of what was last said, and of entries that were looked at. What is made anew counts anew, so those
/// of another data space mean nothing, nor do those of another session: none outlives its data space.
#[derive(Clone, Debug, Default)]
pub struct Versions {
    session: i64,
    known: HashMap<String, Known>,
}

#[derive(Clone, Debug)]
struct Known {
    space: Option<Name>,
    version: Version,
    /// What an entry held then.
    held: Option<Written>,
}

impl Versions {
    /// What follows is of this session with the store.
    pub fn in_session(&mut self, session: i64) {
        if std::mem::replace(&mut self.session, session) != session {
            self.known.clear();
        }
    }

    /// The version that the node at `path` had in this data space. It is given once: whoever writes notes the next one.
    pub fn take(&mut self, path: &str, space: Option<&Name>) -> Option<Version> {
        self.take_entry(path, space).map(|(version, _)| version)
    }

    /// As [`Versions::take`], with what the entry at `path` held then.
    pub fn take_entry(&mut self, path: &str, space: Option<&Name>) -> Option<(Version, Option<Written>)> {
        let known = self.known.remove(path)?;
        (known.space.as_ref() == space).then_some((known.version, known.held))
    }

    /// The node at `path` has this version in this data space.
    pub fn note(&mut self, path: String, space: Option<&Name>, version: Version) {
        self.note_entry(path, space, version, None);
    }

    /// The entry at `path` has this version in this data space, and holds that.
    pub fn note_entry(&mut self, path: String, space: Option<&Name>, version: Version, held: Option<Written>) {
        self.known.insert(path, Known { space: space.cloned(), version, held });
    }
}
