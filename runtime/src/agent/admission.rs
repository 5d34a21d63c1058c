//! This server's identity for its operator: its credential, until its own key is admitted.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time;
use wattle::model::Name;

use crate::clock;
use crate::space::{Announced, Announcement, Credential, Keyring, Membership, Public, ServerKey, SpaceError};
use crate::store::{StoreError, Version};

use super::own_key;
use super::shared::Shared;

/// How long to wait before a refused request is repeated.
const REFUSED: Duration = Duration::from_secs(5);

/// How long to wait if requests will be refused until this server is replaced.
const REPLACED: Duration = Duration::from_mins(1);

/// How long another server's announcement may stay before this server announces itself again. The other server may be
/// gone by then, whether it was admitted or not, and the operator sees only the last announcement.
const STANDS: Duration = Duration::from_secs(30);

/// The keys of a server, and whether they are admitted.
#[derive(Debug)]
pub(super) struct Admission {
    /// The keys that the server has generated.
    own: Keyring,
    /// The credential of its user data.
    pub(super) credential: Credential,
    stack: Name,
    server: Name,
    membership: Mutex<Option<Membership>>,
    /// The data space of the last desired revision, if it has a name.
    space: Mutex<Option<Name>>,
    /// How many times the server's membership has changed. `None` before it was first read.
    changes: watch::Sender<Option<u64>>,
    stage: watch::Sender<Stage>,
}

/// The state of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Nothing has been decided yet.
    Begins,
    /// It acts for its server.
    Acts,
    /// Another server acts with the same credential.
    Barred,
}

/// Why nothing can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Barred {
    /// Another server has been admitted with the same credential.
    Another,
    /// The credential is no longer valid.
    Replaced,
    /// The server can read its own nodes, but not yet those that it shares with others.
    Early,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Admission {
    /// Creates the state with the keys of `server` of `stack`.
    pub(super) fn new(stack: &str, server: &str, own: Keyring, credential: Credential) -> Self {
        let (membership, space) = Default::default();
        let (changes, stage) = (watch::Sender::new(None), watch::Sender::new(Stage::Begins));
        Self { own, credential, stack: stack.into(), server: server.into(), membership, space, changes, stage }
    }

    fn public_of(&self, key: &ServerKey) -> Public {
        key.public(&self.stack, &self.server)
    }

    /// The server's identity with its newest own key.
    pub(super) fn public(&self) -> Public {
        self.public_of(&self.own.newest())
    }

    /// The key that has this `identity`, if it is one of the server's.
    fn key_of(&self, identity: &Public) -> Option<ServerKey> {
        self.own.all().into_iter().find(|key| self.public_of(key) == *identity)
    }

    /// Notes that the agent acts for its server from now on, so it may announce the server's key.
    pub(super) fn acts(&self) {
        self.stage.send_replace(Stage::Acts);
    }

    /// Notes that the desired revision is in this data space.
    pub(super) fn is_in(&self, space: Option<&Name>) {
        *locked(&self.space) = space.cloned();
    }

    /// How many times the server's membership has changed, after waiting until it was first read.
    pub(super) async fn changes(&self) -> watch::Receiver<Option<u64>> {
        let mut changes = self.changes.subscribe();
        let _ = changes.wait_for(Option::is_some).await;
        changes
    }

    fn has_looked(&self) {
        self.changes.send_if_modified(|changes| changes.is_none() && changes.replace(0).is_none());
    }

    /// How many times the server's membership has changed so far.
    pub(super) fn joined(&self) -> u64 {
        self.changes.borrow().unwrap_or_default()
    }

    fn is_admitted(&self) -> bool {
        locked(&self.membership).as_ref().is_some_and(|membership| membership.identity.has_key_of(&self.public()))
    }

    /// Whether the server has to announce its key.
    fn is_due(&self) -> bool {
        match (*self.stage.borrow(), &*locked(&self.membership)) {
            (Stage::Begins, _) | (Stage::Acts, None) => false,
            (Stage::Barred, None) => true,
            (_, Some(membership)) => membership.announces && membership.identity != self.public(),
        }
    }
}

