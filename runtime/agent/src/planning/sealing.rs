//! How secrets in plans are sealed, and which keys identify the servers that write values.

use std::convert::Infallible;

use wattle_model::{Name, Value};

use crate::server_plan::ValueSource;

/// Seals the secrets in plans, and provides their recipients and the servers' signing keys.
pub trait Sealing {
    /// Why something cannot be sealed.
    type Error;

    /// Seals a secret value for `server`. With `None`, as in an export, no server can read it.
    ///
    /// # Errors
    /// The value cannot be sealed.
    fn seal(&mut self, server: Option<&Name>, value: &Value) -> Result<ValueSource, Self::Error>;

    /// The recipients of a secret `entry`: one for each of `servers`, of which the first writes the entry.
    ///
    /// # Errors
    /// The recipient of a server is unknown, or there are too many.
    fn recipients(&mut self, entry: &str, servers: &[&Name]) -> Result<Vec<String>, Self::Error>;

    /// The key that verifies the signatures of `server`. `None` if it signs nothing.
    fn key(&self, _server: &Name) -> Option<Name> {
        None
    }
}

/// Leaves secrets unencrypted, for tests and simulations. A server's recipient is its own name, as
/// [`PlainVault`](crate::vault::PlainVault) expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InPlain;

impl Sealing for InPlain {
    type Error = Infallible;

    fn seal(&mut self, _: Option<&Name>, value: &Value) -> Result<ValueSource, Infallible> {
        Ok(value.clone().into())
    }

    fn recipients(&mut self, _: &str, servers: &[&Name]) -> Result<Vec<String>, Infallible> {
        Ok(servers.iter().map(ToString::to_string).collect())
    }
}
