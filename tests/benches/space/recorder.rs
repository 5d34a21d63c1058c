//! A store that keeps what is asked of it.

use std::sync::Mutex;

use async_trait::async_trait;
use wattle_runtime::store::{Access, Hold, Memory, Node, Op, Store, StoreError, Version};

/// Keeps what is written, for the raw client.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    tree: Memory,
    /// What was written.
    pub(super) ops: Mutex<Vec<Op>>,
}

#[async_trait]
impl Store for Recorder {
    async fn get(&self, path: &str) -> Result<Option<Node>, StoreError> {
        self.tree.get(path).await
    }

    async fn changed(&self, path: &str, seen: Option<Version>) -> Result<Option<Node>, StoreError> {
        self.tree.changed(path, seen).await
    }

    async fn set(&self, path: &str, data: &[u8], expected: Option<Version>) -> Result<Version, StoreError> {
        let op = Op::Set { path: path.to_owned(), data: data.to_vec(), expected: None };
        self.ops.lock().expect("no panic").push(op);
        self.tree.set(path, data, expected).await
    }

    async fn children(&self, path: &str) -> Result<Vec<String>, StoreError> {
        self.tree.children(path).await
    }

    async fn apply(&self, ops: Vec<Op>) -> Result<(), StoreError> {
        self.ops.lock().expect("no panic").extend(ops.iter().cloned());
        self.tree.apply(ops).await
    }

    async fn protect(&self, path: &str, access: &Access) -> Result<(), StoreError> {
        self.tree.protect(path, access).await
    }

    async fn hold(&self, path: &str, data: &[u8], access: &Access) -> Result<Hold, StoreError> {
        self.tree.hold(path, data, access).await
    }
}
