//! Guards in front of an agent's store, which obstruct or observe it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use tokio::time::sleep;
use wattle_runtime::store::StoreError;
use wattle_tests::stores::{Asked, Guard};

/// Never lets the agent write an entry.
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

/// Records the agent's requests for nodes.
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

/// While it is closed, blocks reads and writes of nodes with this suffix.
#[derive(Debug)]
pub(crate) struct Gate(&'static str, AtomicBool);

impl Gate {
    pub(crate) fn of(end: &'static str) -> Self {
        Self(end, AtomicBool::new(false))
    }

    pub(crate) fn close(&self, is_closed: bool) {
        self.1.store(is_closed, Ordering::SeqCst);
    }
}

#[async_trait]
impl Guard for Gate {
    async fn before(&self, asked: &Asked<'_>) -> Result<(), StoreError> {
        let path = match asked {
            Asked::Get(path) => path,
            Asked::Op(op) => op.path(),
            _ => "",
        };
        while path.ends_with(self.0) && self.1.load(Ordering::SeqCst) {
            sleep(Duration::from_secs(1)).await;
        }
        Ok(())
    }
}
