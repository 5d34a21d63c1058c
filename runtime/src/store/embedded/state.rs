//! The tree and its log together: a change is in both or in neither.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use super::super::tree::{Tree, Who};
use super::super::{Access, Op, StoreError, Version};
use super::ServerError;
use super::log::{Log, Record, Token};

/// So many changes are remembered, so that a client who did not get to know of his own can ask again. Many more than can
/// be under way at once.
const REMEMBERED: usize = 16_384;

/// The tree and its log.
#[derive(Debug)]
pub(super) struct State {
    pub(super) tree: Tree,
    log: Log,
    made: Made,
}

/// Changes that were made lately, by the requests that made them.
#[derive(Debug, Default)]
struct Made {
    versions: HashMap<Token, Version>,
    order: VecDeque<Token>,
}

impl Made {
    fn remember(&mut self, by: Token, version: Version) {
        if self.versions.insert(by, version).is_none() {
            self.order.push_back(by);
        }
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.versions.remove(&oldest);
        }
    }
}

impl State {
    /// What the log at `path` says.
    pub(super) fn open(path: &Path) -> Result<Self, ServerError> {
        let (mut tree, mut made) = (Tree::default(), Made::default());
        let log = Log::open(path, |record| replay(&mut tree, &mut made, record))?;
        // Nodes that someone held had transactions that the log does not know: none of them is ever used again.
        tree.set_transaction((tree.transaction() | 0xffff_ffff) + 1);
        let mut state = Self { tree, log, made };
        state.append(&Record::Transaction(state.tree.transaction()).to_bytes()).map_err(|error| ServerError::File {
            action: "write",
            path: path.to_owned(),
            source: std::io::Error::other(error),
        })?;
        state.tidy();
        Ok(state)
    }

    fn append(&mut self, record: &[u8]) -> Result<(), StoreError> {
        keep(&mut self.log, record)
    }

    /// Carries out `ops` as one transaction, unless the same request did already.
    pub(super) fn change(&mut self, who: &Who, by: Token, ops: Vec<Op>) -> Result<Version, StoreError> {
        if let Some(version) = self.made.versions.get(&by) {
            return Ok(*version);
        }
        let record = self.record(by, &ops);
        let Self { tree, log, made } = self;
        let version = tree.change(who, None, ops, || record.map_or(Ok(()), |record| keep(log, &record)))?;
        made.remember(by, version);
        self.tidy();
        Ok(version)
    }

    /// Gives a node other rights, unless the same request did already.
    pub(super) fn protect(&mut self, who: &Who, by: Token, path: &str, access: Access) -> Result<(), StoreError> {
        if self.made.versions.contains_key(&by) {
            return Ok(());
        }
        let lasts = !self.tree.is_held(path);
        let record = Record::Protect { by, path: path.into(), access: Cow::Borrowed(&access) }.to_bytes();
        let Self { tree, log, made } = self;
        tree.protect(who, path, access, || if lasts { keep(log, &record) } else { Ok(()) })?;
        made.remember(by, Version { transaction: tree.transaction(), count: 0 });
        self.tidy();
        Ok(())
    }

    /// Makes a node that is there until it is [released](Tree::release) by the holder who is given.
    pub(super) fn hold(
        &mut self,
        who: &Who,
        by: Token,
        path: &str,
        data: Vec<u8>,
        access: Access,
    ) -> Result<u64, StoreError> {
        let ops = self.tree.ops_to_hold(path, data, access);
        // Only a lasting node that was in its place is the log's business.
        let record = if ops.len() > 1 { self.record(by, &ops[..1]) } else { None };
        let holder = self.tree.next_id();
        let Self { tree, log, .. } = self;
        tree.change(who, Some(holder), ops, || record.map_or(Ok(()), |record| keep(log, &record)))?;
        Ok(holder)
    }

    /// What the log is to say of `ops`; none if nothing of it lasts.
    fn record(&self, by: Token, ops: &[Op]) -> Option<Vec<u8>> {
        let mut made = HashSet::new();
        let mut lasting = Vec::with_capacity(ops.len());
        for op in ops {
            if let Op::Create { path, .. } = op {
                made.insert(path.as_str());
            }
            if made.contains(op.path()) || !self.tree.is_held(op.path()) {
                lasting.push(Cow::Borrowed(op));
            }
        }
        let transaction = self.tree.transaction() + 1;
        (!lasting.is_empty()).then(|| Record::Change { transaction, by, ops: lasting }.to_bytes())
    }

    /// The log's file, which is to be synced.
    pub(super) fn log_file(&self) -> Arc<File> {
        self.log.file()
    }

    /// Rewrites the log if it is mostly dead.
    fn tidy(&mut self) {
        if !self.log.has_grown() {
            return;
        }
        let Self { tree, log, made } = self;
        let nodes = || tree.lasting().map(|(path, node, access)| (path, node, access));
        let bytes: usize = nodes().map(|(path, node, access)| 40 + path.len() + node.data.len() + access.size()).sum();
        let bytes = bytes + 40 * made.order.len();
        let records = std::iter::once(Record::Transaction(tree.transaction()))
            .chain(nodes().map(|(path, node, access)| Record::Node {
                path: path.into(),
                node: Cow::Borrowed(node),
                access: Cow::Borrowed(access),
            }))
            .chain(made.order.iter().map(|by| Record::Made { by: *by, version: made.versions[by] }));
        if let Err(error) = log.rewrite(bytes as u64, records) {
            tracing::warn!(%error, "the log could not be rewritten; it goes on to grow");
        }
    }
}

fn keep(log: &mut Log, record: &[u8]) -> Result<(), StoreError> {
    log.append(record).map_err(|error| StoreError::Unusable {
        address: String::new(),
        reason: format!("its log cannot be written: {error}"),
    })
}

fn replay(tree: &mut Tree, made: &mut Made, record: Record<'static>) -> Result<(), String> {
    match record {
        Record::Transaction(transaction) => {
            if transaction < tree.transaction() {
                return Err(format!("transaction {transaction} comes after {}", tree.transaction()));
            }
            tree.set_transaction(transaction);
        }
        Record::Node { path, node, access } => {
            tree.put(path.into_owned(), node.into_owned(), access.into_owned());
        }
        Record::Change { transaction, by, ops } => {
            if transaction <= tree.transaction() {
                return Err(format!("transaction {transaction} comes after {}", tree.transaction()));
            }
            tree.set_transaction(transaction - 1);
            let ops = ops.into_iter().map(Cow::into_owned).collect();
            let version = tree.change(&Who::Operator, None, ops, || Ok(())).map_err(|error| error.to_string())?;
            made.remember(by, version);
        }
        Record::Protect { by, path, access } => {
            tree.protect(&Who::Operator, &path, access.into_owned(), || Ok(())).map_err(|error| error.to_string())?;
            made.remember(by, Version { transaction: tree.transaction(), count: 0 });
        }
        Record::Made { by, version } => made.remember(by, version),
    }
    Ok(())
}
