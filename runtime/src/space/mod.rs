//! The data space of one stack: the meaning of a store's nodes.
//!
//! `read` waits until an entry has a value or a failure. `write` and `fail` return at once. Callers limit a wait by
//! dropping the future, because only they know what they were waiting for and since when.

mod admission;
mod alive;
mod credential;
mod desired_revision;
mod envelope;
mod export;
mod fingerprint;
mod following;
mod keyring;
mod keys;
mod logs;
mod marks;
mod membership;
mod newest;
mod passwords;
pub(crate) mod places;
mod requests;
mod says;
mod seal;
mod signals;
mod signed;
mod signing;
mod succession;
mod trust;
mod vault;
mod verified;
mod writers;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use serde::Serialize;
use serde::de::DeserializeOwned;

use tokio::sync::watch;
use wattle::model::{Name, json};
use wattle_agent_core::request::{self, Peek, Refused, Versions};

use crate::store::{Access, Hold, Store, StoreError, Version, short};

use trust::Trust;
use writers::Writers;

pub(crate) use admission::Place as Announced;
pub use admission::{Admitted, Announcement, Record, Registered};
pub use alive::Alive;
pub use credential::{Credential, CredentialError, Opener, OperatorKey};
pub use desired_revision::{DesiredRevision, Numbers};
pub use envelope::Disowned;
pub(crate) use envelope::{resigned, signed_by, writer_of};
pub use export::{Export, Exported, Importer};
pub use fingerprint::{Fingerprint, NoFingerprint};
pub use following::{Following, Hears};
pub use keyring::Keyring;
pub use keys::{Public, ServerKey};
pub use logs::{Answered, Ask, Log, MOST_ASKS};
pub(crate) use marks::place_of;
pub(crate) use membership::Shared;
pub use membership::{Members, Membership};
pub use newest::Newest;
pub use seal::{Place, SealError, open, open_entry, seal, seal_entry};
pub use signals::Said;
pub use signed::{Authority, NotSigned, Signer};
pub(crate) use signed::{OVERHEAD, is_signed, unverified};
pub(crate) use signing::{NotTheirs, Refused as NotOurs, Signed};
pub(crate) use succession::Succession;
pub use vault::ServerVault;
pub use wattle_agent_core::SERVER;
pub use wattle_agent_core::content::{Content, Written};
pub use wattle_agent_core::failure::{Failure, FailureKind};
pub use wattle_agent_core::layout::{Layout, ROOT};
pub use wattle_agent_core::revision::Revision;
pub use wattle_agent_core::server_plan::{
    Held, Keys, PlannedComponent, PlannedInput, PlannedOutput, PlannedRequirement, Script, ServerPlan, ValueSource,
};
pub use wattle_agent_core::signal::{Heard, Outcome as Signalled, Signal, Signals};
pub use wattle_agent_core::status::{Did, Finishing, Leaving, ServerStatus, State, Status, Step, Waiting};

/// Why the data space refused a request.
#[derive(Debug, thiserror::Error)]
pub enum SpaceError {
    /// The model has no such entry, so waiting for it would be in vain.
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
        /// The requested revision.
        ours: Revision,
        /// The present revision.
        newer: Revision,
    },
    /// The contents of a node are malformed.
    #[error("`{}` in the data space is malformed: {reason}", short(.path))]
    Malformed {
        /// The path of the node.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A node does not verifiably have the operator's contents.
    #[error("`{}` in the data space is not trusted: {reason}", short(.path))]
    Untrusted {
        /// The path of the node.
        path: String,
        /// The reason.
        reason: String,
    },
    /// The caller is no longer certain that it may write.
    #[error("another agent may act for this server")]
    Unsure,
    /// An error of the store.
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

/// Whether the caller may still write.
pub type Sure<'a> = &'a (dyn Fn() -> bool + Sync);

/// The data space of one stack, as seen by a client that is logged in to its store. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Space {
    store: Arc<dyn Store>,
    layout: Layout,
    // Whether the reader only follows what the store has reported to it.
    is_led: bool,
    // The operator whose values are accepted in any server's place, and whose plans contain the servers' keys. `None`
    // if unknown.
    operator: Option<Arc<Trust>>,
    // Whether only contents signed by the operator are read.
    is_strict: bool,
    // The signers of written contents. The one whose key readers have received is used. Empty for a client that does
    // not write.
    signers: Arc<RwLock<Vec<Signer>>>,
    writers: Arc<Writers>,
    // Versions of what was last written, and of entries that can be written with a single request.
    versions: Arc<Mutex<Versions>>,
}

impl Space {
    /// Opens the data space of `stack` in `store`.
    pub fn new(store: Arc<dyn Store>, stack: &str) -> Self {
        Self {
            store,
            layout: Layout::new(stack),
            is_led: false,
            operator: None,
            is_strict: false,
            signers: Arc::default(),
            writers: Arc::default(),
            versions: Arc::default(),
        }
    }

