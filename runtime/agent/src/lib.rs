//! The rules of a run, and the formats that they stand on.
//!
//! What lives here: what an agent is given (the [`seed`] of a stack, the [`plan`] of a server), what it keeps (the
//! [`record`]s of its journal and what they amount to, its [`memory`]), and what it publishes ([`content`], [`status`],
//! [`failure`]). What must not: I/O, a clock, an executor, encryption. Whoever carries a run out reads the clock and
//! passes a [`time::Time`] in, and opens and seals secrets behind a [`vault::Vault`].

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
pub mod plan;
pub mod planning;
pub mod record;
pub mod request;
pub mod revision;
pub mod seed;
pub mod signal;
pub mod status;
pub mod time;
pub mod vault;

pub use hex::hex;

/// What stands in the place of a component's name for what belongs to the server itself.
pub const SERVER: &str = "server";
