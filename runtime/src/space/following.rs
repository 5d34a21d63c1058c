//! Follows the plans of a server, one after the other.

use std::cmp::Ordering;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use serde::Deserialize;
use tokio::time;
use wattle::model::Name;
use wattle_agent_core::machine::Desired;
use wattle_agent_core::request::{Answer, Follow, Op, Step};

use crate::store::{Node, StoreError};

use super::{Authority, DesiredRevision, Revision, Space, SpaceError, parse_json, unverified};

/// How long to wait before checking untrusted contents again although they have not changed: clocks get corrected.
const AGAIN: Duration = Duration::from_mins(1);

/// A listener for the results of [`Following`].
pub trait Hears: Sync {
    /// Reports a desired revision, signed by an operator's key if that matters. From then on, no earlier key is
    /// trusted.
    ///
    /// # Errors
    /// The reason why the desired revision is invalid although it is properly signed.
    fn desired_revision(&self, desired: DesiredRevision, by: Option<Authority>) -> Result<(), String>;

    /// Reports that the contents of a node are not trusted, with the reason, or are trusted again. For a desired
    /// revision, `shown` is its content, which has no effect.
    fn refused(&self, why: Option<String>, shown: Option<DesiredRevision>);
}

/// Follows the plans of a server. Each change of its plan takes two or three requests. Changes that do not affect the
/// server take none.
#[derive(Debug)]
pub struct Following {
    space: Space,
    server: Name,
    follow: Mutex<Follow>,
    /// The last trusted desired revision.
    desired: Mutex<Option<DesiredRevision>>,
}

/// The revision in some contents.
#[derive(Deserialize)]
pub(super) struct Dated {
    revision: u64,
    #[serde(default)]
    space: Option<Name>,
}

impl Dated {
    pub(super) fn of(self) -> Revision {
        Revision { space: self.space, number: self.revision }
    }
}

impl Following {
    pub(super) fn new(space: &Space, server: &str) -> Self {
        let follow = Mutex::new(Follow::new(&space.layout, server));
        Self { space: space.clone(), server: server.into(), follow, desired: Mutex::default() }
    }

    /// The path of the server's plan.
    pub fn plan(&self) -> String {
        self.follow().plan().to_owned()
    }

    /// Waits for a plan that is newer than the previous one, or of another data space, and reports each desired
    /// revision on the way. Untrusted contents count as absent. Dropping the future loses nothing.
    ///
    /// # Errors
    /// The desired revision or the plan cannot be read. If the contents were malformed, the next call waits for others.
    pub async fn next(&self, who: &impl Hears) -> Result<Desired, SpaceError> {
        let mut op = self.follow().begin();
        loop {
            let (path, node) = self.ask(op).await?;
            let node = self.believed(&path, node, who).await?;
            let step = self.follow().answered(Answer::Node(node));
            match step {
                Step::Ask(next) => op = next,
                Step::Over(desired) => {
                    let desired = desired.map_err(SpaceError::from)?;
                    return self.goes_with_desired(desired);
                }
            }
        }
    }

    /// Reads the desired revision, even if nothing in it concerns this server.
    ///
    /// # Errors
    /// It cannot be read, or is not trusted.
    pub async fn look(&self, who: &impl Hears) -> Result<(), SpaceError> {
        let path = self.space.layout.revision();
        if let Some(node) = self.space.get(&path).await? {
            self.judged(&path, node, who)?;
        }
        Ok(())
    }

    /// Reads the requested node, and returns its path. A server that has left the model may no longer be able to read
    /// the desired revision, and has a node of its own instead.
    async fn ask(&self, op: Op) -> Result<(String, Option<Node>), SpaceError> {
        let (path, seen) = match op {
            Op::Get(path) => (path, None),
            Op::Changed(path, seen) => (path, Some(seen)),
            Op::Set(..) => unreachable!("INVARIANT: whoever follows writes nothing"),
        };
        let asked = async |path: &str| match seen {
            None => self.space.get(path).await,
            // If the servers' shared login has changed since, an existing watch would not fire.
            Some(seen) if self.is_desired(path) => self.space.store.changed(path, seen).await,
            Some(seen) => self.space.store.follow(path, seen).await,
        };
        let denied = match asked(&path).await {
            Err(error @ StoreError::Denied { .. }) if path == self.space.layout.revision() => error,
            node => return Ok((path, node?)),
        };
        let last = self.space.layout.last_desired(&self.server);
        match self.space.get(&last).await {
            Ok(Some(_)) => Ok((last.clone(), asked(&last).await?)),
            _ => Err(denied.into()),
        }
    }

