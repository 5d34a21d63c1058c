//! The data space of one stack: what the nodes of a store mean.
//!
//! `read` blocks until an entry has a value or a failure, `write` and `fail` return at once. How long to wait is the
//! caller's to say, by dropping the future: whoever waits can also tell for what and since when.

mod alive;
mod credential;
mod export;
mod goal;
mod layout;
mod seal;
mod vault;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::store::{Access, Hold, Node, Store, StoreError, Version};

pub use alive::Alive;
pub use credential::{Credential, CredentialError, Opener, OperatorKey};
pub use export::{Export, Exported, Importer};
pub use goal::Goal;
pub use layout::{Layout, ROOT, SERVER};
pub use seal::{SealError, open, seal};
pub use vault::ServerVault;
pub use wattle_agent_core::content::{Content, Written};
pub use wattle_agent_core::failure::{Failure, Kind};
pub use wattle_agent_core::plan::{
    Held, Plan, PlannedComponent, PlannedInput, PlannedOutput, PlannedRequirement, Script, Source,
};
pub use wattle_agent_core::status::{Did, Finishing, Leaving, ServerStatus, State, Status, Step, Waiting};

/// Why the data space did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum SpaceError {
    /// There is no such entry in the model: it would be waited for in vain.
    #[error("the data space of `{stack}` has no entry `{entry}`")]
    Unknown {
        /// The stack.
        stack: String,
        /// `SERVER/COMPONENT/OUTPUT`.
        entry: String,
    },
    /// The entry already belongs to a newer revision.
    #[error("revision {ours} was superseded by revision {newer}")]
    Superseded {
        /// The revision that was asked for.
        ours: u64,
        /// The one that is there.
        newer: u64,
    },
    /// A node does not hold what it should.
    #[error("`{path}` in the data space does not hold what it should: {reason}")]
    Malformed {
        /// Where.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// What the store says.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The data space of one stack, as one who is logged in to its store sees it. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Space {
    store: Arc<dyn Store>,
    layout: Layout,
    // The versions of entries that are ours to write, so that writing takes one request.
    versions: Arc<Mutex<HashMap<String, Version>>>,
}

impl Space {
    /// The data space of `stack` in `store`.
    pub fn new(store: Arc<dyn Store>, stack: &str) -> Self {
        Self { store, layout: Layout::new(stack), versions: Arc::default() }
    }

