//! A whole topology on one machine: `wattle up`.
//!
//! What lives here: the store, the agents and everything that they start, as processes of this machine, with addresses
//! and attributes that stand for those of OpenStack. What must not: what a terminal shows; that is the command's.

mod folder;

pub use folder::{Folder, Lock, Network, Record, running_below, write_whole};
