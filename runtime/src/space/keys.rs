//! Keys of servers: what one proves itself with and opens its secrets with, and what everybody may know of it.

use std::fmt;
use std::str::FromStr;

use age::secrecy::ExposeSecret as _;
use age::x25519;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::store::{Login, Principal};

use super::credential::login_of;
use super::signed::{Authority, Signer};
use super::{CredentialError, Opener};

/// What a server proves itself with, opens its secrets with and signs with. One is in its credential, and reaches it through its
/// user data; another one it makes itself.
#[derive(Clone)]
pub struct ServerKey(x25519::Identity);

/// Who a server is to others: nothing of it is secret.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Public {
    /// To a store.
    pub principal: Principal,
    /// For whom to encrypt what only this server may read: age's public key.
    pub recipient: String,
    /// What judges its signatures.
    pub key: Authority,
}

impl ServerKey {
    /// A new one.
    pub fn generate() -> Self {
        Self(x25519::Identity::generate())
    }

    /// How a store is told who this is.
    pub fn login(&self, stack: &str, server: &str) -> Login {
        login_of(format!("{stack}/{server}"), &self.0)
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

    /// Who `server` of `stack` is with it.
    pub fn public(&self, stack: &str, server: &str) -> Public {
        Public {
            principal: self.login(stack, server).principal(),
            recipient: self.recipient(),
            key: self.signer().authority(),
        }
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
            text => text.parse().map(Self).map_err(|_| CredentialError::Malformed),
        }
    }
}

impl fmt::Debug for ServerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServerKey(not shown)")
    }
}

impl Public {
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
