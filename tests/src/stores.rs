//! Stores behind a guard, which sees the requests and may refuse or delay them.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use wattle_runtime::store::{Access, Hold, Login, Node, Op, Store, StoreError, Version};

/// A request to a store; several changes are reported one by one.
#[derive(Debug)]
pub enum Asked<'a> {
    /// The node at a path.
    Get(&'a str),
    /// Waits for the node at a path.
    Changed(&'a str),
    /// The names below a path.
    Children(&'a str),
    /// A change.
    Op(&'a Op),
    /// Changes the rights of a path.
    Protect(&'a str, &'a Access),
    /// Holds a node at a path.
    Hold(&'a str),
}

/// A guard in front of a store.
#[async_trait]
pub trait Guard: Debug + Send + Sync {
    /// Called before a request is carried out, which does not happen on an error.
    ///
    /// # Errors
    /// The errors to return to the caller.
    async fn before(&self, asked: &Asked<'_>) -> Result<(), StoreError>;

    /// Called after the request was carried out, before the caller gets the result.
    async fn after(&self, _asked: &Asked<'_>) {}
}

/// A store behind a guard.
#[derive(Debug)]
pub struct Guarded<G> {
    store: Arc<dyn Store>,
    /// The guard.
    pub guard: G,
}

impl<G> Guarded<G> {
    /// Wraps `store` in `guard`.
    pub fn new(store: Arc<dyn Store>, guard: G) -> Arc<Self> {
        Arc::new(Self { store, guard })
    }
}

#[async_trait]
impl<G: Guard> Store for Guarded<G> {
    async fn get(&self, path: &str) -> Result<Option<Node>, StoreError> {
        let asked = Asked::Get(path);
        self.guard.before(&asked).await?;
        let node = self.store.get(path).await?;
        self.guard.after(&asked).await;
        Ok(node)
    }

    async fn changed(&self, path: &str, seen: Option<Version>) -> Result<Option<Node>, StoreError> {
        let asked = Asked::Changed(path);
        self.guard.before(&asked).await?;
        let node = self.store.changed(path, seen).await?;
        self.guard.after(&asked).await;
        Ok(node)
    }

    async fn set(&self, path: &str, data: &[u8], expected: Option<Version>) -> Result<Version, StoreError> {
        let op = Op::Set { path: path.to_owned(), data: data.to_vec(), expected };
        let asked = Asked::Op(&op);
        self.guard.before(&asked).await?;
        let version = self.store.set(path, data, expected).await?;
        self.guard.after(&asked).await;
        Ok(version)
    }

    async fn children(&self, path: &str) -> Result<Vec<String>, StoreError> {
        let asked = Asked::Children(path);
        self.guard.before(&asked).await?;
        let names = self.store.children(path).await?;
        self.guard.after(&asked).await;
        Ok(names)
    }

    async fn apply(&self, mut ops: Vec<Op>) -> Result<(), StoreError> {
        let mut refused = Ok(());
        for at in 0..ops.len() {
            if matches!(ops[at], Op::Check { .. }) {
                continue;
            }
            refused = self.guard.before(&Asked::Op(&ops[at])).await;
            if refused.is_err() {
                ops.truncate(at);
                break;
            }
        }
        self.store.apply(ops.clone()).await?;
        for op in ops.iter().filter(|op| !matches!(op, Op::Check { .. })) {
            self.guard.after(&Asked::Op(op)).await;
        }
        refused
    }

    async fn protect(&self, accesses: &[(String, Access)], checks: &[Op]) -> Result<(), StoreError> {
        for (path, access) in accesses {
            let asked = Asked::Protect(path, access);
            self.guard.before(&asked).await?;
            self.store.protect(&[(path.clone(), access.clone())], checks).await?;
            self.guard.after(&asked).await;
        }
        Ok(())
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

    fn session(&self) -> Option<Duration> {
        self.store.session()
    }

    async fn hold(&self, path: &str, data: &[u8], access: &Access, over: Option<Version>) -> Result<Hold, StoreError> {
        let asked = Asked::Hold(path);
        self.guard.before(&asked).await?;
        let hold = self.store.hold(path, data, access, over).await?;
        self.guard.after(&asked).await;
        Ok(hold)
    }
}