/// Reads what this server shares with the others of its stack, and again whenever it changes. Otherwise, parts of the
/// agent that do not expect such a change would not notice it.
pub(super) async fn attend(shared: &Shared) {
    let (store, path) = (shared.space.store(), shared.space.layout().membership(&shared.server));
    let mut seen = None;
    loop {
        let has_looked = shared.admission.changes.borrow().is_some();
        let looked = if has_looked { store.follow(&path, seen).await } else { store.look(&path).await };
        let pause = match looked {
            Ok(node) => {
                seen = node.map(|node| node.version);
                if seen.is_some()
                    && let Err(error) = join(shared).await
                {
                    tracing::debug!("the data that the stack's servers share cannot be read: {error}");
                }
                Duration::ZERO
            }
            // A barred server reports that itself.
            Err(_) => REFUSED,
        };
        shared.admission.has_looked();
        time::sleep(pause).await;
    }
}

/// Reads what this server shares with the others of its stack. Returns whether it has changed.
///
/// # Errors
/// It cannot be read, or the server lacks permission.
pub(super) async fn join(shared: &Shared) -> Result<bool, SpaceError> {
    let admission = &shared.admission;
    let Some(mut membership) = shared.space.membership(&shared.server).await? else { return Ok(false) };
    let asks = std::mem::take(&mut membership.asks);
    // Without a key to trust, the request could come from anyone.
    if admission.credential.authority().is_some() {
        shared.asked.hear(asks);
    }
    if locked(&admission.membership).as_ref() == Some(&membership) {
        return Ok(false);
    }
    if !membership.is_for(admission.own.newest().authorities()) {
        tracing::warn!(
            "the data that the stack's servers share is for a data space with a different certificate authority: it is \
             not sent to this one"
        );
        return Ok(false);
    }
    renew(shared, &membership).await?;
    let opener = admission.own.opener().or(&admission.credential.opener());
    let login = match membership.login(shared.space.layout().stack(), &opener) {
        Ok(login) => login,
        Err(error) => {
            tracing::warn!("the data that the stack's servers share cannot be read: {error}");
            return Ok(false);
        }
    };
    shared.space.store().log_in(&[login]).await?;
    // What the server publishes about itself must be valid whatever happens to its plan.
    shared.space.believe_key(&shared.server, membership.identity.key);
    let was_admitted = admission.is_admitted();
    *locked(&admission.membership) = Some(membership);
    if admission.is_admitted() && !was_admitted {
        tracing::info!(
            "this server is known by a key of its own; the credential of its user data no longer opens anything"
        );
    }
    admission.changes.send_modify(|changes| *changes = Some(changes.unwrap_or_default() + 1));
    Ok(true)
}

/// Generates a new key to replace the newest one, if the operator requests that.
///
/// # Errors
/// The data space refuses.
async fn renew(shared: &Shared, membership: &Membership) -> Result<(), SpaceError> {
    let admission = &shared.admission;
    if membership.renews != Some(admission.public().key) {
        return Ok(());
    }
    let make = || own_key::another(&shared.state, &admission.own);
    shared.insist_io("this server's next key", make).await;
    let newest = admission.own.newest();
    shared.space.sign_with(newest.signer());
    let login = newest.login(&admission.stack, &admission.server);
    shared.space.store().log_in(&[login]).await?;
    tracing::info!("this server has made a new key, as its operator requested");
    Ok(())
}

/// The message, and how long to wait, if a server can read neither its plan nor what it shares with others.
pub(super) async fn barred(shared: &Shared) -> (String, Duration) {
    let why = match shared.space.plan(&shared.server).await {
        Err(SpaceError::Store(StoreError::Denied { .. })) => {
            let path = shared.space.layout().announcement(&shared.server);
            match shared.space.store().get(&path).await {
                Ok(Some(_)) => Barred::Another,
                _ => Barred::Replaced,
            }
        }
        _ => Barred::Early,
    };
    match why {
        Barred::Another => {
            // Only the path of the announcement identifies the data space.
            shared.admission.is_in(None);
            let was_member = locked(&shared.admission.membership).take().is_some();
            let barred = |stage: &mut Stage| std::mem::replace(stage, Stage::Barred) != Stage::Barred || was_member;
            shared.admission.stage.send_if_modified(barred);
            let (server, stack) = (&shared.server, shared.space.layout().stack());
            let text = format!(
                "another server was admitted with the credential of this one's user data, so this one does nothing. If \
                 this is the right one, because it was rebuilt: `wattle seed admit {} --fingerprint {} {}`; it waits for that",
                wattle::shown::argument(server),
                shared.admission.public().key.fingerprint(),
                wattle::shown::option("--stack", stack),
            );
            (text, REFUSED)
        }
        Barred::Replaced => ("this server's credential has changed".to_owned(), REPLACED),
        // The server is notified as soon as it is written.
        Barred::Early => ("it may not be read; trying again".to_owned(), REFUSED),
    }
}

