//! Nodes that exist for as long as this process does: ephemeral ones, created again in every new session.

use std::pin::pin;

use tracing::{info, warn};
use zookeeper_client::{Acl, Acls, Client, CreateMode, Error, MultiWriteError, MultiWriteResult, OneshotWatcher, Stat};

use super::link::Link;
use super::pool::Lease;
use super::session::Session;
use super::tries::Tries;
use super::version;
use super::watch::Glances;
use crate::store::hold::Keeper;
use crate::store::{Hold, StoreError, Version};

/// A node to hold.
pub(super) struct Node {
    pub(super) path: String,
    pub(super) data: Vec<u8>,
    pub(super) acls: Vec<Acl>,
}

struct Held {
    session: Session,
    // The session in which the node is watched.
    lease: Lease,
    node: Node,
}

/// Identifies the node that we created.
#[derive(Clone, Copy)]
struct Made {
    session: i64,
    transaction: i64,
}

impl Made {
    fn new(session: i64, stat: &Stat) -> Self {
        Self { session, transaction: stat.czxid }
    }

    fn is(&self, stat: &Stat) -> bool {
        stat.czxid == self.transaction
    }
}

pub(super) async fn hold(
    session: &Session,
    lease: Lease,
    node: Node,
    over: Option<Version>,
) -> Result<Hold, StoreError> {
    StoreError::check_size(&node.path, &node.data)?;
    let kept = Held { session: session.clone(), lease, node };
    let made = kept.make(&|there| over == Some(version(there))).await?;
    let (hold, keeper) = Hold::new();
    tokio::spawn(kept.keep(made, keeper));
    Ok(hold)
}

impl Held {
    /// Creates the node, if necessary in place of one that `is_former`.
    async fn make(&self, is_former: &(dyn Fn(&Stat) -> bool + Sync)) -> Result<Made, StoreError> {
        let mut tries = Tries::new(&self.session);
        // Whether an attempt to replace a node got no response, so that it is unknown which node it replaced.
        let mut may_have_taken = false;
        loop {
            let client = tries.client().await?;
            let making = self.try_to_make(&client, is_former, tries.in_doubt(), &mut may_have_taken);
            match client.ask(making).await {
                Ok(Tried::Made(made)) => return Ok(made),
                Ok(Tried::Changed) => {}
                Ok(Tried::Unwritable) => return Err(StoreError::denied("write", &self.node.path)),
                Ok(Tried::Taken) => return Err(StoreError::Conflict { path: self.node.path.clone() }),
                Err(error) => tries.again(error, "create", &self.node.path)?,
            }
        }
    }

    async fn try_to_make(
        &self,
        client: &Client,
        is_former: &(dyn Fn(&Stat) -> bool + Sync),
        in_doubt: bool,
        may_have_taken: &mut bool,
    ) -> Result<Tried, Error> {
        let Node { path, data, acls } = &self.node;
        let options = CreateMode::Ephemeral.with_acls(Acls::new(acls));
        let session = client.session_id().0;
        match client.create(path, data, &options).await {
            Ok((stat, _)) => return Ok(Tried::Made(Made::new(session, &stat))),
            Err(Error::NodeExists) => {}
            Err(error) => return Err(error),
        }
        let Some(there) = look(client, path).await? else { return Ok(Tried::Changed) };
        if !is_former(&there) {
            if !in_doubt || there.ephemeral_owner != session {
                return Ok(Tried::Taken);
            }
            if *may_have_taken {
                let_notice(client).await;
            }
            return Ok(Tried::Made(Made::new(session, &there)));
        }
        // The owner of the former node may be about to remove it by its version, so this one must have another version.
        let mut is_distinct = there.version == 0;
        let committed = loop {
            // In a single transaction, so that the node never appears to be missing.
            let mut writer = client.new_multi_writer();
            writer.add_set_data(path, data, Some(there.version))?;
            writer.add_delete(path, Some(there.version.wrapping_add(1)))?;
            writer.add_create(path, data, &options)?;
            if is_distinct {
                writer.add_set_data(path, data, Some(0))?;
            }
            *may_have_taken = true;
            match writer.commit().await {
                // A client that may not write the node that it creates does without this.
                Err(MultiWriteError::OperationFailed { index: 3, source: Error::NoAuth }) => is_distinct = false,
                committed => break committed,
            }
        };
        match committed {
            // ZooKeeper compares how many times the data was set, which starts again for a node that was created in the
            // meantime. The result shows which node it was.
            Ok(results) => {
                let was_former = |result: &MultiWriteResult| match result {
                    MultiWriteResult::SetData { stat } => stat.czxid == there.czxid,
                    _ => false,
                };
                if !results.first().is_some_and(was_former) {
                    let_notice(client).await;
                }
            }
            Err(MultiWriteError::OperationFailed { index, source }) => {
                *may_have_taken = false;
                return match source {
                    Error::NoAuth if index == 0 => Ok(Tried::Unwritable),
                    Error::NoNode | Error::NodeExists | Error::BadVersion => Ok(Tried::Changed),
                    source => Err(source),
                };
            }
            Err(error) => return Err(error.into()),
        }
        // ZooKeeper 3.8.0 does not include the time of creation in its response.
        let there = client.check_stat(path).await?;
        let ours = there.filter(|stat| stat.ephemeral_owner == session);
        Ok(ours.map_or(Tried::Changed, |stat| Tried::Made(Made::new(session, &stat))))
    }

