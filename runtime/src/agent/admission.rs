//! Who this server is to its operator: by its credential, until the key is admitted that it has made itself.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time;
use wattle::model::Name;

use crate::clock;
use crate::space::{Announced, Announcement, Credential, Membership, Public, ServerKey, SpaceError};
use crate::store::StoreError;

use super::shared::Shared;

/// How long to wait before what was refused is asked for again.
const REFUSED: Duration = Duration::from_secs(5);

/// How long to wait before looking again for a place to announce anything.
const NO_PLACE: Duration = Duration::from_mins(1);

/// The keys of a server, and what became of them.
#[derive(Debug)]
pub(super) struct Admission {
    /// The one that it has made.
    pub(super) own: ServerKey,
    /// What it was told by its user data.
    pub(super) credential: Credential,
    public: Public,
    told: Mutex<Option<Membership>>,
    /// The data space of the goal that was heard last, if it is one.
    space: Mutex<Option<Name>>,
    changed: watch::Sender<u64>,
    announces: watch::Sender<bool>,
}

/// Why nothing can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Barred {
    /// Another server has been admitted with the same credential.
    Another,
    /// The credential is none any more.
    Replaced,
    /// The server may read what is its own, and does not know yet what it shares with others.
    Early,
}

impl Admission {
    /// Of `server` of `stack`.
    pub(super) fn new(stack: &str, server: &str, own: ServerKey, credential: Credential) -> Self {
        let public = own.public(stack, server);
        Self {
            own,
            credential,
            public,
            told: Mutex::default(),
            space: Mutex::default(),
            changed: watch::Sender::new(0),
            announces: watch::Sender::new(false),
        }
    }

    /// Who the server is with the key that it has made.
    pub(super) fn public(&self) -> &Public {
        &self.public
    }

    /// From now on, it may say who it will be: it acts for its server, or nothing else is left to it.
    pub(super) fn may_announce(&self) {
        self.announces.send_replace(true);
    }

    /// The goal that counts is of this data space.
    pub(super) fn is_in(&self, space: Option<&Name>) {
        *self.space.lock().unwrap_or_else(PoisonError::into_inner) = space.cloned();
    }

    fn told(&self) -> Option<Membership> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn is_admitted(&self) -> bool {
        self.told().is_some_and(|told| told.identity == self.public)
    }
}

/// Learns what this server shares with the others of its stack; whether that is something else than before.
///
/// # Errors
/// When it may not, or cannot be read.
pub(super) async fn join(shared: &Shared) -> Result<bool, SpaceError> {
    let admission = &shared.admission;
    let Some(membership) = shared.space.membership(&shared.server).await? else { return Ok(false) };
    let before = admission.told();
    if before.as_ref() == Some(&membership) {
        return Ok(false);
    }
    let opener = admission.own.opener().or(&admission.credential.opener());
    let login = match membership.login(shared.space.layout().stack(), &opener) {
        Ok(login) => login,
        Err(error) => {
            tracing::warn!("what the servers of the stack share cannot be read: {error}");
            return Ok(false);
        }
    };
    shared.space.store().log_in(&[login]).await?;
    let was_admitted = admission.is_admitted();
    *admission.told.lock().unwrap_or_else(PoisonError::into_inner) = Some(membership);
    if admission.is_admitted() && !was_admitted {
        tracing::info!("this server is known by a key of its own; the credential of its user data opens nothing any more");
    }
    admission.changed.send_modify(|changes| *changes += 1);
    Ok(true)
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
            shared.admission.may_announce();
            let (server, stack) = (&shared.server, shared.space.layout().stack());
            let text = format!(
                "another server was admitted with the credential of this one's user data, so this one does nothing. If it is \
                 the right one, since it was built anew: `wattle seed admit {} --stack {}`; it waits for that",
                wattle::shown::argument(server),
                wattle::shown::argument(stack),
            );
            (text, REFUSED)
        }
        Barred::Replaced => ("this server's credential is another one now".to_owned(), NO_PLACE),
        Barred::Early => {
            let path = shared.space.layout().membership(&shared.server);
            // It may be there as soon as somebody has written it.
            let told = async { shared.space.store().changed(&path, None).await };
            let _ = time::timeout(REFUSED, async {
                match told.await {
                    Ok(_) if shared.admission.told().is_none() => {}
                    _ => std::future::pending().await,
                }
            })
            .await;
            ("it may not be read; tries again".to_owned(), Duration::ZERO)
        }
    }
}

/// Says who this server will be, for as long as nobody has admitted it.
pub(super) async fn announce(shared: &Shared) {
    let admission = &shared.admission;
    let _ = admission.announces.subscribe().wait_for(|may| *may).await;
    let mut changes = admission.changed.subscribe();
    let mut has_said = false;
    loop {
        changes.mark_unchanged();
        // What is known of it may be of before it began.
        let _ = join(shared).await;
        let seen = match announce_once(shared, &mut has_said).await {
            Ok(seen) => seen,
            Err(error) => {
                tracing::debug!("this server cannot say who it will be: {error}");
                time::sleep(NO_PLACE).await;
                continue;
            }
        };
        let path = shared.space.layout().announcement(&shared.server);
        tokio::select! {
            changed = shared.space.store().changed(&path, seen) => if changed.is_err() {
                time::sleep(NO_PLACE).await;
            },
            _ = changes.changed() => {}
        }
    }
}

/// Says so if it is to be said; the version of the node then.
async fn announce_once(
    shared: &Shared,
    has_said: &mut bool,
) -> Result<Option<crate::store::Version>, StoreError> {
    let (admission, layout, store) = (&shared.admission, shared.space.layout(), shared.space.store());
    let path = layout.announcement(&shared.server);
    let Some(node) = store.get(&path).await? else { return Ok(None) };
    let credential = admission.credential.key();
    let judge = credential.signer().authority();
    let said = Announcement::read(&path, &node.data, (layout.stack(), &shared.server), &judge);
    let heard = admission.space.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let space = heard.or_else(|| Announced::read(&node.data).space);
    let said = said.filter(|said| said.space == space);
    let is_own = said.as_ref().is_some_and(|said| said.identity == *admission.public());
    if is_own || admission.is_admitted() {
        return Ok(Some(node.version));
    }
    if said.is_some() && std::mem::replace(has_said, true) {
        tracing::warn!("another server with the credential of this one's user data has said that it is this one");
        return Ok(Some(node.version));
    }
    let said = Announcement { space, identity: admission.public().clone(), at: clock::now() };
    match store.set(&path, &said.signed(&path, &admission.own, credential), Some(node.version)).await {
        Ok(version) => {
            *has_said = true;
            Ok(Some(version))
        }
        // Somebody else has come between.
        Err(StoreError::Conflict { .. } | StoreError::Missing { .. }) => Ok(Some(node.version)),
        Err(error) => Err(error),
    }
}
