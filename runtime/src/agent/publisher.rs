//! What the data space is told of how everything on this server is doing: the last state of each component, not every one
//! that it went through.

use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use futures_util::future::join_all;
use tokio::sync::Notify;
use tokio::time;
use wattle::model::{IndexMap, IndexSet, Name};

use crate::space::{ServerStatus, Space, SpaceError, State, Status, Waiting};
use crate::store::StoreError;

use super::shared::AGAIN;

/// How long a state that may pass at once is kept before it is published.
const PASSING: Duration = Duration::from_millis(50);

/// What is to be published.
#[derive(Debug, Default)]
pub(super) struct Publisher {
    state: Mutex<Inner>,
    changed: Notify,
    urgent: Notify,
    settled: Notify,
}

#[derive(Debug, Default)]
struct Inner {
    // What the data space was not told yet, and whether it is being told something.
    components: IndexMap<Name, Status>,
    server: Option<ServerStatus>,
    is_publishing: bool,
    // The waits that the log was told of, in the last revision.
    logged: (u64, IndexSet<(Name, Name)>),
}

impl Publisher {
    fn state(&self) -> MutexGuard<'_, Inner> {
        self.state.lock().expect("INVARIANT: nothing panics while it holds what is to be published")
    }

    /// A component, `SERVER/COMPONENT`, is doing so now.
    pub(super) fn show(&self, component: Name, status: Status) {
        let is_urgent = matches!(status.state, State::Done | State::Failed(_));
        self.state().components.insert(component, status);
        self.changed.notify_one();
        if is_urgent {
            self.urgent.notify_one();
        }
    }

    /// The server is doing so now.
    pub(super) fn show_server(&self, status: ServerStatus) {
        self.state().server = Some(status);
        self.changed.notify_one();
    }

    /// Tells the data space what changes of `server`, for ever.
    pub(super) async fn publish(&self, space: &Space, server: &Name) {
        loop {
            self.changed.notified().await;
            // What passes at once is not worth a request.
            let _ = time::timeout(PASSING, self.urgent.notified()).await;
            let is_told = self.publish_once(space, server).await;
            self.settled.notify_waiters();
            if !is_told {
                time::sleep(AGAIN).await;
                self.changed.notify_one();
            }
        }
    }

    /// Whether the data space knows it all now.
    async fn publish_once(&self, space: &Space, server: &Name) -> bool {
        let (components, server_status) = {
            let mut state = self.state();
            state.is_publishing = true;
            (std::mem::take(&mut state.components), state.server.take())
        };
        self.log_waits(&components);
        let one = |(component, status): (Name, Status)| async move {
            let told = space.set_status(&component, &status).await;
            (component, status, told)
        };
        let tell_server = async {
            match &server_status {
                Some(status) => space.set_server_status(server, status).await,
                None => Ok(()),
            }
        };
        let (told, told_server) = tokio::join!(join_all(components.into_iter().map(one)), tell_server);
        let mut state = self.state();
        let mut is_told = true;
        for (component, status, result) in told {
            if is_lost(&component, result) {
                is_told = false;
                // It may have changed meanwhile.
                state.components.entry(component).or_insert(status);
            }
        }
        if is_lost(server, told_server) {
            is_told = false;
            state.server = state.server.take().or(server_status);
        }
        state.is_publishing = false;
        is_told
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

    /// Waits until the data space knows everything.
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

/// Whether to say it again.
fn is_lost(what: &str, result: Result<(), SpaceError>) -> bool {
    match result {
        // What is missing has left the model meanwhile; of a newer revision, another agent knows more.
        Ok(()) | Err(SpaceError::Store(StoreError::Missing { .. }) | SpaceError::Superseded { .. }) => false,
        Err(SpaceError::Store(StoreError::Unusable { .. })) => true,
        Err(error) => {
            tracing::warn!("the status of `{what}` cannot be published: {error}");
            false
        }
    }
}

fn log_wait(component: &str, waiting: &Waiting) {
    let Waiting { what, input, since } = waiting;
    if let Some(input) = input {
        let from = what.rsplit_once('/').map_or(&**what, |(from, _)| from);
        tracing::info!(component, %since, "waits for `{what}` from `{from}` (its input `{input}`)");
    } else {
        tracing::info!(component, %since, "waits until `{what}` has ended");
    }
}
