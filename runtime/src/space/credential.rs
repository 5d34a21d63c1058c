//! Credentials: what a server authenticates with, and opens its secrets with.

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

/// Opens values that were sealed for its owner.
#[derive(Clone)]
pub struct Opener(Vec<x25519::Identity>);

/// What a server authenticates with and opens its secrets with until it has a key of its own. `seed apply` creates it
/// as one text, which reaches the server through a hidden Heat parameter.
#[derive(Clone)]
pub struct Credential {
    key: ServerKey,
    trust: Trust,
}

/// The other parts of a credential.
#[derive(Clone)]
enum Trust {
    /// The authority that the server trusts.
    Now { authority: Authority },
    /// In credentials of earlier versions: what the servers of a stack shared in order to read each other's statuses,
    /// and the authority that the server trusts, if anything was signed then.
    Former { member: String, authority: Option<Authority> },
}

/// What the operator of a data space authenticates with.
#[derive(Clone)]
pub struct OperatorKey {
    key: x25519::Identity,
    passwords: Passwords,
    /// The previous keys.
    before: Succession,
    /// The newest revisions known from outside of the store.
    newest: Option<Newest>,
}

/// Why a text is not a credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CredentialError {
    /// It is empty. Heat silently passes an empty text to a server that its parameter does not name.
    #[error("the credential is empty: give Heat the file `credentials.yaml` that `wattle seed apply` writes (`-e`)")]
    Empty,
    /// It was not made by wattle, or was truncated.
    #[error("`wattle seed apply` did not make this credential")]
    Malformed,
}

/// The prefix of credentials.
const PREFIX: &str = "wattle4";

/// The prefix of credentials with one password for all stores.
const UNBOUND: &str = "wattle3";

/// The prefix of credentials that contain what the servers of a stack share.
const WITH_MEMBER: &str = "wattle2";

/// The prefix of credentials that contain it and do not say which authority to trust.
const UNPROVEN: &str = "wattle1";

/// The prefix of operators' keys with a password for each authority.
const OPERATOR_PREFIX: &str = "wattle-operator2:";

impl Credential {
    /// A new credential for a server that does only what `authority` has signed.
    pub fn generate(authority: Authority) -> Self {
        Self { key: ServerKey::generate(), trust: Trust::Now { authority } }
    }

    /// The same credential for a server that does only what `authority` has signed.
    #[must_use]
    pub fn believing(self, authority: Authority) -> Self {
        let trust = match self.trust {
            Trust::Now { .. } => Trust::Now { authority },
            Trust::Former { member, .. } => Trust::Former { member, authority: Some(authority) },
        };
        Self { trust, ..self }
    }

    /// The authority that the server trusts. `None` if the credential was made before anything was signed.
    pub fn authority(&self) -> Option<Authority> {
        match self.trust {
            Trust::Now { authority } => Some(authority),
            Trust::Former { authority, .. } => authority,
        }
    }

    /// The same credential for a store whose certificates come from any of these authorities. For a store without
    /// certificates, give none.
    #[must_use]
    pub fn at(self, authorities: Vec<AuthorityId>) -> Self {
        Self { key: self.key.at(authorities), ..self }
    }

    /// Whether it has one password for all stores, as credentials of earlier versions do.
    pub fn is_unbound(&self) -> bool {
        self.key.is_unbound()
    }

    /// The server's key.
    pub fn key(&self) -> &ServerKey {
        &self.key
    }

    /// How the server logs in to a store: as this server, and as a member of its stack if an earlier version made the
    /// credential. Other logins that the servers of a stack share come from the data space.
    pub fn logins(&self, stack: &str, server: &str) -> Vec<Login> {
        self.key.logins(stack, server).into_iter().chain(self.former_member(stack)).collect()
    }

    /// The login that the servers of `stack` shared. `None` unless an earlier version made the credential.
    pub fn former_member(&self, stack: &str) -> Option<Login> {
        let Trust::Former { member, .. } = &self.trust else { return None };
        Some(Login { name: stack.to_owned(), password: member.clone() })
    }

    /// The recipient that values for this server alone are encrypted for.
    pub fn recipient(&self) -> String {
        self.key.recipient()
    }

    /// Opens what was encrypted for this recipient.
    pub fn opener(&self) -> Opener {
        self.key.opener()
    }

