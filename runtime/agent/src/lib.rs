//! The rules of a run, and the formats that they depend on.
//!
//! This crate holds what an agent is given (the [`seed`] of a stack, the [`plan`](server_plan) of a server), what it
//! keeps (the [`record`]s of its journal and their summary, its [`memory`]), and what it publishes ([`content`],
//! [`status`], [`failure`]). It must contain no I/O, clock, executor or encryption. The caller that carries out a run
//! reads the clock, passes in a [`time::Time`], and opens and seals secrets behind a [`vault::Vault`].

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

/// Takes the place of a component's name in anything that belongs to the server itself.
pub const SERVER: &str = "server";
