//! Caches verified signatures of servers: many components read the same node, and verifying it takes longer than
//! reading it.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use sha2::{Digest as _, Sha256};

use super::envelope::{Disowned, verify};
use super::signed::Authority;

/// The maximum number of cached nodes.
const MOST: usize = 16_384;

/// By path: the digest of a node's verified contents, and the key that signed them.
#[derive(Debug, Default)]
pub(super) struct Verified(Mutex<HashMap<String, ([u8; 32], Authority)>>);

impl Verified {
    /// Verifies that one of `keys` has signed the contents of the node at `path`, like [`verify`].
    ///
    /// # Errors
    /// None of them has.
    pub(super) fn verify<'k>(
        &self,
        keys: impl Iterator<Item = &'k Authority> + Clone,
        path: &str,
        data: &[u8],
    ) -> Result<(), Disowned> {
        let digest = Sha256::digest(data).into();
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.get(path).is_some_and(|(held, by)| *held == digest && keys.clone().any(|key| key == by)) {
            return Ok(());
        }
        let by = keys.clone().find(|key| verify([*key], path, data).is_ok());
        let Some(by) = by else { return verify([], path, data) };
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(path.to_owned(), (digest, *by));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::signed::Signer;
    use super::*;

    #[test]
    fn what_was_judged_counts_as_it_was_in_its_place_and_by_the_same_key() {
        const PATH: &str = "/wattle/shop/entries/db/part/out";
        let (signer, other) = (Signer::of_server("a"), Signer::of_server("b"));
        let (key, another) = (signer.authority(), other.authority());
        let [said, later] =
            [r#"{"revision":1}"#, r#"{"revision":2}"#].map(|object| signer.vouch(PATH, object.as_bytes()));
        let verified = Verified::default();
        let judged = |key: &Authority, path: &str, data: &[u8]| verified.verify([key].into_iter(), path, data);
        for _ in 0..2 {
            assert_eq!(judged(&key, PATH, &said), Ok(()));
            assert_eq!(judged(&another, PATH, &said), Err(Disowned::Forged), "the key is another one now");
            assert_eq!(judged(&key, "/wattle/shop/entries/web/part/out", &said), Err(Disowned::Forged));
            assert_eq!(judged(&key, PATH, &later), Ok(()));
            assert_eq!(judged(&key, PATH, b"{}"), Err(Disowned::Unsigned));
            let mut changed = said.clone();
            changed[12] ^= 1;
            assert_eq!(judged(&key, PATH, &changed), Err(Disowned::Forged));
        }
        for number in 0..=MOST {
            let path = format!("/wattle/shop/entries/db/part/{number}");
            assert_eq!(judged(&key, &path, b"{}"), Err(Disowned::Unsigned));
        }
        assert_eq!(verified.0.lock().unwrap().len(), 1, "only what is signed is remembered");
    }
}
