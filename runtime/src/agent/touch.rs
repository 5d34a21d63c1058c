//! Tracks when this agent was last confirmed as the only one acting for its server.
//!
//! A store gives the place of a silent agent to another one, and an agent that was suspended does not know for how
//! long. So it confirms its place before it starts anything or publishes a status.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{self, Instant};
use wattle_agent_core::machine::Event;
use wattle_agent_core::time::Time;

use crate::clock;
use crate::store::Store;

use super::shared::Shared;

/// How long a confirmation is valid at most.
const CERTAIN: Duration = Duration::from_secs(5);

/// How long to wait before asking again.
const AGAIN: Duration = Duration::from_secs(1);

/// The last confirmation.
#[derive(Debug)]
pub(super) struct Touch {
    agent: String,
    store: Arc<dyn Store>,
    /// The place that the agent holds.
    held: watch::Sender<Option<String>>,
    last: Mutex<Option<Moment>>,
}

/// A time by two clocks: one stops while the machine sleeps, and the other may be adjusted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    at: Instant,
    wall: Time,
}

impl Moment {
    pub(super) fn now() -> Self {
        Self { at: Instant::now(), wall: clock::now() }
    }

    /// Whether less than `span` has passed by both clocks.
    fn is_within(&self, span: Duration) -> bool {
        let now = Self::now();
        let (back, on) = (now.wall.duration_since(self.wall), self.wall.duration_since(now.wall));
        now.at.duration_since(self.at) < span && back < span && on < span
    }
}

impl Touch {
    /// Tracks the agent with this name, whose place is in `store`.
    pub(super) fn new(agent: String, store: Arc<dyn Store>) -> Self {
        Self { agent, store, held: watch::Sender::new(None), last: Mutex::default() }
    }

    /// The agent's own name.
    pub(super) fn agent(&self) -> &str {
        &self.agent
    }

    /// Records that the agent holds `place`, as of the moment when it `asked` for it.
    pub(super) fn has(&self, place: String, asked: Moment) {
        self.was(asked);
        self.held.send_replace(Some(place));
    }

    /// Records that another agent holds the place.
    pub(super) fn has_not(&self) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.held.send_replace(None);
    }

    fn was(&self, at: Moment) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(at);
    }

    /// Whether the confirmation is still valid.
    pub(super) fn is_certain(&self) -> bool {
        let last = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.is_some_and(|last| last.is_within(lasting(self.store.session())))
    }
}

/// How long a confirmation is valid, depending on how long the store keeps the place of a silent agent.
fn lasting(session: Option<Duration>) -> Duration {
    session.map_or(CERTAIN, |session| CERTAIN.min(session / 2))
}

/// Returns once it is confirmed that this agent holds its server's place: at once if it already is.
pub(super) async fn certain(shared: &Shared) {
    while !shared.touch.is_certain() {
        // An agent that never holds the place sends no requests.
        let mut held = shared.touch.held.subscribe();
        let Some(place) = held.wait_for(Option::is_some).await.ok().and_then(|held| held.clone()) else { continue };
        let asked = Moment::now();
        match shared.insist(|| shared.space.holder(&place)).await {
            Ok(Some((holder, _))) if holder.agent.as_deref() == Some(shared.touch.agent()) => shared.touch.was(asked),
            Ok(_) => time::sleep(AGAIN).await,
            Err(error) => {
                tracing::debug!("cannot find out which agent acts for this server: {error}");
                time::sleep(AGAIN).await;
            }
        }
    }
}

/// Reports the confirmation.
pub(super) async fn confirm(shared: Arc<Shared>) -> Event {
    certain(&shared).await;
    Event::InTouch(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_may_lose_the_place_sooner_is_certain_for_less_long() {
        for (session, certain) in [(None, 5), (Some(10), 5), (Some(60), 5), (Some(4), 2)] {
            assert_eq!(lasting(session.map(Duration::from_secs)), Duration::from_secs(certain), "{session:?}");
        }
    }
}
