//! Faults of agents, data spaces, networks, disks and recipes. Each test ends with the right value or the right root
//! cause everywhere; nothing is lost, nothing hangs, nothing that is finished runs again.
//!
//! Real `wattle agent` processes with real recipes, on a real ZooKeeper, and also on the embedded store if the store
//! matters.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod agent_killed;
mod clock;
mod disk;
mod ends;
mod mixed;
mod network;
mod play;
mod recipes;
mod stack;
mod zookeeper;
