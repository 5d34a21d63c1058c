//! What a store holds at a path, as a data space's rules see it.

pub mod bytes;

use serde::{Deserialize, Serialize};

/// A version of a node's data. Two reads that give the same version gave the same data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Version {
    /// The store's transaction that wrote it: never the same for two changes, also of a node that was made anew.
    pub transaction: i64,
    /// How often the node's data was set since it was created.
    pub count: i32,
}

impl Version {
    /// Of a node whose data was never set since it was made, whenever that was. A store that does not count takes it for no
    /// version that a node has.
    pub const UNTOUCHED: Self = Self { transaction: i64::MAX, count: 0 };
}

/// What a node holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// Its data, as it was written.
    #[serde(with = "bytes")]
    pub data: Vec<u8>,
    /// The version of the data.
    pub version: Version,
}
