//! What the servers of a stack share: a login with which they see how each other are doing.
//!
//! Each learns it from the data space, encrypted for itself. There is another one as soon as somebody who could know the one
//! before is no server of the stack any more: rights have no indirection, so whoever has known a login keeps it.

use serde::{Deserialize, Serialize};
use wattle::model::{Name, Value};

use crate::store::{AuthorityId, Login, Principal};

use super::keys::Public;
use super::signed::Authority;
use super::{Opener, OperatorKey, SealError, open, seal};

/// Which logins the servers of a stack share, signed by its operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Members {
    /// The number of the one that counts.
    pub generation: u64,
    /// Whom a store takes for those who have it.
    pub current: Principal,
    /// The same for those that may count still, while this one takes their place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<Principal>,
    /// That of credentials that have one in them, as long as some server lives on such a credential.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub former: Option<Principal>,
}

/// What the node above all servers says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Shared {
    /// Which logins there are.
    Now(Members),
    /// The one that was in all credentials: that of a former version.
    Former(Principal),
}

/// What one server is told of it, signed by the operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Membership {
    /// Who the server is to its operator.
    pub identity: Public,
    /// The number of the login.
    pub generation: u64,
    /// Of which authority the stores are that may learn the login; none for one in clear, and from a former version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    store: Option<AuthorityId>,
    /// Whether it is to say who it will be, if it has a key of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub announces: bool,
    /// The key of its own in whose place it is to make another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renews: Option<Authority>,
    sealed: String,
}

impl Membership {
    /// What whoever is `identity` is to be told of `login`, which is for a store of the authority.
    ///
    /// # Errors
    /// When nothing can be encrypted for it.
    pub fn new(
        identity: &Public,
        generation: u64,
        (login, store): (&Login, Option<AuthorityId>),
        announces: bool,
    ) -> Result<Self, SealError> {
        let sealed = seal(&Value::from(login.password.clone()), [&*identity.recipient])?;
        Ok(Self { identity: identity.clone(), generation, store, announces, renews: None, sealed })
    }

    /// Whether a store may learn the login that is of one of these `authorities`.
    pub fn is_for(&self, authorities: &[AuthorityId]) -> bool {
        self.store.is_none_or(|store| authorities.contains(&store))
    }

    /// The login that a server of `stack` shares with the others.
    ///
    /// # Errors
    /// When it was not encrypted for whoever has `opener`.
    pub fn login(&self, stack: &str, opener: &Opener) -> Result<Login, SealError> {
        match open(&self.sealed, opener)? {
            Value::Str(password) => Ok(Login { name: stack.to_owned(), password: password.to_string() }),
            _ => Err(SealError::Value),
        }
    }
}

impl OperatorKey {
    /// What the servers of `stack` share in a data space, by its number.
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
        let told = Membership::new(&own.public("shop", "db"), 1, (&login, None), true).unwrap();
        assert_eq!(told.login("shop", &own.opener()).unwrap().password, login.password);
        told.login("shop", &other.opener()).unwrap_err();
        assert_eq!(told.login("shop", &other.opener().or(&own.opener())).unwrap().name, "shop");
    }

    #[test]
    fn no_store_of_another_authority_is_told_the_login() {
        let authority = |byte: u8| AuthorityId::try_from(STANDARD.encode([byte; 32])).unwrap();
        let own = ServerKey::generate().public("shop", "db");
        let login = OperatorKey::generate().member_login("shop", None, 1);
        let told = |store| Membership::new(&own, 1, (&login, store), true).unwrap();
        let bound: Membership = serde_json::from_slice(&super::super::to_json(&told(Some(authority(1))))).unwrap();
        assert!(bound.is_for(&[authority(2), authority(1)]));
        assert!(!bound.is_for(&[authority(2)]) && !bound.is_for(&[]));
        // Of a version of before, or of a data space in clear.
        assert!(told(None).is_for(&[authority(2)]) && told(None).is_for(&[]));
    }
}
