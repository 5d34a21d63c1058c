//! Who may do what: ZooKeeper's digest scheme, which the embedded store keeps as well.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use sha1::{Digest as _, Sha1};
use wattle::model::IndexMap;

/// The operator's name at a store.
pub const OPERATOR: &str = "operator";

/// What one proves to a store who one is.
#[derive(Clone, Serialize, Deserialize)]
pub struct Login {
    /// The name, without a colon.
    pub name: String,
    /// What only its owner knows.
    pub password: String,
}

impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Login({})", self.name)
    }
}

impl Login {
    /// Whom a store takes its owner for.
    pub fn principal(&self) -> Principal {
        // DigestAuthenticationProvider.generateDigest of ZooKeeper. Passwords are 256 random bits, so SHA-1 will do.
        let digest = Sha1::digest(format!("{}:{}", self.name, self.password));
        Principal(format!("{}:{}", self.name, STANDARD.encode(digest)))
    }
}

/// Someone who has rights: `NAME:DIGEST`, of which the digest is no secret.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Principal(String);

impl Principal {
    /// As ZooKeeper writes it in an access list of the scheme `digest`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Rights to one node. Those of making and removing are about its children, as in ZooKeeper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "four rights, each granted or not")]
pub struct Rights {
    /// To read its data and list its children.
    pub read: bool,
    /// To set its data.
    pub write: bool,
    /// To make children.
    pub create: bool,
    /// To remove children.
    pub delete: bool,
}

impl Rights {
    /// To read.
    pub const READ: Self = Self { read: true, write: false, create: false, delete: false };
    /// To write, but not to read.
    pub const WRITE: Self = Self { read: false, write: true, create: false, delete: false };

    /// Both together.
    pub fn and(self, other: Self) -> Self {
        Self {
            read: self.read || other.read,
            write: self.write || other.write,
            create: self.create || other.create,
            delete: self.delete || other.delete,
        }
    }
}

/// The rights to one node. The operator has all of them, to every node, without being named here; but a ZooKeeper knows
/// the operator only by what they make, so whoever else makes a node names them too.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access(IndexMap<Principal, Rights>);

impl Access {
    /// Nobody's but the operator's.
    pub fn new() -> Self {
        Self::default()
    }

    /// Grants `rights` to `whom`, besides what they have.
    pub fn grant(mut self, whom: &Principal, rights: Rights) -> Self {
        let granted = self.0.entry(whom.clone()).or_default();
        *granted = granted.and(rights);
        self
    }

    /// Who has which rights, each once.
    pub fn grants(&self) -> impl Iterator<Item = (&Principal, Rights)> {
        self.0.iter().map(|(principal, rights)| (principal, *rights))
    }

    /// Bytes that it takes in a request.
    pub(crate) fn size(&self) -> usize {
        self.0.keys().map(|principal| 24 + principal.0.len()).sum()
    }

    /// What one who is all of `principals` may do.
    pub(crate) fn rights_of(&self, principals: &[Principal]) -> Rights {
        let granted = principals.iter().filter_map(|principal| self.0.get(principal));
        granted.fold(Rights::default(), |all, rights| all.and(*rights))
    }
}
