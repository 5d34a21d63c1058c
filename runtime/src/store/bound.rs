//! How much others than the operator may make: bounded below each node below which they may make any.
//!
//! The embedded store bounds it by itself. A ZooKeeper does where it is told to by quotas, and to keep them
//! (`enforceQuota=true`).

/// Most nodes below one. An agent makes one.
pub const MOST_NODES: usize = 32;

/// Most bytes that these nodes hold together. An agent's has a few hundred.
pub const MOST_BYTES: usize = 64 << 10;
