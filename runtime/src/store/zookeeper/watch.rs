//! Waiting for a node to change.

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

/// How long to trust a watch before looking by oneself, at first and in the long run.
const FIRST_GLANCE: Duration = Duration::from_secs(5);
const LONGEST_GLANCE: Duration = Duration::from_mins(10);

/// The same for what is followed: there is one such node for each agent, and all that the agent does depends on it.
const FOLLOWED_GLANCE: Duration = Duration::from_mins(2);

/// How much longer each time: many wait for long, and what they look at costs the others time.
const LONGER: u32 = 8;

/// Waits until the node at `path` is not as it was `seen`.
///
/// Takes the two requests that anybody needs who waits: one that looks and watches, and one that looks again after the
/// watch has fired.
pub(super) async fn changed(lease: &Lease, path: &str, seen: Option<Version>) -> Result<Option<Node>, StoreError> {
    Ok(wait(lease, path, seen, None, false).await?.0)
}

/// A node that is watched, as it was seen.
struct Armed {
    lease: Arc<Lease>,
    client: Arc<Link>,
    watcher: OneshotWatcher,
    version: Option<Version>,
}

/// Nodes that are watched while nobody waits for them: whoever follows one will wait again. By path.
#[derive(Default)]
pub(super) struct Followed(Mutex<HashMap<String, Armed>>);

impl Followed {
    /// Waits until the node at `path` is not as it was `seen`, and goes on watching it: each change takes one request.
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

/// Waits until the node is not as it was `seen`, beginning with a watch that is there already, if one is, and ending with
/// one if the node `is_followed`.
async fn wait(
    lease: &Lease,
    path: &str,
    seen: Option<Version>,
    armed: Option<Armed>,
    is_followed: bool,
) -> Result<(Option<Node>, Option<(Arc<Link>, OneshotWatcher)>), StoreError> {
    let mut tries = Tries::new(&lease.session);
    // Whether our own watch has told of a change: then what is there is news, without further ado.
    let glances = || if is_followed { Glances::followed() } else { Glances::default() };
    let mut told = match armed {
        Some(Armed { client, watcher, .. }) => hear(watcher, &client, path, seen, glances()).await,
        None => false,
    };
    loop {
        let client = tries.client().await?;
        match client.ask(step(&client, path, seen, (told, is_followed))).await {
            Ok(Step::Changed(node, watcher)) => {
                return Ok((node, watcher.filter(|_| is_followed).map(|watcher| (client, watcher))));
            }
            Ok(Step::Wait(watcher)) => {
                tries.answered();
                told = hear(watcher, &client, path, seen, glances()).await;
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
    Changed(Option<Node>, Option<OneshotWatcher>),
    Wait(OneshotWatcher),
    Again,
}

async fn step(
    client: &Client,
    path: &str,
    seen: Option<Version>,
    (told, is_followed): (bool, bool),
) -> Result<Step, Error> {
    let (node, watcher) =
        if told && !is_followed { (look(client, path).await?, None) } else { watch(client, path).await? };
    if version(node.as_ref()) != seen {
        if told || is_newer(node.as_ref(), seen) {
            return Ok(Step::Changed(node, watcher));
        }
        // The member that answers may lag behind the one that showed what was seen: the node must not seem to have
        // changed back. Once it caught up, what it has is the truth.
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

/// Waits for the watch to fire; whether it did, and for the node's sake.
///
/// ZooKeeper (from 3.8.4, and Debian's 3.8.0) says nothing to those who may not read any more what they watch. So that
/// they do not wait for ever, they look by themselves once in a while.
async fn hear(watcher: OneshotWatcher, client: &Link, path: &str, seen: Option<Version>, mut glances: Glances) -> bool {
    let mut fired = pin!(watcher.changed());
    loop {
        let glance = async {
            glances.next().await;
            client.ask(look(client, path)).await
        };
        tokio::select! {
            // A session that expires fires its watches as well: what another one shows may be older.
            event = &mut fired => return event.event_type != EventType::Session,
            () = client.given_up() => return false,
            found = glance => if !found.is_ok_and(|node| version(node.as_ref()) == seen) {
                return false;
            },
        }
    }
}

/// When whoever trusts a watch looks nevertheless.
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
    /// At what one may read for as long as one is there.
    pub(super) fn rare() -> Self {
        Self { next: LONGEST_GLANCE, longest: LONGEST_GLANCE }
    }

    /// At what is followed.
    fn followed() -> Self {
        Self { next: FOLLOWED_GLANCE, longest: FOLLOWED_GLANCE }
    }

    /// Returns when it is time for the next one.
    pub(super) async fn next(&mut self) {
        tokio::time::sleep(self.next).await;
        self.next = self.longest.min(self.next * LONGER);
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
