//! The in-process tree. The embedded store serves it, and [`Memory`] wraps it.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::ops::Bound;
use std::sync::Arc;

use super::{
    Access, Login, MOST_BYTES, MOST_NODES, Node, Op, Principal, Rights, StoreError, Version, check_path, parent,
};

/// The identity of a client.
#[derive(Clone, Debug)]
pub(super) enum Who {
    Operator,
    Someone(Arc<[Principal]>),
}

impl Who {
    /// A client with all of `logins`.
    pub(super) fn new(logins: &[Login]) -> Self {
        Self::Someone(logins.iter().map(Login::principal).collect())
    }

    /// Adds these `logins` to the client's.
    pub(super) fn add(&mut self, logins: &[Login]) {
        if let Self::Someone(principals) = self {
            *principals = principals.iter().cloned().chain(logins.iter().map(Login::principal)).collect();
        }
    }
}

/// Nodes by path, and the clients that wait for them. A change is one transaction: all of it or nothing.
#[derive(Debug, Default)]
pub(super) struct Tree {
    nodes: BTreeMap<String, Slot>,
    transaction: i64,
    watches: HashMap<String, BTreeMap<u64, Watch>>,
    last_id: u64,
}

#[derive(Debug)]
struct Slot {
    node: Node,
    access: Access,
    // INVARIANT: a held node has no children.
    holder: Option<u64>,
}

struct Watch {
    who: Who,
    seen: Option<Version>,
    on_change: OnChange,
}

/// Receives the new state of a watched node, once.
pub(super) type OnChange = Box<dyn FnOnce(Result<Option<&Node>, StoreError>) + Send>;

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("who", &self.who).field("seen", &self.seen).finish_non_exhaustive()
    }
}

/// The nodes as they were before a transaction.
type Undo = Vec<(String, Option<Slot>)>;

impl Tree {
    fn rights(&self, who: &Who, path: &str) -> Rights {
        match who {
            Who::Operator => Rights { read: true, write: true, create: true, delete: true },
            Who::Someone(principals) => {
                self.nodes.get(path).map(|slot| slot.access.rights_of(principals)).unwrap_or_default()
            }
        }
    }

    /// The number of the last transaction.
    pub(super) fn transaction(&self) -> i64 {
        self.transaction
    }

    /// Continues after this transaction.
    pub(super) fn set_transaction(&mut self, transaction: i64) {
        self.transaction = transaction;
    }

    /// Adds a node to a tree that is not in use yet.
    pub(super) fn put(&mut self, path: String, node: Node, access: Access) {
        self.nodes.insert(path, Slot { node, access, holder: None });
    }

    /// All nodes that are not held, parents first.
    pub(super) fn lasting(&self) -> impl Iterator<Item = (&str, &Node, &Access)> {
        let lasting = self.nodes.iter().filter(|(_, slot)| slot.holder.is_none());
        lasting.map(|(path, slot)| (path.as_str(), &slot.node, &slot.access))
    }

    /// Whether the node at `path` is held.
    pub(super) fn is_held(&self, path: &str) -> bool {
        self.holder(path).is_some()
    }

    /// A number that was never returned before.
    pub(super) fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    pub(super) fn get(&self, who: &Who, path: &str) -> Result<Option<&Node>, StoreError> {
        check_path(path)?;
        let Some(slot) = self.nodes.get(path) else { return Ok(None) };
        if !self.rights(who, path).read {
            return Err(StoreError::denied("read", path));
        }
        Ok(Some(&slot.node))
    }

    pub(super) fn children(&self, who: &Who, path: &str) -> Result<Vec<String>, StoreError> {
        check_path(path)?;
        if !self.nodes.contains_key(path) {
            return Ok(Vec::new());
        }
        if !self.rights(who, path).read {
            return Err(StoreError::denied("read", path));
        }
        let below = format!("{path}/");
        let mut names = Vec::new();
        let mut from = below.clone();
        while let Some((next, _)) = self.nodes.range::<str, _>((Bound::Included(&*from), Bound::Unbounded)).next() {
            let Some(rest) = next.strip_prefix(&below) else { break };
            from.clear();
            from.push_str(&below);
            if let Some((child, _)) = rest.split_once('/') {
                // Skip everything below a child at once: `0` comes after `/`.
                from.push_str(child);
                from.push('0');
            } else {
                names.push(rest.to_owned());
                from.push_str(rest);
                from.push('\0');
            }
        }
        Ok(names)
    }

    fn has_children(&self, path: &str) -> bool {
        let below = format!("{path}/");
        let mut following = self.nodes.range::<str, _>((Bound::Included(&*below), Bound::Unbounded));
        following.next().is_some_and(|(next, _)| next.starts_with(&below))
    }

