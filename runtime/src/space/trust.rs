//! Whose word counts for somebody who reads: the key of the operator's, until the operator has another one.

use tokio::sync::watch;

use super::signed::{Authority, NotSigned};

/// Whose word counts for somebody.
#[derive(Debug)]
pub(super) struct Trust(watch::Sender<Authority>);

impl Trust {
    pub(super) fn new(authority: Authority) -> Self {
        Self(watch::Sender::new(authority))
    }

    /// Whose it is now.
    pub(super) fn now(&self) -> Authority {
        *self.0.borrow()
    }

    /// What the node at `path` says, and by whose word: that of now, or of a key that came after it.
    pub(super) fn judge<'d>(&self, path: &str, data: &'d [u8]) -> Result<(Authority, &'d [u8]), NotSigned> {
        self.now().follow(path, data)
    }

    /// From now on, it is the word of `authority`.
    pub(super) fn passes_to(&self, authority: Authority) {
        self.0.send_if_modified(|now| std::mem::replace(now, authority) != authority);
    }

    /// Hears of it when it becomes somebody else's.
    pub(super) fn changes(&self) -> watch::Receiver<Authority> {
        self.0.subscribe()
    }
}
