//! Networks of their own for servers.

use std::ffi::OsString;
use std::net::Ipv4Addr;
use std::path::Path;

use wattle::model::Name;

use super::address::Block;
use super::error::UpError;

/// The networks of one `up`.
#[derive(Debug)]
pub(super) struct Namespaces {}

impl Namespaces {
    #[expect(clippy::unused_async, reason = "stub")]
    pub(super) async fn create(_: &Path, _: &Block) -> Result<Self, UpError> {
        Err(UpError::Network { reason: "not yet".into() })
    }

    #[expect(clippy::unused_async, reason = "stub")]
    pub(super) async fn add(&mut self, _: &Name, _: Ipv4Addr, _: &Block) -> Result<Vec<OsString>, UpError> {
        Ok(Vec::new())
    }
}

/// Removes what is left of the networks of an `up` that was killed.
pub(super) fn clear(_: &Path) {}
