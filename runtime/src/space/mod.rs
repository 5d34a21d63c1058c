//! The data space of one stack: what the nodes of a store mean.
//!
//! `read` blocks until an entry has a value or a failure, `write` and `fail` return at once. How long to wait is the
//! caller's to say, by dropping the future: whoever waits can also tell for what and since when.

mod admission;
mod alive;
mod credential;
mod export;
mod following;
mod goal;
mod keys;
mod membership;
mod seal;
mod signed;
mod vault;

use std::sync::{Arc, Mutex};

use serde::Serialize;
use serde::de::DeserializeOwned;

use wattle::model::Name;
use wattle_agent_core::machine::{Action, Event};
use wattle_agent_core::request::{self, Answer, Op, Peek, Peeked, Refused, Request, Say, Step as Next, Task, Versions};

use crate::store::{Access, Hold, Node, Store, StoreError, Version};

pub(crate) use admission::Place as Announced;
pub use admission::{Admitted, Announcement, Record, Registered};
pub use alive::Alive;
pub use credential::{Credential, CredentialError, Opener, OperatorKey};
pub use export::{Export, Exported, Importer};
pub use following::{Following, Hears};
pub use goal::{Goal, Numbers};
pub use keys::{Public, ServerKey};
pub(crate) use membership::Shared;
pub use membership::{Members, Membership};
pub use seal::{Place, SealError, open, open_entry, seal, seal_entry};
pub use signed::{Authority, NotSigned, Signer};
pub(crate) use signed::{OVERHEAD, is_signed, unverified};
pub use vault::ServerVault;
pub use wattle_agent_core::SERVER;
pub use wattle_agent_core::content::{Content, Written};
pub use wattle_agent_core::failure::{Failure, Kind};
pub use wattle_agent_core::layout::{Layout, ROOT};
pub use wattle_agent_core::plan::{
    Held, Plan, PlannedComponent, PlannedInput, PlannedOutput, PlannedRequirement, Script, Source,
};
pub use wattle_agent_core::revision::Revision;
pub use wattle_agent_core::status::{Did, Finishing, Leaving, ServerStatus, State, Status, Step, Waiting};

/// Why the data space did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum SpaceError {
    /// There is no such entry in the model: it would be waited for in vain.
    #[error("the data space of `{stack}` has no entry `{entry}`")]
    Unknown {
        /// The stack.
        stack: Name,
        /// `SERVER/COMPONENT/OUTPUT`, or `SERVER/COMPONENT`.
        entry: Name,
    },
    /// The entry already belongs to a newer revision.
    #[error("{}", request::superseded(ours, newer))]
    Superseded {
        /// The revision that was asked for.
        ours: Revision,
        /// The one that is there.
        newer: Revision,
    },
    /// A node does not hold what it should.
    #[error("`{path}` in the data space does not hold what it should: {reason}")]
    Malformed {
        /// Where.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// What a node holds is not what the operator wants, so far as can be known.
    #[error("`{path}` in the data space is not believed: {reason}")]
    Untrusted {
        /// Where.
        path: String,
        /// Why.
        reason: String,
    },
    /// Whoever asked is not sure any more that it may.
    #[error("another agent may act for this server")]
    Unsure,
    /// What the store says.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<Refused> for SpaceError {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Unknown { stack, entry } => Self::Unknown { stack, entry },
            Refused::Superseded { ours, newer } => Self::Superseded { ours, newer },
            Refused::Malformed { path, reason } => Self::Malformed { path, reason },
        }
    }
}

/// Whether one may still say something.
pub type Sure<'a> = &'a (dyn Fn() -> bool + Sync);

/// The data space of one stack, as one who is logged in to its store sees it. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Space {
    store: Arc<dyn Store>,
    layout: Layout,
    // Whether whoever reads was led there by what the store has told.
    is_led: bool,
    // Who must have signed what the operator says; none for whoever cannot know.
    authority: Option<Authority>,
    // Of what was last said, and of entries that may be written: doing so then takes one request.
    versions: Arc<Mutex<Versions>>,
}

impl Space {
    /// The data space of `stack` in `store`.
    pub fn new(store: Arc<dyn Store>, stack: &str) -> Self {
        Self { store, layout: Layout::new(stack), is_led: false, authority: None, versions: Arc::default() }
    }

    /// The same for whoever reads nothing but what the store has led to, as agents do from the goal on: it need not show
    /// what others have done since.
    #[must_use]
    pub fn led(self) -> Self {
        Self { is_led: true, ..self }
    }

    /// The same for whoever believes nothing of what the operator says unless `authority` has signed it.
    #[must_use]
    pub fn trusting(self, authority: Authority) -> Self {
        Self { authority: Some(authority), ..self }
    }

