//! Nodes that are there for as long as this process is: ephemeral ones, made again in every new session.

use std::time::Duration;

use tokio::sync::oneshot;
use tracing::{info, warn};
use zookeeper_client::{Acl, Acls, Client, CreateMode, Error, MultiWriteError, Stat};

use super::session::Session;
use super::tries::Tries;
use crate::store::{Hold, StoreError};

/// How long to wait before trying again to make a node that could not be made, by whatever was in the way.
const BETWEEN_TRIES: Duration = Duration::from_secs(5);

struct Held {
    session: Session,
    path: String,
    data: Vec<u8>,
    acls: Vec<Acl>,
}

/// Which node is ours.
#[derive(Clone, Copy)]
struct Made {
    session: i64,
    transaction: i64,
}

pub(super) async fn hold(session: &Session, path: &str, data: &[u8], acls: Vec<Acl>) -> Result<Hold, StoreError> {
    StoreError::check_size(path, data)?;
    let node = Held { session: session.clone(), path: path.to_owned(), data: data.to_vec(), acls };
    let made = node.make().await?;
    let (hold, released) = Hold::new();
    tokio::spawn(node.keep(made, released));
    Ok(hold)
}

impl Held {
    async fn make(&self) -> Result<Made, StoreError> {
        let mut tries = Tries::new(&self.session);
        loop {
            let client = tries.client().await?;
            match self.try_to_make(&client, tries.in_doubt()).await {
                Ok(Some(made)) => return Ok(made),
                Ok(None) => {}
                Err(error) => tries.again(error, "create", &self.path)?,
            }
        }
    }

    /// Makes the node with this client's session; none when somebody else was faster.
    async fn try_to_make(&self, client: &Client, in_doubt: bool) -> Result<Option<Made>, Error> {
        let options = CreateMode::Ephemeral.with_acls(Acls::new(&self.acls));
        let session = client.session_id().0;
        let made = |stat: &Stat| Made { session, transaction: stat.czxid };
        match client.create(&self.path, &self.data, &options).await {
            Ok((stat, _)) => return Ok(Some(made(&stat))),
            Err(Error::NodeExists) => {}
            Err(error) => return Err(error),
        }
        let Some(there) = client.check_stat(&self.path).await? else { return Ok(None) };
        if in_doubt && there.ephemeral_owner == session {
            return Ok(Some(made(&there)));
        }
        // Both at once, so that nobody sees it missing.
        let mut writer = client.new_multi_writer();
        writer.add_delete(&self.path, None)?;
        writer.add_create(&self.path, &self.data, &options)?;
        match writer.commit().await {
            Ok(_) => {}
            Err(MultiWriteError::OperationFailed { source: Error::NoNode | Error::NodeExists, .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
        // ZooKeeper 3.8.0 does not say in its answer when it was made.
        let there = client.check_stat(&self.path).await?;
        Ok(there.filter(|stat| stat.ephemeral_owner == session).as_ref().map(made))
    }

    async fn keep(self, mut made: Made, mut released: oneshot::Receiver<()>) {
        loop {
            tokio::select! {
                _ = &mut released => return self.release(made).await,
                successor = self.session.successor(made.session) => if successor.is_err() { return },
            }
            let remade = tokio::select! {
                _ = &mut released => return,
                remade = self.make() => remade,
            };
            match remade {
                Ok(again) => {
                    info!(path = self.path, "made again, in a new session");
                    made = again;
                }
                Err(error) => {
                    warn!(path = self.path, %error, "cannot be made again in a new session; trying on");
                    tokio::select! {
                        _ = &mut released => return,
                        () = tokio::time::sleep(BETWEEN_TRIES) => {}
                    }
                }
            }
        }
    }

    /// Removes the node, unless its session is over, which does it as well, or somebody has replaced it.
    async fn release(self, made: Made) {
        let mut tries = Tries::new(&self.session);
        while let Ok(client) = tries.client().await {
            if client.session_id().0 != made.session {
                return;
            }
            let removed = match client.check_stat(&self.path).await {
                Ok(Some(stat)) if stat.czxid == made.transaction => client.delete(&self.path, None).await,
                Ok(_) => return,
                Err(error) => Err(error),
            };
            let Err(error) = removed else { return };
            if let Err(error) = tries.again(error, "delete", &self.path) {
                warn!(path = self.path, %error, "cannot be removed before the session is over");
                return;
            }
        }
    }
}
