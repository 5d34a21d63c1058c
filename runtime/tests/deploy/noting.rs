//! A store that records its requests.

use std::sync::Mutex;

use async_trait::async_trait;
use wattle_runtime::store::{Access, Hold, Login, Memory, Node, Op, Store, StoreError, Version};

/// A store that records which nodes are read and written.
#[derive(Debug)]
pub(crate) struct Noting {
    pub(crate) store: Memory,
    pub(crate) read: Mutex<Vec<String>>,
    written: Mutex<Vec<String>>,
}

#[async_trait]
impl Store for Noting {
    async fn get(&self, path: &str) -> Result<Option<Node>, StoreError> {
        self.read.lock().unwrap().push(path.to_owned());
        self.store.get(path).await
    }

    async fn changed(&self, path: &str, seen: Option<Version>) -> Result<Option<Node>, StoreError> {
        self.store.changed(path, seen).await
    }

    async fn set(&self, path: &str, data: &[u8], expected: Option<Version>) -> Result<Version, StoreError> {
        self.written.lock().unwrap().push(path.to_owned());
        self.store.set(path, data, expected).await
    }

    async fn children(&self, path: &str) -> Result<Vec<String>, StoreError> {
        self.read.lock().unwrap().push(path.to_owned());
        self.store.children(path).await
    }

    async fn apply(&self, ops: Vec<Op>) -> Result<(), StoreError> {
        let written = ops.iter().filter_map(|op| match op {
            Op::Create { path, .. } | Op::Set { path, .. } | Op::Delete { path } => Some(path.clone()),
            Op::Check { .. } => None,
        });
        self.written.lock().unwrap().extend(written);
        self.store.apply(ops).await
    }

    async fn protect(&self, accesses: &[(String, Access)], checks: &[Op]) -> Result<(), StoreError> {
        self.store.protect(accesses, checks).await
    }

    async fn hold(&self, path: &str, data: &[u8], access: &Access, over: Option<Version>) -> Result<Hold, StoreError> {
        self.store.hold(path, data, access, over).await
    }

    async fn bound(&self, places: &[String]) -> Result<bool, StoreError> {
        self.store.bound(places).await
    }

    async fn unbound(&self, top: &str) -> Result<bool, StoreError> {
        self.store.unbound(top).await
    }

    fn bounds(&self, top: &str) -> Vec<String> {
        self.store.bounds(top)
    }

    async fn log_in(&self, logins: &[Login]) -> Result<(), StoreError> {
        self.store.log_in(logins).await
    }
}

impl Noting {
    /// One over this store.
    pub(crate) fn new(store: Memory) -> Self {
        Self { store, read: Mutex::default(), written: Mutex::default() }
    }

    /// The names of the rows read since the last call.
    pub(crate) fn rows_read(&self) -> Vec<String> {
        rows(&std::mem::take(&mut *self.read.lock().unwrap()))
    }

    /// How many nodes were read, how many rows were written, and how many other nodes, since the last call.
    pub(crate) fn costs(&self) -> [usize; 3] {
        let read = std::mem::take(&mut *self.read.lock().unwrap());
        let written = std::mem::take(&mut *self.written.lock().unwrap());
        let rows = rows(&written).len();
        [read.len(), rows, written.len() - rows]
    }
}

/// The names of the rows among these nodes.
fn rows(paths: &[String]) -> Vec<String> {
    paths.iter().filter_map(|path| Some(path.rsplit_once("/rows/")?.1.to_owned())).collect()
}
