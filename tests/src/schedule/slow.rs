//! A store that takes its time.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use wattle_runtime::store::{Access, Hold, Node, Op, Store, StoreError, Version};

use super::Random;

/// A store that takes random time before and after everything that it does, and sometimes very long.
#[derive(Debug)]
pub(super) struct Slow {
    store: Arc<dyn Store>,
    random: Mutex<Random>,
    seconds: f64,
}

impl Slow {
    pub(super) fn new(store: Arc<dyn Store>, random: Random, seconds: f64) -> Self {
        Self { store, random: Mutex::new(random), seconds }
    }

    async fn pass(&self) {
        let delay = {
            let mut random = self.random.lock().expect("INVARIANT: nothing panics while it holds it");
            let outage = if random.once_in(300) { 1_000.0 } else { 1.0 };
            random.delay(self.seconds * outage)
        };
        tokio::time::sleep(delay).await;
    }
}

#[async_trait]
impl Store for Slow {
    async fn get(&self, path: &str) -> Result<Option<Node>, StoreError> {
        self.pass().await;
        let got = self.store.get(path).await;
        self.pass().await;
        got
    }

    async fn changed(&self, path: &str, seen: Option<Version>) -> Result<Option<Node>, StoreError> {
        self.pass().await;
        let changed = self.store.changed(path, seen).await;
        self.pass().await;
        changed
    }

    async fn set(&self, path: &str, data: &[u8], expected: Option<Version>) -> Result<Version, StoreError> {
        self.pass().await;
        let set = self.store.set(path, data, expected).await;
        self.pass().await;
        set
    }

    async fn children(&self, path: &str) -> Result<Vec<String>, StoreError> {
        self.pass().await;
        self.store.children(path).await
    }

    async fn apply(&self, ops: Vec<Op>) -> Result<(), StoreError> {
        self.pass().await;
        self.store.apply(ops).await
    }

    async fn protect(&self, path: &str, access: &Access) -> Result<(), StoreError> {
        self.pass().await;
        self.store.protect(path, access).await
    }

    async fn hold(&self, path: &str, data: &[u8], access: &Access) -> Result<Hold, StoreError> {
        self.pass().await;
        self.store.hold(path, data, access).await
    }
}
