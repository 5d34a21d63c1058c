//! How long ago it was certain that nobody else acts for this agent's server.
//!
//! A store gives the place of an agent that it does not hear of to another one, and an agent that was paused does not know how
//! long: before it begins with anything, it asks.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{self, Instant};
use wattle_agent_core::machine::Event;

use super::shared::Shared;

/// For how long it stays certain. ZooKeeper keeps the place of an agent that it does not hear of for 10 s.
const CERTAIN: Duration = Duration::from_secs(5);

/// How long to wait before asking once more.
const AGAIN: Duration = Duration::from_secs(1);

/// When it was certain last.
#[derive(Debug)]
pub(super) struct Touch {
    agent: String,
    last: Mutex<Option<Instant>>,
}

impl Touch {
    /// Of the agent with this name.
    pub(super) fn new(agent: String) -> Self {
        Self { agent, last: Mutex::default() }
    }

    /// The agent's own name.
    pub(super) fn agent(&self) -> &str {
        &self.agent
    }

    /// It was certain at that time.
    pub(super) fn was(&self, at: Instant) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(at);
    }

    /// Whether it is certain still.
    pub(super) fn is_certain(&self) -> bool {
        let last = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.is_some_and(|last| last.elapsed() < CERTAIN)
    }
}

/// Asks until it is certain that this agent has its server's place.
pub(super) async fn confirm(shared: Arc<Shared>) -> Event {
    loop {
        let asked = Instant::now();
        match shared.insist(|| shared.space.holder(&shared.server)).await {
            Ok(Some((holder, _))) if holder.agent.as_deref() == Some(shared.touch.agent()) => {
                shared.touch.was(asked);
                return Event::InTouch(true);
            }
            Ok(_) => {}
            Err(error) => tracing::debug!("it cannot be asked who acts for this server: {error}"),
        }
        time::sleep(AGAIN).await;
    }
}
