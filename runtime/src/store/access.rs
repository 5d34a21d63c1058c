//! Rights to nodes: ZooKeeper's digest scheme, which the embedded store implements as well.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use sha1::{Digest as _, Sha1};
use wattle::model::IndexMap;

/// The name of the operator at a store.
pub const OPERATOR: &str = "operator";

/// Authenticates a client to a store.
#[derive(Clone, Serialize, Deserialize)]
pub struct Login {
    /// The name, without a colon.
    pub name: String,
    /// A secret of the owner.
    pub password: String,
}

impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Login({})", self.name)
    }
}

impl Login {
    /// The principal as which a store identifies the owner.
    pub fn principal(&self) -> Principal {
        // As DigestAuthenticationProvider.generateDigest of ZooKeeper does. Passwords are 256 random bits, so SHA-1 is
        // sufficient.
        let digest = Sha1::digest(format!("{}:{}", self.name, self.password));
        Principal(format!("{}:{}", self.name, STANDARD.encode(digest)))
    }
}

/// An owner of rights: `NAME:DIGEST`. The digest is not secret.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Principal(String);

impl Principal {
    /// The principal as in a ZooKeeper access list of the scheme `digest`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Rights to one node. Those to create and delete concern its children, as in ZooKeeper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "four independent rights")]
pub struct Rights {
    /// To read its data and list its children.
    pub read: bool,
    /// To set its data.
    pub write: bool,
    /// To create children.
    pub create: bool,
    /// To delete children.
    pub delete: bool,
}

impl Rights {
    /// The right to read.
    pub const READ: Self = Self { read: true, write: false, create: false, delete: false };
    /// The right to write, but not to read.
    pub const WRITE: Self = Self { read: false, write: true, create: false, delete: false };

    /// Both rights together.
    pub fn and(self, other: Self) -> Self {
        Self {
            read: self.read || other.read,
            write: self.write || other.write,
            create: self.create || other.create,
            delete: self.delete || other.delete,
        }
    }
}

/// The rights to one node. The operator has all rights to every node without being named here. But ZooKeeper recognizes
/// the operator only as the creator of nodes, so anyone else who creates a node names the operator as well.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access(IndexMap<Principal, Rights>);

impl Access {
    /// Creates rights for the operator alone.
    pub fn new() -> Self {
        Self::default()
    }

    /// Grants `rights` to `whom`, in addition to existing ones.
    pub fn grant(mut self, whom: &Principal, rights: Rights) -> Self {
        let granted = self.0.entry(whom.clone()).or_default();
        *granted = granted.and(rights);
        self
    }

    /// Each principal with its rights.
    pub fn grants(&self) -> impl Iterator<Item = (&Principal, Rights)> {
        self.0.iter().map(|(principal, rights)| (principal, *rights))
    }

    /// Its size in a request, in bytes.
    pub(crate) fn size(&self) -> usize {
        self.0.keys().map(|principal| 24 + principal.0.len()).sum()
    }

    /// The rights of a client with all of `principals`.
    pub(crate) fn rights_of(&self, principals: &[Principal]) -> Rights {
        let granted = principals.iter().filter_map(|principal| self.0.get(principal));
        granted.fold(Rights::default(), |all, rights| all.and(*rights))
    }
}
