//! The data that the servers of a stack share: a login with which they read each other's statuses.
//!
//! Each server gets it from the data space, encrypted for itself. The login is replaced as soon as someone who may know
//! it is no longer a server of the stack. Rights name a login directly, so it cannot be revoked for a single client.

use serde::{Deserialize, Serialize};
use wattle::model::{Name, Value};

use crate::store::{AuthorityId, Login, Principal};

use super::keys::Public;
use super::signed::Authority;
use super::{Ask, Opener, OperatorKey, SealError, open, seal};

/// The logins that the servers of a stack share, signed by its operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Members {
    /// The number of the present login.
    pub generation: u64,
    /// The principal of the present login.
    pub current: Principal,
    /// The principals of earlier logins, which may still be in use while this one replaces them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<Principal>,
    /// The principal of the login in credentials of earlier versions, as long as any server uses such a credential.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub former: Option<Principal>,
}

/// The contents of the node above all servers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Shared {
    /// The logins.
    Now(Members),
    /// The login in all credentials of an earlier version.
    Former(Principal),
}

/// One server's part of the shared data, signed by the operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Membership {
    /// The server's identity, as its operator knows it.
    pub identity: Public,
    /// The number of the login.
    pub generation: u64,
    /// The authority of the stores that may learn the login. `None` for a store without TLS, and from an earlier
    /// version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    store: Option<AuthorityId>,
    /// Whether the server should announce its own key, if it has one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub announces: bool,
    /// The own key that the server should replace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renews: Option<Authority>,
    /// The requests for the server's log.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<Ask>,
    sealed: String,
}

impl Membership {
    /// Creates the part for the server with this `identity`: `login`, which is for a store of this authority.
    ///
    /// # Errors
    /// Nothing can be encrypted for the server.
    pub fn new(
        identity: &Public,
        generation: u64,
        (login, store): (&Login, Option<AuthorityId>),
        announces: bool,
    ) -> Result<Self, SealError> {
        let sealed = seal(&Value::from(login.password.clone()), [&*identity.recipient])?;
        Ok(Self { identity: identity.clone(), generation, store, announces, renews: None, asks: Vec::new(), sealed })
    }

    /// Whether a store of one of these `authorities` may learn the login.
    pub fn is_for(&self, authorities: &[AuthorityId]) -> bool {
        self.store.is_none_or(|store| authorities.contains(&store))
    }

    /// Decrypts the login that a server of `stack` shares with the others.
    ///
    /// # Errors
    /// It was not encrypted for the owner of `opener`.
    pub fn login(&self, stack: &str, opener: &Opener) -> Result<Login, SealError> {
        match open(&self.sealed, opener)? {
            Value::Str(password) => Ok(Login { name: stack.to_owned(), password: password.to_string() }),
            _ => Err(SealError::Value),
        }
    }
}

impl OperatorKey {
    /// The login that the servers of `stack` share in a data space, by its number.
    pub fn member_login(&self, stack: &str, space: Option<&Name>, generation: u64) -> Login {
        let space = space.map_or("", |space| space);
        let what = format!("what servers share\n{stack}\n{space}\n{generation}");
        Login { name: stack.to_owned(), password: wattle_agent_core::hex(&self.derived(&what)) }
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    use super::super::ServerKey;
    use super::*;

    #[test]
    fn a_login_is_another_one_in_each_generation_and_data_space_and_for_its_servers() {
        let key = OperatorKey::generate();
        let login = |stack, space: &str, generation| key.member_login(stack, Some(&space.into()), generation).password;
        let first = login("shop", "2026", 1);
        assert_eq!(first, login("shop", "2026", 1));
        for other in [login("shop", "2026", 2), login("shop", "2027", 1), login("sho", "2026", 1)] {
            assert_ne!(first, other);
        }
        let [own, other] = [(); 2].map(|()| ServerKey::generate());
        let login = key.member_login("shop", None, 1);
        let membership = Membership::new(&own.public("shop", "db"), 1, (&login, None), true).unwrap();
        assert_eq!(membership.login("shop", &own.opener()).unwrap().password, login.password);
        membership.login("shop", &other.opener()).unwrap_err();
        assert_eq!(membership.login("shop", &other.opener().or(&own.opener())).unwrap().name, "shop");
    }

    #[test]
    fn no_store_of_another_authority_gets_the_login() {
        let authority = |byte: u8| AuthorityId::try_from(STANDARD.encode([byte; 32])).unwrap();
        let own = ServerKey::generate().public("shop", "db");
        let login = OperatorKey::generate().member_login("shop", None, 1);
        let made = |store| Membership::new(&own, 1, (&login, store), true).unwrap();
        let bound: Membership = serde_json::from_slice(&super::super::to_json(&made(Some(authority(1))))).unwrap();
        assert!(bound.is_for(&[authority(2), authority(1)]));
        assert!(!bound.is_for(&[authority(2)]) && !bound.is_for(&[]));
        // From an earlier version, or from a data space without TLS.
        assert!(made(None).is_for(&[authority(2)]) && made(None).is_for(&[]));
    }
}
