//! A store within this process.

use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use tokio::sync::oneshot;

use super::tree::{Tree, Who};
use super::{Access, Hold, Login, Node, Op, Store, StoreError, Version};

/// A store within this process, as one who is logged in to it sees it. Clones share the tree.
#[derive(Clone, Debug)]
pub struct Memory {
    tree: Arc<Mutex<Tree>>,
    who: Who,
}

impl Memory {
    /// An empty tree, as its operator sees it.
    pub fn new() -> Self {
        Self { tree: Arc::default(), who: Who::Operator }
    }

    /// The same tree as one with these logins sees it.
    pub fn login(&self, logins: &[Login]) -> Self {
        Self { tree: Arc::clone(&self.tree), who: Who::new(logins) }
    }

    fn tree(&self) -> MutexGuard<'_, Tree> {
        self.tree.lock().expect("INVARIANT: nothing panics while it holds the tree")
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

/// Ends a watch when whoever waited gives up.
struct Unwatch<'a> {
    store: &'a Memory,
    path: &'a str,
    id: u64,
}

impl Drop for Unwatch<'_> {
    fn drop(&mut self) {
        self.store.tree().unwatch(self.path, self.id);
    }
}

#[async_trait]
impl Store for Memory {
    async fn get(&self, path: &str) -> Result<Option<Node>, StoreError> {
        self.tree().get(&self.who, path).map(Option::<&Node>::cloned)
    }

    async fn changed(&self, path: &str, seen: Option<Version>) -> Result<Option<Node>, StoreError> {
        let (sender, receiver) = oneshot::channel();
        let tell = Box::new(move |now: Result<Option<&Node>, StoreError>| {
            // Whoever waited may have given up.
            let _ = sender.send(now.map(Option::<&Node>::cloned));
        });
        let id = self.tree().watch(&self.who, path, seen, tell);
        let _unwatch = id.map(|id| Unwatch { store: self, path, id });
        receiver.await.expect("INVARIANT: a watch that is not ended is told")
    }

    async fn set(&self, path: &str, data: &[u8], expected: Option<Version>) -> Result<Version, StoreError> {
        let op = Op::Set { path: path.to_owned(), data: data.to_vec(), expected };
        self.tree().change(&self.who, None, vec![op], || Ok(()))
    }

    async fn children(&self, path: &str) -> Result<Vec<String>, StoreError> {
        self.tree().children(&self.who, path)
    }

    async fn apply(&self, ops: Vec<Op>) -> Result<(), StoreError> {
        self.tree().change(&self.who, None, ops, || Ok(())).map(drop)
    }

    async fn protect(&self, path: &str, access: &Access) -> Result<(), StoreError> {
        self.tree().protect(&self.who, path, access.clone(), || Ok(()))
    }

    async fn hold(&self, path: &str, data: &[u8], access: &Access) -> Result<Hold, StoreError> {
        let holder = {
            let mut tree = self.tree();
            let ops = tree.ops_to_hold(path, data.to_vec(), access.clone());
            let holder = tree.next_id();
            tree.change(&self.who, Some(holder), ops, || Ok(()))?;
            holder
        };
        let (hold, released) = Hold::new();
        let (store, path) = (self.clone(), path.to_owned());
        tokio::spawn(async move {
            let _ = released.await;
            store.tree().release(&path, holder);
        });
        Ok(hold)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn who_gives_up_waiting_leaves_nothing_behind() {
        let store = Memory::new();
        let mut waiting: Vec<_> = (0..10).map(|_| store.changed("/a", None)).collect();
        for wait in &mut waiting {
            assert!(wait.now_or_never().is_none());
        }
        assert_eq!(store.tree().watching(), 10);
        drop(waiting);
        assert_eq!(store.tree().watching(), 0);
    }
}