    async fn keep(self, mut made: Made, mut keeper: Keeper) {
        loop {
            tokio::select! {
                biased;
                () = keeper.released() => return self.release(made).await,
                // Nothing remains of a session that is over.
                _ = self.session.successor(made.session) => {}
                () = self.gone(made) => {}
            }
            // The client decides by its own clock that a session has expired, so its node may still exist.
            let is_former = |there: &Stat| made.is(there);
            let remade = tokio::select! {
                () = keeper.released() => return,
                remade = self.make(&is_former) => remade,
            };
            match remade {
                Ok(again) => {
                    info!(path = self.node.path, "made again");
                    made = again;
                    keeper.again();
                }
                Err(error) => {
                    warn!(path = self.node.path, %error, "is lost");
                    return keeper.lose();
                }
            }
        }
    }

    /// Waits until the node is not the one that was created.
    async fn gone(&self, made: Made) {
        let mut tries = Tries::new(&self.lease.session);
        while let Ok(client) = tries.client().await {
            match client.ask(self.watch(&client, made)).await {
                Ok(Some(watcher)) => {
                    tries.answered();
                    self.hear(watcher, &client, made).await;
                }
                Ok(None) => return,
                Err(error) => {
                    if tries.again(error, "read", &self.node.path).is_err() {
                        return;
                    }
                }
            }
        }
    }

    /// A watch for changes of the node. `None` if it is not the one that was created.
    async fn watch(&self, client: &Client, made: Made) -> Result<Option<OneshotWatcher>, Error> {
        let path = &self.node.path;
        let (there, watcher) = client.check_and_watch_stat(path).await?;
        if there.is_some_and(|stat| made.is(&stat)) {
            return Ok(Some(watcher));
        }
        let there = look(client, path).await?;
        Ok(there.is_some_and(|stat| made.is(&stat)).then_some(watcher))
    }

    /// Waits until the node may be another one.
    async fn hear(&self, watcher: OneshotWatcher, client: &Link, made: Made) {
        let mut fired = pin!(watcher.changed());
        let mut glances = Glances::rare();
        loop {
            let glance = async {
                glances.next().await;
                client.ask(client.check_stat(&self.node.path)).await
            };
            tokio::select! {
                _ = &mut fired => return,
                () = client.given_up() => return,
                there = glance => if !there.is_ok_and(|there| there.is_some_and(|stat| made.is(&stat))) {
                    return;
                },
            }
        }
    }

    /// Removes the node, unless its session is over, which removes it as well, or another client has replaced it.
    async fn release(self, made: Made) {
        let path = &self.node.path;
        let mut tries = Tries::new(&self.session);
        while let Ok(client) = tries.client().await {
            if client.session_id().0 != made.session {
                return;
            }
            let removed = match client.ask(look(&client, path)).await {
                Ok(Some(stat)) if made.is(&stat) => client.ask(client.delete(path, Some(stat.version))).await,
                Ok(_) => return,
                Err(error) => Err(error),
            };
            let error = match removed {
                Ok(()) => return,
                // Another client has set it, or replaced it.
                Err(Error::BadVersion) => continue,
                Err(error) => error,
            };
            if let Err(error) = tries.again(error, "delete", path) {
                warn!(path, %error, "cannot be removed before the session is over");
                return;
            }
        }
    }
}

/// Reads the present node, even if the responding member lags behind the one that responded before.
async fn look(client: &Client, path: &str) -> Result<Option<Stat>, Error> {
    client.sync(path).await?;
    client.check_stat(path).await
}

/// Gives the owner of a replaced node time to notice: at most as long as its session lasts.
async fn let_notice(client: &Client) {
    tokio::time::sleep(client.session_timeout()).await;
}

/// The result of an attempt to create a node.
enum Tried {
    Made(Made),
    /// The existing node changed in the meantime.
    Changed,
    /// There is another node.
    Taken,
    /// There is another node, which may not be written.
    Unwritable,
}
