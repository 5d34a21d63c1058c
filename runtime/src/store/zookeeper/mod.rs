//! ZooKeeper: the store of a data space that many hosts share.
//!
//! This module builds a [`Store`] on the crate `zookeeper-client`. That crate handles a single session. This module
//! replaces expired sessions, continues operations after a lost connection without carrying them out twice, and limits
//! the watches of each session to what it can carry over to a new connection.

mod acl;
mod batch;
mod gather;
mod hold;
mod link;
mod outside;
mod pool;
mod protect;
mod quota;
mod session;
mod tls;
mod tries;
mod watch;
mod write;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::future::join;
use zookeeper_client::{Client, Error, Stat};

use self::acl::Maker;
use self::gather::{Gather, Since};
use self::pool::{Lease, Pool};
use self::session::{Session, Settings};
use self::tries::Tries;
use super::path::check_path;
use super::{Access, Encryption, Hold, Login, Node, Op, Open, Store, StoreError, Version};

/// How long closing the sessions may take. ZooKeeper ends the others by itself.
const CLOSE: Duration = Duration::from_secs(2);

/// A store in ZooKeeper.
pub(super) struct ZooKeeper {
    session: Session,
    pool: Pool,
    gather: Gather,
    followed: watch::Followed,
    maker: Maker,
}

/// Connects with all of `logins`, and waits as long as it takes.
///
/// # Errors
/// [`StoreError::Unusable`] if waiting is pointless.
pub(super) async fn connect(hosts: &str, encryption: &Encryption, logins: &[Login]) -> Result<ZooKeeper, StoreError> {
    let settings = Arc::new(Settings::new(hosts, encryption, logins)?);
    let session = Session::open(Arc::clone(&settings));
    session.client().await?;
    Ok(ZooKeeper {
        pool: Pool::new(settings, session.clone()),
        gather: Gather::new(session.clone()),
        followed: watch::Followed::default(),
        session,
        maker: Maker::new(logins),
    })
}

impl fmt::Debug for ZooKeeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ZooKeeper({})", self.session.settings().address)
    }
}

fn version(stat: &Stat) -> Version {
    Version { transaction: stat.mzxid, count: stat.version }
}

fn node(data: Vec<u8>, stat: &Stat) -> Node {
    Node { data, version: version(stat) }
}

/// Makes the responding member catch up with the others before the next request, without waiting for it. One name may
/// stand for several members, so there may always be others.
fn catch_up<'a>(client: &'a Client, path: &str) -> impl Future<Output = ()> + Send + 'a {
    let request = client.sync(path);
    async move {
        // If it fails because of the connection, so does everything after it.
        let _ = request.await;
    }
}

impl ZooKeeper {
    async fn read(&self, path: &str, since: Since) -> Result<Option<Node>, StoreError> {
        check_path(path)?;
        let mut tries = Tries::new(&self.session);
        loop {
            tries.client().await?;
            match self.gather.get(path, since).await {
                Ok(node) => return Ok(node),
                Err(error) => tries.again(error, "read", path)?,
            }
        }
    }

    /// Records that the session of `lease` has returned something.
    fn answered(&self, lease: &Lease) {
        if !lease.is_of_first() {
            self.gather.answered_elsewhere();
        }
    }
}

#[async_trait]
impl Store for ZooKeeper {
    fn session_id(&self) -> i64 {
        self.session.id()
    }

    async fn get(&self, path: &str) -> Result<Option<Node>, StoreError> {
        self.read(path, Since::Anybody).await
    }

    async fn look(&self, path: &str) -> Result<Option<Node>, StoreError> {
        self.read(path, Since::Here).await
    }

    async fn changed(&self, path: &str, seen: Option<Version>) -> Result<Option<Node>, StoreError> {
        check_path(path)?;
        let lease = self.pool.lease(path);
        let node = watch::changed(&lease, path, seen).await?;
        self.answered(&lease);
        Ok(node)
    }

    async fn follow(&self, path: &str, seen: Option<Version>) -> Result<Option<Node>, StoreError> {
        check_path(path)?;
        let (node, lease) = self.followed.changed(&self.pool, path, seen).await?;
        self.answered(&lease);
        Ok(node)
    }

    async fn set(&self, path: &str, data: &[u8], expected: Option<Version>) -> Result<Version, StoreError> {
        check_path(path)?;
        write::set(&self.session, &self.gather, path, data, expected).await
    }

    async fn children(&self, path: &str) -> Result<Vec<String>, StoreError> {
        check_path(path)?;
        let mut tries = Tries::new(&self.session);
        loop {
            let client = tries.client().await?;
            let caught_up = catch_up(&client, path);
            let names = async { join(caught_up, client.list_children(path)).await.1 };
            match client.ask(names).await {
                Ok(mut names) => {
                    names.sort_unstable();
                    return Ok(names);
                }
                Err(Error::NoNode) => return Ok(Vec::new()),
                Err(error) => tries.again(error, "read", path)?,
            }
        }
    }

    async fn apply(&self, ops: Vec<Op>) -> Result<(), StoreError> {
        batch::apply(&self.session, &self.maker, &ops).await
    }

    async fn protect(&self, accesses: &[(String, Access)], checks: &[Op]) -> Result<(), StoreError> {
        protect::protect(&self.session, &self.maker, accesses, checks).await
    }

    async fn exceeding(&self, accesses: &[(String, Access)]) -> Result<Vec<String>, StoreError> {
        protect::exceeding(&self.session, &self.maker, accesses).await
    }

    async fn is_held(&self, path: &str) -> Result<bool, StoreError> {
        check_path(path)?;
        let mut tries = Tries::new(&self.session);
        loop {
            let client = tries.client().await?;
            let asked = async { join(catch_up(&client, path), client.check_stat(path)).await.1 };
            match client.ask(asked).await {
                Ok(stat) => return Ok(stat.is_some_and(|stat| stat.ephemeral_owner != 0)),
                Err(error) => tries.again(error, "read", path)?,
            }
        }
    }

    async fn bound(&self, places: &[String]) -> Result<bool, StoreError> {
        self.limit(places).await
    }

    async fn unbound(&self, top: &str) -> Result<bool, StoreError> {
        self.unlimit(top).await
    }

    async fn close_off(&self, top: &str) -> Result<Vec<Open>, StoreError> {
        self.close(top).await
    }

    fn bounds(&self, top: &str) -> Vec<String> {
        quota::nodes(top)
    }

    async fn hold(&self, path: &str, data: &[u8], access: &Access, over: Option<Version>) -> Result<Hold, StoreError> {
        check_path(path)?;
        let node = hold::Node { path: path.to_owned(), data: data.to_vec(), acls: self.maker.acls(access) };
        hold::hold(&self.session, self.pool.lease(path), node, over).await
    }

    fn session(&self) -> Option<Duration> {
        self.session.settings().granted()
    }

    async fn log_in(&self, logins: &[Login]) -> Result<(), StoreError> {
        self.session.settings().add(logins);
        for session in self.pool.sessions() {
            session.log_in(logins).await?;
        }
        Ok(())
    }

    async fn close(&self) {
        let sessions = self.pool.sessions();
        let closing = futures_util::future::join_all(sessions.iter().map(Session::close));
        if tokio::time::timeout(CLOSE, closing).await.is_err() {
            tracing::warn!("cannot notify the data space that this process is ending; it will notice by itself");
        }
    }
}