    /// Refuses what exceeds the limit for clients other than the operator. It covers everything below a node in which
    /// they may create nodes, that is, one server's place. `bytes` is the size of the node at `path` once it is created
    /// or set.
    fn check_room(&self, who: &Who, path: &str, bytes: usize) -> Result<(), StoreError> {
        if matches!(who, Who::Operator) {
            return Ok(());
        }
        // The topmost such node: below it, they can grant each other any rights.
        let above = path.match_indices('/').skip(1).map(|(end, _)| &path[..end]);
        let may_make =
            |top: &&str| self.nodes.get(*top).is_some_and(|slot| slot.access.grants().any(|(_, rights)| rights.create));
        let Some(top) = above.into_iter().find(may_make) else { return Ok(()) };
        let below = format!("{top}/");
        let there = self.nodes.range::<str, _>((Bound::Included(&*below), Bound::Unbounded));
        let others = there.take_while(|(other, _)| other.starts_with(&below)).filter(|(other, _)| *other != path);
        let (count, sum) = others.fold((1, bytes), |(count, sum), (_, slot)| (count + 1, sum + slot.node.data.len()));
        if count > MOST_NODES || sum > MOST_BYTES {
            return Err(StoreError::Full { path: path.to_owned() });
        }
        Ok(())
    }

    /// Why `op` cannot be carried out. The order of the checks is ZooKeeper's (`PrepRequestProcessor`).
    fn refuse(&self, who: &Who, op: &Op) -> Result<(), StoreError> {
        let path = op.path();
        check_path(path)?;
        let above = match (parent(path), who) {
            (Some(parent), _) => self.rights(who, parent),
            (None, Who::Operator) => Rights { create: true, delete: true, ..Rights::default() },
            (None, Who::Someone(_)) => Rights::default(),
        };
        match op {
            Op::Create { data, .. } => {
                let holder = match parent(path).map(|parent| self.nodes.get(parent).ok_or(parent)) {
                    None => None,
                    Some(Ok(slot)) => slot.holder,
                    Some(Err(parent)) => return Err(StoreError::missing(parent)),
                };
                if !above.create || holder.is_some() {
                    return Err(StoreError::denied("create", path));
                }
                if self.nodes.contains_key(path) {
                    return Err(StoreError::Exists { path: path.to_owned() });
                }
                StoreError::check_size(path, data)?;
                self.check_room(who, path, data.len())
            }
            Op::Set { data, expected, .. } => {
                let Some(slot) = self.nodes.get(path) else { return Err(StoreError::missing(path)) };
                if !self.rights(who, path).write {
                    return Err(StoreError::denied("write", path));
                }
                if expected.is_some_and(|expected| expected != slot.node.version) {
                    return Err(StoreError::Conflict { path: path.to_owned() });
                }
                StoreError::check_size(path, data)?;
                self.check_room(who, path, data.len())
            }
            Op::Delete { .. } => {
                if !self.nodes.contains_key(path) {
                    return Err(StoreError::missing(path));
                }
                if !above.delete {
                    return Err(StoreError::denied("delete", path));
                }
                if self.has_children(path) {
                    return Err(StoreError::NotEmpty { path: path.to_owned() });
                }
                Ok(())
            }
            Op::Check { expected, .. } => match self.get(who, path)? {
                None => Err(StoreError::missing(path)),
                Some(node) if node.version != *expected => Err(StoreError::Conflict { path: path.to_owned() }),
                Some(_) => Ok(()),
            },
        }
    }

    /// Carries out `op`, which has passed all checks, and remembers what was there. A created node belongs to `holder`.
    fn perform(&mut self, transaction: i64, holder: Option<u64>, op: Op, undo: &mut Undo) -> Version {
        let mut version = Version { transaction, count: 0 };
        match op {
            Op::Create { path, data, access } => {
                let slot = Slot { node: Node { data, version }, access, holder };
                let former = self.nodes.insert(path.clone(), slot);
                undo.push((path, former));
            }
            Op::Set { path, data, .. } => {
                if let Some(slot) = self.nodes.get_mut(&path) {
                    version.count = slot.node.version.count.wrapping_add(1);
                    let node = std::mem::replace(&mut slot.node, Node { data, version });
                    let former = Slot { node, access: slot.access.clone(), holder: slot.holder };
                    undo.push((path, Some(former)));
                }
            }
            Op::Delete { path } => {
                let former = self.nodes.remove(&path);
                undo.push((path, former));
            }
            Op::Check { .. } => {}
        }
        version
    }

