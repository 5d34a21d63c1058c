//! The leader's view of the engine's facts in the data space: read once, and written only during its term.
//!
//! Beginning a term sets the term node. Each write request first checks that this node is unchanged, so a leader that
//! was deposed and does not know it yet writes nothing more.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wattle_converge::{Id, Row, Time, Write};

use crate::clock;
use crate::store::{Access, Hold, Op, Store, StoreError, Version};

use super::DeployError;
use super::facts::{Asked, Changes, DesiredState, Good, Report, Wish};
use super::place::Place;
use super::shelf;

/// The number of reached desired states to keep.
pub(super) const KEPT: usize = 10;

/// The number of nodes read concurrently.
pub(super) const AT_ONCE: usize = 256;

/// The facts at the beginning of a term.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) desired: Option<DesiredState>,
    pub(super) good: Vec<Good>,
    pub(super) rows: Vec<Row>,
    pub(super) wish: Option<(Wish, Version)>,
}

/// The leader of a stack's deployment for a term.
#[derive(Debug)]
pub(super) struct Keeper {
    store: Arc<dyn Store>,
    stack: String,
    place: Place,
    term: u64,
    fence: Op,
    rows: BTreeSet<Id>,
    desired: Option<DesiredState>,
    good: Option<Vec<Good>>,
    has_report: bool,
    changes: Changes,
    has_changes: bool,
    /// The last wish received.
    pub(super) wish: u64,
    /// The number of rows, desired states and records written.
    pub(super) written: u64,
}

