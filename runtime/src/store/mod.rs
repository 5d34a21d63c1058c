//! Stores, which hold data spaces: one trait and its implementations.
//!
//! A store is a tree of nodes, each with data, a version and rights. This is ZooKeeper's model, because the other store
//! can implement it too, but not vice versa. The meaning of the nodes belongs to [`crate::space`], not to a store.

mod access;
mod address;
mod authority;
mod below;
mod bound;
mod connect;
pub mod embedded;
mod error;
mod hold;
mod memory;
mod path;
mod reach;
mod tree;
mod zookeeper;

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

pub use access::{Access, Login, OPERATOR, Principal, Rights};
pub use address::{Address, AddressError, Encryption};
pub(crate) use authority::of_the_system;
pub use authority::{Authority, AuthorityError, AuthorityId};
pub(crate) use below::{below, directly_below};
pub use bound::{MOST_BYTES, MOST_NODES};
pub use error::StoreError;
pub use hold::{Hold, Turn};
pub use memory::Memory;
pub(crate) use path::{check_path, parent, short};
pub use reach::Host;
use wattle_agent_core::node::bytes;
pub use wattle_agent_core::node::{Node, Version};

/// The maximum number of bytes of a node's data.
pub const MAX_DATA: usize = wattle::values::MAX_DATA;

/// A node beside the data space in which anyone may create others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    /// The path: `/zookeeper/quota`.
    pub path: String,
    /// The names of others' nodes there. If there are none, the operator has no right to change it.
    pub others: Vec<String>,
}

/// One step of a larger change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Op {
    /// Creates a node. Its parent must exist, the node itself must not.
    Create {
        /// The path: `/wattle/shop/revision`.
        path: String,
        /// The data.
        #[serde(with = "bytes")]
        data: Vec<u8>,
        /// The rights to it, in addition to the operator's.
        access: Access,
    },
    /// Replaces a node's data.
    Set {
        /// The path.
        path: String,
        /// The new data.
        #[serde(with = "bytes")]
        data: Vec<u8>,
        /// The version that the node must have. `None` for any.
        expected: Option<Version>,
    },
    /// Removes a node, which must have no children.
    Delete {
        /// The path.
        path: String,
    },
    /// Changes nothing, and fails if the node does not exist or has another version. Checks that precede all other
    /// operations are added to each request into which the operations are split, so none is carried out once one of
    /// these nodes has changed. ZooKeeper compares only how many times the data was set. To be sure that it is the same
    /// node, also check one that has a unique name.
    Check {
        /// The path.
        path: String,
        /// The version that the node must have.
        expected: Version,
    },
}

impl Op {
    /// The path of the node that it affects.
    pub fn path(&self) -> &str {
        match self {
            Self::Create { path, .. } | Self::Set { path, .. } | Self::Delete { path } | Self::Check { path, .. } => {
                path
            }
        }
    }

    /// Splits `ops` into the checks that are added to each request, and the other operations.
    pub(crate) fn conditions(ops: &[Self]) -> (&[Self], &[Self]) {
        let checks = ops.iter().take_while(|op| matches!(op, Self::Check { .. })).count();
        ops.split_at(checks)
    }

    /// An upper bound of its size in a request, in bytes.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Create { path, data, access } => 64 + path.len() + data.len() + access.size(),
            Self::Set { path, data, .. } => 64 + path.len() + data.len(),
            Self::Delete { path } | Self::Check { path, .. } => 64 + path.len(),
        }
    }
}

/// A tree of nodes that many processes share.
///
/// A path begins with `/`, and has no empty names, no `.` or `..`, and no control characters ([`StoreError::Illegal`]).
/// The root node, `/`, belongs to the store itself.
///
/// The futures of all methods may be dropped before they are done. Nothing is left behind, but it is then unknown
/// whether a write was carried out. Methods wait for an unreachable store, and callers decide for how long.
#[async_trait]
pub trait Store: Send + Sync + fmt::Debug {
    /// Reads the node at `path`. `None` if it does not exist.
    ///
    /// # Errors
    /// It may not be read.
    async fn get(&self, path: &str) -> Result<Option<Node>, StoreError>;

    /// Reads the node at `path`, for a client that only follows what this store has reported to it. The node is as new
    /// as everything that this store has returned or done, but may lack later changes of others. Where that is
    /// sufficient, this is cheaper than [`Store::get`].
    ///
    /// # Errors
    /// It may not be read.
    async fn look(&self, path: &str) -> Result<Option<Node>, StoreError> {
        self.get(path).await
    }

    /// Waits until the node at `path` differs from the version `seen`, and returns it: `None` if it does not exist.
    /// Intermediate changes may be skipped, but not the last one.
    ///
    /// # Errors
    /// It may not be read.
    async fn changed(&self, path: &str, seen: Option<Version>) -> Result<Option<Node>, StoreError>;

    /// Like [`Store::changed`], for a caller that will also wait for the next change, with the version returned here.
    ///
    /// # Errors
    /// It may not be read.
    async fn follow(&self, path: &str, seen: Option<Version>) -> Result<Option<Node>, StoreError> {
        self.changed(path, seen).await
    }