    /// Restricts a reader to what the store has reported to it, as suits agents from the desired revision on. It need
    /// not see what others have done since.
    #[must_use]
    pub fn led(self) -> Self {
        Self { is_led: true, ..self }
    }

    /// Makes a reader trust the operator's nodes only if they are signed by `authority`, or by a key that succeeded it.
    #[must_use]
    pub fn trusting(self, authority: Authority) -> Self {
        Self { is_strict: true, ..self }.operated_by(authority)
    }

    /// Makes a reader also accept what `operator` has signed in a server's place, and take keys only from the
    /// operator's plans.
    #[must_use]
    pub fn operated_by(self, operator: Authority) -> Self {
        Self { operator: Some(Arc::new(Trust::new(operator))), ..self }
    }

    /// Makes a server sign what it writes with the one of `signers` whose key is in its plan. Contents that others have
    /// not signed count as absent, because the right server may still write them.
    #[must_use]
    pub fn signing(self, signers: impl Into<Vec<Signer>>) -> Self {
        Self { signers: Arc::new(RwLock::new(signers.into())), ..self }
    }

    /// Adds a signer.
    pub fn sign_with(&self, signer: Signer) {
        self.signers.write().unwrap_or_else(PoisonError::into_inner).insert(0, signer);
    }

    /// From now on, accepts contents of `server`, and of the servers that it reads from, only with the keys in its
    /// `plan`.
    pub fn believe(&self, server: &Name, plan: &ServerPlan) {
        self.writers.learn(&self.layout, server, plan);
    }

    /// From now on, accepts contents of `server` only with this key, which the operator has signed, until a plan says
    /// otherwise.
    pub fn believe_key(&self, server: &Name, key: Authority) {
        if self.writers.key((self.layout.stack(), server)).is_none() {
            self.writers.learn_one(&self.layout, server, Some(key));
        }
    }

    /// Contents in servers' places that are not trusted, by path.
    pub fn disowned(&self) -> watch::Receiver<BTreeMap<String, Disowned>> {
        self.writers.refused()
    }

    /// Follows the plans of `server`.
    pub fn follow(&self, server: &str) -> Following {
        Following::new(self, server)
    }

    /// The store that holds the data space.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The paths of the data space.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The desired revision. `None` before the first seed.
    ///
    /// # Errors
    /// It cannot be read, or is not [trusted](Space::trusting).
    pub async fn desired_revision(&self) -> Result<Option<DesiredRevision>, SpaceError> {
        self.get_signed(&self.layout.revision()).await
    }

    /// The plan of `server`. `None` if the model has no such server. From then on, contents are
    /// [accepted](Space::believe) with the keys in the plan. If the plan is not the [operator's](Space::operated_by),
    /// nothing of that server is accepted.
    ///
    /// # Errors
    /// It cannot be read, or is not [trusted](Space::trusting).
    pub async fn plan(&self, server: &str) -> Result<Option<ServerPlan>, SpaceError> {
        let path = self.layout.plan(server);
        let node = self.get(&path).await?;
        let is_word =
            |operator: &Arc<Trust>| node.as_ref().is_some_and(|node| operator.judge(&path, &node.data).is_ok());
        let is_word = self.operator.as_ref().is_none_or(is_word);
        if !is_word && !self.is_strict {
            self.learn_without_plan(server).await?;
        }
        let Some(node) = &node else { return Ok(None) };
        let plan = parse_json::<ServerPlan>(&path, self.held(&path, &node.data)?)?;
        plan.iter().filter(|_| is_word).for_each(|plan| self.believe(&server.into(), plan));
        Ok(plan)
    }

    /// Learns the keys without a plan: the signed identity of `server`, or no key at all. Only the operator determines
    /// which keys are valid.
    async fn learn_without_plan(&self, server: &str) -> Result<(), SpaceError> {
        let path = self.layout.server(server);
        let node = self.get(&path).await?;
        let signed = self.operator.as_ref().zip(node.as_ref());
        let held = signed.and_then(|(operator, node)| operator.judge(&path, &node.data).ok()).map(|(_, held)| held);
        let record = held.and_then(|held| parse_json::<Record>(&path, held).ok().flatten());
        let known = record.as_ref().and_then(Record::registered).filter(|known| known.signs());
        self.writers.learn_one(&self.layout, &server.into(), known.map(|known| known.identity().key));
        Ok(())
    }

    /// The part for `server` of what all servers share. `None` from an earlier version.
    ///
    /// # Errors
    /// It cannot be read, or is not [trusted](Space::trusting).
    pub async fn membership(&self, server: &str) -> Result<Option<Membership>, SpaceError> {
        self.get_signed(&self.layout.membership(server)).await
    }

    /// Reads an export, including the source of its value. `None` if there is no such export.
    ///
    /// # Errors
    /// It cannot be read, or is not [trusted](Space::trusting).
    pub async fn export(&self, name: &str) -> Result<Option<Export>, SpaceError> {
        self.get_signed(&self.layout.export(name)).await
    }

