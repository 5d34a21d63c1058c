//! Stores: where a data space is kept. One trait, and what implements it.
//!
//! A store is a tree of nodes, each with data, a version and rights: ZooKeeper's model, because the other store can have
//! it too and the reverse is not so. What the nodes mean is the business of [`crate::space`], not of a store.

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
mod tree;
mod zookeeper;

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

pub use access::{Access, Login, OPERATOR, Principal, Rights};
pub use address::{Address, AddressError, Wire};
pub(crate) use authority::of_the_system;
pub use authority::{Authority, AuthorityError, AuthorityId};
pub(crate) use below::below;
pub use bound::{MOST_BYTES, MOST_NODES};
pub use error::StoreError;
pub use hold::{Hold, Turn};
pub use memory::Memory;
pub(crate) use path::{check_path, parent};
use wattle_agent_core::node::bytes;
pub use wattle_agent_core::node::{Node, Version};

/// Most bytes that a node's data may have.
pub const MAX_DATA: usize = wattle::values::MAX_DATA;

/// One step of a larger change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Op {
    /// Makes a node; its parent must be there, itself must not.
    Create {
        /// Where: `/wattle/shop/revision`.
        path: String,
        /// What it holds.
        #[serde(with = "bytes")]
        data: Vec<u8>,
        /// Who may do what with it, besides the operator.
        access: Access,
    },
    /// Replaces a node's data.
    Set {
        /// Where.
        path: String,
        /// What it is to hold.
        #[serde(with = "bytes")]
        data: Vec<u8>,
        /// The version that it must have; none for any.
        expected: Option<Version>,
    },
    /// Removes a node, which must have no children.
    Delete {
        /// Where.
        path: String,
    },
    /// Changes nothing, and fails if the node is not there or has another version. Those in front of all others go with each
    /// request that they are cut into: none is carried out once one of the nodes has changed. ZooKeeper compares only how
    /// often its data was set: whoever must know that it is the same node checks one besides that has a name of its own.
    Check {
        /// Where.
        path: String,
        /// The version that it must have.
        expected: Version,
    },
}

impl Op {
    /// Where it works.
    pub fn path(&self) -> &str {
        match self {
            Self::Create { path, .. } | Self::Set { path, .. } | Self::Delete { path } | Self::Check { path, .. } => {
                path
            }
        }
    }

    /// What goes with each request that `ops` are cut into, and the others.
    pub(crate) fn conditions(ops: &[Self]) -> (&[Self], &[Self]) {
        let checks = ops.iter().take_while(|op| matches!(op, Self::Check { .. })).count();
        ops.split_at(checks)
    }

    /// Bytes that it takes in a request, generously.
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
/// A path begins with `/`, has no empty name in it, none that is `.` or `..`, and no control characters
/// ([`StoreError::Illegal`]). The node at the top, `/`, is the store's own.
///
/// All methods may be dropped before they are done: nothing is left behind but, for a write, the doubt whether it was
/// carried out. A store that is out of reach is waited for; how long is the caller's to say.
#[async_trait]
pub trait Store: Send + Sync + fmt::Debug {
    /// The node at `path`; none if there is none.
    ///
    /// # Errors
    /// When it may not be read.
    async fn get(&self, path: &str) -> Result<Option<Node>, StoreError>;

    /// The node at `path`, for whoever was led to it by this store: it is as new as all that this store has told or done,
    /// while what others have done since may not be seen yet. It costs less than [`Store::get`] where that matters.
    ///
    /// # Errors
    /// When it may not be read.
    async fn look(&self, path: &str) -> Result<Option<Node>, StoreError> {
        self.get(path).await
    }

    /// Waits until the node at `path` is not as it was `seen`, and gives it as it is then: none for a node that is not
    /// there. Changes in between may be passed over, the last one is not.
    ///
    /// # Errors
    /// When it may not be read.
    async fn changed(&self, path: &str, seen: Option<Version>) -> Result<Option<Node>, StoreError>;

