//! The tree together with its log: a change is in both or in neither.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use super::super::tree::{Tree, Who};
use super::super::{Access, Op, StoreError, Version};
use super::ServerError;
use super::log::{Log, Record, Token};

/// The number of changes to remember, so that a client can repeat a request whose result it did not receive. Far more
/// than can be in progress at once.
const REMEMBERED: usize = 16_384;

/// The tree and its log.
#[derive(Debug)]
pub(super) struct State {
    pub(super) tree: Tree,
    log: Log,
    made: Made,
    // For each holder, the request by which it holds a node. If that request is repeated after a lost connection, it
    // replaces itself.
    holders: HashMap<u64, Token>,
}

/// Recent changes, by the requests that made them.
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
    /// Restores the tree from the log at `path`.
    pub(super) fn open(path: &Path) -> Result<Self, ServerError> {
        let (mut tree, mut made) = (Tree::default(), Made::default());
        let log = Log::open(path, |record| replay(&mut tree, &mut made, record))?;
        // Held nodes had transactions that are not in the log. None of these is ever reused.
        tree.set_transaction((tree.transaction() | 0xffff_ffff) + 1);
        let mut state = Self { tree, log, made, holders: HashMap::new() };
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

    /// Carries out `ops` as one transaction, unless the same request did already. Returns the version from the last
    /// one. If the request is repeated after a restart, that is the version from the last one that the log has. So do
    /// not pass it on if there are several operations.
    pub(super) fn change(&mut self, who: &Who, by: Token, ops: Vec<Op>) -> Result<Version, StoreError> {
        if let Some(version) = self.made.versions.get(&by) {
            return Ok(*version);
        }
        let record = self.record(by, &ops);
        let Self { tree, log, made, .. } = self;
        let version = tree.change(who, None, ops, || record.map_or(Ok(()), |record| keep(log, &record)))?;
        made.remember(by, version);
        self.tidy();
        Ok(version)
    }

    /// Changes the rights of a node if the `checks` hold, unless the same request did already.
    pub(super) fn protect(
        &mut self,
        who: &Who,
        by: Token,
        path: &str,
        access: Access,
        checks: &[Op],
    ) -> Result<(), StoreError> {
        if self.made.versions.contains_key(&by) {
            return Ok(());
        }
        let lasts = !self.tree.is_held(path);
        let record = Record::Protect { by, path: path.into(), access: Cow::Borrowed(&access) }.to_bytes();
        let Self { tree, log, made, .. } = self;
        tree.protect(who, path, access, checks, || if lasts { keep(log, &record) } else { Ok(()) })?;
        made.remember(by, Version { transaction: tree.transaction(), count: 0 });
        self.tidy();
        Ok(())
    }

    /// Creates a node with `create` that exists until it is [released](Self::release). Returns its version and its
    /// holder. The new node replaces one with the version `over`, and one that the same request created.
    pub(super) fn hold(
        &mut self,
        who: &Who,
        by: Token,
        create: Op,
        over: Option<Version>,
    ) -> Result<(u64, Version), StoreError> {
        let former = self.tree.holder(create.path()).filter(|holder| self.holders.get(holder) == Some(&by));
        let ops = self.tree.ops_to_hold(who, create, over, former)?;
        // The log needs to know only about a lasting node that was replaced.
        let record = if ops.len() > 1 { self.record(by, &ops[..1]) } else { None };
        let holder = self.tree.next_id();
        let Self { tree, log, .. } = self;
        let version = tree.change(who, Some(holder), ops, || record.map_or(Ok(()), |record| keep(log, &record)))?;
        self.holders.insert(holder, by);
        Ok((holder, version))
    }

    /// Removes the node at `path` if it still belongs to `holder`.
    pub(super) fn release(&mut self, path: &str, holder: u64) {
        self.holders.remove(&holder);
        self.tree.release(path, holder);
    }

    /// The log record for `ops`. `None` if nothing of it lasts.
    fn record(&self, by: Token, ops: &[Op]) -> Option<Vec<u8>> {
        let mut made = HashSet::new();
        let mut lasting = Vec::with_capacity(ops.len());
        for op in ops {
            match op {
                Op::Check { .. } => continue,
                Op::Create { path, .. } => drop(made.insert(path.as_str())),
                Op::Set { .. } | Op::Delete { .. } => {}
            }
            if made.contains(op.path()) || !self.tree.is_held(op.path()) {
                lasting.push(Cow::Borrowed(op));
            }
        }
        let transaction = self.tree.transaction() + 1;
        (!lasting.is_empty()).then(|| Record::Change { transaction, by, ops: lasting }.to_bytes())
    }

    /// The log's file, so that it can be synced.
    pub(super) fn log_file(&self) -> Arc<File> {
        self.log.file()
    }

    /// Rewrites the log if most of it is dead.
    fn tidy(&mut self) {
        if !self.log.has_grown() {
            return;
        }
        let Self { tree, log, made, .. } = self;
        let bytes: usize =
            tree.lasting().map(|(path, node, access)| 40 + path.len() + node.data.len() + access.size()).sum();
        let bytes = bytes + 40 * made.order.len();
        let records = std::iter::once(Record::Transaction(tree.transaction()))
            .chain(tree.lasting().map(|(path, node, access)| Record::Node {
                path: path.into(),
                node: Cow::Borrowed(node),
                access: Cow::Borrowed(access),
            }))
            .chain(made.order.iter().map(|by| Record::Made { by: *by, version: made.versions[by] }));
        if let Err(error) = log.rewrite(bytes as u64, records) {
            tracing::warn!(%error, "the log could not be rewritten; it continues to grow");
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
            tree.protect(&Who::Operator, &path, access.into_owned(), &[], || Ok(()))
                .map_err(|error| error.to_string())?;
            made.remember(by, Version { transaction: tree.transaction(), count: 0 });
        }
        Record::Made { by, version } => made.remember(by, version),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::{Login, Node, Rights};
    use super::*;

    /// A test operation on a tree.
    #[derive(Clone, Debug)]
    enum Step {
        Change { who: usize, ops: Vec<(u8, usize, u8)> },
        Protect { who: usize, path: usize, for_whom: usize },
        Hold { who: usize, path: usize, is_over: bool },
        Release,
        Repeat,
        Reopen,
        Rewrite,
    }

    const PATHS: [&str; 8] = ["/a", "/a/b", "/a/b/c", "/a/bb", "/d", "/d/e", "/a/b!", "/ü"];

    fn step() -> impl Strategy<Value = Step> {
        let ops = prop::collection::vec((0..4u8, 0..PATHS.len(), any::<u8>()), 1..4);
        prop_oneof![
            12 => (0..3usize, ops).prop_map(|(who, ops)| Step::Change { who, ops }),
            2 => (0..2usize, 0..PATHS.len(), 0..3usize).prop_map(|(who, path, for_whom)| Step::Protect { who, path, for_whom }),
            3 => (0..3usize, 0..PATHS.len(), any::<bool>()).prop_map(|(who, path, is_over)| Step::Hold { who, path, is_over }),
            1 => Just(Step::Release),
            2 => Just(Step::Repeat),
            1 => Just(Step::Reopen),
            1 => Just(Step::Rewrite),
        ]
    }

    fn login(n: usize) -> Login {
        Login { name: format!("login{n}"), password: String::new() }
    }

    fn who(n: usize) -> Who {
        if n == 0 { Who::Operator } else { Who::new(&[login(n)]) }
    }

    fn access(n: usize) -> Access {
        let all = Rights { read: true, write: true, create: true, delete: true };
        if n == 0 { Access::new() } else { Access::new().grant(&login(n).principal(), all) }
    }

    fn op(tree: &Tree, kind: u8, path: usize, content: u8) -> Op {
        let (path, data) = (PATHS[path].to_owned(), vec![content; usize::from(content)]);
        match kind {
            0 => Op::Create { path, data, access: access(usize::from(content % 3)) },
            1 => Op::Delete { path },
            2 => Op::Set { path, data, expected: None },
            _ => {
                let expected = tree.get(&Who::Operator, &path).unwrap().map(|node| node.version);
                Op::Set { path, data, expected }
            }
        }
    }

    fn all(tree: &Tree) -> Vec<(String, Node, Access)> {
        tree.lasting().map(|(path, node, access)| (path.to_owned(), node.clone(), access.clone())).collect()
    }

    /// Everything except the transactions, which differ after a restart.
    fn but_transactions(tree: &Tree) -> Vec<(String, Vec<u8>, i32, Access)> {
        all(tree).into_iter().map(|(path, node, access)| (path, node.data, node.version.count, access)).collect()
    }

    fn same<T, U>(one: &Result<T, StoreError>, other: &Result<U, StoreError>) -> bool {
        one.as_ref().err().map(ToString::to_string) == other.as_ref().err().map(ToString::to_string)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

        /// A tree that lives on equals one that is restored from its log again and again.
        #[test]
        fn what_the_log_says_is_what_was_done(steps in prop::collection::vec(step(), 1..60)) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("log");
            let mut kept = State::open(&path).unwrap();
            let mut plain = Tree::default();
            let mut holds = Vec::new();
            let mut last: Option<(Token, Who, Vec<Op>, Version)> = None;
            for (n, step) in steps.into_iter().enumerate() {
                let by = Token { client: 1, request: n as u64 };
                match step {
                    Step::Change { who: n, ops } => {
                        let of = |tree: &Tree| ops.iter().map(|(kind, path, c)| op(tree, *kind, *path, *c)).collect::<Vec<_>>();
                        let (here, there) = (of(&kept.tree), of(&plain));
                        let lasts = kept.record(by, &here).is_some();
                        let outcome = kept.change(&who(n), by, here.clone());
                        prop_assert!(same(&outcome, &plain.change(&who(n), None, there, || Ok(()))));
                        if let Ok(version) = outcome {
                            // Nothing is left of held nodes after a restart.
                            last = lasts.then(|| (by, who(n), here, version));
                        }
                    }
                    Step::Protect { who: n, path, for_whom } => {
                        let outcome = kept.protect(&who(n), by, PATHS[path], access(for_whom), &[]);
                        prop_assert!(same(&outcome, &plain.protect(&who(n), PATHS[path], access(for_whom), &[], || Ok(()))));
                    }
                    Step::Hold { who: n, path, is_over } => {
                        let path = PATHS[path];
                        let create = Op::Create { path: path.to_owned(), data: vec![1], access: access(n) };
                        let version = |tree: &Tree| {
                            let node = tree.get(&Who::Operator, path).unwrap();
                            node.map(|node| node.version).filter(|_| is_over)
                        };
                        let (here, there) = (version(&kept.tree), version(&plain));
                        let held = kept.hold(&who(n), by, create.clone(), here);
                        let holder = plain.next_id();
                        let outcome = plain
                            .ops_to_hold(&who(n), create, there, None)
                            .and_then(|ops| plain.change(&who(n), Some(holder), ops, || Ok(())));
                        prop_assert!(same(&held, &outcome));
                        if let Ok((here, _)) = held {
                            holds.push((path, here, holder));
                        }
                    }
                    Step::Release => {
                        if let Some((path, here, there)) = holds.pop() {
                            kept.release(path, here);
                            plain.release(path, there);
                        }
                    }
                    Step::Repeat => {
                        if let Some((by, who, ops, version)) = &last {
                            let again = kept.change(who, *by, ops.clone()).unwrap();
                            // With several operations, the version is not passed on.
                            prop_assert!(again == *version || (ops.len() > 1 && again.transaction == version.transaction));
                        }
                    }
                    Step::Reopen => {
                        let before = all(&kept.tree);
                        let transaction = kept.tree.transaction();
                        drop(kept);
                        kept = State::open(&path).unwrap();
                        prop_assert_eq!(before, all(&kept.tree));
                        prop_assert!(kept.tree.transaction() > transaction);
                        for (path, _, there) in holds.drain(..) {
                            plain.release(path, there);
                        }
                    }
                    Step::Rewrite => {
                        kept.log.pretend_to_have_grown();
                        kept.tidy();
                        prop_assert!(!kept.log.has_grown());
                    }
                }
                prop_assert_eq!(but_transactions(&kept.tree), but_transactions(&plain));
            }
        }
    }

    #[test]
    fn what_cannot_be_kept_is_not_done() {
        let folder = tempfile::tempdir().unwrap();
        let mut state = State::open(&folder.path().join("log")).unwrap();
        let by = |request| Token { client: 1, request };
        let create = |path: &str| Op::Create { path: path.to_owned(), data: vec![1], access: Access::new() };
        state.change(&Who::Operator, by(1), vec![create("/a")]).unwrap();
        let before = all(&state.tree);
        let calls = Arc::new(std::sync::Mutex::new(0));
        let teller = Arc::clone(&calls);
        let seen = Some(before[0].1.version);
        state.tree.watch(&Who::Operator, "/a", seen, Box::new(move |_| *teller.lock().unwrap() += 1)).unwrap();

        state.log.break_file();
        let set = Op::Set { path: "/a".to_owned(), data: vec![2], expected: None };
        let error = state.change(&Who::Operator, by(2), vec![set, create("/b")]).unwrap_err();
        assert!(error.to_string().contains("its log cannot be written"), "{error}");
        assert!(state.protect(&Who::Operator, by(3), "/a", access(1), &[]).is_err());
        assert_eq!(all(&state.tree), before);
        assert_eq!(*calls.lock().unwrap(), 0);
        // Changes that the log does not contain still work.
        state.hold(&Who::Operator, by(4), create("/held"), None).unwrap();
    }

    #[test]
    fn requests_are_not_remembered_for_ever() {
        let mut made = Made::default();
        for request in 0..2 * REMEMBERED as u64 {
            made.remember(Token { client: 1, request }, Version { transaction: 1, count: 0 });
        }
        assert_eq!((made.order.len(), made.versions.len()), (REMEMBERED, REMEMBERED));
        assert!(made.versions.contains_key(&Token { client: 1, request: REMEMBERED as u64 }));
    }
}
