//! Certificates for the members of a ZooKeeper, and the authority that they are of.
//!
//! Everything here is text to text: files and clocks are their caller's.

mod authority;
mod host;

pub use authority::{CaError, CertificateAuthority, Issued};
pub use host::{Host, HostError};

#[cfg(test)]
mod tests;
