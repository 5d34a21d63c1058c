//! Publishes the state of everything on this server: only the latest state of each component, not every intermediate
//! one.

use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use futures_util::future::join_all;
use tokio::sync::Notify;
use tokio::time;
use wattle::model::{IndexMap, IndexSet, Name};

use crate::space::{ServerStatus, SpaceError, State, Status, Waiting};
use crate::store::StoreError;

use super::shared::{AGAIN, Shared};
use super::touch;

/// How long to hold back a state that may be short-lived before publishing it.
const PASSING: Duration = Duration::from_millis(50);

/// The statuses to publish.
#[derive(Debug, Default)]
pub(super) struct Publisher {
    state: Mutex<Inner>,
    changed: Notify,
    urgent: Notify,
    settled: Notify,
}

#[derive(Debug, Default)]
struct Inner {
    // Statuses that are not published yet, and whether some are being published.
    components: IndexMap<Name, Status>,
    server: Option<ServerStatus>,
    is_publishing: bool,
    // The waits of the last revision that are already logged.
    logged: (u64, IndexSet<(Name, Name)>),
}

impl Publisher {
    fn state(&self) -> MutexGuard<'_, Inner> {
        self.state.lock().expect("INVARIANT: nothing panics while it holds what is to be published")
    }

    /// Records the status of a component, `SERVER/COMPONENT`.
    pub(super) fn show(&self, component: Name, status: Status) {
        let is_urgent = matches!(status.state, State::Done | State::Failed(_));
        self.state().components.insert(component, status);
        self.changed.notify_one();
        if is_urgent {
            self.urgent.notify_one();
        }
    }

    /// Records the status of the server.
    pub(super) fn show_server(&self, status: ServerStatus) {
        self.state().server = Some(status);
        self.changed.notify_one();
    }

    /// Drops unpublished statuses: from now on, another agent publishes them.
    pub(super) fn forget(&self) {
        let mut state = self.state();
        state.components.clear();
        state.server = None;
    }

    /// Publishes changes, forever, while no other agent acts for the server.
    pub(super) async fn publish(&self, shared: &Shared) {
        loop {
            self.changed.notified().await;
            // A short-lived state is not worth a request.
            let _ = time::timeout(PASSING, self.urgent.notified()).await;
            touch::certain(shared).await;
            match self.publish_once(shared).await {
                PublishResult::All => {}
                PublishResult::Unsure => self.changed.notify_one(),
                PublishResult::Refused => {
                    time::sleep(AGAIN).await;
                    self.changed.notify_one();
                }
            }
            self.settled.notify_waiters();
        }
    }

    /// Publishes the statuses once. Returns whether the data space has all of them now.
    async fn publish_once(&self, shared: &Shared) -> PublishResult {
        let Shared { space, server, touch, .. } = shared;
        let sure = || touch.is_certain();
        let (components, server_status) = {
            let mut state = self.state();
            state.is_publishing = true;
            (std::mem::take(&mut state.components), state.server.take())
        };
        self.log_waits(&components);
        let one = |(component, status): (Name, Status)| async move {
            let result = space.set_status(&component, &status, &sure).await;
            (component, status, result)
        };
        let tell_server = async {
            match &server_status {
                Some(status) => space.set_server_status(server, status, &sure).await,
                None => Ok(()),
            }
        };
        let (results, server_result) = tokio::join!(join_all(components.into_iter().map(one)), tell_server);
        let mut state = self.state();
        let mut all = PublishResult::All;
        for (component, status, result) in results {
            let outcome = came_of(&component, result);
            all = all.max(outcome);
            if outcome != PublishResult::All {
                // It may have changed in the meantime.
                state.components.entry(component).or_insert(status);
            }
        }
        let outcome = came_of(server, server_result);
        if outcome != PublishResult::All {
            state.server = state.server.take().or(server_status);
        }
        state.is_publishing = false;
        all.max(outcome)
    }

    fn log_waits(&self, components: &IndexMap<Name, Status>) {
        let mut state = self.state();
        for (component, status) in components {
            if state.logged.0 != status.revision {
                state.logged = (status.revision, IndexSet::default());
            }
            if let State::Waiting(list) = &status.state {
                let new = list.iter().filter(|wait| state.logged.1.insert((component.clone(), wait.what.clone())));
                new.for_each(|waiting| log_wait(component, waiting));
            }
        }
    }

    /// Waits until everything has been published.
    pub(super) async fn settled(&self) {
        loop {
            let settled = self.settled.notified();
            {
                let state = self.state();
                if state.components.is_empty() && state.server.is_none() && !state.is_publishing {
                    return;
                }
            }
            settled.await;
        }
    }
}

/// The result of a publication.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum PublishResult {
    /// It is complete.
    All,
    /// It took so long that another agent may have taken over the server.
    Unsure,
    /// The data space is not available.
    Refused,
}

fn came_of(what: &str, result: Result<(), SpaceError>) -> PublishResult {
    match result {
        // What is missing has left the model in the meantime. If the status is of a newer revision, another agent knows
        // more.
        Ok(()) | Err(SpaceError::Store(StoreError::Missing { .. }) | SpaceError::Superseded { .. }) => {
            PublishResult::All
        }
        Err(SpaceError::Unsure) => PublishResult::Unsure,
        Err(SpaceError::Store(StoreError::Unusable { .. })) => PublishResult::Refused,
        Err(error) => {
            tracing::warn!("the status of `{what}` cannot be published: {error}");
            PublishResult::All
        }
    }
}

fn log_wait(component: &str, waiting: &Waiting) {
    let Waiting { what, input, since, .. } = waiting;
    if let Some(input) = input {
        let from = what.rsplit_once('/').map_or(&**what, |(from, _)| from);
        tracing::info!(component, %since, "waits for `{what}` from `{from}` (its input `{input}`)");
    } else {
        tracing::info!(component, %since, "waits until `{what}` has ended");
    }
}
