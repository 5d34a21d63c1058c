//! The connections between a data space, its operator and its servers: who can eavesdrop, and who can impersonate.
#![expect(clippy::unwrap_used, reason = "what fails here fails a test")]

mod authority;
mod ca;
mod in_clear;
mod listener;
mod login;
mod place;
mod pretender;
mod servers;
mod sockets;
