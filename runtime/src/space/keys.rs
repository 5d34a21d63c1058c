//! Keys of servers: the secret part, with which a server authenticates and opens its secrets, and the public part.

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

/// A key with which a server authenticates, opens its secrets and signs. One key is in its credential, and reaches it
/// through its user data. The server generates another one itself.
#[derive(Clone)]
pub struct ServerKey(x25519::Identity, Passwords);

/// The public identity of a server. Nothing in it is secret.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Public {
    /// Its principal at a store.
    pub principal: Principal,
    /// The authority of the stores in which this principal is valid. `None` if it is the same for all stores, or for a
    /// store without TLS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<AuthorityId>,
    /// The recipient for values that only this server can decrypt: age's public key.
    pub recipient: String,
    /// The key that verifies its signatures.
    pub key: Authority,
}

impl ServerKey {
    /// Generates a key.
    pub fn generate() -> Self {
        Self(x25519::Identity::generate(), Passwords::default())
    }

    /// Returns the same key for a store whose certificates come from any of these authorities. For a store without
    /// certificates, pass none.
    #[must_use]
    pub fn at(self, authorities: Vec<AuthorityId>) -> Self {
        Self(self.0, self.1.at(authorities))
    }

    /// The authorities of the present store.
    pub fn authorities(&self) -> &[AuthorityId] {
        &self.1.authorities
    }

    /// Returns the same key with one password for all stores, as in earlier versions.
    #[must_use]
    pub fn unbound(self) -> Self {
        Self(self.0, self.1.common())
    }

    /// Whether it has one password for all stores.
    pub fn is_unbound(&self) -> bool {
        self.1.is_common
    }

    /// The login by which a store identifies the server: the first of [`Self::logins`].
    pub fn login(&self, stack: &str, server: &str) -> Login {
        self.logins(stack, server).swap_remove(0)
    }

    /// The server's logins to a store, one for each of its authorities, so that one authority can replace another.
    pub fn logins(&self, stack: &str, server: &str) -> Vec<Login> {
        self.1.logins(&format!("{stack}/{server}"), &self.0)
    }

    /// The recipient for values that only this server can decrypt.
    pub fn recipient(&self) -> String {
        self.0.to_public().to_string()
    }

    /// Returns the opener for values encrypted for this recipient.
    pub fn opener(&self) -> Opener {
        Opener::of(self.0.clone())
    }

    /// Returns the signer of this server.
    pub fn signer(&self) -> Signer {
        Signer::of_server(&self.expose())
    }

    /// The identity of `server` of `stack` with this key: the first of [`Self::publics`].
    pub fn public(&self, stack: &str, server: &str) -> Public {
        self.publics(stack, server).swap_remove(0)
    }

    /// The identities of `server` of `stack` with this key, one for each authority of the store.
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

    /// Returns the key as text, which is secret.
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
    /// Whether this is the same key as `other`, whatever its passwords.
    pub fn has_key_of(&self, other: &Self) -> bool {
        self.recipient == other.recipient && self.key == other.key
    }

    /// Whether `server` of `stack` may have this identity: stores and age accept it.
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
