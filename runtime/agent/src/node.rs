//! The contents of a store's nodes, as the rules of data spaces see them.

pub mod bytes;

use serde::{Deserialize, Serialize};

/// A version of a node's data. Two reads with the same version returned the same data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Version {
    /// The store's transaction that wrote it. No two changes share one, even if the node was created again in between.
    pub transaction: i64,
    /// How many times the data was set since the node was created.
    pub count: i32,
}

impl Version {
    /// The version of a node whose data was never set since it was created, at any time. A store that does not count
    /// takes it for a version that no node has.
    pub const UNTOUCHED: Self = Self { transaction: i64::MAX, count: 0 };
}

/// The contents of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// Its data, as it was written.
    #[serde(with = "bytes")]
    pub data: Vec<u8>,
    /// The version of the data.
    pub version: Version,
}