    /// Replaces the data of the node at `path`, if it has the `expected` version.
    ///
    /// # Errors
    /// [`StoreError::Missing`], [`StoreError::Conflict`], [`StoreError::Denied`], [`StoreError::TooLarge`].
    async fn set(&self, path: &str, data: &[u8], expected: Option<Version>) -> Result<Version, StoreError>;

    /// Lists the names of the nodes below `path`, sorted. Empty if it does not exist.
    ///
    /// # Errors
    /// They may not be read.
    async fn children(&self, path: &str) -> Result<Vec<String>, StoreError>;

    /// Identifies the session, for a store that has sessions. No session outlives the contents of the store: in another
    /// session, versions that were read before may be those of nodes that are gone.
    fn session_id(&self) -> i64 {
        0
    }

    /// Carries out many changes in order, in as few requests as the store allows. The changes of one request are
    /// carried out together or not at all. An error names the path that failed, and nothing after it is carried out. A
    /// node whose path alone fills a request is removed by itself, just after the checks.
    ///
    /// # Errors
    /// [`StoreError::Exists`] and all errors of [`Store::set`].
    async fn apply(&self, ops: Vec<Op>) -> Result<(), StoreError>;

    /// Changes the rights of nodes in any order, while all `checks` hold: [`Op::Check`]s. Nodes that do not exist are
    /// skipped. Once a check fails, rights that others have granted since are not replaced.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] and [`StoreError::Missing`] of a check, [`StoreError::Denied`], and
    /// [`StoreError::Replaced`] if a store could not distinguish a node from the one that replaced it.
    async fn protect(&self, accesses: &[(String, Access)], checks: &[Op]) -> Result<(), StoreError>;

    /// Lists the nodes that give anyone but the operator more rights than [`Store::protect`] would. Empty for a store
    /// in which only the operator can change rights, because no one else administers it.
    ///
    /// # Errors
    /// The rights may not be read.
    async fn exceeding(&self, accesses: &[(String, Access)]) -> Result<Vec<String>, StoreError> {
        let _ = accesses;
        Ok(Vec::new())
    }

    /// Keeps a node at `path` for as long as the result lives, this process runs, and no other client takes it. The
    /// node is created again if the store lost it or another client removed it. An existing node is left alone, unless
    /// it has the version `over`: the new one then replaces it, which requires the right to write the former one.
    /// Callers must know that its holder no longer exists.
    ///
    /// If two clients replace the same node at the same time, a store may let one succeed after the other. The first is
    /// notified by [`Hold::lost`], and the second continues only after the first has had the time to hear of it.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if another node exists. Other errors if the parent does not exist or its rights do not
    /// allow it.
    async fn hold(&self, path: &str, data: &[u8], access: &Access, over: Option<Version>) -> Result<Hold, StoreError>;

    /// Whether some client holds the node at `path` ([`Store::hold`]), as far as this store knows: otherwise, whether
    /// it exists. Nothing is below a held node, so anyone who may remove it at all can do so. The node need not be
    /// readable.
    ///
    /// # Errors
    /// The store cannot be used.
    async fn is_held(&self, path: &str) -> Result<bool, StoreError> {
        match self.get(path).await {
            Ok(node) => Ok(node.is_some()),
            Err(StoreError::Denied { .. }) => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Limits what clients other than the operator can create below each of `places`, which are below one node:
    /// [`MOST_NODES`] and [`MOST_BYTES`]. Returns whether the limit applies, as far as this store knows: a ZooKeeper
    /// may be configured not to enforce it.
    ///
    /// # Errors
    /// The store cannot be used.
    async fn bound(&self, places: &[String]) -> Result<bool, StoreError>;

    /// Undoes [`Store::bound`] for everything below `top`. Returns whether nothing of it is left.
    ///
    /// # Errors
    /// As for [`Store::bound`].
    async fn unbound(&self, top: &str) -> Result<bool, StoreError>;

    /// Keeps everyone but the operator from creating nodes beside the data space `top`, where the store lets anyone do
    /// that and others have no nodes. Returns what stays open.
    ///
    /// # Errors
    /// As for [`Store::bound`].
    async fn close_off(&self, _top: &str) -> Result<Vec<Open>, StoreError> {
        Ok(Vec::new())
    }

    /// The nodes in which the store keeps the limits of [`Store::bound`], if it keeps them in nodes: for everything
    /// down to `top`, the outermost first. The limits of the nodes below `top` are below the last one.
    fn bounds(&self, top: &str) -> Vec<String> {
        let _ = top;
        Vec::new()
    }

    /// How long the store keeps the nodes of a process that is silent. `None` if it notices at once that a process is
    /// gone, or has not reported it.
    fn session(&self) -> Option<Duration> {
        None
    }

    /// Adds these `logins` from now on.
    ///
    /// # Errors
    /// The store cannot be used.
    async fn log_in(&self, logins: &[Login]) -> Result<(), StoreError>;

    /// Disconnects in an orderly way. This must be the last use of the store by this process. Held nodes are then
    /// removed at once, not only when the store misses the process. Takes two seconds at most.
    async fn close(&self) {}
}