    /// The store that it is kept in.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Where what is kept.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The revision that is to be reached; none before the first seed.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn goal(&self) -> Result<Option<Goal>, SpaceError> {
        let path = self.layout.revision();
        let node = self.store.get(&path).await?;
        parse_goal(&path, node)
    }

    /// Waits for a revision newer than `seen`: 0 for any.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn newer_goal(&self, seen: u64) -> Result<Goal, SpaceError> {
        let path = self.layout.revision();
        let mut node = self.store.get(&path).await?;
        loop {
            let version = node.as_ref().map(|node| node.version);
            if let Some(goal) = parse_goal(&path, node)?
                && goal.revision > seen
            {
                return Ok(goal);
            }
            node = self.store.changed(&path, version).await?;
        }
    }

    /// What `server` is to do; none if the model has no such server.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn plan(&self, server: &str) -> Result<Option<Plan>, SpaceError> {
        self.get_json(&self.layout.plan(server)).await
    }

    /// The bytes of a recipe's file, by its digest.
    ///
    /// # Errors
    /// When it is missing, or cannot be read.
    pub async fn recipe(&self, digest: &str) -> Result<Vec<u8>, SpaceError> {
        let path = self.layout.recipe(digest);
        let node = self.store.get(&path).await?;
        Ok(node.ok_or_else(|| StoreError::missing(&path))?.data)
    }

    /// What `entry` holds of `revision`, waiting until it does.
    ///
    /// # Errors
    /// [`SpaceError::Unknown`] at once for an entry that the model does not have, [`SpaceError::Superseded`] when the
    /// entry belongs to a newer revision, [`StoreError::Denied`].
    pub async fn read(&self, entry: &str, revision: u64) -> Result<Content, SpaceError> {
        let path = self.layout.entry(entry);
        let mut node = self.store.get(&path).await?;
        loop {
            let Some(current) = node else { return Err(self.unknown(entry)) };
            if let Some(written) = written(&path, &current.data)? {
                if written.revision == revision {
                    return Ok(written.content);
                }
                if written.revision > revision {
                    return Err(SpaceError::Superseded { ours: revision, newer: written.revision });
                }
            }
            node = self.store.changed(&path, Some(current.version)).await?;
        }
    }

    /// What `entry` holds of whatever revision, waiting until it holds anything: how another stack's values are read.
    ///
    /// # Errors
    /// As [`Space::read`], but for revisions.
    pub async fn read_latest(&self, entry: &str) -> Result<Written, SpaceError> {
        let path = self.layout.entry(entry);
        let mut node = self.store.get(&path).await?;
        loop {
            let Some(current) = node else { return Err(self.unknown(entry)) };
            if let Some(written) = written(&path, &current.data)? {
                return Ok(written);
            }
            node = self.store.changed(&path, Some(current.version)).await?;
        }
    }

    /// What `entry` holds now; none if it is empty. Never waits.
    ///
    /// # Errors
    /// As [`Space::read`], but for revisions.
    pub async fn peek(&self, entry: &str) -> Result<Option<Written>, SpaceError> {
        let path = self.layout.entry(entry);
        let node = self.store.get(&path).await?.ok_or_else(|| self.unknown(entry))?;
        self.remember(entry, node.version);
        written(&path, &node.data)
    }

    /// Writes `content` to `entry` for `revision`, once: gives what the entry holds of this revision already, if
    /// something, and leaves it as it is.
    ///
    /// # Errors
    /// [`SpaceError::Unknown`], [`SpaceError::Superseded`], [`StoreError::Denied`], [`StoreError::TooLarge`].
    pub async fn write(&self, entry: &str, revision: u64, content: &Content) -> Result<Option<Content>, SpaceError> {
        let path = self.layout.entry(entry);
        let data = Written { revision, content: content.clone() }.to_bytes();
        let mut known = self.versions().get(entry).copied();
        loop {
            let version = if let Some(version) = known.take() {
                version
            } else {
                let node = self.store.get(&path).await?.ok_or_else(|| self.unknown(entry))?;
                match written(&path, &node.data)? {
                    Some(there) if there.revision == revision => return Ok(Some(there.content)),
                    Some(there) if there.revision > revision => {
                        return Err(SpaceError::Superseded { ours: revision, newer: there.revision });
                    }
                    _ => node.version,
                }
            };
            match self.store.set(&path, &data, Some(version)).await {
                Ok(_) => {
                    self.versions().remove(entry);
                    return Ok(None);
                }
                Err(StoreError::Conflict { .. }) => self.versions().remove(entry),
                Err(StoreError::Missing { .. }) => return Err(self.unknown(entry)),
                Err(error) => return Err(error.into()),
            };
        }
    }

    /// Says that this process acts for `server`, for as long as the result lives and nobody else does. It takes the place
    /// of what was said with the version `over`, by an agent that is known to be gone.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when another agent acts for it. When the server's credential does not allow it, or the
    /// model has no such server.
    pub async fn come_alive(
        &self,
        server: &str,
        alive: &Alive,
        access: &Access,
        over: Option<Version>,
    ) -> Result<Hold, SpaceError> {
        Ok(self.store.hold(&self.layout.alive(server), &to_json(alive), access, over).await?)
    }

    /// Who acts for `server`, and the version of what it said; none if nobody does.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn holder(&self, server: &str) -> Result<Option<(Alive, Version)>, SpaceError> {
        let path = self.layout.alive(server);
        let Some(node) = self.store.get(&path).await? else { return Ok(None) };
        Ok(parse_json(&path, &node.data)?.map(|alive| (alive, node.version)))
    }

    /// Who acts for `server`; none if nobody does.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn alive(&self, server: &str) -> Result<Option<Alive>, SpaceError> {
        self.get_json(&self.layout.alive(server)).await
    }

    /// Says how `component` (`SERVER/COMPONENT`) is doing.
    ///
    /// # Errors
    /// [`StoreError::Missing`] if the model has no such component any more, [`StoreError::Denied`].
    pub async fn set_status(&self, component: &str, status: &Status) -> Result<(), SpaceError> {
        self.say(&self.layout.status(component), &to_json(status)).await
    }

    /// How `component` (`SERVER/COMPONENT`) is doing; none if nothing was ever said.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn status(&self, component: &str) -> Result<Option<Status>, SpaceError> {
        self.get_json(&self.layout.status(component)).await
    }

    /// Says how `server` is doing.
    ///
    /// # Errors
    /// As [`Space::set_status`].
    pub async fn set_server_status(&self, server: &str, status: &ServerStatus) -> Result<(), SpaceError> {
        self.say(&self.layout.server_status(server), &to_json(status)).await
    }

    /// How `server` is doing; none if nothing was ever said.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn server_status(&self, server: &str) -> Result<Option<ServerStatus>, SpaceError> {
        self.get_json(&self.layout.server_status(server)).await
    }

    /// How `component` (`SERVER/COMPONENT`) ended in `revision`, waiting until it has: the failure, if it failed.
    ///
    /// # Errors
    /// As [`Space::read`].
    pub async fn ended(&self, component: &str, revision: u64) -> Result<Option<Failure>, SpaceError> {
        let path = self.layout.status(component);
        let mut node = self.store.get(&path).await?;
        loop {
            let Some(current) = node else { return Err(self.unknown(component)) };
            if let Some(status) = parse_json::<Status>(&path, &current.data)? {
                if status.revision > revision {
                    return Err(SpaceError::Superseded { ours: revision, newer: status.revision });
                }
                match status.state {
                    State::Done if status.revision == revision => return Ok(None),
                    State::Failed(failure) if status.revision == revision => return Ok(Some(failure)),
                    _ => {}
                }
            }
            node = self.store.changed(&path, Some(current.version)).await?;
        }
    }

    /// Sets the node at `path`, in place of what is known to be there.
    ///
    /// A request of an agent that was killed may be carried out long after, by a member of the store that was paused: it
    /// names what was there before, and so does not undo what the next agent has said since.
    async fn say(&self, path: &str, data: &[u8]) -> Result<(), SpaceError> {
        let mut known = self.versions().remove(path);
        loop {
            let version = match known.take() {
                Some(version) => version,
                None => self.store.get(path).await?.ok_or_else(|| StoreError::missing(path))?.version,
            };
            match self.store.set(path, data, Some(version)).await {
                Ok(version) => {
                    self.remember(path, version);
                    return Ok(());
                }
                Err(StoreError::Conflict { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn unknown(&self, entry: &str) -> SpaceError {
        SpaceError::Unknown { stack: self.layout.stack().to_owned(), entry: entry.to_owned() }
    }

    fn remember(&self, entry: &str, version: Version) {
        self.versions().insert(entry.to_owned(), version);
    }

    fn versions(&self) -> std::sync::MutexGuard<'_, HashMap<String, Version>> {
        self.versions.lock().expect("INVARIANT: nothing panics while it holds the versions")
    }

    async fn get_json<T: DeserializeOwned>(&self, path: &str) -> Result<Option<T>, SpaceError> {
        match self.store.get(path).await? {
            Some(node) => parse_json(path, &node.data),
            None => Ok(None),
        }
    }
}

fn parse_goal(path: &str, node: Option<Node>) -> Result<Option<Goal>, SpaceError> {
    node.map_or(Ok(None), |node| parse_json(path, &node.data))
}

/// What an entry's data says; none for one that is empty.
fn written(path: &str, data: &[u8]) -> Result<Option<Written>, SpaceError> {
    parse_json(path, data)
}

/// What JSON a node holds; none if it is empty.
pub(crate) fn parse_json<T: DeserializeOwned>(path: &str, data: &[u8]) -> Result<Option<T>, SpaceError> {
    if data.is_empty() {
        return Ok(None);
    }
    serde_json::from_slice(data)
        .map(Some)
        .map_err(|error| SpaceError::Malformed { path: path.to_owned(), reason: error.to_string() })
}

pub(crate) fn to_json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("INVARIANT: what the data space holds is JSON")
}
