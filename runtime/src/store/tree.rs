//! The tree itself, in this process: what the embedded store serves, and what tests use bare.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use tokio::sync::oneshot;

use super::{Access, Hold, Login, Node, Op, Principal, Rights, Store, StoreError, Version};

/// A store within this process, as one who is logged in to it sees it. Clones share the tree.
#[derive(Clone, Debug)]
pub struct Memory {
    tree: Arc<Mutex<Tree>>,
    who: Who,
}

#[derive(Clone, Debug)]
enum Who {
    Operator,
    Someone(Arc<[Principal]>),
}

#[derive(Debug, Default)]
struct Tree {
    nodes: BTreeMap<String, Slot>,
    transaction: i64,
    watchers: HashMap<String, Vec<oneshot::Sender<()>>>,
}

#[derive(Clone, Debug)]
struct Slot {
    node: Node,
    access: Access,
}

impl Memory {
    /// An empty tree, as its operator sees it.
    pub fn new() -> Self {
        Self { tree: Arc::default(), who: Who::Operator }
    }

    /// The same tree as one with these logins sees it.
    pub fn login(&self, logins: &[Login]) -> Self {
        let principals = logins.iter().map(Login::principal).collect();
        Self { tree: Arc::clone(&self.tree), who: Who::Someone(principals) }
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

/// The node above; none for one at the top.
fn parent(path: &str) -> Option<&str> {
    path.rfind('/').filter(|at| *at > 0).map(|at| &path[..at])
}

impl Tree {
    fn rights(&self, who: &Who, path: &str) -> Rights {
        match who {
            Who::Operator => Rights { read: true, write: true, create: true, delete: true },
            Who::Someone(principals) => {
                self.nodes.get(path).map(|slot| slot.access.rights_of(principals)).unwrap_or_default()
            }
        }
    }

    fn get(&self, who: &Who, path: &str) -> Result<Option<Node>, StoreError> {
        let Some(slot) = self.nodes.get(path) else { return Ok(None) };
        if !self.rights(who, path).read {
            return Err(StoreError::denied("read", path));
        }
        Ok(Some(slot.node.clone()))
    }

    fn has_children(&self, path: &str) -> bool {
        let below = format!("{path}/");
        let mut following = self.nodes.range::<str, _>((Bound::Included(&*below), Bound::Unbounded));
        following.next().is_some_and(|(next, _)| next.starts_with(&below))
    }

    /// Why `op` cannot be carried out.
    fn refuse(&self, who: &Who, op: &Op) -> Result<(), StoreError> {
        let path = op.path();
        let above =
            || parent(path).map_or(Rights { create: true, delete: true, ..Rights::default() }, |p| self.rights(who, p));
        match op {
            Op::Create { data, .. } => {
                if let Some(parent) = parent(path)
                    && !self.nodes.contains_key(parent)
                {
                    return Err(StoreError::missing(parent));
                }
                if !above().create {
                    return Err(StoreError::denied("create", path));
                }
                if self.nodes.contains_key(path) {
                    return Err(StoreError::Exists { path: path.to_owned() });
                }
                StoreError::check_size(path, data)
            }
            Op::Set { data, expected, .. } => {
                let Some(slot) = self.nodes.get(path) else { return Err(StoreError::missing(path)) };
                if !self.rights(who, path).write {
                    return Err(StoreError::denied("write", path));
                }
                if expected.is_some_and(|expected| expected != slot.node.version) {
                    return Err(StoreError::Conflict { path: path.to_owned() });
                }
                StoreError::check_size(path, data)
            }
            Op::Delete { .. } => {
                if !self.nodes.contains_key(path) {
                    return Err(StoreError::missing(path));
                }
                if !above().delete {
                    return Err(StoreError::denied("delete", path));
                }
                if self.has_children(path) {
                    return Err(StoreError::NotEmpty { path: path.to_owned() });
                }
                Ok(())
            }
        }
    }

    /// Carries out `op`, which nothing is in the way of.
    fn perform(&mut self, op: Op) -> Version {
        self.transaction += 1;
        let mut version = Version { transaction: self.transaction, count: 0 };
        let path = match op {
            Op::Create { path, data, access } => {
                self.nodes.insert(path.clone(), Slot { node: Node { data, version }, access });
                path
            }
            Op::Set { path, data, .. } => {
                if let Some(slot) = self.nodes.get_mut(&path) {
                    version.count = slot.node.version.count + 1;
                    slot.node = Node { data, version };
                }
                path
            }
            Op::Delete { path } => {
                self.nodes.remove(&path);
                path
            }
        };
        for watcher in self.watchers.remove(&path).into_iter().flatten() {
            let _ = watcher.send(());
        }
        version
    }

    fn watch(&mut self, path: &str) -> oneshot::Receiver<()> {
        let (sender, receiver) = oneshot::channel();
        let watchers = self.watchers.entry(path.to_owned()).or_default();
        // Those who gave up are cleared away when room would have to be made for them.
        if watchers.len() == watchers.capacity() {
            watchers.retain(|watcher| !watcher.is_closed());
        }
        watchers.push(sender);
        receiver
    }
}

#[async_trait]
impl Store for Memory {
    async fn get(&self, path: &str) -> Result<Option<Node>, StoreError> {
        self.tree().get(&self.who, path)
    }

    async fn changed(&self, path: &str, seen: Option<Version>) -> Result<Option<Node>, StoreError> {
        loop {
            let change = {
                let mut tree = self.tree();
                let node = tree.get(&self.who, path)?;
                if node.as_ref().map(|node| node.version) != seen {
                    return Ok(node);
                }
                tree.watch(path)
            };
            let _ = change.await;
        }
    }

    async fn set(&self, path: &str, data: &[u8], expected: Option<Version>) -> Result<Version, StoreError> {
        let op = Op::Set { path: path.to_owned(), data: data.to_vec(), expected };
        let mut tree = self.tree();
        tree.refuse(&self.who, &op)?;
        Ok(tree.perform(op))
    }

    async fn children(&self, path: &str) -> Result<Vec<String>, StoreError> {
        let tree = self.tree();
        if !tree.nodes.contains_key(path) {
            return Ok(Vec::new());
        }
        if !tree.rights(&self.who, path).read {
            return Err(StoreError::denied("read", path));
        }
        let below = format!("{path}/");
        let following = tree.nodes.range::<str, _>((Bound::Included(&*below), Bound::Unbounded));
        let names = following.map_while(|(path, _)| path.strip_prefix(&below));
        Ok(names.filter(|name| !name.contains('/')).map(str::to_owned).collect())
    }

    async fn apply(&self, ops: Vec<Op>) -> Result<(), StoreError> {
        let mut tree = self.tree();
        for op in ops {
            tree.refuse(&self.who, &op)?;
            tree.perform(op);
        }
        Ok(())
    }

    async fn protect(&self, path: &str, access: &Access) -> Result<(), StoreError> {
        if !matches!(self.who, Who::Operator) {
            return Err(StoreError::denied("protect", path));
        }
        let mut tree = self.tree();
        let slot = tree.nodes.get_mut(path).ok_or_else(|| StoreError::missing(path))?;
        slot.access = access.clone();
        Ok(())
    }

    async fn hold(&self, path: &str, data: &[u8], access: &Access) -> Result<Hold, StoreError> {
        {
            let mut tree = self.tree();
            let delete = Op::Delete { path: path.to_owned() };
            if tree.nodes.contains_key(path) {
                tree.refuse(&self.who, &delete)?;
                tree.perform(delete);
            }
            let create = Op::Create { path: path.to_owned(), data: data.to_vec(), access: access.clone() };
            tree.refuse(&self.who, &create)?;
            tree.perform(create);
        }
        let (hold, released) = Hold::new();
        let (store, path) = (self.clone(), path.to_owned());
        tokio::spawn(async move {
            let _ = released.await;
            let mut tree = store.tree();
            let delete = Op::Delete { path };
            if tree.refuse(&Who::Operator, &delete).is_ok() {
                tree.perform(delete);
            }
        });
        Ok(hold)
    }
}
