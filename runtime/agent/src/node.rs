//! The contents of a store's nodes, in the terms of a data space's rules.

pub mod bytes;

use serde::{Deserialize, Serialize};

/// A version of a node's data. Two reads with the same version returned the same data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Version {
    /// The store's transaction that wrote it. Transactions are unique, even if the node was created again in between.
    pub transaction: i64,
    /// How many times the data was set since the node was created.
    pub count: i32,
}

impl Version {
    /// The version of a node whose data has not been set since its creation, at any time. A store without counts takes
    /// it for a version that no node has.
    pub const UNTOUCHED: Self = Self { transaction: i64::MAX, count: 0 };
}

/// The contents of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// Its data, as written.
    #[serde(with = "bytes")]
    pub data: Vec<u8>,
    /// The version of the data.
    pub version: Version,
}
