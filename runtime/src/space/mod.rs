//! The data space of one stack: what the nodes of a store mean.
//!
//! `read` blocks until an entry has a value or a failure, `write` and `fail` return at once. How long to wait is the
//! caller's to say, by dropping the future: whoever waits can also tell for what and since when.

mod admission;
mod alive;
mod credential;
mod envelope;
mod export;
mod following;
mod goal;
mod keyring;
mod keys;
mod marks;
mod membership;
mod newest;
mod passwords;
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
use wattle::model::Name;
use wattle_agent_core::request::{self, Peek, Refused, Versions};

use crate::store::{Access, Hold, Store, StoreError, Version};

use trust::Trust;
use writers::Writers;

pub(crate) use admission::Place as Announced;
pub use admission::{Admitted, Announcement, Record, Registered};
pub use alive::Alive;
pub use credential::{Credential, CredentialError, Opener, OperatorKey};
pub use envelope::Disowned;
pub(crate) use envelope::{resigned, signed_by, writer_of};
pub use export::{Export, Exported, Importer};
pub use following::{Following, Hears};
pub use goal::{Goal, Numbers};
pub use keyring::Keyring;
pub use keys::{Public, ServerKey};
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
pub use wattle_agent_core::failure::{Failure, Kind};
pub use wattle_agent_core::layout::{Layout, ROOT};
pub use wattle_agent_core::plan::{
    Held, Keys, Plan, PlannedComponent, PlannedInput, PlannedOutput, PlannedRequirement, Script, Source,
};
pub use wattle_agent_core::revision::Revision;
pub use wattle_agent_core::signal::{Heard, Outcome as Signalled, Signal, Signals};
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
    // Whose values count in any server's place, and whose plans say which keys servers have; none for whoever cannot know.
    operator: Option<Arc<Trust>>,
    // Whether they must have signed what the operator says.
    is_strict: bool,
    // What signs what is said here, whichever its readers are told of; none for whoever says nothing.
    signers: Arc<RwLock<Vec<Signer>>>,
    writers: Arc<Writers>,
    // Of what was last said, and of entries that may be written: doing so then takes one request.
    versions: Arc<Mutex<Versions>>,
}

impl Space {
    /// The data space of `stack` in `store`.
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

    /// The same for whoever reads nothing but what the store has led to, as agents do from the goal on: it need not show
    /// what others have done since.
    #[must_use]
    pub fn led(self) -> Self {
        Self { is_led: true, ..self }
    }

    /// The same for whoever believes nothing of what the operator says unless `authority` has signed it, or a key that came after it.
    #[must_use]
    pub fn trusting(self, authority: Authority) -> Self {
        Self { is_strict: true, ..self }.operated_by(authority)
    }

    /// The same for whoever takes what `operator` has signed for what a server says, too, and keys from no other plans.
    #[must_use]
    pub fn operated_by(self, operator: Authority) -> Self {
        Self { operator: Some(Arc::new(Trust::new(operator))), ..self }
    }

    /// The same for a server, which signs what it says with that of the `signers` of which its plan has the key. What others say
    /// is as if it were not there yet if they have not signed it, for the next one who writes it may be the right one.
    #[must_use]
    pub fn signing(self, signers: impl Into<Vec<Signer>>) -> Self {
        Self { signers: Arc::new(RwLock::new(signers.into())), ..self }
    }

    /// From now on, one of the signers is this one as well.
    pub fn sign_with(&self, signer: Signer) {
        self.signers.write().unwrap_or_else(PoisonError::into_inner).insert(0, signer);
    }

    /// From now on, believes what `server` says, and whom it reads from, only as the keys in its `plan` have it.
    pub fn believe(&self, server: &Name, plan: &Plan) {
        self.writers.learn(&self.layout, server, plan);
    }

    /// The same of the key of `server` alone, until a plan says so: the operator has said by which key it is known.
    pub fn believe_key(&self, server: &Name, key: Authority) {
        if self.writers.key((self.layout.stack(), server)).is_none() {
            self.writers.learn_one(&self.layout, server, Some(key));
        }
    }

    /// What servers should have said that is there and is not believed, by path.
    pub fn disowned(&self) -> watch::Receiver<BTreeMap<String, Disowned>> {
        self.writers.refused()
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

    /// What `server` is to do; none if the model has no such server. What is read afterwards is [believed](Space::believe)
    /// as the plan has it; if it is not the [operator's](Space::operated_by), nothing of that server is.
    ///
    /// # Errors
    /// When it cannot be read, or is not [believed](Space::trusting).
    pub async fn plan(&self, server: &str) -> Result<Option<Plan>, SpaceError> {
        let path = self.layout.plan(server);
        let node = self.get(&path).await?;
        let is_word =
            |operator: &Arc<Trust>| node.as_ref().is_some_and(|node| operator.judge(&path, &node.data).is_ok());
        let is_word = self.operator.as_ref().is_none_or(is_word);
        if !is_word && !self.is_strict {
            self.learn_without_plan(server).await?;
        }
        let Some(node) = &node else { return Ok(None) };
        let plan = parse_json::<Plan>(&path, self.held(&path, &node.data)?)?;
        plan.iter().filter(|_| is_word).for_each(|plan| self.believe(&server.into(), plan));
        Ok(plan)
    }

    /// Nobody else than the operator says whose word counts: without a plan, what is signed of who `server` is does, or nothing.
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

    /// What `server` is told of what all servers share; none by a former version.
    ///
    /// # Errors
    /// When it cannot be read, or is not [believed](Space::trusting).
    pub async fn membership(&self, server: &str) -> Result<Option<Membership>, SpaceError> {
        self.get_signed(&self.layout.membership(server)).await
    }

    /// Where the value of an export comes from; none if there is no such export.
    ///
    /// # Errors
    /// When it cannot be read, or is not [believed](Space::trusting).
    pub async fn export(&self, name: &str) -> Result<Option<Export>, SpaceError> {
        self.get_signed(&self.layout.export(name)).await
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
        let peek = Peek::new(&self.layout, &entry.into(), revision);
        let peeked = self.ask(peek.clone()).await?;
        peek.note(&peeked, &mut self.versions());
        Ok(peeked.content)
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
        let known = self.versions().take_entry(&self.layout.entry(entry), revision.space.as_ref());
        self.ask(request::Write::new(&self.layout, &entry.into(), revision, content, known)).await
    }

    /// Puts what the operator who signs it has `written` in the place of whatever `entry` holds.
    ///
    /// # Errors
    /// [`StoreError::Missing`], [`StoreError::Denied`], [`StoreError::TooLarge`].
    pub async fn overwrite(&self, entry: &str, written: &Written, operator: &Signer) -> Result<(), SpaceError> {
        let path = self.layout.entry(entry);
        let data = operator.vouch(&path, &written.to_bytes());
        self.store.set(&path, &data, None).await?;
        Ok(())
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
