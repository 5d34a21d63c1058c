//! Who this server is to its operator: by its credential, until the key is admitted that it has made itself.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time;
use wattle::model::Name;

use crate::clock;
use crate::space::{Announced, Announcement, Credential, Keyring, Membership, Public, ServerKey, SpaceError};
use crate::store::StoreError;

use super::own_key;
use super::shared::Shared;

/// How long to wait before what was refused is asked for again.
const REFUSED: Duration = Duration::from_secs(5);

/// The same for what will be refused until somebody replaces this server.
const REPLACED: Duration = Duration::from_mins(1);

/// The keys of a server, and what became of them.
#[derive(Debug)]
pub(super) struct Admission {
    /// Those that it has made.
    own: Keyring,
    /// What it was told by its user data.
    pub(super) credential: Credential,
    stack: Name,
    server: Name,
    told: Mutex<Option<Membership>>,
    /// The data space of the goal that was heard last, if it is one.
    space: Mutex<Option<Name>>,
    /// How often what is told has become something else; none before it was looked at.
    changes: watch::Sender<Option<u64>>,
    stage: watch::Sender<Stage>,
}

/// What an agent has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Nothing yet.
    Begins,
    /// It acts for its server.
    Acts,
    /// Another server acts, with the same credential.
    Barred,
}

/// Why nothing can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Barred {
    /// Another server has been admitted with the same credential.
    Another,
    /// The credential is none any more.
    Replaced,
    /// The server may read what is its own, and not what it shares with others: not yet.
    Early,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Admission {
    /// Of `server` of `stack`.
    pub(super) fn new(stack: &str, server: &str, own: Keyring, credential: Credential) -> Self {
        let (told, space) = Default::default();
        let (changes, stage) = (watch::Sender::new(None), watch::Sender::new(Stage::Begins));
        Self { own, credential, stack: stack.into(), server: server.into(), told, space, changes, stage }
    }

    fn public_of(&self, key: &ServerKey) -> Public {
        key.public(&self.stack, &self.server)
    }

    /// Who the server is with the newest key that it has made.
    pub(super) fn public(&self) -> Public {
        self.public_of(&self.own.newest())
    }

    /// The one of its keys with which it is `identity`.
    fn key_of(&self, identity: &Public) -> Option<ServerKey> {
        self.own.all().into_iter().find(|key| self.public_of(key) == *identity)
    }

    /// It acts for its server from now on, so it may say who it will be.
    pub(super) fn acts(&self) {
        self.stage.send_replace(Stage::Acts);
    }

    /// The goal that counts is of this data space.
    pub(super) fn is_in(&self, space: Option<&Name>) {
        *locked(&self.space) = space.cloned();
    }

    /// How often what it is told has become something else. Nothing is known before it was looked at once.
    pub(super) async fn changes(&self) -> watch::Receiver<Option<u64>> {
        let mut changes = self.changes.subscribe();
        let _ = changes.wait_for(Option::is_some).await;
        changes
    }

    fn has_looked(&self) {
        self.changes.send_if_modified(|changes| changes.is_none() && changes.replace(0).is_none());
    }

    /// How often what it is told has become something else so far.
    pub(super) fn joined(&self) -> u64 {
        self.changes.borrow().unwrap_or_default()
    }

    fn is_admitted(&self) -> bool {
        locked(&self.told).as_ref().is_some_and(|told| told.identity.has_key_of(&self.public()))
    }

    /// Whether it is to say who it will be.
    fn is_due(&self) -> bool {
        match (*self.stage.borrow(), &*locked(&self.told)) {
            (Stage::Begins, _) | (Stage::Acts, None) => false,
            (Stage::Barred, None) => true,
            (_, Some(told)) => told.announces && told.identity != self.public(),
        }
    }
}

/// Learns what this server shares with the others of its stack, and again whenever that is something else: what others did not see
/// coming is not told to them.
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
                    tracing::debug!("what the servers of the stack share cannot be read: {error}");
                }
                Duration::ZERO
            }
            // Whoever is barred says so.
            Err(_) => REFUSED,
        };
        shared.admission.has_looked();
        time::sleep(pause).await;
    }
}

