//! The rules of a run, and their data formats.
//!
//! This crate holds the inputs of an agent (the [`seed`] of a stack, the [`plan`](server_plan) of a server), its
//! persistent data (the [`record`]s of its journal and their summary, its [`memory`]), and what it publishes
//! ([`content`], [`status`], [`failure`]). It must contain no I/O, clock, executor or encryption. The caller that
//! carries out a run reads the clock, passes in a [`time::Time`], and opens and seals secrets behind a
//! [`vault::Vault`].

pub mod applying;
pub mod content;
pub mod failure;
pub mod fingerprint;
mod hex;
pub mod journal;
pub mod layout;
pub mod machine;
pub mod memory;
pub mod node;
pub mod outputs;
pub mod planning;
pub mod record;
pub mod request;
pub mod revision;
pub mod seed;
pub mod server_plan;
pub mod signal;
pub mod status;
pub mod time;
pub mod vault;

pub use hex::hex;

/// Stands in place of a component's name for anything that belongs to the server itself.
pub const SERVER: &str = "server";