    fn is_desired(&self, path: &str) -> bool {
        path == self.space.layout.revision() || path == self.space.layout.last_desired(&self.server)
    }

    /// Waits until the contents at `path` are trusted, and returns them without their signature.
    async fn believed(&self, path: &str, mut node: Option<Node>, who: &impl Hears) -> Result<Option<Node>, SpaceError> {
        let mut is_refused = false;
        loop {
            let Some(there) = node else { return Ok(None) };
            let version = there.version;
            let shown = self.is_desired(path).then(|| unverified(&there.data).to_vec());
            let why = match self.judged(path, there, who) {
                Ok(there) => {
                    if is_refused {
                        who.refused(None, None);
                    }
                    return Ok(Some(there));
                }
                Err(SpaceError::Untrusted { path, reason }) => format!("`{path}` is not trusted: {reason}"),
                Err(error) => return Err(error),
            };
            is_refused = true;
            who.refused(Some(why), shown.and_then(|shown| serde_json::from_slice(&shown).ok()));
            let changed = self.space.store.changed(path, Some(version));
            node = match time::timeout(AGAIN, changed).await {
                Ok(changed) => changed?,
                Err(_) => self.space.get(path).await?,
            };
        }
    }

    fn judged(&self, path: &str, node: Node, who: &impl Hears) -> Result<Node, SpaceError> {
        let (by, held) = self.space.held_by(path, &node.data)?;
        let untrusted = |reason| SpaceError::Untrusted { path: path.to_owned(), reason };
        if self.is_desired(path) {
            if let Some(desired) = parse_json::<DesiredRevision>(path, held)?.filter(|desired| desired.revision > 0) {
                who.desired_revision(desired.clone(), by).map_err(untrusted)?;
                by.into_iter().for_each(|by| self.space.passes_to(by));
                *self.desired_revision() = Some(desired);
            }
        } else if let Ok(plan) = serde_json::from_slice::<Dated>(held) {
            let asked = self.asked(plan.space.as_ref());
            if let Some(asked) = asked.filter(|asked| plan.revision < *asked) {
                return Err(untrusted(other(plan.revision, asked)));
            }
        }
        Ok(Node { data: held.to_vec(), version: node.version })
    }

    /// The number of the plan according to the desired revision, if that is of the same data space.
    fn asked(&self, space: Option<&Name>) -> Option<u64> {
        let desired = self.desired_revision();
        let desired = desired.as_ref().filter(|desired| desired.space.as_ref() == space)?;
        if !self.space.is_strict {
            return None;
        }
        Some(desired.plans.as_ref()?.of(&self.server))
    }

    fn goes_with_desired(&self, desired: Desired) -> Result<Desired, SpaceError> {
        let plan = &desired.plan;
        match self.asked(plan.space.as_ref()).map(|asked| (asked, plan.revision.cmp(&asked))) {
            None | Some((_, Ordering::Equal)) => Ok(desired),
            Some((asked, _)) => Err(SpaceError::Untrusted { path: self.plan(), reason: other(plan.revision, asked) }),
        }
    }

    fn follow(&self) -> MutexGuard<'_, Follow> {
        self.follow.lock().expect("INVARIANT: nothing panics while it follows")
    }

    fn desired_revision(&self) -> MutexGuard<'_, Option<DesiredRevision>> {
        self.desired.lock().expect("INVARIANT: nothing panics while it holds the lock")
    }
}

/// The message that a plan does not match a desired revision.
fn other(number: u64, asked: u64) -> String {
    format!("it is the one of revision {number}, and the desired revision asks for the one of revision {asked}")
}
