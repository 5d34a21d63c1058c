//! Certificates for the members of a ZooKeeper ensemble, and their authority.
//!
//! Everything here is pure: callers read files and clocks.

mod authority;
mod host;

pub use authority::{CaError, CertificateAuthority, Issued};
pub use host::{Host, HostError};

#[cfg(test)]
mod tests;