    /// The credential as text, which is secret.
    pub fn expose(&self) -> String {
        let key = self.key.expose();
        match &self.trust {
            Trust::Now { authority } if self.is_unbound() => format!("{UNBOUND}:{key}:{authority}"),
            Trust::Now { authority } => format!("{PREFIX}:{key}:{authority}"),
            Trust::Former { member, authority: Some(authority) } => format!("{WITH_MEMBER}:{key}:{member}:{authority}"),
            Trust::Former { member, authority: None } => format!("{UNPROVEN}:{key}:{member}"),
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
            member => Ok(Trust::Former { member: member.to_owned(), authority }),
        };
        let parts: Vec<&str> = text.split(':').collect();
        let (key, trust) = match parts.as_slice() {
            [PREFIX | UNBOUND, key, authority] => (key, Trust::Now { authority: authority.parse()? }),
            [WITH_MEMBER, key, member, authority] => (key, former(member, Some(authority.parse()?))?),
            [UNPROVEN, key, member] => (key, former(member, None)?),
            _ => return Err(CredentialError::Malformed),
        };
        let key: ServerKey = key.parse().map_err(|_| CredentialError::Malformed)?;
        Ok(Self { key: if parts[0] == PREFIX { key } else { key.unbound() }, trust })
    }
}

impl OperatorKey {
    /// A new key.
    pub fn generate() -> Self {
        Self::of(x25519::Identity::generate(), Passwords::default())
    }

    fn of(key: x25519::Identity, passwords: Passwords) -> Self {
        Self { key, passwords, before: Succession::default(), newest: None }
    }

    /// A new key to follow this one. Everyone who trusts this key trusts that one as well.
    #[must_use]
    pub fn next(&self) -> Self {
        let next = Self::generate();
        let before = self.before.then(&self.signer(), &next.signer().authority());
        Self { before, ..next }
    }

    /// The same key as the successor of others.
    #[must_use]
    pub(crate) fn after(self, before: Succession) -> Self {
        Self { before, ..self }
    }

    /// The previous keys.
    pub(crate) fn before(&self) -> &Succession {
        &self.before
    }

    /// Whether trust in `authority` extends to this key.
    pub fn is_believed_by(&self, authority: &Authority) -> bool {
        let own = self.signer().authority();
        *authority == own || self.before.leads(authority, &own)
    }

    /// The same key for a store whose certificates come from any of these authorities. For a store without
    /// certificates, give none.
    #[must_use]
    pub fn at(self, authorities: Vec<AuthorityId>) -> Self {
        Self { passwords: self.passwords.at(authorities), ..self }
    }

    /// The same key with revisions that are known from outside of the store.
    #[must_use]
    pub fn knowing(self, newest: Option<Newest>) -> Self {
        Self { newest, ..self }
    }

    /// The newest revision of `stack` that is known from outside of the store.
    pub(crate) fn newest_of(&self, stack: &str) -> Option<Revision> {
        self.newest.as_ref()?.of(&self.signer().authority(), stack)
    }

    /// The newest revisions known from outside of the store.
    pub(crate) fn newest(&self) -> Option<&Newest> {
        self.newest.as_ref()
    }

    /// The authorities of the present store.
    pub fn authorities(&self) -> &[AuthorityId] {
        &self.passwords.authorities
    }

    /// The login by which a store identifies the operator: the first of [`Self::logins`].
    pub fn login(&self) -> Login {
        self.logins().swap_remove(0)
    }

    /// The operator's logins to a store, one for each of its authorities, so that one authority can replace another.
    pub fn logins(&self) -> Vec<Login> {
        self.passwords.logins(OPERATOR, &self.key)
    }

    /// The recipient that values are encrypted for if the operator must be able to read them again.
    pub fn recipient(&self) -> String {
        self.key.to_public().to_string()
    }

    /// Opens what was encrypted for this recipient.
    pub fn opener(&self) -> Opener {
        Opener::of(self.key.clone())
    }

    /// A secret derived from this key for one purpose.
    pub(super) fn derived(&self, purpose: &str) -> [u8; 32] {
        derived(&self.expose(), purpose)
    }

    /// Signs what the operator writes.
    pub fn signer(&self) -> Signer {
        Signer::of(&self.expose()).after(self.before.clone())
    }

    /// The key as text, which is secret.
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

    /// Opens everything that this one or `other` opens.
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
        // Parsed from text, it is the same key.
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
        // The former password, which is also the one for a store without TLS.
        let former = text.replacen(PREFIX, UNBOUND, 1);
        let read: Credential = former.parse().unwrap();
        assert!(read.is_unbound() && !credential.is_unbound());
        assert_eq!((read.expose(), at(&read, &one)), (former, at(&credential, &[])));
        assert_eq!(read.clone().at(one).key().public("shop", "db"), credential.key().public("shop", "db"));
    }
}
