//! The operator's view of the data space: everything written is signed, and nothing is read that others have written.
//!
//! `seed` and `deploy` access the data space only through this module, so that no other part of them handles
//! signatures. A desired revision that is older than one that this operator knows is rejected, too.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;

use crate::parallel;
use crate::store::{Access, Hold, Login, Node, Op, Open, Store, StoreError, Version};

use super::marks::{Known, Marks, infrastructure_of};
use super::signed::is_signed;
use super::{Authority, DesiredRevision, Newest, NotSigned, OperatorKey, ROOT, Revision, Signer};

/// A store through which the operator writes and reads.
pub(crate) struct Signed {
    store: Arc<dyn Store>,
    signer: Signer,
    /// A former key that is still trusted, but no longer used to sign.
    former: Option<Authority>,
    /// The newest revisions known from outside the store, each with the authority that signed them. The signer's come
    /// first.
    newest: Vec<(Newest, Authority)>,
    /// The marks of the stacks' infrastructures read so far.
    marks: Marks,
    /// Whether reading a node that the operator has not signed is refused. Otherwise, such a node counts as empty.
    insists: bool,
    /// The nodes that were read and that the operator has not signed, by path.
    refused: Mutex<BTreeMap<String, Refused>>,
}

/// A node that the operator has not signed.
#[derive(Clone, Debug)]
pub(crate) struct Refused {
    /// The evidence.
    pub(crate) why: NotTheirs,
    /// Its data.
    pub(crate) data: Vec<u8>,
}

/// Why a node does not have the operator's contents.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum NotTheirs {
    /// It is not signed by the operator.
    #[error(transparent)]
    NotSigned(#[from] NotSigned),
    /// Someone has emptied it: the operator never leaves this node empty.
    #[error("it is empty")]
    Empty,
    /// It was valid once, but there has been a newer one.
    #[error("it is {there}, and this operator knows of {newest}")]
    Former {
        /// The present revision.
        there: Revision,
        /// The newest known revision.
        newest: Revision,
    },
}

impl fmt::Debug for Signed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.store.fmt(f)
    }
}

impl Signed {
    /// Opens `store` for the operator who has `key`.
    pub(crate) fn new(store: &Arc<dyn Store>, key: &OperatorKey) -> Arc<Self> {
        Arc::new(Self::with(store, key, None))
    }

    /// Opens it for an operator who writes with `key`, and also trusts the `other` key.
    pub(crate) fn succeeding(store: &Arc<dyn Store>, key: &OperatorKey, other: &OperatorKey) -> Arc<Self> {
        Arc::new(Self::with(store, key, Some(other)))
    }

    /// Opens a store that also [trusts](Self::succeeding) the `other` key, if there is one. For callers that cannot
    /// continue without what they request: reading a node that is not the operator's fails.
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

