//! Credentials: what a server proves itself with, and opens its secrets with.

use std::fmt;
use std::str::FromStr;

use age::secrecy::ExposeSecret as _;
use age::x25519;
use sha2::{Digest as _, Sha256};

use crate::store::{Login, OPERATOR};

use super::keys::ServerKey;
use super::signed::{Authority, Signer, derived};

/// What opens values that were sealed for its owner.
#[derive(Clone)]
pub struct Opener(Vec<x25519::Identity>);

/// What a server proves itself with and opens its secrets with until it has a key of its own: one text, made by `seed apply`, which
/// reaches the server through a hidden parameter of Heat.
#[derive(Clone)]
pub struct Credential {
    key: ServerKey,
    told: Told,
}

/// What a credential says besides.
#[derive(Clone)]
enum Told {
    /// Whose word counts.
    Now { authority: Authority },
    /// In credentials of former versions: what was common to the servers of a stack, with which they saw how each other were doing;
    /// and whose word counts, if anything was signed then.
    Former { member: String, authority: Option<Authority> },
}

/// What the operator of a data space proves themselves with.
#[derive(Clone)]
pub struct OperatorKey(x25519::Identity);

/// Why a text is no credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CredentialError {
    /// There is none: Heat silently gives an empty text for a server that its parameter does not name.
    #[error("the credential is empty: give Heat the file `credentials.yaml` that `wattle seed apply` writes (`-e`)")]
    Empty,
    /// It was not made by us, or was cut.
    #[error("`wattle seed apply` did not make this credential")]
    Malformed,
}

/// What credentials begin with.
const PREFIX: &str = "wattle3";

/// What those begin with that have what is common to all servers of a stack.
const WITH_MEMBER: &str = "wattle2";

/// What those begin with that have it, and do not know whose word counts.
const UNPROVEN: &str = "wattle1";

impl Credential {
    /// A new one, of a server that does nothing but what `authority` has signed.
    pub fn generate(authority: Authority) -> Self {
        Self { key: ServerKey::generate(), told: Told::Now { authority } }
    }

    /// The same for a server that does nothing but what `authority` has signed.
    #[must_use]
    pub fn believing(self, authority: Authority) -> Self {
        let told = match self.told {
            Told::Now { .. } => Told::Now { authority },
            Told::Former { member, .. } => Told::Former { member, authority: Some(authority) },
        };
        Self { told, ..self }
    }

    /// Whose word counts for the server; none if it was made before anything was signed.
    pub fn authority(&self) -> Option<Authority> {
        match self.told {
            Told::Now { authority } => Some(authority),
            Told::Former { authority, .. } => authority,
        }
    }

    /// Its key.
    pub fn key(&self) -> &ServerKey {
        &self.key
    }

    /// How a store is told who this is: as this server, and as one of its stack if it was made by a former version. What else
    /// the servers of a stack share, they learn from the data space.
    pub fn logins(&self, stack: &str, server: &str) -> Vec<Login> {
        std::iter::once(self.key.login(stack, server)).chain(self.former_member(stack)).collect()
    }

    /// What was common to the servers of `stack`; none in those that are not of a former version.
    pub fn former_member(&self, stack: &str) -> Option<Login> {
        let Told::Former { member, .. } = &self.told else { return None };
        Some(Login { name: stack.to_owned(), password: member.clone() })
    }

    /// For whom to encrypt what only this server may read.
    pub fn recipient(&self) -> String {
        self.key.recipient()
    }

    /// What opens it.
    pub fn opener(&self) -> Opener {
        self.key.opener()
    }

    /// As text, which is secret.
    pub fn expose(&self) -> String {
        let key = self.key.expose();
        match &self.told {
            Told::Now { authority } => format!("{PREFIX}:{key}:{authority}"),
            Told::Former { member, authority: Some(authority) } => format!("{WITH_MEMBER}:{key}:{member}:{authority}"),
            Told::Former { member, authority: None } => format!("{UNPROVEN}:{key}:{member}"),
        }
    }
}

impl FromStr for Credential {
    type Err = CredentialError;

    fn from_str(text: &str) -> Result<Self, CredentialError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(CredentialError::Empty);
        }
        let former = |member: &str, authority| match member {
            "" => Err(CredentialError::Malformed),
            member => Ok(Told::Former { member: member.to_owned(), authority }),
        };
        let parts: Vec<&str> = text.split(':').collect();
        let (key, told) = match parts.as_slice() {
            [PREFIX, key, authority] => (key, Told::Now { authority: authority.parse()? }),
            [WITH_MEMBER, key, member, authority] => (key, former(member, Some(authority.parse()?))?),
            [UNPROVEN, key, member] => (key, former(member, None)?),
            _ => return Err(CredentialError::Malformed),
        };
        Ok(Self { key: key.parse().map_err(|_| CredentialError::Malformed)?, told })
    }
}

impl OperatorKey {
    /// A new one.
    pub fn generate() -> Self {
        Self(x25519::Identity::generate())
    }

    /// How a store is told who this is.
    pub fn login(&self) -> Login {
        login_of(OPERATOR.to_owned(), &self.0)
    }

    /// For whom to encrypt what they are to read again themselves.
    pub fn recipient(&self) -> String {
        self.0.to_public().to_string()
    }

    /// What opens it.
    pub fn opener(&self) -> Opener {
        Opener::of(self.0.clone())
    }

    /// What follows from it for one purpose.
    pub(super) fn derived(&self, purpose: &str) -> [u8; 32] {
        derived(&self.expose(), purpose)
    }

    /// What signs what they write.
    pub fn signer(&self) -> Signer {
        Signer::of(&self.expose())
    }

    /// As text, which is secret.
    pub fn expose(&self) -> String {
        self.0.to_string().expose_secret().to_owned()
    }
}

impl FromStr for OperatorKey {
    type Err = CredentialError;

    fn from_str(text: &str) -> Result<Self, CredentialError> {
        match text.trim() {
            "" => Err(CredentialError::Empty),
            text => text.parse().map(Self).map_err(|_| CredentialError::Malformed),
        }
    }
}

impl Opener {
    pub(super) fn of(key: x25519::Identity) -> Self {
        Self(vec![key])
    }

    /// What opens all that this one opens, and `other`.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        Self(self.0.iter().chain(&other.0).cloned().collect())
    }

    pub(super) fn identities(&self) -> impl Iterator<Item = &dyn age::Identity> {
        self.0.iter().map(|key| key as &dyn age::Identity)
    }
}

/// Stores see passwords, so they get one from which the key cannot be told.
pub(super) fn login_of(name: String, key: &x25519::Identity) -> Login {
    let mut hash = Sha256::new();
    hash.update(b"wattle: password at a store\n");
    hash.update(key.to_string().expose_secret().as_bytes());
    let password = wattle_agent_core::hex(&hash.finalize());
    Login { name, password }
}

macro_rules! not_shown {
    ($($name:ident)*) => {$(
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), "(not shown)"))
            }
        }
    )*};
}
not_shown!(Opener Credential OperatorKey);
