//! Limits how much clients other than the operator can create. The limit applies below each node in which they may
//! create any.
//!
//! The embedded store enforces it by itself. A ZooKeeper does if it has quotas and is configured to enforce them
//! (`enforceQuota=true`).

/// The maximum number of nodes below one. An agent creates one.
pub const MOST_NODES: usize = 32;

/// The maximum total size of these nodes, in bytes. An agent's node has a few hundred.
pub const MOST_BYTES: usize = 64 << 10;
