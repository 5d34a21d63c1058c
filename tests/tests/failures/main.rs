//! Failures of agents, data spaces, networks, disks and recipes. Each test ends with the right value or the right root
//! cause everywhere; nothing is lost, nothing hangs, nothing finished runs again.
//!
//! Real `wattle agent` processes with real recipes, on a real ZooKeeper, and where the store matters on the embedded
//! one too.

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