impl Keeper {
    /// Begins a term for a stack whose leader node is held. Creates missing nodes.
    pub(super) async fn begin(store: &Arc<dyn Store>, stack: &str, _held: &Hold) -> Result<Self, DeployError> {
        let place = Place::new(stack);
        let path = place.term();
        loop {
            let Some(node) = store.get(&path).await? else {
                make(store, &path).await?;
                continue;
            };
            let term = read::<u64>(stack, &path, &node.data)?.unwrap_or(0) + 1;
            let data = json(&term);
            match store.set(&path, &data, Some(node.version)).await {
                Ok(version) => {
                    let fence = Op::Check { path, expected: version };
                    return Ok(Self {
                        store: Arc::clone(store),
                        stack: stack.to_owned(),
                        place,
                        term,
                        fence,
                        rows: BTreeSet::new(),
                        desired: None,
                        good: None,
                        has_report: false,
                        changes: Changes::default(),
                        has_changes: false,
                        wish: 0,
                        written: 0,
                    });
                }
                // Another process began a term at the same time. Begin one after it.
                Err(StoreError::Conflict { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    pub(super) fn term(&self) -> u64 {
        self.term
    }

    /// All existing facts.
    pub(super) async fn load(&mut self) -> Result<Facts, DeployError> {
        let (store, stack, place) = (&self.store, self.stack.clone(), self.place.clone());
        let names = store.children(&place.rows()).await?;
        let read_row = |name: String| {
            let (stack, path) = (&stack, format!("{}/{name}", place.rows()));
            async move {
                match store.get(&path).await? {
                    Some(node) => read::<Row>(stack, &path, &node.data),
                    None => Ok(None),
                }
            }
        };
        let rows: Vec<Row> = stream::iter(names)
            .map(read_row)
            .buffered(AT_ONCE)
            .try_filter_map(|row| async move { Ok(row) })
            .try_collect()
            .await?;
        self.rows = rows.iter().map(|row| row.id).collect();
        self.desired = get(store, &stack, &place.desired_state()).await?.map(|(desired, _)| desired);
        self.good = get(store, &stack, &place.good()).await?.map(|(good, _)| good);
        self.has_report = store.get(&place.report()).await?.is_some();
        let changes = get(store, &stack, &place.changes()).await?;
        self.has_changes = changes.is_some();
        self.changes = changes.map(|(changes, _)| changes).unwrap_or_default();
        self.changes.forget();
        self.wish = self.desired.as_ref().map_or(0, |desired| desired.wish);
        let wish = get(store, &stack, &place.wish()).await?;
        Ok(Facts { desired: self.desired.clone(), good: self.good.clone().unwrap_or_default(), rows, wish })
    }

    /// Waits for a wish other than the one `seen`.
    pub(super) async fn wish(&self, seen: Option<Version>) -> Result<Option<(Wish, Version)>, DeployError> {
        let path = self.place.wish();
        let Some(node) = self.store.changed(&path, seen).await? else { return Ok(None) };
        Ok(read(&self.stack, &path, &node.data)?.map(|wish| (wish, node.version)))
    }

    /// Stores the facts of a step, in order. `asked` gives the stored form of a request.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] of the term's node once another process leads.
    pub(super) async fn write(
        &mut self,
        writes: &[Write],
        asked: impl Fn(&wattle_converge::Desire) -> Asked,
    ) -> Result<(), DeployError> {
        if writes.is_empty() {
            return Ok(());
        }
        let mut ops = vec![self.fence.clone()];
        for write in writes {
            match write {
                Write::Row(row) => {
                    let path = self.place.row(row.id);
                    let is_new = self.rows.insert(row.id);
                    ops.push(put(path, json(row), !is_new));
                }
                Write::Remove(id) => {
                    if self.rows.remove(id) {
                        ops.push(Op::Delete { path: self.place.row(*id) });
                    }
                }
                Write::DesiredState(desired) => {
                    let kept =
                        DesiredState { generation: desired.generation, wish: self.wish, asked: asked(&desired.desire) };
                    ops.push(put(self.place.desired_state(), json(&kept), self.desired.is_some()));
                    self.desired = Some(kept);
                }
                Write::Good(good) => {
                    let wish = self.desired.as_ref().map_or(self.wish, |desired| desired.wish);
                    let desired =
                        DesiredState { generation: good.desired.generation, wish, asked: asked(&good.desired.desire) };
                    let kept = Good { desired, upto: good.upto, leftovers: good.leftovers.clone() };
                    let there = self.good.is_some();
                    let all = self.good.get_or_insert_default();
                    all.insert(0, kept);
                    all.truncate(KEPT);
                    ops.push(put(self.place.good(), json(all), there));
                }
            }
        }
        self.written += ops.len() as u64 - 1;
        let rows = writes.iter().filter_map(|write| match write {
            Write::Row(row) => Some(row.id),
            Write::Remove(id) => Some(*id),
            Write::DesiredState(_) | Write::Good(_) => None,
        });
        self.changes.note(rows);
        // Stored last, whatever part of the request succeeds.
        ops.push(put(self.place.changes(), json(&self.changes), self.has_changes));
        self.has_changes = true;
        Ok(self.store.apply(ops).await?)
    }

    /// Stores the outcome of a wish.
    pub(super) async fn report(&mut self, report: &Report) -> Result<(), DeployError> {
        let op = put(self.place.report(), json(report), self.has_report);
        self.store.apply(vec![self.fence.clone(), op]).await?;
        self.has_report = true;
        Ok(())
    }

    /// Removes the targets of desired states that are no longer kept, except for those that a pending wish may name.
    pub(super) async fn forget_targets(&self) -> Result<(), DeployError> {
        let mut whole = Vec::new();
        for name in self.store.children(&self.place.targets()).await? {
            // One that is being written becomes whole together with its wish.
            let now = Time::from_millis(clock::millis());
            if self.store.get(&self.place.target(&name)).await?.is_some_and(|node| shelf::is_over(&node.data, now)) {
                whole.push(name);
            }
        }
        let states = self.desired.iter().chain(self.good.iter().flatten().map(|good| &good.desired));
        let mut kept: BTreeSet<String> = states.filter_map(|state| state.asked.target.clone()).collect();
        // Read last: for what was whole before, its wish was there.
        let wish: Option<(Wish, _)> = get(&self.store, &self.stack, &self.place.wish()).await?;
        if let Some((Wish { want: super::facts::Want::Deploy(asked), .. }, _)) = wish {
            kept.extend(asked.target);
        }
        for name in whole.into_iter().filter(|name| !kept.contains(name)) {
            let removal = shelf::removal(&self.store, &self.place, &name).await?;
            self.store.apply(std::iter::once(self.fence.clone()).chain(removal).collect()).await?;
        }
        Ok(())
    }
}

/// Whether the error means that another process now leads.
pub(super) fn is_deposed(error: &DeployError, stack: &str) -> bool {
    let term = Place::new(stack).term();
    matches!(error, DeployError::Store(StoreError::Conflict { path } | StoreError::Missing { path }) if *path == term)
}

/// Creates the missing nodes of a deployment.
pub(super) async fn prepare(store: &Arc<dyn Store>, stack: &str) -> Result<(), DeployError> {
    let place = Place::new(stack);
    let top = crate::space::Layout::new(stack).root();
    for path in [crate::space::ROOT, &top, place.root(), &place.rows(), &place.targets(), &place.term()] {
        make(store, path).await?;
    }
    Ok(())
}

async fn make(store: &Arc<dyn Store>, path: &str) -> Result<(), DeployError> {
    if store.get(path).await?.is_some() {
        return Ok(());
    }
    let op = Op::Create { path: path.to_owned(), data: Vec::new(), access: Access::new() };
    match store.apply(vec![op]).await {
        Ok(()) | Err(StoreError::Exists { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Sets the node to this data, creating it if it is not `there`.
pub(super) fn put(path: String, data: Vec<u8>, there: bool) -> Op {
    if there { Op::Set { path, data, expected: None } } else { Op::Create { path, data, access: Access::new() } }
}

/// Sets the node to this data if it still has the `version` that was read; without one, only if it does not exist.
pub(super) fn after(path: String, data: Vec<u8>, version: Option<Version>) -> Op {
    match version {
        Some(_) => Op::Set { path, data, expected: version },
        None => put(path, data, false),
    }
}

/// Reads a node; `None` if it does not exist.
pub(super) async fn get<T: DeserializeOwned>(
    store: &Arc<dyn Store>,
    stack: &str,
    path: &str,
) -> Result<Option<(T, Version)>, DeployError> {
    let Some(node) = store.get(path).await? else { return Ok(None) };
    Ok(read(stack, path, &node.data)?.map(|held| (held, node.version)))
}

fn read<T: DeserializeOwned>(stack: &str, path: &str, data: &[u8]) -> Result<Option<T>, DeployError> {
    if data.is_empty() {
        return Ok(None);
    }
    let damaged = |reason| DeployError::Damaged { stack: stack.to_owned(), path: path.to_owned(), reason };
    wattle::model::json::read(data).map(Some).map_err(damaged)
}

pub(super) fn json(held: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(held).expect("INVARIANT: facts are JSON")
}
