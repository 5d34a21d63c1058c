//! The keys that a server has generated. It may be requested to generate another one while it runs.

use std::sync::{Arc, PoisonError, RwLock};

use super::{Opener, ServerKey};

/// The keys that a server has generated, newest first. Clones share their contents.
#[derive(Clone, Debug)]
pub struct Keyring(Arc<RwLock<Vec<ServerKey>>>);

impl Keyring {
    /// Creates a keyring of the `newest` key and those before it.
    pub fn new(newest: ServerKey, before: impl IntoIterator<Item = ServerKey>) -> Self {
        Self(Arc::new(RwLock::new(std::iter::once(newest).chain(before).collect())))
    }

    /// All keys.
    pub fn all(&self) -> Vec<ServerKey> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The newest key.
    ///
    /// # Panics
    /// Never.
    pub fn newest(&self) -> ServerKey {
        self.all().into_iter().next().expect("INVARIANT: there is one from the first")
    }

    /// Returns an opener for everything encrypted for any of the keys.
    ///
    /// # Panics
    /// Never.
    pub fn opener(&self) -> Opener {
        let opened = self.all().iter().map(ServerKey::opener).reduce(|all, one| all.or(&one));
        opened.expect("INVARIANT: there is one from the first")
    }

    /// Adds a key as the newest.
    pub fn add(&self, newest: ServerKey) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(0, newest);
    }
}