    /// Follows what `server` is to do.
    pub fn follow(&self, server: &str) -> Following {
        Following::new(self, server)
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
    /// When it cannot be read, or is not [believed](Space::trusting).
    pub async fn goal(&self) -> Result<Option<Goal>, SpaceError> {
        self.get_signed(&self.layout.revision()).await
    }

    /// What `server` is to do; none if the model has no such server.
    ///
    /// # Errors
    /// When it cannot be read, or is not [believed](Space::trusting).
    pub async fn plan(&self, server: &str) -> Result<Option<Plan>, SpaceError> {
        self.get_signed(&self.layout.plan(server)).await
    }

    /// What `server` is told of what all servers share; none by a former version.
    ///
    /// # Errors
    /// When it cannot be read, or is not [believed](Space::trusting).
    pub async fn membership(&self, server: &str) -> Result<Option<Membership>, SpaceError> {
        self.get_signed(&self.layout.membership(server)).await
    }

    /// The bytes of a recipe's file, by its digest.
    ///
    /// # Errors
    /// When it is missing, or cannot be read.
    pub async fn recipe(&self, digest: &str) -> Result<Vec<u8>, SpaceError> {
        let path = self.layout.recipe(digest);
        let node = self.get(&path).await?;
        Ok(node.ok_or_else(|| StoreError::missing(&path))?.data)
    }

    /// What `entry` holds of `revision`, waiting until it does.
    ///
    /// # Errors
    /// [`SpaceError::Unknown`] at once for an entry that the model does not have, [`SpaceError::Superseded`] when the
    /// entry belongs to a newer revision, [`StoreError::Denied`].
    pub async fn read(&self, entry: &str, revision: &Revision) -> Result<Content, SpaceError> {
        self.ask(request::Entry::wait(&self.layout, &entry.into(), revision)).await
    }

    /// What `entry` holds of whatever revision, waiting until it holds anything: how another stack's values are read.
    ///
    /// # Errors
    /// As [`Space::read`], but for revisions.
    pub async fn read_latest(&self, entry: &str) -> Result<Written, SpaceError> {
        self.ask(request::Latest::wait(&self.layout, &entry.into())).await
    }

    /// What `entry` holds now, of whatever revision; none if it is empty. Never waits.
    ///
    /// # Errors
    /// As [`Space::read`], but for revisions.
    pub async fn peek(&self, entry: &str) -> Result<Option<Written>, SpaceError> {
        self.ask(request::Latest::look(&self.layout, &entry.into())).await
    }

    /// What `entry` holds of `revision` now; none if nothing. Never waits. Writing it then takes one request.
    ///
    /// # Errors
    /// [`SpaceError::Unknown`], [`StoreError::Denied`].
    pub async fn holds(&self, entry: &str, revision: &Revision) -> Result<Option<Content>, SpaceError> {
        let Peeked { content, version } = self.ask(Peek::new(&self.layout, &entry.into(), revision)).await?;
        if let Some(version) = version {
            self.versions().note(self.layout.entry(entry), revision.space.as_ref(), version);
        }
        Ok(content)
    }

    /// Writes `content` to `entry` for `revision`, once: gives what the entry holds of this revision already, if
    /// something, and leaves it as it is.
    ///
    /// # Errors
    /// [`SpaceError::Unknown`], [`SpaceError::Superseded`], [`StoreError::Denied`], [`StoreError::TooLarge`].
    pub async fn write(
        &self,
        entry: &str,
        revision: &Revision,
        content: &Content,
    ) -> Result<Option<Content>, SpaceError> {
        let known = self.versions().take(&self.layout.entry(entry), revision.space.as_ref());
        self.ask(request::Write::new(&self.layout, &entry.into(), revision, content, known)).await
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

    /// Says how `component` (`SERVER/COMPONENT`) is doing. Whoever says it must be `sure` to act for the server, before each
    /// request that changes something: what another one has said is overwritten.
    ///
    /// # Errors
    /// [`SpaceError::Unsure`] when it is not, [`StoreError::Missing`] if the model has no such component any more,
    /// [`SpaceError::Superseded`] when what was said of it is of a newer revision, [`StoreError::Denied`].
    pub async fn set_status(&self, component: &str, status: &Status, sure: Sure<'_>) -> Result<(), SpaceError> {
        let known = self.said(&self.layout.status(component), status.space.as_ref());
        self.say(Say::of_component(&self.layout, component, status, Some(known)), status.space.as_ref(), sure).await
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
    pub async fn set_server_status(
        &self,
        server: &str,
        status: &ServerStatus,
        sure: Sure<'_>,
    ) -> Result<(), SpaceError> {
        let known = self.said(&self.layout.server_status(server), status.space.as_ref());
        self.say(Say::of_server(&self.layout, server, status, Some(known)), status.space.as_ref(), sure).await
    }

    /// The version of what was last said at `path`. At first, nobody has said anything: if that is not so, it is looked at.
    fn said(&self, path: &str, space: Option<&Name>) -> Version {
        self.versions().take(path, space).unwrap_or(Version::UNTOUCHED)
    }

    async fn say(&self, say: Say, space: Option<&Name>, sure: Sure<'_>) -> Result<(), SpaceError> {
        let path = say.path().to_owned();
        match self.ask_while(say, sure).await {
            Ok(version) => {
                self.versions().note(path, space, version);
                Ok(())
            }
            Err(SpaceError::Unknown { .. }) => Err(StoreError::missing(&path).into()),
            Err(error) => Err(error),
        }
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
    pub async fn ended(&self, component: &str, revision: &Revision) -> Result<Option<Failure>, SpaceError> {
        self.ask(request::Ended::wait(&self.layout, &component.into(), revision)).await
    }

    /// The request that an action of a machine is; none if it is something else.
    pub fn task(&self, action: &Action) -> Option<Task> {
        Task::of(action, &self.layout, &mut self.versions())
    }

    /// Carries out what a machine asked for, waiting as long as it takes; gives what it is to be told.
    ///
    /// # Errors
    /// What the store refuses, and when it cannot be used.
    pub async fn perform(&self, mut task: Task) -> Result<Event, SpaceError> {
        let is_led = self.is_led && task.is_led();
        let mut op = task.begin();
        loop {
            let answer = self.carry_out(op, is_led).await?;
            match task.answered(answer, &mut self.versions()) {
                Next::Ask(next) => op = next,
                Next::Over(event) => return Ok(event),
            }
        }
    }

    /// Carries a request out.
    async fn ask<R: Request>(&self, request: R) -> Result<R::Out, SpaceError> {
        self.ask_while(request, &|| true).await
    }

    /// Carries a request out, as long as whoever asks is `sure`.
    async fn ask_while<R: Request>(&self, mut request: R, sure: Sure<'_>) -> Result<R::Out, SpaceError> {
        let mut op = request.begin();
        loop {
            if matches!(op, Op::Set(..)) && !sure() {
                return Err(SpaceError::Unsure);
            }
            let answer = self.carry_out(op, self.is_led).await?;
            match request.answered(answer) {
                Next::Ask(next) => op = next,
                Next::Over(out) => return out.map_err(SpaceError::from),
            }
        }
    }

    async fn carry_out(&self, op: Op, is_led: bool) -> Result<Answer, StoreError> {
        Ok(match op {
            Op::Get(path) if is_led => Answer::Node(self.store.look(&path).await?),
            Op::Get(path) => Answer::Node(self.store.get(&path).await?),
            Op::Changed(path, seen) => Answer::Node(self.store.changed(&path, seen).await?),
            Op::Set(path, data, version) => match self.store.set(&path, &data, Some(version)).await {
                Ok(version) => Answer::Set(version),
                Err(StoreError::Conflict { .. }) => Answer::Conflict,
                Err(StoreError::Missing { .. }) => Answer::Missing,
                Err(error) => return Err(error),
            },
        })
    }

    async fn get(&self, path: &str) -> Result<Option<Node>, StoreError> {
        if self.is_led { self.store.look(path).await } else { self.store.get(path).await }
    }

    fn versions(&self) -> std::sync::MutexGuard<'_, Versions> {
        let mut versions = self.versions.lock().expect("INVARIANT: nothing panics while it holds the versions");
        versions.in_session(self.store.session_id());
        versions
    }

    async fn get_signed<T: DeserializeOwned>(&self, path: &str) -> Result<Option<T>, SpaceError> {
        match self.get(path).await? {
            Some(node) => parse_json(path, self.held(path, &node.data)?),
            None => Ok(None),
        }
    }

    /// What the node at `path`, which holds `data`, says for the operator.
    fn held<'d>(&self, path: &str, data: &'d [u8]) -> Result<&'d [u8], SpaceError> {
        let Some(authority) = &self.authority else { return Ok(unverified(data)) };
        let untrusted = |why: NotSigned| SpaceError::Untrusted { path: path.to_owned(), reason: why.to_string() };
        authority.verify(path, data).map_err(untrusted)
    }

    async fn get_json<T: DeserializeOwned>(&self, path: &str) -> Result<Option<T>, SpaceError> {
        match self.get(path).await? {
            Some(node) => parse_json(path, &node.data),
            None => Ok(None),
        }
    }
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
