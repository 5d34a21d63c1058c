//! The authority that a reader trusts: the operator's key, until it is replaced by another one.

use tokio::sync::watch;

use super::signed::{Authority, NotSigned};

/// The trusted authority.
#[derive(Debug)]
pub(super) struct Trust(watch::Sender<Authority>);

impl Trust {
    pub(super) fn new(authority: Authority) -> Self {
        Self(watch::Sender::new(authority))
    }

    /// The present authority.
    pub(super) fn now(&self) -> Authority {
        *self.0.borrow()
    }

    /// Verifies the node at `path`. Returns its contents and the authority that signed them: the present one or a
    /// successor.
    pub(super) fn judge<'d>(&self, path: &str, data: &'d [u8]) -> Result<(Authority, &'d [u8]), NotSigned> {
        self.now().follow(path, data)
    }

    /// From now on, trusts `authority`.
    pub(super) fn passes_to(&self, authority: Authority) {
        self.0.send_if_modified(|now| std::mem::replace(now, authority) != authority);
    }

    /// Notifies when the authority changes.
    pub(super) fn changes(&self) -> watch::Receiver<Authority> {
        self.0.subscribe()
    }
}