    /// Carries out all of `ops`, or nothing if one of them is refused or they cannot be stored. `keep` is called once
    /// all are known to be possible, before anyone sees them. Returns the version from the last one.
    pub(super) fn change(
        &mut self,
        who: &Who,
        holder: Option<u64>,
        ops: Vec<Op>,
        keep: impl FnOnce() -> Result<(), StoreError>,
    ) -> Result<Version, StoreError> {
        let transaction = self.transaction + 1;
        let mut version = Version { transaction, count: 0 };
        let mut undo = Undo::new();
        let mut outcome = Ok(());
        for op in ops {
            outcome = self.refuse(who, &op);
            if outcome.is_err() {
                break;
            }
            version = self.perform(transaction, holder, op, &mut undo);
        }
        if let Err(error) = outcome.and_then(|()| keep()) {
            for (path, former) in undo.into_iter().rev() {
                match former {
                    Some(slot) => self.nodes.insert(path, slot),
                    None => self.nodes.remove(&path),
                };
            }
            return Err(error);
        }
        self.transaction = transaction;
        for (path, _) in undo {
            self.notify(&path);
        }
        Ok(version)
    }

    /// The operations that carry out `create` for a client that will hold the node. They also replace a node with the
    /// version `over`, or one that belongs to the holder `former`.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if there is another node.
    pub(super) fn ops_to_hold(
        &self,
        who: &Who,
        create: Op,
        over: Option<Version>,
        former: Option<u64>,
    ) -> Result<Vec<Op>, StoreError> {
        match self.refuse(who, &create) {
            Ok(()) => Ok(vec![create]),
            Err(StoreError::Exists { path }) => match self.nodes.get(&path) {
                Some(slot) if over == Some(slot.node.version) || (former.is_some() && slot.holder == former) => {
                    if !self.rights(who, &path).write {
                        return Err(StoreError::denied("write", &path));
                    }
                    Ok(vec![Op::Delete { path }, create])
                }
                _ => Err(StoreError::Conflict { path }),
            },
            Err(error) => Err(error),
        }
    }

    /// The holder of the node at `path`.
    pub(super) fn holder(&self, path: &str) -> Option<u64> {
        self.nodes.get(path)?.holder
    }

    /// The version of the node at `path` if it belongs to `holder`.
    pub(super) fn held_by(&self, path: &str, holder: u64) -> Option<Version> {
        let slot = self.nodes.get(path)?;
        (slot.holder == Some(holder)).then_some(slot.node.version)
    }

    /// Removes the node at `path` if it still belongs to `holder`.
    pub(super) fn release(&mut self, path: &str, holder: u64) {
        if self.held_by(path, holder).is_some() {
            self.nodes.remove(path);
            self.transaction += 1;
            self.notify(path);
        }
    }

    /// Changes the rights of the node at `path`, if the `checks` hold and `keep` agrees.
    pub(super) fn protect(
        &mut self,
        who: &Who,
        path: &str,
        access: Access,
        checks: &[Op],
        keep: impl FnOnce() -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        check_path(path)?;
        checks.iter().try_for_each(|check| self.refuse(who, check))?;
        let slot = self.nodes.get_mut(path).ok_or_else(|| StoreError::missing(path))?;
        if !matches!(who, Who::Operator) {
            return Err(StoreError::denied("protect", path));
        }
        keep()?;
        slot.access = access;
        Ok(())
    }

    /// Passes the node at `path` to `on_change` as soon as it differs from the version `seen`. If that is not the case
    /// at once, returns the number with which [`Tree::unwatch`] ends the watch.
    pub(super) fn watch(&mut self, who: &Who, path: &str, seen: Option<Version>, on_change: OnChange) -> Option<u64> {
        let now = self.get(who, path);
        if !matches!(&now, Ok(node) if node.map(|node| node.version) == seen) {
            on_change(now);
            return None;
        }
        let id = self.next_id();
        let watch = Watch { who: who.clone(), seen, on_change };
        self.watches.entry(path.to_owned()).or_default().insert(id, watch);
        Some(id)
    }

    pub(super) fn unwatch(&mut self, path: &str, id: u64) {
        if let Some(watches) = self.watches.get_mut(path) {
            watches.remove(&id);
            if watches.is_empty() {
                self.watches.remove(path);
            }
        }
    }

    fn notify(&mut self, path: &str) {
        let Some(watches) = self.watches.remove(path) else { return };
        let mut unchanged = BTreeMap::new();
        for (id, watch) in watches {
            match self.get(&watch.who, path) {
                Ok(node) if node.map(|node| node.version) == watch.seen => {
                    unchanged.insert(id, watch);
                }
                now => (watch.on_change)(now),
            }
        }
        if !unchanged.is_empty() {
            self.watches.insert(path.to_owned(), unchanged);
        }
    }

    /// The number of clients that wait for a node to change.
    pub(super) fn watching(&self) -> usize {
        self.watches.values().map(BTreeMap::len).sum()
    }
}
