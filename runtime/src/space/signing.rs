//! The data space as the operator sees it: what they write is signed, and what is read is theirs or nobody's.
//!
//! All of `seed` and `deploy` reads and writes through it, so that no other part of them knows of signatures. A goal that is older
//! than one that this operator knows of is not their word any more, either.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;

use crate::parallel;
use crate::store::{Access, Hold, Login, Node, Op, Store, StoreError, Version};

use super::marks::{Known, Marks, infrastructure_of};
use super::signed::is_signed;
use super::{Authority, Goal, Newest, NotSigned, OperatorKey, ROOT, Revision, Signer};

/// A store through which the operator writes and reads.
pub(crate) struct Signed {
    store: Arc<dyn Store>,
    signer: Signer,
    /// Whose word counts as well, and is not given any more.
    former: Option<Authority>,
    /// What is known of revisions outside of the store, with whose word each is; the signer's first.
    newest: Vec<(Newest, Authority)>,
    /// What the infrastructure of a stack is known by, as far as that was read.
    marks: Marks,
    /// Whoever reads what the operator has not signed so is refused. Without that, it is as if nothing stood there.
    insists: bool,
    /// What was read that the operator has not signed so, by path.
    refused: Mutex<BTreeMap<String, Refused>>,
}

/// What the operator has not signed so.
#[derive(Clone, Debug)]
pub(crate) struct Refused {
    /// Why that is known.
    pub(crate) why: NotTheirs,
    /// What stands there.
    pub(crate) data: Vec<u8>,
}

/// Why what a node holds is not what the operator wants there.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum NotTheirs {
    /// It is not their word.
    #[error(transparent)]
    NotSigned(#[from] NotSigned),
    /// Somebody has emptied it: the operator writes nothing there that says nothing.
    #[error("it is empty")]
    Empty,
    /// It was, and there was a newer one.
    #[error("it is {there}, and this operator knows of {newest}")]
    Former {
        /// What stands there.
        there: Revision,
        /// The newest one that is known.
        newest: Revision,
    },
}

impl fmt::Debug for Signed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.store.fmt(f)
    }
}

impl Signed {
    /// `store`, for the operator who has `key`.
    pub(crate) fn new(store: &Arc<dyn Store>, key: &OperatorKey) -> Arc<Self> {
        Arc::new(Self::with(store, key, None))
    }

    /// The same for one who writes with `key`, and believes the one who has the `other` one as well.
    pub(crate) fn succeeding(store: &Arc<dyn Store>, key: &OperatorKey, other: &OperatorKey) -> Arc<Self> {
        Arc::new(Self::with(store, key, Some(other)))
    }

    /// One that [believes](Self::succeeding) the `other` one as well, if there is one, for whoever cannot go on without what they ask for:
    /// reading what is not theirs fails.
    pub(crate) fn insisting(store: &Arc<dyn Store>, key: &OperatorKey, other: Option<&OperatorKey>) -> Arc<Self> {
        Arc::new(Self { insists: true, ..Self::with(store, key, other) })
    }

    fn with(store: &Arc<dyn Store>, key: &OperatorKey, other: Option<&OperatorKey>) -> Self {
        Self {
            store: Arc::clone(store),
            signer: key.signer(),
            former: other.map(|other| other.signer().authority()),
            newest: std::iter::once(key).chain(other).filter_map(known).collect(),
            marks: Marks::default(),
            insists: false,
            refused: Mutex::default(),
        }
    }

