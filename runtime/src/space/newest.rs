//! The newest revisions that an operator knows of, kept outside of the store.
//!
//! What was signed once stays signed: whoever can write to the store as the operator can put back all of an earlier state
//! together, and nothing in it says that there was a newer one. So each command of the operator's notes the newest goal that
//! it has read or written, in the user's own folder. It is a memory and no source: where it is missing or cannot be used, all
//! is as if nothing were known.

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

/// The folder in the user's own.
const FOLDER: &str = "revisions";

/// Most data spaces of one key and one name of a stack; of more, the oldest is forgotten.
const MOST: usize = 64;

/// What one operator's key knows of the stacks of the data space at one address.
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
    /// What this user knows of the data space at `address`; nothing of what `wattle up` runs, which is this user's own, nor where
    /// this user has no folder of their own.
    pub fn at(address: &Address) -> Option<Self> {
        let place = own_folder::path().ok().filter(|_| matches!(address, Address::ZooKeeper { .. }))?;
        Some(Self { folder: place.join(FOLDER), address: address.clone() })
    }

    /// The newest revision of `stack` by the word of `authority`, as far as it is known.
    pub(crate) fn of(&self, authority: &Authority, stack: &str) -> Option<Revision> {
        let all = read(&self.file(authority, stack));
        let here = all.into_iter().filter(|known| self.is_of(known, stack));
        here.map(|known| known.revision).max()
    }

    /// Takes note that `revision` is the newest one. That nobody can be kept from deploying, it is no failure if that cannot be
    /// kept.
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

/// Refuses a folder in which others can put anything.
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
        // Nor what others could have written.
        fs::set_permissions(&one.folder, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
        assert_eq!(one.of(&key, "shop"), None);
    }
}
