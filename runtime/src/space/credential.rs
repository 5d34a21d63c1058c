//! Credentials: what a server proves itself with, and opens its secrets with.

use std::fmt;
use std::str::FromStr;

use age::secrecy::ExposeSecret as _;
use age::x25519;
use sha2::{Digest as _, Sha256};

use crate::store::{AuthorityId, Login, OPERATOR};

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
pub struct OperatorKey(x25519::Identity, Passwords);

/// Which passwords follow from an operator's key.
#[derive(Clone)]
enum Passwords {
    /// One for all stores: a key of before passwords were for one authority.
    Common,
    /// One for each authority whose certificates a store has: whoever runs a store of another one learns none that is of use at
    /// this one. These are the authorities of the store that is spoken to; of none for one in clear, or on this machine.
    Each(Vec<AuthorityId>),
}

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

/// What the keys of operators begin with whose passwords are each for one authority.
const OPERATOR_PREFIX: &str = "wattle-operator2:";

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
        Self(x25519::Identity::generate(), Passwords::Each(Vec::new()))
    }

    /// The same at a store whose certificates are of any of these authorities; of none for one that has no certificates.
    #[must_use]
    pub fn at(self, authorities: Vec<AuthorityId>) -> Self {
        match self.1 {
            Passwords::Common => self,
            Passwords::Each(_) => Self(self.0, Passwords::Each(authorities)),
        }
    }

    /// How a store is told who this is, and whom it takes them for: the first of [`Self::logins`].
    pub fn login(&self) -> Login {
        self.logins().swap_remove(0)
    }

    /// How a store is told who this is: by each of its authorities, so that one can take the place of another one.
    pub fn logins(&self) -> Vec<Login> {
        match &self.1 {
            Passwords::Each(authorities) if !authorities.is_empty() => {
                // None of them can be told from another one, nor from that of a store without an authority.
                let password = |id: &AuthorityId| {
                    password_of(b"wattle: password at a store of an authority\n", &self.0, id.as_bytes())
                };
                let login = |id| Login { name: OPERATOR.to_owned(), password: password(id) };
                authorities.iter().map(login).collect()
            }
            _ => vec![login_of(OPERATOR.to_owned(), &self.0)],
        }
    }

    /// What signs what they write.
    pub fn signer(&self) -> Signer {
        Signer::of(&self.expose())
    }

    /// As text, which is secret.
    pub fn expose(&self) -> String {
        let key = self.0.to_string();
        let prefix = match self.1 {
            Passwords::Common => "",
            Passwords::Each(_) => OPERATOR_PREFIX,
        };
        format!("{prefix}{}", key.expose_secret())
    }
}

impl FromStr for OperatorKey {
    type Err = CredentialError;

    fn from_str(text: &str) -> Result<Self, CredentialError> {
        match text.trim() {
            "" => Err(CredentialError::Empty),
            text => {
                let (key, passwords) = match text.strip_prefix(OPERATOR_PREFIX) {
                    Some(key) => (key, Passwords::Each(Vec::new())),
                    None => (text, Passwords::Common),
                };
                key.parse().map(|key| Self(key, passwords)).map_err(|_| CredentialError::Malformed)
            }
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
    Login { name, password: password_of(b"wattle: password at a store\n", key, &[]) }
}

fn password_of(purpose: &[u8], key: &x25519::Identity, what: &[u8]) -> String {
    let mut hash = Sha256::new();
    hash.update(purpose);
    hash.update(key.to_string().expose_secret().as_bytes());
    hash.update(what);
    wattle_agent_core::hex(&hash.finalize())
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

#[cfg(test)]
mod tests {
    use crate::ca::CertificateAuthority;
    use crate::store::Authority;
    use wattle_agent_core::time::Time;

    use super::*;

    fn authority() -> Vec<AuthorityId> {
        let made = CertificateAuthority::generate(Time::EPOCH..Time::from_secs(4_000_000_000)).unwrap();
        Authority::Pem(made.certificates()).ids().unwrap()
    }

    fn passwords(logins: Vec<Login>) -> Vec<String> {
        logins.into_iter().map(|login| login.password).collect()
    }

    #[test]
    fn each_authority_has_a_password_of_its_own() {
        let (one, other, system) = (authority(), authority(), Authority::System.ids().unwrap());
        let key = OperatorKey::generate();
        let at = |authorities: &[AuthorityId]| passwords(key.clone().at(authorities.to_vec()).logins());
        let all = [at(&[]), at(&one), at(&other), at(&system)].concat();
        assert_eq!(all.iter().collect::<std::collections::BTreeSet<_>>().len(), 4);
        assert_eq!(at(&[one.clone(), other.clone()].concat()), [at(&one), at(&other)].concat());
        // Read again, it is the same key.
        let read: OperatorKey = key.expose().parse().unwrap();
        assert_eq!(passwords(read.at(one.clone()).logins()), at(&one));
        assert_eq!(key.expose(), key.clone().at(one).expose());
    }

    #[test]
    fn a_key_of_before_has_the_password_that_it_had() {
        let text = x25519::Identity::generate().to_string();
        let key: OperatorKey = text.expose_secret().parse().unwrap();
        assert_eq!(key.expose(), text.expose_secret());
        let plain = passwords(key.logins());
        let expected = Sha256::digest(format!("wattle: password at a store\n{}", text.expose_secret()));
        assert_eq!(plain, [wattle_agent_core::hex(&expected)]);
        assert_eq!(passwords(key.at(authority()).logins()), plain);
    }
}
