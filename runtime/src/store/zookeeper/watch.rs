//! Waits for a node to change.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use zookeeper_client::{Client, Error, EventType, OneshotWatcher};

use super::link::Link;
use super::node;
use super::pool::{Lease, Pool};
use super::tries::Tries;
use crate::store::{Node, StoreError, Version};

/// How long to trust a watch before reading the node anyway: at first, and at most.
const FIRST_GLANCE: Duration = Duration::from_secs(5);
const LONGEST_GLANCE: Duration = Duration::from_mins(10);

/// Likewise for nodes that are followed: there is one such node for each agent, and everything that the agent does
/// depends on it.
const FOLLOWED_GLANCE: Duration = Duration::from_mins(2);

/// The factor by which this grows each time: many clients wait for a long time, and each read delays the others.
const LONGER: u32 = 8;

/// Waits until the node at `path` differs from the version `seen`.
///
/// Takes the two requests that every wait needs: one that reads and watches the node, and one that reads it again after
/// the watch has fired.
pub(super) async fn changed(lease: &Lease, path: &str, seen: Option<Version>) -> Result<Option<Node>, StoreError> {
    Ok(wait(lease, path, seen, None, false).await?.0)
}

/// A watched node in its last known state.
struct Armed {
    lease: Arc<Lease>,
    client: Arc<Link>,
    watcher: OneshotWatcher,
    version: Option<Version>,
}

/// Nodes that are watched while nothing waits for them, by path. A caller that follows a node will wait again.
#[derive(Default)]
pub(super) struct Followed(Mutex<HashMap<String, Armed>>);

impl Followed {
    /// Waits until the node at `path` differs from the version `seen`, and continues to watch it. Each change takes one
    /// request.
    pub(super) async fn changed(
        &self,
        pool: &Pool,
        path: &str,
        seen: Option<Version>,
    ) -> Result<(Option<Node>, Arc<Lease>), StoreError> {
        let armed = self.locked().remove(path).filter(|armed| armed.version == seen);
        let lease = armed.as_ref().map_or_else(|| Arc::new(pool.lease(path)), |armed| Arc::clone(&armed.lease));
        let (node, armed) = wait(&lease, path, seen, armed, true).await?;
        if let Some((client, watcher)) = armed {
            let armed = Armed { lease: Arc::clone(&lease), client, watcher, version: version(node.as_ref()) };
            self.locked().insert(path.to_owned(), armed);
        }
        Ok((node, lease))
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<String, Armed>> {
        self.0.lock().expect("INVARIANT: nothing panics while it holds what is followed")
    }
}

/// Waits until the node differs from the version `seen`. Begins with an existing watch, if there is one, and ends with
/// one if the node `is_followed`.
async fn wait(
    lease: &Lease,
    path: &str,
    seen: Option<Version>,
    armed: Option<Armed>,
    is_followed: bool,
) -> Result<(Option<Node>, Option<(Arc<Link>, OneshotWatcher)>), StoreError> {
    let mut tries = Tries::new(&lease.session);
    // `notified` is whether our own watch has reported a change. If so, the present state is new, without further
    // checks.
    let glances = || if is_followed { Glances::followed() } else { Glances::default() };
    let mut notified = match armed {
        Some(Armed { client, watcher, .. }) => hear(watcher, &client, path, seen, glances()).await,
        None => false,
    };
    loop {
        let client = tries.client().await?;
        match client.ask(step(&client, path, seen, (notified, is_followed))).await {
            Ok(Step::Changed(node, watcher)) => {
                return Ok((node, watcher.filter(|_| is_followed).map(|watcher| (client, watcher))));
            }
            Ok(Step::Wait(watcher)) => {
                tries.answered();
                notified = hear(watcher, &client, path, seen, glances()).await;
            }
            Ok(Step::Again) => notified = false,
            Err(error) => {
                notified = false;
                tries.again(error, "read", path)?;
            }
        }
    }
}

enum Step {
    Changed(Option<Node>, Option<OneshotWatcher>),
    Wait(OneshotWatcher),
    Again,
}

async fn step(
    client: &Client,
    path: &str,
    seen: Option<Version>,
    (notified, is_followed): (bool, bool),
) -> Result<Step, Error> {
    let (node, watcher) =
        if notified && !is_followed { (look(client, path).await?, None) } else { watch(client, path).await? };
    if version(node.as_ref()) != seen {
        if notified || is_newer(node.as_ref(), seen) {
            return Ok(Step::Changed(node, watcher));
        }
        // The responding member may lag behind the one that returned `seen`, and the node must not seem to have changed
        // back. Once that member has caught up, its contents are valid.
        client.sync(path).await?;
        let node = look(client, path).await?;
        if version(node.as_ref()) != seen {
            return Ok(Step::Changed(node, None));
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

/// Waits for the watch to fire. Returns whether it fired because of the node.
///
/// ZooKeeper (from 3.8.4, and Debian's 3.8.0) does not notify clients that may no longer read what they watch. So that
/// they do not wait forever, they read the node from time to time.
async fn hear(watcher: OneshotWatcher, client: &Link, path: &str, seen: Option<Version>, mut glances: Glances) -> bool {
    let mut fired = pin!(watcher.changed());
    loop {
        let glance = async {
            glances.next().await;
            client.ask(look(client, path)).await
        };
        tokio::select! {
            // An expired session fires its watches as well. What another session reads may be older.
            event = &mut fired => return event.event_type != EventType::Session,
            () = client.given_up() => return false,
            found = glance => if !found.is_ok_and(|node| version(node.as_ref()) == seen) {
                return false;
            },
        }
    }
}

/// The times at which a watched node is read anyway.
pub(super) struct Glances {
    next: Duration,
    longest: Duration,
}

impl Default for Glances {
    fn default() -> Self {
        Self { next: FIRST_GLANCE, longest: LONGEST_GLANCE }
    }
}

impl Glances {
    /// For a node that the client may read for as long as it exists.
    pub(super) fn rare() -> Self {
        Self { next: LONGEST_GLANCE, longest: LONGEST_GLANCE }
    }

    /// For a followed node.
    fn followed() -> Self {
        Self { next: FOLLOWED_GLANCE, longest: FOLLOWED_GLANCE }
    }

    /// Waits until the next read is due.
    pub(super) async fn next(&mut self) {
        tokio::time::sleep(self.next).await;
        self.next = self.longest.min(self.next * LONGER);
    }
}

/// Reads the node and watches it. A node that does not exist is watched for its creation.
async fn watch(client: &Client, path: &str) -> Result<(Option<Node>, Option<OneshotWatcher>), Error> {
    loop {
        match client.get_and_watch_data(path).await {
            Ok((data, stat, watcher)) => return Ok((Some(node(data, &stat)), Some(watcher))),
            Err(Error::NoNode) => {}
            Err(error) => return Err(error),
        }
        // It may be created in between.
        if let (None, watcher) = client.check_and_watch_stat(path).await? {
            return Ok((None, Some(watcher)));
        }
    }
}
