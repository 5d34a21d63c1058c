//! Credentials: what a server proves itself with, and opens its secrets with.

use std::fmt;
use std::str::FromStr;

use age::secrecy::ExposeSecret as _;
use age::x25519;
use wattle_agent_core::revision::Revision;

use crate::store::{AuthorityId, Login, OPERATOR};

use super::keys::ServerKey;
use super::newest::Newest;
use super::passwords::Passwords;
use super::signed::{Authority, Signer, derived};
use super::succession::Succession;

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
pub struct OperatorKey {
    key: x25519::Identity,
    passwords: Passwords,
    /// The keys before.
    before: Succession,
    /// What is known of revisions outside of the store.
    newest: Option<Newest>,
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

/// What credentials begin with.
const PREFIX: &str = "wattle4";

/// What those begin with that have one password for all stores.
const UNBOUND: &str = "wattle3";

/// What those begin with that have what is common to all servers of a stack.
const WITH_MEMBER: &str = "wattle2";

/// What those begin with that have it, and do not know whose word counts.
const UNPROVEN: &str = "wattle1";

/// What the keys of operators begin with whose passwords are each for one authority.
const OPERATOR_PREFIX: &str = "wattle-operator2:";

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

    /// The same at a store whose certificates are of any of these authorities; of none for one that has no certificates.
    #[must_use]
    pub fn at(self, authorities: Vec<AuthorityId>) -> Self {
        Self { key: self.key.at(authorities), ..self }
    }

    /// Whether its password is one for all stores, as in credentials of former versions.
    pub fn is_unbound(&self) -> bool {
        self.key.is_unbound()
    }

    /// Its key.
    pub fn key(&self) -> &ServerKey {
        &self.key
    }

    /// How a store is told who this is: as this server, and as one of its stack if it was made by a former version. What else
    /// the servers of a stack share, they learn from the data space.
    pub fn logins(&self, stack: &str, server: &str) -> Vec<Login> {
        self.key.logins(stack, server).into_iter().chain(self.former_member(stack)).collect()
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
            Told::Now { authority } if self.is_unbound() => format!("{UNBOUND}:{key}:{authority}"),
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
            [PREFIX | UNBOUND, key, authority] => (key, Told::Now { authority: authority.parse()? }),
            [WITH_MEMBER, key, member, authority] => (key, former(member, Some(authority.parse()?))?),
            [UNPROVEN, key, member] => (key, former(member, None)?),
            _ => return Err(CredentialError::Malformed),
        };
        let key: ServerKey = key.parse().map_err(|_| CredentialError::Malformed)?;
        Ok(Self { key: if parts[0] == PREFIX { key } else { key.unbound() }, told })
    }
}

impl OperatorKey {
    /// A new one.
    pub fn generate() -> Self {
        Self::of(x25519::Identity::generate(), Passwords::default())
    }

    fn of(key: x25519::Identity, passwords: Passwords) -> Self {
        Self { key, passwords, before: Succession::default(), newest: None }
    }

    /// A new one that comes after this one: whoever believes this one believes that one.
    #[must_use]
    pub fn next(&self) -> Self {
        let next = Self::generate();
        let before = self.before.then(&self.signer(), &next.signer().authority());
        Self { before, ..next }
    }

    /// The same, which came after others.
    #[must_use]
    pub(crate) fn after(self, before: Succession) -> Self {
        Self { before, ..self }
    }

    /// The keys before.
    pub(crate) fn before(&self) -> &Succession {
        &self.before
    }

    /// Whether whoever believes `authority` believes this one.
    pub fn is_believed_by(&self, authority: &Authority) -> bool {
        let own = self.signer().authority();
        *authority == own || self.before.leads(authority, &own)
    }

    /// The same at a store whose certificates are of any of these authorities; of none for one that has no certificates.
    #[must_use]
    pub fn at(self, authorities: Vec<AuthorityId>) -> Self {
        Self { passwords: self.passwords.at(authorities), ..self }
    }

    /// The same for one who knows of revisions outside of the store.
    #[must_use]
    pub fn knowing(self, newest: Option<Newest>) -> Self {
        Self { newest, ..self }
    }

    /// The newest revision of `stack` that is known outside of the store.
    pub(crate) fn newest_of(&self, stack: &str) -> Option<Revision> {
        self.newest.as_ref()?.of(&self.signer().authority(), stack)
    }

    /// What is known of revisions outside of the store.
    pub(crate) fn newest(&self) -> Option<&Newest> {
        self.newest.as_ref()
    }

    /// The authorities of the store that is spoken to.
    pub fn authorities(&self) -> &[AuthorityId] {
        &self.passwords.authorities
    }

    /// How a store is told who this is, and whom it takes them for: the first of [`Self::logins`].
    pub fn login(&self) -> Login {
        self.logins().swap_remove(0)
    }

    /// How a store is told who this is: by each of its authorities, so that one can take the place of another one.
    pub fn logins(&self) -> Vec<Login> {
        self.passwords.logins(OPERATOR, &self.key)
    }

    /// For whom to encrypt what they are to read again themselves.
    pub fn recipient(&self) -> String {
        self.key.to_public().to_string()
    }

    /// What opens it.
    pub fn opener(&self) -> Opener {
        Opener::of(self.key.clone())
    }

    /// What follows from it for one purpose.
    pub(super) fn derived(&self, purpose: &str) -> [u8; 32] {
        derived(&self.expose(), purpose)
    }

    /// What signs what they write.
    pub fn signer(&self) -> Signer {
        Signer::of(&self.expose()).after(self.before.clone())
    }

    /// As text, which is secret.
    pub fn expose(&self) -> String {
        let key = self.key.to_string();
        let prefix = if self.passwords.is_common { "" } else { OPERATOR_PREFIX };
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
                    Some(key) => (key, Passwords::default()),
                    None => (text, Passwords::default().common()),
                };
                key.parse().map(|key| Self::of(key, passwords)).map_err(|_| CredentialError::Malformed)
            }
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
    use sha2::{Digest as _, Sha256};
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

    #[test]
    fn so_has_a_server_unless_its_credential_is_of_before() {
        let (one, other) = (authority(), authority());
        let credential = Credential::generate(OperatorKey::generate().signer().authority());
        let at = |credential: &Credential, authorities: &[AuthorityId]| {
            passwords(credential.clone().at(authorities.to_vec()).logins("shop", "db"))
        };
        let all = [at(&credential, &[]), at(&credential, &one), at(&credential, &other)].concat();
        assert_eq!(all.iter().collect::<std::collections::BTreeSet<_>>().len(), 3);
        assert_eq!(at(&credential, &[one.clone(), other.clone()].concat()), all[1..]);
        let text = credential.clone().at(one.clone()).expose();
        assert_eq!(text, credential.expose());
        assert_eq!(at(&text.parse().unwrap(), &one), at(&credential, &one));
        // The password that it had, which is also that in clear.
        let former = text.replacen(PREFIX, UNBOUND, 1);
        let read: Credential = former.parse().unwrap();
        assert!(read.is_unbound() && !credential.is_unbound());
        assert_eq!((read.expose(), at(&read, &one)), (former, at(&credential, &[])));
        assert_eq!(read.clone().at(one).key().public("shop", "db"), credential.key().public("shop", "db"));
    }
}
