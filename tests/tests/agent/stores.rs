//! What gets in the way of an agent, or looks at it, in front of its store.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use wattle_runtime::store::StoreError;
use wattle_tests::stores::{Asked, Guard};

/// Never lets it write an entry.
#[derive(Debug)]
pub(crate) struct Mute;

#[async_trait]
impl Guard for Mute {
    async fn before(&self, asked: &Asked<'_>) -> Result<(), StoreError> {
        if let Asked::Op(op) = asked
            && op.path().contains("/entries/")
        {
            std::future::pending::<()>().await;
        }
        Ok(())
    }
}

/// Writes down what it asks of nodes.
#[derive(Debug)]
pub(crate) struct Counts(pub(crate) Arc<Mutex<Vec<String>>>);

#[async_trait]
impl Guard for Counts {
    async fn before(&self, asked: &Asked<'_>) -> Result<(), StoreError> {
        let (what, path) = match asked {
            Asked::Get(path) => ("get", *path),
            Asked::Changed(path) => ("changed", *path),
            Asked::Op(op) => ("set", op.path()),
            Asked::Children(_) | Asked::Protect(..) | Asked::Hold(_) => return Ok(()),
        };
        self.0.lock().unwrap().push(format!("{what} {path}"));
        Ok(())
    }
}