    /// As [`Store::changed`], for whoever will wait for the next change as well, and be told the version that is given here.
    ///
    /// # Errors
    /// When it may not be read.
    async fn follow(&self, path: &str, seen: Option<Version>) -> Result<Option<Node>, StoreError> {
        self.changed(path, seen).await
    }

    /// Replaces the data of the node at `path`, if its version is the `expected` one.
    ///
    /// # Errors
    /// [`StoreError::Missing`], [`StoreError::Conflict`], [`StoreError::Denied`], [`StoreError::TooLarge`].
    async fn set(&self, path: &str, data: &[u8], expected: Option<Version>) -> Result<Version, StoreError>;

    /// The names of the nodes below `path`, sorted; none at all if it is not there.
    ///
    /// # Errors
    /// When they may not be read.
    async fn children(&self, path: &str) -> Result<Vec<String>, StoreError>;

    /// Which session this is, for a store that has sessions. None outlives what the store holds: once it is another one, the
    /// versions that were read before may be those of nodes that are gone.
    fn session_id(&self) -> i64 {
        0
    }

    /// Carries out many changes, in their order, in as few requests as the store allows; those of one request together
    /// or not at all. What fails is told with its path, and what comes after it is not done.
    ///
    /// # Errors
    /// [`StoreError::Exists`] and all that [`Store::set`] fails with.
    async fn apply(&self, ops: Vec<Op>) -> Result<(), StoreError>;

    /// Gives nodes other rights, in whatever order, while all `checks` hold: [`Op::Check`]s. Nodes that are not there need
    /// none. Once a check fails, nobody's rights that were given since are replaced.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] and [`StoreError::Missing`] of a check, [`StoreError::Denied`], and
    /// [`StoreError::Replaced`] if a store could not tell a node from the one that took its place.
    async fn protect(&self, accesses: &[(String, Access)], checks: &[Op]) -> Result<(), StoreError>;

    /// Which nodes let anybody do more with them than [`Store::protect`] would, the operator left out. None where nobody but the operator
    /// can change that, as nobody else runs the store.
    ///
    /// # Errors
    /// When it may not be asked.
    async fn exceeding(&self, accesses: &[(String, Access)]) -> Result<Vec<String>, StoreError> {
        let _ = accesses;
        Ok(Vec::new())
    }

    /// Keeps a node at `path` for as long as the result lives, this process runs, and nobody takes it: it is made again
    /// when the store forgot it or somebody removed it. A node that is there already is left alone, unless it has the
    /// version `over`: then the new one takes its place, for which it takes the right to write the former one. Whoever asks
    /// for that must know that its holder is no more.
    ///
    /// A store may let two who take the place of the same node at once succeed one after the other. The first of them is
    /// told by [`Hold::lost`], and the second goes on only when the first has had the time to hear of it.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when another node is there. When the parent is missing or its rights do not allow it.
    async fn hold(&self, path: &str, data: &[u8], access: &Access, over: Option<Version>) -> Result<Hold, StoreError>;

    /// Bounds how much others than the operator make below each of `places`, which stand below one node: [`MOST_NODES`] and
    /// [`MOST_BYTES`]. Says whether it is bounded, as far as this store can tell: a ZooKeeper may have been told not to.
    ///
    /// # Errors
    /// When the store cannot be used.
    async fn bound(&self, places: &[String]) -> Result<bool, StoreError>;

    /// Takes back what [`Store::bound`] has done for all that is below `top`, if it has done anything; says whether nothing is
    /// left of it.
    ///
    /// # Errors
    /// As there.
    async fn unbound(&self, top: &str) -> Result<bool, StoreError>;

    /// For how long the store keeps what is held by a process of which it hears nothing; none if it hears at once that one is
    /// gone, or has not said.
    fn session(&self) -> Option<Duration> {
        None
    }

    /// Asks as one who has these `logins`, too, from now on.
    ///
    /// # Errors
    /// When the store cannot be used.
    async fn log_in(&self, logins: &[Login]) -> Result<(), StoreError>;

    /// Leaves the store in an orderly way, as the last thing that this process does with it: what is held goes at once,
    /// not only when the store misses this process. It takes two seconds at most.
    async fn close(&self) {}
}