/// Learns what this server shares with the others of its stack; whether that is something else than before.
///
/// # Errors
/// When it may not, or cannot be read.
pub(super) async fn join(shared: &Shared) -> Result<bool, SpaceError> {
    let admission = &shared.admission;
    let Some(membership) = shared.space.membership(&shared.server).await? else { return Ok(false) };
    if locked(&admission.told).as_ref() == Some(&membership) {
        return Ok(false);
    }
    if !membership.is_for(admission.own.newest().authorities()) {
        tracing::warn!(
            "what the servers of the stack share is for a data space whose certificates are of another authority than this one's: \
             it is not told to this one"
        );
        return Ok(false);
    }
    renew(shared, &membership).await?;
    let opener = admission.own.opener().or(&admission.credential.opener());
    let login = match membership.login(shared.space.layout().stack(), &opener) {
        Ok(login) => login,
        Err(error) => {
            tracing::warn!("what the servers of the stack share cannot be read: {error}");
            return Ok(false);
        }
    };
    shared.space.store().log_in(&[login]).await?;
    // Whatever becomes of its plan, what it says of itself is to count.
    shared.space.believe_key(&shared.server, membership.identity.key);
    let was_admitted = admission.is_admitted();
    *locked(&admission.told) = Some(membership);
    if admission.is_admitted() && !was_admitted {
        tracing::info!(
            "this server is known by a key of its own; the credential of its user data opens nothing any more"
        );
    }
    admission.changes.send_modify(|changes| *changes = Some(changes.unwrap_or_default() + 1));
    Ok(true)
}

/// Makes another key in the place of the newest one, if the operator asks for that.
///
/// # Errors
/// When the data space does not listen.
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
    tracing::info!("this server has made another key, as its operator asks");
    Ok(())
}

/// What a server says, and how long it waits, that may read neither what it is to do nor what others share.
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
            // Which data space it is, nobody tells but the place for what is announced.
            shared.admission.is_in(None);
            *locked(&shared.admission.told) = None;
            shared.admission.stage.send_replace(Stage::Barred);
            let (server, stack) = (&shared.server, shared.space.layout().stack());
            let text = format!(
                "another server was admitted with the credential of this one's user data, so this one does nothing. If it is \
                 the right one, since it was built anew: `wattle seed admit {} --stack {}`; it waits for that",
                wattle::shown::argument(server),
                wattle::shown::argument(stack),
            );
            (text, REFUSED)
        }
        Barred::Replaced => ("this server's credential is another one now".to_owned(), REPLACED),
        // It is told as soon as somebody has written it.
        Barred::Early => ("it may not be read; tries again".to_owned(), REFUSED),
    }
}

/// Says who this server will be, for as long as nobody has admitted it.
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
            let seen = announce_once(shared, &mut has_said).await?;
            shared.space.store().changed(&path, seen).await.map(drop)
        };
        let failed = tokio::select! {
            other = other => other.err(),
            _ = changes.changed() => None,
            _ = stage.changed() => None,
        };
        if let Some(error) = failed {
            tracing::debug!("this server cannot say who it will be: {error}");
            time::sleep(REFUSED).await;
        }
    }
}

/// Says so if it is to be said; the version of the node then.
async fn announce_once(shared: &Shared, has_said: &mut bool) -> Result<Option<crate::store::Version>, StoreError> {
    let (admission, layout, store) = (&shared.admission, shared.space.layout(), shared.space.store());
    let path = layout.announcement(&shared.server);
    let Some(node) = store.get(&path).await? else { return Ok(None) };
    let credential = admission.credential.key();
    let judge = credential.signer().authority();
    let said = Announcement::read(&path, &node.data, (layout.stack(), &shared.server), &judge);
    let heard = locked(&admission.space).clone();
    let space = heard.or_else(|| Announced::read(&node.data).space);
    let said = said.filter(|said| said.space == space);
    let own = said.as_ref().and_then(|said| admission.key_of(&said.identity));
    let newest = admission.own.newest();
    if own.as_ref().is_some_and(|own| own.expose() == newest.expose()) {
        return Ok(Some(node.version));
    }
    if said.is_some() && own.is_none() && std::mem::replace(has_said, true) {
        tracing::warn!("another server with the credential of this one's user data has said that it is this one");
        return Ok(Some(node.version));
    }
    let mut said = Announcement { space, identity: admission.public_of(&newest), at: clock::now(), endorsed: None };
    // Whoever only has the credential of the user data shall not come between.
    let before = locked(&admission.told).as_ref().and_then(|told| admission.key_of(&told.identity));
    if let Some(before) = before {
        said = said.endorsed_by(&path, &before);
    }
    match store.set(&path, &said.signed(&path, &newest, credential), Some(node.version)).await {
        Ok(version) => {
            *has_said = true;
            Ok(Some(version))
        }
        // Somebody else has come between.
        Err(StoreError::Conflict { .. } | StoreError::Missing { .. }) => Ok(Some(node.version)),
        Err(error) => Err(error),
    }
}
