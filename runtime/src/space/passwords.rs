//! Passwords: what a store is told by whoever has a key.
//!
//! Stores see passwords, so they get some from which the key cannot be told. Each is for the stores of one authority, which whoever logs in
//! has verified them by: whoever runs a store of another one learns none that is of use at this one. This is so for operators
//! and servers alike.

use age::secrecy::ExposeSecret as _;
use age::x25519;
use sha2::{Digest as _, Sha256};

use crate::store::{AuthorityId, Login};

/// Which passwords follow from a key.
#[derive(Clone, Debug, Default)]
pub(super) struct Passwords {
    /// Whether it is one for all stores: that of a key of before passwords were for one authority.
    pub(super) is_common: bool,
    /// The authorities of the store that is spoken to; of none for one in clear, or on this machine.
    pub(super) authorities: Vec<AuthorityId>,
}

impl Passwords {
    /// The same, one for all stores.
    pub(super) fn common(self) -> Self {
        Self { is_common: true, ..self }
    }

    /// The same at a store of any of these authorities.
    pub(super) fn at(self, authorities: Vec<AuthorityId>) -> Self {
        Self { authorities, ..self }
    }

    /// The authorities of which each has a password of its own; none if there is one for all stores that have none.
    pub(super) fn each(&self) -> &[AuthorityId] {
        if self.is_common { &[] } else { &self.authorities }
    }

    /// How whoever has `key` is known to a store as `name`: at least one, those that are for an authority in their order.
    pub(super) fn logins(&self, name: &str, key: &x25519::Identity) -> Vec<Login> {
        let login = |password| Login { name: name.to_owned(), password };
        match self.each() {
            [] => vec![login(password_of(b"wattle: password at a store\n", key, &[]))],
            // None of them can be told from another one, nor from that of a store without an authority.
            each => {
                let purpose = b"wattle: password at a store of an authority\n";
                each.iter().map(|id| login(password_of(purpose, key, id.as_bytes()))).collect()
            }
        }
    }
}

fn password_of(purpose: &[u8], key: &x25519::Identity, what: &[u8]) -> String {
    let mut hash = Sha256::new();
    hash.update(purpose);
    hash.update(key.to_string().expose_secret().as_bytes());
    hash.update(what);
    wattle_agent_core::hex(&hash.finalize())
}