    /// Reads a recipe file by its digest.
    ///
    /// # Errors
    /// The file is missing, or cannot be read.
    pub async fn recipe(&self, digest: &str) -> Result<Vec<u8>, SpaceError> {
        let path = self.layout.recipe(digest);
        let node = self.get(&path).await?;
        Ok(node.ok_or_else(|| StoreError::missing(&path))?.data)
    }

    /// Waits for the content of `entry` in `revision`.
    ///
    /// # Errors
    /// [`SpaceError::Unknown`] at once if the model does not have the entry, [`SpaceError::Superseded`] if the entry
    /// belongs to a newer revision, [`StoreError::Denied`].
    pub async fn read(&self, entry: &str, revision: &Revision) -> Result<Content, SpaceError> {
        self.ask(request::Entry::wait(&self.layout, &entry.into(), revision)).await
    }

    /// Waits until `entry` holds anything, of any revision. Values of other stacks are read like this.
    ///
    /// # Errors
    /// As for [`Space::read`], except for those about revisions.
    pub async fn read_latest(&self, entry: &str) -> Result<Written, SpaceError> {
        self.ask(request::Latest::wait(&self.layout, &entry.into())).await
    }

    /// Reads the present content of `entry`, of any revision. `None` if it is empty. Does not wait.
    ///
    /// # Errors
    /// As for [`Space::read`], except for those about revisions.
    pub async fn peek(&self, entry: &str) -> Result<Option<Written>, SpaceError> {
        self.ask(request::Latest::look(&self.layout, &entry.into())).await
    }

    /// Reads the present content of `entry` in `revision`, if any. Does not wait. Afterwards, writing the entry takes
    /// one request.
    ///
    /// # Errors
    /// [`SpaceError::Unknown`], [`StoreError::Denied`].
    pub async fn holds(&self, entry: &str, revision: &Revision) -> Result<Option<Content>, SpaceError> {
        let peek = Peek::new(&self.layout, &entry.into(), revision);
        let peeked = self.ask(peek.clone()).await?;
        peek.note(&peeked, &mut self.versions());
        Ok(peeked.content)
    }

    /// Writes `content` to `entry` for `revision`, once. If the entry already holds something of this revision, that
    /// stays and is returned.
    ///
    /// # Errors
    /// [`SpaceError::Unknown`], [`SpaceError::Superseded`], [`StoreError::Denied`], [`StoreError::TooLarge`].
    pub async fn write(
        &self,
        entry: &str,
        revision: &Revision,
        content: &Content,
    ) -> Result<Option<Content>, SpaceError> {
        let known = self.versions().take_entry(&self.layout.entry(entry), revision.space.as_ref());
        self.ask(request::Write::new(&self.layout, &entry.into(), revision, content, known)).await
    }

    /// Replaces the contents of `entry` by the operator's, with the operator's signature.
    ///
    /// # Errors
    /// [`StoreError::Missing`], [`StoreError::Denied`], [`StoreError::TooLarge`].
    pub async fn overwrite(&self, entry: &str, written: &Written, operator: &Signer) -> Result<(), SpaceError> {
        let path = self.layout.entry(entry);
        let data = operator.vouch(&path, &written.to_bytes());
        self.store.set(&path, &data, None).await?;
        Ok(())
    }

    /// Registers this process as the agent of `server`, for as long as the result lives and no other agent takes over.
    /// Replaces the registration with the version `over`, whose agent is known to be gone.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if another agent acts for the server. Other errors if the server's credential does not
    /// allow it, or the model has no such server.
    pub async fn come_alive(
        &self,
        place: &str,
        alive: &Alive,
        access: &Access,
        over: Option<Version>,
    ) -> Result<Hold, SpaceError> {
        let path = self.layout.alive(place);
        Ok(self.store.hold(&path, &to_json(alive), access, over).await?)
    }

    /// The agent that holds `place`, and the version of its registration. `None` if there is no agent.
    ///
    /// # Errors
    /// It cannot be read.
    pub async fn holder(&self, place: &str) -> Result<Option<(Alive, Version)>, SpaceError> {
        let path = self.layout.alive(place);
        let Some(node) = self.store.get(&path).await? else { return Ok(None) };
        Ok(parse_json(&path, &node.data)?.map(|alive| (alive, node.version)))
    }

    /// The agent that acts for `server`. `None` if there is no agent.
    ///
    /// # Errors
    /// It cannot be read.
    pub async fn alive(&self, server: &str) -> Result<Option<Alive>, SpaceError> {
        self.get_json(&self.layout.alive(&self.place(server).await?)).await
    }
}

/// Parses the JSON of a node. Returns `None` if the node is empty.
pub(crate) fn parse_json<T: DeserializeOwned>(path: &str, data: &[u8]) -> Result<Option<T>, SpaceError> {
    if data.is_empty() {
        return Ok(None);
    }
    json::read(data).map(Some).map_err(|reason| SpaceError::Malformed { path: path.to_owned(), reason })
}

pub(crate) fn to_json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("INVARIANT: what the data space holds is JSON")
}
