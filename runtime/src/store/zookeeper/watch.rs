//! Waiting for a node to change.

use std::pin::pin;
use std::time::Duration;

use zookeeper_client::{Client, Error, EventType, OneshotWatcher};

use super::node;
use super::pool::Pool;
use super::tries::Tries;
use crate::store::{Node, StoreError, Version};

/// How long to trust a watch before looking by oneself, at first and in the long run.
const FIRST_GLANCE: Duration = Duration::from_secs(5);
const LONGEST_GLANCE: Duration = Duration::from_mins(1);

/// Waits until the node at `path` is not as it was `seen`.
///
/// Takes the two requests that anybody needs who waits: one that looks and watches, and one that looks again after the
/// watch has fired.
pub(super) async fn changed(pool: &Pool, path: &str, seen: Option<Version>) -> Result<Option<Node>, StoreError> {
    let lease = pool.lease(path);
    let mut tries = Tries::new(&lease.session);
    // Whether our own watch has told of a change: then what is there is news, without further ado.
    let mut told = false;
    loop {
        let client = tries.client().await?;
        match step(&client, path, seen, told).await {
            Ok(Step::Changed(node)) => return Ok(node),
            Ok(Step::Wait(watcher)) => {
                tries.answered();
                told = hear(watcher, &client, path, seen).await;
            }
            Ok(Step::Again) => told = false,
            Err(error) => {
                told = false;
                tries.again(error, "read", path)?;
            }
        }
    }
}

enum Step {
    Changed(Option<Node>),
    Wait(OneshotWatcher),
    Again,
}

async fn step(client: &Client, path: &str, seen: Option<Version>, told: bool) -> Result<Step, Error> {
    let (node, watcher) = if told { (look(client, path).await?, None) } else { watch(client, path).await? };
    if version(node.as_ref()) != seen {
        if told || is_newer(node.as_ref(), seen) {
            return Ok(Step::Changed(node));
        }
        // The member that answers may lag behind the one that showed what was seen: the node must not seem to have
        // changed back. Once it caught up, what it has is the truth.
        client.sync(path).await?;
        let node = look(client, path).await?;
        if version(node.as_ref()) != seen {
            return Ok(Step::Changed(node));
        }
    }
    Ok(watcher.map_or(Step::Again, Step::Wait))
}

fn version(node: Option<&Node>) -> Option<Version> {
    node.map(|node| node.version)
}

fn is_newer(node: Option<&Node>, seen: Option<Version>) -> bool {
    node.is_some_and(|node| seen.is_none_or(|seen| node.version.transaction > seen.transaction))
}

async fn look(client: &Client, path: &str) -> Result<Option<Node>, Error> {
    match client.get_data(path).await {
        Ok((data, stat)) => Ok(Some(node(data, &stat))),
        Err(Error::NoNode) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Waits for the watch to fire; whether it did, and for the node's sake.
///
/// ZooKeeper (from 3.8.4, and Debian's 3.8.0) says nothing to those who may not read any more what they watch. So that
/// they do not wait for ever, they look by themselves once in a while.
async fn hear(watcher: OneshotWatcher, client: &Client, path: &str, seen: Option<Version>) -> bool {
    let mut fired = pin!(watcher.changed());
    let mut glances = Glances::default();
    loop {
        let glance = async {
            glances.next().await;
            look(client, path).await
        };
        tokio::select! {
            // A session that expires fires its watches as well: what another one shows may be older.
            event = &mut fired => return event.event_type != EventType::Session,
            found = glance => if !found.is_ok_and(|node| version(node.as_ref()) == seen) {
                return false;
            },
        }
    }
}

/// When whoever trusts a watch looks nevertheless.
pub(super) struct Glances(Duration);

impl Default for Glances {
    fn default() -> Self {
        Self(FIRST_GLANCE)
    }
}

impl Glances {
    /// Returns when it is time for the next one.
    pub(super) async fn next(&mut self) {
        tokio::time::sleep(self.0).await;
        self.0 = LONGEST_GLANCE.min(self.0 * 2);
    }
}

/// Looks at the node, and watches it: none is watched for its being made.
async fn watch(client: &Client, path: &str) -> Result<(Option<Node>, Option<OneshotWatcher>), Error> {
    loop {
        match client.get_and_watch_data(path).await {
            Ok((data, stat, watcher)) => return Ok((Some(node(data, &stat)), Some(watcher))),
            Err(Error::NoNode) => {}
            Err(error) => return Err(error),
        }
        // It may be made in between.
        if let (None, watcher) = client.check_and_watch_stat(path).await? {
            return Ok((None, Some(watcher)));
        }
    }
}