    /// What was read that the operator has not signed so, and why.
    pub(crate) fn refused(&self) -> BTreeMap<String, Refused> {
        self.all().clone()
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<String, Refused>> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a node says: nothing, if it is not the operator's word though it should be.
    fn said(&self, path: &str, node: Option<Node>) -> Result<Option<Node>, StoreError> {
        match node {
            Some(node) if is_signed(path) && (!node.data.is_empty() || !self.may_be_empty(path)) => {
                self.judged(path, node).map(Some)
            }
            node => Ok(node),
        }
    }

    /// Whether the operator leaves a node empty that they sign otherwise: one that says nothing yet, or only groups others. A goal that
    /// nobody knows of may be anybody's.
    fn may_be_empty(&self, path: &str) -> bool {
        let below =
            path.strip_prefix(ROOT).and_then(|rest| rest.strip_prefix('/')).and_then(|rest| rest.split_once('/'));
        let Some((stack, place)) = below else { return true };
        match place {
            "revision" => !self.newest.iter().any(|(newest, by)| newest.of(by, stack).is_some()),
            "deployed"
            | "infrastructure"
            | "infrastructure/rows"
            | "infrastructure/targets"
            | "infrastructure/term"
            | "infrastructure/leader" => true,
            // What is asked for becomes whole with the wish for it.
            _ => place.strip_prefix("infrastructure/targets/").is_some_and(|name| !name.contains('/')),
        }
    }

    fn judged(&self, path: &str, node: Node) -> Result<Node, StoreError> {
        let judged = if node.data.is_empty() { Err(NotTheirs::Empty) } else { self.judge(path, &node.data) };
        let why = match judged {
            Ok(held) => return Ok(Node { data: held, ..node }),
            Err(why) => why,
        };
        if path == ROOT {
            // It is there before any operator is, and whoever was first may have made it.
            return Ok(Node { data: Vec::new(), ..node });
        }
        if self.insists {
            return Err(StoreError::Disowned { path: path.to_owned(), why: why.to_string() });
        }
        self.all().insert(path.to_owned(), Refused { why, data: node.data });
        Ok(Node { data: Vec::new(), ..node })
    }

    /// What the operator says there.
    fn judge(&self, path: &str, data: &[u8]) -> Result<Vec<u8>, NotTheirs> {
        let place = self.marks.place(path);
        let judged = self.signer.authority().verify(&place, data);
        let judged = judged.or_else(|why| self.former.map_or(Err(why), |former| former.verify(&place, data)));
        let held = judged?;
        self.judge_age(path, held)?;
        Ok(held.to_vec())
    }

    /// Refuses a goal that was replaced, and takes note of one that is newer than what was known.
    fn judge_age(&self, path: &str, held: &[u8]) -> Result<(), NotTheirs> {
        let Some((stack, there)) = goal(path, held).filter(|_| !self.newest.is_empty()) else { return Ok(()) };
        let newest = self.newest.iter().filter_map(|(newest, by)| newest.of(by, stack)).max();
        match newest {
            Some(newest) if there < newest => return Err(NotTheirs::Former { there, newest }),
            Some(newest) if there == newest => {}
            _ => self.note(stack, &there),
        }
        Ok(())
    }

    /// Takes note of a goal that was written: nothing before it counts, whatever was known.
    fn wrote(&self, path: &str, held: &[u8]) {
        if let Some((stack, revision)) = goal(path, held) {
            self.note(stack, &revision);
        }
    }

    fn note(&self, stack: &str, revision: &Revision) {
        // By the former key's word as well, for as long as it is read.
        self.newest.iter().for_each(|(newest, by)| newest.note(by, stack, revision));
    }

    /// What is written for `data`, if that is signed.
    fn signed(&self, path: &str, data: &[u8]) -> Option<Vec<u8>> {
        (is_signed(path) && !data.is_empty()).then(|| self.signer.sign(&self.marks.place(path), data))
    }

    /// Reads what the infrastructure is known by of which the node at `path` is, unless that is known.
    async fn learn(&self, path: &str) -> Result<(), StoreError> {
        let Some(top) = infrastructure_of(path) else { return Ok(()) };
        if self.marks.has(top) {
            return Ok(());
        }
        let known = Box::pin(self.get(top)).await?.and_then(|node| serde_json::from_slice::<Known>(&node.data).ok());
        let Some(Known { mark, space }) = known else { return Ok(()) };
        let goal = top.rsplit_once('/').map_or_else(String::new, |(stack, _)| format!("{stack}/revision"));
        let goal = Box::pin(self.get(&goal)).await?.and_then(|node| serde_json::from_slice::<Goal>(&node.data).ok());
        if goal.and_then(|goal| goal.space) != space {
            let why = "it is of another data space, or of one that began anew since".to_owned();
            return Err(StoreError::Disowned { path: top.to_owned(), why });
        }
        self.marks.note(top, mark);
        Ok(())
    }
}

/// What whoever has `key` knows of revisions, if anything.
fn known(key: &OperatorKey) -> Option<(Newest, Authority)> {
    key.newest().map(|newest| (newest.clone(), key.signer().authority()))
}

/// Of which stack and revision a goal is; none of any other node.
fn goal<'p>(path: &'p str, held: &[u8]) -> Option<(&'p str, Revision)> {
    let stack = path.strip_prefix(ROOT)?.strip_prefix('/')?.strip_suffix("/revision")?;
    let goal: Goal = serde_json::from_slice(held).ok().filter(|_| !stack.contains('/'))?;
    Some((stack, goal.of()))
}

