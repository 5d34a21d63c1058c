//! Tracks actions that Nova accepts at once and performs later, to detect repeated failures, which a server does not
//! show.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use super::json::text;
use super::stop::Stop;
use super::work::Work;
use crate::actions;

/// How many times the same action is requested. A failure may be transient, such as a restarting host.
const TRIES: usize = 3;

/// The last action requested of each server, and how many times.
#[derive(Debug, Default)]
pub(super) struct Asked(Mutex<BTreeMap<String, (&'static str, usize)>>);

impl Asked {
    /// Counts one more request, and returns the number of earlier ones.
    fn count(&self, server: &str, action: &'static str) -> usize {
        let mut asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let last = asked.entry(server.to_owned()).or_insert((action, 0));
        if last.0 != action {
            *last = (action, 0);
        }
        last.1 += 1;
        last.1 - 1
    }

    fn forget(&self, server: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(server);
    }
}

impl Work<'_> {
    /// Refuses another attempt if Nova has failed at the same action each time. `action` is Nova's name for it in the
    /// server's list of actions.
    pub(super) async fn may_ask(&self, server: &str, action: &'static str) -> Result<(), Stop> {
        if self.asked.count(server, action) < TRIES {
            return Ok(());
        }
        let actions = self.listed(actions::call(server), actions::KEY).await?;
        let has_failed = |done: &&Value| text(done, "action") == action && actions::has_failed(done);
        if actions.iter().take_while(has_failed).count() < TRIES {
            return Ok(());
        }
        self.asked.forget(server);
        let request = text(&actions[0], "request_id");
        Err(Stop::refused(format!(
            "Nova has accepted `{action}` {TRIES} times, and failed to carry it out each time; only administrators can see why: \
             `openstack server event show {server} {request}`"
        )))
    }
}