/// Announces the server's key for as long as it is not admitted.
pub(super) async fn announce(shared: &Shared) {
    let admission = &shared.admission;
    let (mut changes, mut stage) = (admission.changes().await, admission.stage.subscribe());
    let path = shared.space.layout().announcement(&shared.server);
    let mut has_said = false;
    loop {
        changes.mark_unchanged();
        stage.mark_unchanged();
        let other = async {
            if !admission.is_due() {
                return std::future::pending().await;
            }
            let there = announce_once(shared, &mut has_said).await?;
            let next = shared.space.store().changed(&path, there.version);
            if !there.is_another {
                return next.await.map(drop);
            }
            let Ok(next) = time::timeout(STANDS, next).await else {
                has_said = false;
                return Ok(());
            };
            next.map(drop)
        };
        let failed = tokio::select! {
            other = other => other.err(),
            _ = changes.changed() => None,
            _ = stage.changed() => None,
        };
        if let Some(error) = failed {
            tracing::debug!("this server cannot announce its key: {error}");
            time::sleep(REFUSED).await;
        }
    }
}

/// The content at the path of this server's announcement.
struct There {
    version: Option<Version>,
    /// Whether this server leaves another server's announcement in place for now.
    is_another: bool,
}

/// Announces the key if needed. Returns the resulting content.
async fn announce_once(shared: &Shared, has_said: &mut bool) -> Result<There, StoreError> {
    let own = |version| There { version, is_another: false };
    let (admission, layout, store) = (&shared.admission, shared.space.layout(), shared.space.store());
    let path = layout.announcement(&shared.server);
    let Some(node) = store.get(&path).await? else { return Ok(own(None)) };
    let credential = admission.credential.key();
    let judge = credential.signer().authority();
    let said = Announcement::read(&path, &node.data, (layout.stack(), &shared.server), &judge);
    let heard = locked(&admission.space).clone();
    let space = heard.or_else(|| Announced::read(&node.data).space);
    let said = said.filter(|said| said.space == space);
    let announced = said.as_ref().and_then(|said| admission.key_of(&said.identity));
    let newest = admission.own.newest();
    let newest_key = admission.public_of(&newest).key;
    if announced.as_ref().is_some_and(|key| key.expose() == newest.expose()) {
        return Ok(own(Some(node.version)));
    }
    if said.is_some() && announced.is_none() && std::mem::replace(has_said, true) {
        tracing::warn!(
            "another server uses the credential from this server's user data, and claims to be this server, whose own key is {}",
            newest_key.fingerprint(),
        );
        return Ok(There { version: Some(node.version), is_another: true });
    }
    let mut said = Announcement { space, identity: admission.public_of(&newest), at: clock::now(), endorsed: None };
    // This keeps out anyone who has only the credential of the user data.
    let before = locked(&admission.membership).as_ref().and_then(|membership| admission.key_of(&membership.identity));
    if let Some(before) = before {
        said = said.endorsed_by(&path, &before);
    }
    match store.set(&path, &said.signed(&path, &newest, credential), Some(node.version)).await {
        Ok(version) => {
            *has_said = true;
            let key = said.identity.key.fingerprint();
            tracing::info!("this server waits to be admitted; its key is {key}");
            Ok(own(Some(version)))
        }
        // Another writer was faster.
        Err(StoreError::Conflict { .. } | StoreError::Missing { .. }) => Ok(own(Some(node.version))),
        Err(error) => Err(error),
    }
}
