//! Sends this server's log to operators, only while one requests it.
//!
//! Requests come with the server's membership ([`super::admission`]), so they need no request to the data space.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{self, Instant};

use crate::clock;
use crate::space::{Ask, MOST_ASKS, Revision, SpaceError};
use crate::store::StoreError;

use super::shared::{AGAIN, Shared};
use super::{signals, touch};

/// The longest validity of a request that is not renewed, whatever the clock says.
const LONGEST: Duration = Duration::from_mins(2);

/// The pause between two answers.
const PAUSE: Duration = Duration::from_secs(1);

/// The requests for the server's log.
#[derive(Debug, Default)]
pub(super) struct Asked {
    asks: watch::Sender<Asks>,
    /// The plan that the server works on.
    of: Mutex<Option<Revision>>,
}

#[derive(Clone, Debug, Default)]
struct Asks {
    all: Vec<Ask>,
    /// When the requests arrived.
    heard: Option<Instant>,
}

impl Asks {
    /// The requests that are still valid.
    fn standing(&self) -> Vec<Ask> {
        let is_heard = self.heard.is_some_and(|heard| heard.elapsed() < LONGEST);
        let now = clock::now();
        self.all.iter().filter(|ask| is_heard && now < ask.until).take(MOST_ASKS).cloned().collect()
    }
}

impl Asked {
    /// Replaces the operator's earlier requests.
    pub(super) fn hear(&self, all: Vec<Ask>) {
        let now = clock::now();
        if let Some(ask) = all.iter().find(|ask| ask.until <= now) {
            tracing::debug!("a request for this server's log has ended at {:.0}, and it is {now:.0} here", ask.until);
        }
        self.asks.send_if_modified(|asks| {
            let is_new = asks.all != all;
            if is_new {
                *asks = Asks { all, heard: Some(Instant::now()) };
            }
            is_new
        });
    }

    /// Records the plan that the server works on from now on.
    pub(super) fn works_by(&self, plan: Revision) {
        *self.of.lock().unwrap_or_else(PoisonError::into_inner) = Some(plan);
    }

    fn of(&self) -> Revision {
        let of = self.of.lock().unwrap_or_else(PoisonError::into_inner).clone();
        of.unwrap_or(Revision { space: None, number: 0 })
    }
}

/// Answers requests, forever.
pub(super) async fn answer(shared: &Shared) {
    let mut asks = shared.asked.asks.subscribe();
    loop {
        while asks.borrow_and_update().standing().is_empty() {
            if asks.changed().await.is_err() {
                return std::future::pending().await;
            }
        }
        if let Err(error) = answer_while_asked(shared, &mut asks).await {
            tracing::warn!("the operator asks for the log here, and cannot be answered: {error}");
            time::sleep(AGAIN).await;
        }
    }
}

/// Answers as long as there are requests, and then removes the answers.
///
/// # Errors
/// The data space refuses.
async fn answer_while_asked(shared: &Shared, asks: &mut watch::Receiver<Asks>) -> Result<(), SpaceError> {
    let Shared { space, server, .. } = shared;
    let log = |ask: &Ask, room: usize| shared.recent.last(ask.component.as_deref(), room);
    let sure = || shared.touch.is_certain();
    let mut lines = shared.recent.changes();
    let access = signals::readable(shared).await?;
    let mut begins = Some(&access);
    loop {
        // Another agent may act for this server, and receives the same requests.
        touch::certain(shared).await;
        lines.mark_unchanged();
        let standing = asks.borrow_and_update().standing();
        if standing.is_empty() {
            break;
        }
        let of = shared.asked.of();
        match space.answer((server, &of), &standing, &log, begins, &sure).await {
            Ok(()) => begins = None,
            Err(SpaceError::Unsure) => continue,
            // The former answers were removed.
            Err(SpaceError::Store(StoreError::Missing { .. })) if begins.is_none() => begins = Some(&access),
            Err(error) => return Err(error),
        }
        time::sleep(PAUSE).await;
        let mut renewed = asks.clone();
        let ended = async {
            while !asks.borrow().standing().is_empty() {
                time::sleep(PAUSE).await;
            }
        };
        tokio::select! {
            _ = lines.changed() => {}
            _ = renewed.changed() => {}
            () = ended => {}
        }
    }
    // Without answers of this agent, there is nothing to remove.
    match begins {
        None => space.fall_silent(server).await,
        Some(_) => Ok(()),
    }
}