    /// The nodes that were read and that the operator has not signed, with the reasons.
    pub(crate) fn refused(&self) -> BTreeMap<String, Refused> {
        self.all().clone()
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<String, Refused>> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The contents of a node. Empty if the operator should have signed it, but has not.
    fn said(&self, path: &str, node: Option<Node>) -> Result<Option<Node>, StoreError> {
        match node {
            Some(node) if is_signed(path) && (!node.data.is_empty() || !self.may_be_empty(path)) => {
                self.judged(path, node).map(Some)
            }
            node => Ok(node),
        }
    }

    /// Whether the operator leaves this otherwise signed node empty, because it has no content yet or only groups
    /// others. A desired revision that is not known from outside the store may have any contents.
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
            // A target becomes complete only with the wish for it.
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
            // It exists before any operator does, and the first client may have created it.
            return Ok(Node { data: Vec::new(), ..node });
        }
        if self.insists {
            return Err(StoreError::Disowned { path: path.to_owned(), why: why.to_string() });
        }
        self.all().insert(path.to_owned(), Refused { why, data: node.data });
        Ok(Node { data: Vec::new(), ..node })
    }

    /// Verifies the operator's contents of a node.
    fn judge(&self, path: &str, data: &[u8]) -> Result<Vec<u8>, NotTheirs> {
        let place = self.marks.place(path);
        let judged = self.signer.authority().verify(&place, data);
        let judged = judged.or_else(|why| self.former.map_or(Err(why), |former| former.verify(&place, data)));
        let held = judged?;
        self.judge_age(path, held)?;
        Ok(held.to_vec())
    }

    /// Refuses a desired revision that was replaced, and records one that is newer than the newest known.
    fn judge_age(&self, path: &str, held: &[u8]) -> Result<(), NotTheirs> {
        let Some((stack, there)) = desired_revision(path, held).filter(|_| !self.newest.is_empty()) else {
            return Ok(());
        };
        let newest = self.newest.iter().filter_map(|(newest, by)| newest.of(by, stack)).max();
        match newest {
            Some(newest) if there < newest => return Err(NotTheirs::Former { there, newest }),
            Some(newest) if there == newest => {}
            _ => self.note(stack, &there),
        }
        Ok(())
    }

    /// Records a desired revision that was written. From now on, nothing before it is accepted, whatever was known.
    fn wrote(&self, path: &str, held: &[u8]) {
        if let Some((stack, revision)) = desired_revision(path, held) {
            self.note(stack, &revision);
        }
    }

    fn note(&self, stack: &str, revision: &Revision) {
        // Also for the former key, as long as it is still read.
        self.newest.iter().for_each(|(newest, by)| newest.note(by, stack, revision));
    }

    /// The signed form of `data`, if the node is signed.
    fn signed(&self, path: &str, data: &[u8]) -> Option<Vec<u8>> {
        (is_signed(path) && !data.is_empty()).then(|| self.signer.sign(&self.marks.place(path), data))
    }

    /// Reads the mark of the infrastructure that the node at `path` belongs to, unless it is known.
    async fn learn(&self, path: &str) -> Result<(), StoreError> {
        let Some(top) = infrastructure_of(path) else { return Ok(()) };
        if self.marks.has(top) {
            return Ok(());
        }
        let known = Box::pin(self.get(top)).await?.and_then(|node| serde_json::from_slice::<Known>(&node.data).ok());
        let Some(Known { mark, space }) = known else { return Ok(()) };
        let desired = top.rsplit_once('/').map_or_else(String::new, |(stack, _)| format!("{stack}/revision"));
        let desired = Box::pin(self.get(&desired))
            .await?
            .and_then(|node| serde_json::from_slice::<DesiredRevision>(&node.data).ok());
        if desired.and_then(|desired| desired.space) != space {
            let why = "it is from another data space, or this one has been started from scratch since".to_owned();
            return Err(StoreError::Disowned { path: top.to_owned(), why });
        }
        self.marks.note(top, mark);
        Ok(())
    }
}

/// The knowledge of the holder of `key` about revisions, if any.
fn known(key: &OperatorKey) -> Option<(Newest, Authority)> {
    key.newest().map(|newest| (newest.clone(), key.signer().authority()))
}

/// The stack and revision of a desired revision. `None` for any other node.
fn desired_revision<'p>(path: &'p str, held: &[u8]) -> Option<(&'p str, Revision)> {
    let stack = path.strip_prefix(ROOT)?.strip_prefix('/')?.strip_suffix("/revision")?;
    let desired: DesiredRevision = serde_json::from_slice(held).ok().filter(|_| !stack.contains('/'))?;
    Some((stack, desired.of()))
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
        // All of them belong to one stack.
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
            Op::Create { path, data, .. } | Op::Set { path, data, .. } if desired_revision(path, data).is_some() => {
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

    async fn is_held(&self, path: &str) -> Result<bool, StoreError> {
        self.store.is_held(path).await
    }

    async fn bound(&self, places: &[String]) -> Result<bool, StoreError> {
        self.store.bound(places).await
    }

    async fn unbound(&self, top: &str) -> Result<bool, StoreError> {
        self.store.unbound(top).await
    }

    async fn close_off(&self, top: &str) -> Result<Vec<Open>, StoreError> {
        self.store.close_off(top).await
    }

    fn bounds(&self, top: &str) -> Vec<String> {
        self.store.bounds(top)
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