#[async_trait]
impl Store for Signed {
    async fn get(&self, path: &str) -> Result<Option<Node>, StoreError> {
        self.learn(path).await?;
        self.said(path, self.store.get(path).await?)
    }

    async fn look(&self, path: &str) -> Result<Option<Node>, StoreError> {
        self.learn(path).await?;
        self.said(path, self.store.look(path).await?)
    }

    async fn changed(&self, path: &str, seen: Option<Version>) -> Result<Option<Node>, StoreError> {
        self.learn(path).await?;
        self.said(path, self.store.changed(path, seen).await?)
    }

    async fn set(&self, path: &str, data: &[u8], expected: Option<Version>) -> Result<Version, StoreError> {
        self.learn(path).await?;
        let version = self.store.set(path, self.signed(path, data).as_deref().unwrap_or(data), expected).await?;
        self.wrote(path, data);
        Ok(version)
    }

    async fn children(&self, path: &str) -> Result<Vec<String>, StoreError> {
        self.store.children(path).await
    }

    fn session_id(&self) -> i64 {
        self.store.session_id()
    }

    async fn apply(&self, ops: Vec<Op>) -> Result<(), StoreError> {
        // All of them are of one stack.
        if let Some(op) = ops.iter().find(|op| infrastructure_of(op.path()).is_some()) {
            self.learn(op.path()).await?;
        }
        let signed = parallel::map(&ops, |op| match op {
            Op::Create { path, data, .. } | Op::Set { path, data, .. } => self.signed(path, data),
            Op::Delete { .. } | Op::Check { .. } => None,
        });
        let sign = |(op, signed): (Op, Option<Vec<u8>>)| match (op, signed) {
            (Op::Create { path, access, .. }, Some(data)) => Op::Create { path, data, access },
            (Op::Set { path, expected, .. }, Some(data)) => Op::Set { path, data, expected },
            (op, _) => op,
        };
        let held = ops.iter().find_map(|op| match op {
            Op::Create { path, data, .. } | Op::Set { path, data, .. } if goal(path, data).is_some() => {
                Some((path.clone(), data.clone()))
            }
            _ => None,
        });
        self.store.apply(ops.into_iter().zip(signed).map(sign).collect()).await?;
        if let Some((path, held)) = held {
            self.wrote(&path, &held);
        }
        Ok(())
    }

    async fn protect(&self, accesses: &[(String, Access)], checks: &[Op]) -> Result<(), StoreError> {
        self.store.protect(accesses, checks).await
    }

    async fn exceeding(&self, accesses: &[(String, Access)]) -> Result<Vec<String>, StoreError> {
        self.store.exceeding(accesses).await
    }

    async fn bound(&self, places: &[String]) -> Result<bool, StoreError> {
        self.store.bound(places).await
    }

    async fn unbound(&self, top: &str) -> Result<bool, StoreError> {
        self.store.unbound(top).await
    }

    async fn hold(&self, path: &str, data: &[u8], access: &Access, over: Option<Version>) -> Result<Hold, StoreError> {
        self.store.hold(path, data, access, over).await
    }

    async fn log_in(&self, logins: &[Login]) -> Result<(), StoreError> {
        self.store.log_in(logins).await
    }

    fn session(&self) -> Option<Duration> {
        self.store.session()
    }

    async fn close(&self) {
        self.store.close().await;
    }
}
