//! Passwords, which a client with a key presents to a store.
//!
//! Stores see passwords, so the key cannot be derived from them. Each password is for the stores of one authority, with
//! which the client has verified them. So the administrator of a store of another authority learns no password that is
//! of use here. This applies to operators and servers alike.

use age::secrecy::ExposeSecret as _;
use age::x25519;
use sha2::{Digest as _, Sha256};

use crate::store::{AuthorityId, Login};

/// The passwords derived from a key.
#[derive(Clone, Debug, Default)]
pub(super) struct Passwords {
    /// Whether there is one password for all stores, as for keys that predate passwords for one authority.
    pub(super) is_common: bool,
    /// The authorities of the present store. Empty for a store without TLS, or on this machine.
    pub(super) authorities: Vec<AuthorityId>,
}

impl Passwords {
    /// The same with one password for all stores.
    pub(super) fn common(self) -> Self {
        Self { is_common: true, ..self }
    }

    /// The same for a store of any of these authorities.
    pub(super) fn at(self, authorities: Vec<AuthorityId>) -> Self {
        Self { authorities, ..self }
    }

    /// The authorities with passwords of their own. Empty if one password serves all stores without an authority.
    pub(super) fn each(&self) -> &[AuthorityId] {
        if self.is_common { &[] } else { &self.authorities }
    }

    /// The logins of `name` with `key`: at least one. Those for authorities are in the order of the authorities.
    pub(super) fn logins(&self, name: &str, key: &x25519::Identity) -> Vec<Login> {
        let login = |password| Login { name: name.to_owned(), password };
        match self.each() {
            [] => vec![login(password_of(b"wattle: password at a store\n", key, &[]))],
            // No password can be derived from another one, nor from that of a store without an authority.
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
