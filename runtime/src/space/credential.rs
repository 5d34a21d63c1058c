//! Credentials: what a server proves itself with, and opens its secrets with.

use std::fmt;
use std::str::FromStr;

use age::secrecy::ExposeSecret as _;
use age::x25519;
use sha2::{Digest as _, Sha256};

use crate::store::{Login, OPERATOR};

use super::signed::{Authority, Signer};

/// What opens values that were sealed for its owner.
#[derive(Clone)]
pub struct Opener(x25519::Identity);

/// What a server proves itself with and opens its secrets with: one text, made by `seed apply`, which reaches the server
/// through a hidden parameter of Heat.
#[derive(Clone)]
pub struct Credential {
    key: x25519::Identity,
    // Common to the servers of a stack: with it, they see how each other are doing.
    member: String,
    // Whose word counts; none in those of before anything was signed.
    authority: Option<Authority>,
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

/// What those begin with that know whose word counts.
const PREFIX: &str = "wattle2";

/// What those begin with that do not.
const FORMER: &str = "wattle1";

impl Credential {
    /// A new one, of a server of the stack whose members share `member`.
    pub fn generate(member: &str) -> Self {
        Self { key: x25519::Identity::generate(), member: member.to_owned(), authority: None }
    }

    /// The same for a server that does nothing but what `authority` has signed.
    #[must_use]
    pub fn believing(self, authority: Authority) -> Self {
        Self { authority: Some(authority), ..self }
    }

    /// Whose word counts for the server; none if it was made before anything was signed.
    pub fn authority(&self) -> Option<Authority> {
        self.authority
    }

    /// What its server's signatures are judged by; none of before anything was signed, when agents did not sign either.
    pub fn key(&self) -> Option<Authority> {
        self.authority.map(|_| self.signer().authority())
    }

    /// What signs what its server says.
    pub fn signer(&self) -> Signer {
        Signer::of_server(self.key.to_string().expose_secret())
    }

    /// How a store is told who this is: as this server, and as one of its stack.
    pub fn logins(&self, stack: &str, server: &str) -> [Login; 2] {
        [login_of(format!("{stack}/{server}"), &self.key), Self::member_login(stack, &self.member)]
    }

    /// How a store is told of one who belongs to `stack`.
    pub fn member_login(stack: &str, member: &str) -> Login {
        Login { name: stack.to_owned(), password: member.to_owned() }
    }

    /// What is common to the servers of its stack.
    pub(crate) fn member(&self) -> &str {
        &self.member
    }

    /// For whom to encrypt what only this server may read.
    pub fn recipient(&self) -> String {
        self.key.to_public().to_string()
    }

    /// What opens it.
    pub fn opener(&self) -> Opener {
        Opener(self.key.clone())
    }

    /// As text, which is secret.
    pub fn expose(&self) -> String {
        let (key, member) = (self.key.to_string(), &self.member);
        let key = key.expose_secret();
        match self.authority {
            Some(authority) => format!("{PREFIX}:{key}:{member}:{authority}"),
            None => format!("{FORMER}:{key}:{member}"),
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
        let parts: Vec<&str> = text.split(':').collect();
        let (key, member, authority) = match parts.as_slice() {
            [PREFIX, key, member, authority] => (key, member, Some(authority.parse()?)),
            [FORMER, key, member] => (key, member, None),
            _ => return Err(CredentialError::Malformed),
        };
        let key = key.parse().map_err(|_| CredentialError::Malformed)?;
        if member.is_empty() {
            return Err(CredentialError::Malformed);
        }
        Ok(Self { key, member: (*member).to_owned(), authority })
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
    pub(super) fn identity(&self) -> &x25519::Identity {
        &self.0
    }
}

/// Stores see passwords, so they get one from which the key cannot be told.
fn login_of(name: String, key: &x25519::Identity) -> Login {
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
