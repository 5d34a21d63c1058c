//! A store within this process.

use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use tokio::sync::oneshot;

use super::hold::Keeper;
use super::tree::{Tree, Who};
use super::{Access, Hold, Login, Node, Op, Store, StoreError, Version};

/// A store within this process, from the view of a logged-in client. Clones share the tree.
#[derive(Clone, Debug)]
pub struct Memory {
    tree: Arc<Mutex<Tree>>,
    who: Arc<Mutex<Who>>,
}

impl Memory {
    /// Creates an empty tree, from the view of its operator.
    pub fn new() -> Self {
        Self { tree: Arc::default(), who: Arc::new(Mutex::new(Who::Operator)) }
    }

    /// Returns the same tree, from the view of a client with these logins.
    pub fn login(&self, logins: &[Login]) -> Self {
        Self { tree: Arc::clone(&self.tree), who: Arc::new(Mutex::new(Who::new(logins))) }
    }

    fn who(&self) -> Who {
        self.who.lock().expect("INVARIANT: nothing panics while it holds who asks").clone()
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

/// Ends a watch when the caller stops waiting.
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

/// A held node.
struct Held {
    store: Memory,
    path: String,
    data: Vec<u8>,
    access: Access,
}

impl Held {
    /// Creates the node. Returns its holder's number and its version.
    fn make(&self, over: Option<Version>) -> Result<(u64, Version), StoreError> {
        let Self { store, path, data, access } = self;
        let create = Op::Create { path: path.clone(), data: data.clone(), access: access.clone() };
        let mut tree = store.tree();
        let ops = tree.ops_to_hold(&store.who(), create, over, None)?;
        let holder = tree.next_id();
        let version = tree.change(&store.who(), Some(holder), ops, || Ok(()))?;
        Ok((holder, version))
    }

    async fn keep(self, (mut holder, mut version): (u64, Version), mut keeper: Keeper) {
        // The holder of a node need not have the right to read it.
        let all = Memory { tree: Arc::clone(&self.store.tree), who: Arc::new(Mutex::new(Who::Operator)) };
        loop {
            tokio::select! {
                biased;
                () = keeper.released() => break,
                _ = all.changed(&self.path, Some(version)) => {}
            }
            let held = all.tree().held_by(&self.path, holder);
            let Some(now) = held else {
                match self.make(None) {
                    Ok(made) => {
                        (holder, version) = made;
                        keeper.again();
                    }
                    Err(_) => return keeper.lose(),
                }
                continue;
            };
            version = now;
        }
        all.tree().release(&self.path, holder);
    }
}

#[async_trait]
impl Store for Memory {
    async fn get(&self, path: &str) -> Result<Option<Node>, StoreError> {
        self.tree().get(&self.who(), path).map(Option::<&Node>::cloned)
    }

    async fn changed(&self, path: &str, seen: Option<Version>) -> Result<Option<Node>, StoreError> {
        let (sender, receiver) = oneshot::channel();
        let on_change = Box::new(move |now: Result<Option<&Node>, StoreError>| {
            // The caller may have stopped waiting.
            let _ = sender.send(now.map(Option::<&Node>::cloned));
        });
        let id = self.tree().watch(&self.who(), path, seen, on_change);
        let _unwatch = id.map(|id| Unwatch { store: self, path, id });
        receiver.await.expect("INVARIANT: a watch that is not ended is notified")
    }

    async fn log_in(&self, logins: &[Login]) -> Result<(), StoreError> {
        self.who.lock().expect("INVARIANT: nothing panics while it holds who asks").add(logins);
        Ok(())
    }

    async fn set(&self, path: &str, data: &[u8], expected: Option<Version>) -> Result<Version, StoreError> {
        let op = Op::Set { path: path.to_owned(), data: data.to_vec(), expected };
        self.tree().change(&self.who(), None, vec![op], || Ok(()))
    }

    async fn children(&self, path: &str) -> Result<Vec<String>, StoreError> {
        self.tree().children(&self.who(), path)
    }

    async fn apply(&self, ops: Vec<Op>) -> Result<(), StoreError> {
        self.tree().change(&self.who(), None, ops, || Ok(())).map(drop)
    }

    async fn protect(&self, accesses: &[(String, Access)], checks: &[Op]) -> Result<(), StoreError> {
        for (path, access) in accesses {
            StoreError::unless_missing(
                path,
                self.tree().protect(&self.who(), path, access.clone(), checks, || Ok(())),
            )?;
        }
        Ok(())
    }

    async fn bound(&self, _places: &[String]) -> Result<bool, StoreError> {
        // The limit always applies.
        Ok(true)
    }

    async fn unbound(&self, _top: &str) -> Result<bool, StoreError> {
        Ok(true)
    }

    async fn hold(&self, path: &str, data: &[u8], access: &Access, over: Option<Version>) -> Result<Hold, StoreError> {
        let node = Held { store: self.clone(), path: path.to_owned(), data: data.to_vec(), access: access.clone() };
        let made = node.make(over)?;
        let (hold, keeper) = Hold::new();
        tokio::spawn(node.keep(made, keeper));
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
