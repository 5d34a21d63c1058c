//! How the secrets of a plan are sealed, and by what those who write values are known.

use std::convert::Infallible;

use wattle_model::{Name, Value};

use crate::plan::Source;

/// Seals what is secret in plans, and knows for whom secrets are sealed and what servers sign with.
pub trait Sealing {
    /// Why something cannot be sealed.
    type Error;

    /// A secret value as `server` reads it; nobody reads it if that is none, as in an export.
    ///
    /// # Errors
    /// When it cannot be sealed.
    fn seal(&mut self, server: Option<&Name>, value: &Value) -> Result<Source, Self::Error>;

    /// For whom a secret `entry` is sealed: a recipient for each of `servers`, of which the first writes it.
    ///
    /// # Errors
    /// When one of them is not known, or they are too many.
    fn recipients(&mut self, entry: &str, servers: &[&Name]) -> Result<Vec<String>, Self::Error>;

    /// What signatures of `server` are judged by; none if it signs nothing.
    fn key(&self, _server: &Name) -> Option<Name> {
        None
    }
}

/// Secrets as they are, for tests and simulations. A server's recipient is its own name, for a
/// [`PlainVault`](crate::vault::PlainVault).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InPlain;

impl Sealing for InPlain {
    type Error = Infallible;

    fn seal(&mut self, _: Option<&Name>, value: &Value) -> Result<Source, Infallible> {
        Ok(value.clone().into())
    }

    fn recipients(&mut self, _: &str, servers: &[&Name]) -> Result<Vec<String>, Infallible> {
        Ok(servers.iter().map(ToString::to_string).collect())
    }
}
