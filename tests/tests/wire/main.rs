//! The connections between a data space, its operator and its servers: eavesdropping and impersonation.
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
