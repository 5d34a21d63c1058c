//! The newest revisions that an operator knows, kept outside the store.
//!
//! A signature stays valid. So anyone who can write to the store as the operator can restore a complete earlier state,
//! and nothing in it shows that there was a newer one. Therefore each command of the operator records the newest
//! desired revision that it has read or written, in a folder of the user's own. Nothing depends on these records: if
//! they are missing or unusable, only this check is lost.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use wattle::manners::read_bytes;
use wattle_agent_core::hex;
use wattle_agent_core::revision::Revision;

use crate::own_folder;
use crate::store::Address;

use super::signed::Authority;

/// The folder within the user's own.
const FOLDER: &str = "revisions";

/// The maximum number of data spaces for one key and one stack name. Beyond that, the oldest is forgotten.
const MOST: usize = 64;

/// One operator's knowledge about the stacks of the data space at one address.
#[derive(Clone, Debug)]
pub struct Newest {
    folder: PathBuf,
    address: Address,
}

/// The newest revision of a stack.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Known {
    stack: String,
    at: String,
    #[serde(flatten)]
    revision: Revision,
}

impl Newest {
    /// Returns this user's knowledge about the data space at `address`. `None` for the one that `wattle up` runs, which
    /// is this user's own, and if the user has no folder.
    pub fn at(address: &Address) -> Option<Self> {
        let place = own_folder::path().ok().filter(|_| matches!(address, Address::ZooKeeper { .. }))?;
        Some(Self { folder: place.join(FOLDER), address: address.clone() })
    }

    /// The newest known revision of `stack` that `authority` has signed.
    pub(crate) fn of(&self, authority: &Authority, stack: &str) -> Option<Revision> {
        let all = read(&self.file(authority, stack));
        let here = all.into_iter().filter(|known| self.is_of(known, stack));
        here.map(|known| known.revision).max()
    }

    /// Records that `revision` is the newest. A failure to store it is not an error, so that no one can prevent a
    /// deployment in this way.
    pub(crate) fn note(&self, authority: &Authority, stack: &str, revision: &Revision) {
        let file = self.file(authority, stack);
        let mut all = read(&file);
        all.retain(|known| !self.is_of(known, stack));
        all.push(Known { stack: stack.to_owned(), at: self.address.to_string(), revision: revision.clone() });
        all.drain(..all.len().saturating_sub(MOST));
        let _ = self.write(&file, &all);
    }

    fn is_of(&self, known: &Known, stack: &str) -> bool {
        known.stack == stack && self.address.is_also(&known.at)
    }

    fn file(&self, authority: &Authority, stack: &str) -> PathBuf {
        let digest = Sha256::digest(format!("{authority}\n{stack}"));
        self.folder.join(format!("{}.json", hex(&digest[..16])))
    }

    fn write(&self, file: &Path, all: &[Known]) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        judge(&self.folder)?;
        let new = file.with_extension(std::process::id().to_string());
        match fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
        opened.write_all(&serde_json::to_vec(all)?)?;
        opened.sync_all()?;
        fs::rename(&new, file)
    }
}

/// Refuses a folder that others can write to.
fn judge(folder: &Path) -> io::Result<()> {
    folder.ancestors().take(2).try_for_each(own_folder::judge)
}

fn read(file: &Path) -> Vec<Known> {
    let is_own = file.parent().is_some_and(|folder| judge(folder).is_ok());
    let bytes = is_own.then(|| read_bytes(file).ok()).flatten();
    bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::OperatorKey;

    fn at(folder: &Path, address: &str) -> Newest {
        Newest { folder: folder.join("wattle").join(FOLDER), address: address.parse().unwrap() }
    }

    fn revision(space: &str, number: u64) -> Revision {
        Revision { space: Some(space.into()), number }
    }

    #[test]
    fn what_is_noted_is_of_one_key_one_stack_and_one_data_space() {
        let place = tempfile::tempdir().unwrap();
        let [key, other] = [(); 2].map(|()| OperatorKey::generate().signer().authority());
        let one = at(place.path(), "zookeeper+tls://zk1:2281,zk2:2281");
        assert_eq!(one.of(&key, "shop"), None);
        for (space, number) in [("2026", 3), ("2026", 4), ("2027", 1)] {
            one.note(&key, "shop", &revision(space, number));
            assert_eq!(one.of(&key, "shop"), Some(revision(space, number)));
        }
        // A member of the same ensemble.
        assert_eq!(at(place.path(), "zookeeper+tls://zk2:2281").of(&key, "shop"), Some(revision("2027", 1)));
        assert_eq!(at(place.path(), "zookeeper+tls://zk3:2281").of(&key, "shop"), None);
        assert_eq!((one.of(&other, "shop"), one.of(&key, "other")), (None, None));
    }

    #[test]
    fn what_cannot_be_used_is_nothing() {
        let place = tempfile::tempdir().unwrap();
        let key = OperatorKey::generate().signer().authority();
        let one = at(place.path(), "zookeeper+tls://zk1:2281");
        one.note(&key, "shop", &revision("2026", 1));
        fs::write(one.file(&key, "shop"), "[{").unwrap();
        assert_eq!(one.of(&key, "shop"), None);
        one.note(&key, "shop", &revision("2026", 2));
        assert_eq!(one.of(&key, "shop"), Some(revision("2026", 2)));
        assert_eq!(fs::read_dir(&one.folder).unwrap().count(), 1, "something is left beside it");
        // Files that others could have written are not read, either.
        fs::set_permissions(&one.folder, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
        assert_eq!(one.of(&key, "shop"), None);
    }
}
