//! Keys of servers: what one proves itself with and opens its secrets with, and what everybody may know of it.

use std::fmt;
use std::str::FromStr;

use age::secrecy::ExposeSecret as _;
use age::x25519;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::store::{AuthorityId, Login, Principal};

use super::passwords::Passwords;
use super::signed::{Authority, Signer};
use super::{CredentialError, Opener};

/// What a server proves itself with, opens its secrets with and signs with. One is in its credential, and reaches it through its
/// user data; another one it makes itself.
#[derive(Clone)]
pub struct ServerKey(x25519::Identity, Passwords);

/// Who a server is to others: nothing of it is secret.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Public {
    /// To a store.
    pub principal: Principal,
    /// Which authority the stores have at which that counts; none if it is the same at all, or for one in clear.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<AuthorityId>,
    /// For whom to encrypt what only this server may read: age's public key.
    pub recipient: String,
    /// What judges its signatures.
    pub key: Authority,
}

impl ServerKey {
    /// A new one.
    pub fn generate() -> Self {
        Self(x25519::Identity::generate(), Passwords::default())
    }

    /// The same at a store whose certificates are of any of these authorities; of none for one that has no certificates.
    #[must_use]
    pub fn at(self, authorities: Vec<AuthorityId>) -> Self {
        Self(self.0, self.1.at(authorities))
    }

    /// The authorities of the store that is spoken to.
    pub fn authorities(&self) -> &[AuthorityId] {
        &self.1.authorities
    }

    /// The same with one password for all stores, as former versions had it.
    #[must_use]
    pub fn unbound(self) -> Self {
        Self(self.0, self.1.common())
    }

    /// Whether it has one password for all stores.
    pub fn is_unbound(&self) -> bool {
        self.1.is_common
    }

    /// How a store is told who this is, and whom it takes it for: the first of [`Self::logins`].
    pub fn login(&self, stack: &str, server: &str) -> Login {
        self.logins(stack, server).swap_remove(0)
    }

    /// How a store is told who this is: by each of its authorities, so that one can take the place of another one.
    pub fn logins(&self, stack: &str, server: &str) -> Vec<Login> {
        self.1.logins(&format!("{stack}/{server}"), &self.0)
    }

    /// For whom to encrypt what only this server may read.
    pub fn recipient(&self) -> String {
        self.0.to_public().to_string()
    }

    /// What opens it.
    pub fn opener(&self) -> Opener {
        Opener::of(self.0.clone())
    }

    /// What signs for this server.
    pub fn signer(&self) -> Signer {
        Signer::of_server(&self.expose())
    }

    /// Who `server` of `stack` is with it: the first of [`Self::publics`].
    pub fn public(&self, stack: &str, server: &str) -> Public {
        self.publics(stack, server).swap_remove(0)
    }

    /// Who `server` of `stack` is with it, by each authority of the store.
    pub fn publics(&self, stack: &str, server: &str) -> Vec<Public> {
        let (recipient, key) = (self.recipient(), self.signer().authority());
        let mut stores = self.1.each().iter().copied();
        let public = |login: Login| Public {
            principal: login.principal(),
            store: stores.next(),
            recipient: recipient.clone(),
            key,
        };
        self.logins(stack, server).into_iter().map(public).collect()
    }

    /// As text, which is secret.
    pub fn expose(&self) -> String {
        self.0.to_string().expose_secret().to_owned()
    }
}

impl FromStr for ServerKey {
    type Err = CredentialError;

    fn from_str(text: &str) -> Result<Self, CredentialError> {
        match text.trim() {
            "" => Err(CredentialError::Empty),
            text => text.parse().map(|key| Self(key, Passwords::default())).map_err(|_| CredentialError::Malformed),
        }
    }
}

impl fmt::Debug for ServerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServerKey(not shown)")
    }
}

impl Public {
    /// Whether this is the same key as `other`, whatever its password is at a store.
    pub fn has_key_of(&self, other: &Self) -> bool {
        self.recipient == other.recipient && self.key == other.key
    }

    /// Whether `server` of `stack` may be this: stores and age take it.
    pub(crate) fn fits(&self, stack: &str, server: &str) -> bool {
        let digest = self.principal.as_str().strip_prefix(&format!("{stack}/{server}:"));
        let is_digest = |digest: &str| STANDARD.decode(digest).is_ok_and(|bytes| bytes.len() == 20);
        let takes = || super::seal(&wattle::model::Value::from(""), [&*self.recipient]).is_ok();
        digest.is_some_and(is_digest) && takes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_the_same_over_its_text_and_another_for_each_server() {
        let key = ServerKey::generate();
        let again: ServerKey = key.expose().parse().unwrap();
        assert_eq!(again.public("shop", "db"), key.public("shop", "db"));
        assert_ne!(key.public("shop", "db").principal, key.public("shop", "web").principal);
        assert!(key.public("shop", "db").fits("shop", "db"));
        assert!(!key.public("shop", "db").fits("shop", "web"));
        let mut odd = key.public("shop", "db");
        odd.recipient = "age1".to_owned();
        assert!(!odd.fits("shop", "db"));
        assert_eq!("".parse::<ServerKey>().unwrap_err(), CredentialError::Empty);
        assert_eq!("x".parse::<ServerKey>().unwrap_err(), CredentialError::Malformed);
    }
}
