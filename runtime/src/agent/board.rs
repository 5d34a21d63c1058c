//! The board: how everything on this server is doing, for whoever looks. Kept here, and published to the data space:
//! the last state of each component, not every one that it went through.

use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use futures_util::future::join_all;
use serde::Serialize;
use tokio::sync::Notify;
use tokio::time;
use wattle::model::{IndexMap, IndexSet, Name};
use wattle_agent_core::time::Time;

use crate::clock;
use crate::space::{Did, Failure, Finishing, Leaving, ServerStatus, Space, SpaceError, State, Status, Step, Waiting};
use crate::store::StoreError;

/// How long a state that may pass at once is kept before it is published.
const PASSING: Duration = Duration::from_millis(50);

/// How long to wait before the data space is asked again when it would not listen.
const AGAIN: Duration = Duration::from_secs(5);

/// How everything on one server is doing.
#[derive(Debug)]
pub(super) struct Board {
    server: Name,
    state: Mutex<Inner>,
    changed: Notify,
    urgent: Notify,
    settled: Notify,
}

#[derive(Debug)]
struct Inner {
    revision: u64,
    since: Time,
    components: IndexMap<Name, Status>,
    // What components have behind them from before this agent, which has not run them.
    recalled: IndexMap<Name, Vec<Step>>,
    troubles: IndexMap<String, String>,
    leaving: IndexMap<Name, Leaving>,
    finishing: Vec<Finishing>,
    // What the data space was not told yet, and what it is being told.
    dirty: IndexSet<Name>,
    server_dirty: bool,
    publishing: bool,
    // The waits that the log was told of.
    logged: IndexSet<(Name, Name)>,
}

/// How everything on a server is doing, as its agent's socket tells it.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Snapshot {
    server: Name,
    revision: u64,
    since: Time,
    troubles: Vec<String>,
    leaving: Vec<Leaving>,
    finishing: Vec<Finishing>,
    components: IndexMap<Name, Status>,
}

impl Board {
    pub(super) fn new(server: &Name) -> Self {
        let state = Inner {
            revision: 0,
            since: clock::now(),
            components: IndexMap::default(),
            recalled: IndexMap::default(),
            troubles: IndexMap::default(),
            leaving: IndexMap::default(),
            finishing: Vec::new(),
            dirty: IndexSet::default(),
            server_dirty: false,
            publishing: false,
            logged: IndexSet::default(),
        };
        Self {
            server: server.clone(),
            state: Mutex::new(state),
            changed: Notify::new(),
            urgent: Notify::new(),
            settled: Notify::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, Inner> {
        self.state.lock().expect("INVARIANT: nothing panics while it holds the board")
    }

    /// A revision begins, which has these components, and in which those are to be torn down first.
    pub(super) fn begin<'a>(
        &self,
        revision: u64,
        components: impl Iterator<Item = &'a Name>,
        leaving: impl Iterator<Item = &'a Name>,
    ) {
        let since = clock::now();
        let leaves = |name: &Name| Leaving { component: self.full(name), since, failure: None };
        let mut state = self.state();
        state.revision = revision;
        state.since = since;
        state.leaving = leaving.map(|name| (name.clone(), leaves(name))).collect();
        state.finishing.clear();
        let before = std::mem::take(&mut state.components);
        state.components = components.filter_map(|name| Some((name.clone(), before.get(name)?.clone()))).collect();
        state.recalled.clear();
        state.dirty.clear();
        state.logged.clear();
        // What is still wrong is told again.
        state.troubles.clear();
        state.server_dirty = true;
        drop(state);
        self.changed.notify_one();
    }

    /// There is a newer revision: what runs is let end first.
    pub(super) fn supersede(&self) {
        let mut state = self.state();
        let running = state.components.iter().filter(|(_, status)| status.state == State::Running);
        let finishing = running.map(|(name, status)| Finishing {
            component: self.full(name),
            revision: status.revision,
            since: status.since,
            deadline: status.deadline,
        });
        state.finishing = finishing.collect();
        state.server_dirty = true;
        drop(state);
        self.changed.notify_one();
    }

    /// The recipe of a component runs now, and until then at most.
    pub(super) fn runs(&self, component: &Name, revision: u64, deadline: Time) {
        self.put(component, revision, State::Running, Some(deadline));
    }

    /// A component is doing so now.
    pub(super) fn set(&self, component: &Name, revision: u64, now: State) {
        self.put(component, revision, now, None);
    }

    /// What a component has behind it in this revision, as an agent before this one wrote it down.
    pub(super) fn recall(&self, component: &Name, revision: u64, past: Vec<Step>) {
        let mut state = self.state();
        if revision == state.revision && !past.is_empty() {
            state.recalled.insert(component.clone(), past);
        }
    }

    /// What a component has behind it once it begins to be in the state `next`.
    pub(super) fn past(&self, component: &Name, revision: u64, at: Time, next: &State) -> Vec<Step> {
        let state = self.state();
        match state.components.get(component).filter(|status| status.revision == revision) {
            Some(status) => status.past_at(at, next),
            None => state.recalled.get(component).cloned().unwrap_or_default(),
        }
    }

    fn put(&self, component: &Name, revision: u64, now: State, deadline: Option<Time>) {
        let full = self.full(component);
        let urgent = matches!(now, State::Done | State::Failed(_));
        let mut state = self.state();
        if revision != state.revision {
            return;
        }
        if state.components.get(component).is_some_and(|before| before.revision == revision && before.state == now) {
            return;
        }
        match &now {
            State::Waiting(_) => {}
            State::Running => tracing::info!(component = &*full, revision, "runs"),
            State::Done => tracing::info!(component = &*full, revision, "done"),
            State::Failed(failure) => tracing::error!(component = &*full, revision, "failed: {failure}"),
        }
        let at = clock::now();
        let recalled = match &now {
            State::Running => state.recalled.shift_remove(component),
            _ => state.recalled.get(component).cloned(),
        };
        let before = state.components.get(component).filter(|before| before.revision == revision);
        let (past, since) = match (before, recalled) {
            // What had ended before this agent began, has ended then; what the agent looked for again is of no account.
            (_, Some(past)) if urgent && past.last().is_some_and(|step| step.did != Did::BrokenOff) => {
                let ended = past.last().map_or(at, |step| step.until);
                (past, ended)
            }
            // A wait for less than before has not begun anew.
            (Some(before), _) => match (&now, &before.state) {
                (State::Waiting(_), State::Waiting(_)) => (before.past_at(at, &now), before.since),
                _ => (before.past_at(at, &now), at),
            },
            (None, past) => (past.unwrap_or_default(), at),
        };
        state.components.insert(component.clone(), Status { revision, since, deadline, state: now, past });
        state.dirty.insert(component.clone());
        drop(state);
        self.changed.notify_one();
        if urgent {
            self.urgent.notify_one();
        }
    }

    fn full(&self, component: &str) -> Name {
        format!("{}/{component}", self.server).into()
    }

    /// The teardown of a component has ended; without a failure, it has left.
    pub(super) fn torn_down(&self, component: &Name, failure: Option<Failure>) {
        let mut state = self.state();
        if failure.is_some() {
            let leaving = Leaving { component: self.full(component), since: clock::now(), failure };
            state.leaving.insert(component.clone(), leaving);
        } else {
            state.leaving.shift_remove(component);
        }
        state.server_dirty = true;
        drop(state);
        self.changed.notify_one();
    }

    /// Something is wrong with the server, or is so no longer.
    pub(super) fn trouble(&self, of: &str, what: Option<String>) {
        let mut state = self.state();
        let same = state.troubles.get(of) == what.as_ref();
        if same {
            return;
        }
        if let Some(what) = what {
            tracing::error!("{what}");
            state.troubles.insert(of.to_owned(), what);
        } else if let Some(before) = state.troubles.shift_remove(of) {
            tracing::info!("no longer: {before}");
        }
        state.server_dirty = true;
        drop(state);
        self.changed.notify_one();
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        let state = self.state();
        Snapshot {
            server: self.server.clone(),
            revision: state.revision,
            since: state.since,
            troubles: state.troubles.values().cloned().collect(),
            leaving: state.leaving.values().cloned().collect(),
            finishing: state.finishing.clone(),
            components: state.components.clone(),
        }
    }

    /// Tells the data space what changes, for ever.
    pub(super) async fn publish(&self, space: &Space) {
        loop {
            self.changed.notified().await;
            // What passes at once is not worth a request.
            let _ = time::timeout(PASSING, self.urgent.notified()).await;
            self.publish_once(space).await;
            self.settled.notify_waiters();
        }
    }

    async fn publish_once(&self, space: &Space) {
        let (components, server) = {
            let mut state = self.state();
            state.publishing = true;
            let dirty = std::mem::take(&mut state.dirty);
            let components: Vec<(Name, Status)> = dirty
                .into_iter()
                .filter_map(|name| Some((name.clone(), state.components.get(&name)?.clone())))
                .collect();
            let server = std::mem::take(&mut state.server_dirty).then(|| ServerStatus {
                revision: state.revision,
                since: state.since,
                troubles: state.troubles.values().cloned().collect(),
                leaving: state.leaving.values().cloned().collect(),
                finishing: state.finishing.clone(),
            });
            (components, server)
        };
        for (component, status) in &components {
            if let State::Waiting(list) = &status.state {
                let mut state = self.state();
                let new = list.iter().filter(|wait| state.logged.insert((component.clone(), wait.what.clone())));
                new.for_each(|waiting| log_wait(&self.server, component, waiting));
            }
        }
        let one = |(component, status): &(Name, Status)| {
            let (component, status) = (component.clone(), status.clone());
            async move {
                let full = self.full(&component);
                let told = space.set_status(&full, &status).await;
                (component, told)
            }
        };
        let tell_server = async {
            match &server {
                Some(server) => space.set_server_status(&self.server, server).await,
                None => Ok(()),
            }
        };
        let (told, told_server) = tokio::join!(join_all(components.iter().map(one)), tell_server);
        let mut again = false;
        for (component, result) in told {
            if self.is_lost(&component, result) {
                self.state().dirty.insert(component);
                again = true;
            }
        }
        if self.is_lost("server", told_server) {
            self.state().server_dirty = true;
            again = true;
        }
        self.state().publishing = false;
        if again {
            time::sleep(AGAIN).await;
            self.changed.notify_one();
        }
    }

    /// Whether to tell it again.
    fn is_lost(&self, what: &str, result: Result<(), SpaceError>) -> bool {
        match result {
            // What is missing has left the model meanwhile.
            Ok(()) | Err(SpaceError::Store(StoreError::Missing { .. })) => false,
            Err(SpaceError::Store(StoreError::Unusable { .. })) => true,
            Err(error) => {
                tracing::warn!("the status of `{}/{what}` cannot be told: {error}", self.server);
                false
            }
        }
    }

    /// Waits until the data space knows everything that stands here.
    pub(super) async fn settled(&self) {
        loop {
            let settled = self.settled.notified();
            {
                let state = self.state();
                if state.dirty.is_empty() && !state.server_dirty && !state.publishing {
                    return;
                }
            }
            settled.await;
        }
    }
}

fn log_wait(server: &str, component: &str, waiting: &Waiting) {
    let Waiting { what, input, since } = waiting;
    let component = format!("{server}/{component}");
    if let Some(input) = input {
        let from = what.rsplit_once('/').map_or(&**what, |(from, _)| from);
        tracing::info!(component, %since, "waits for `{what}` from `{from}` (its input `{input}`)");
    } else {
        tracing::info!(component, %since, "waits until `{what}` has ended");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(what: &[&str]) -> State {
        let since = Time::EPOCH;
        State::Waiting(what.iter().map(|what| Waiting { what: (*what).into(), input: None, since }).collect())
    }

    fn told(board: &Board) -> Vec<String> {
        let name = |step: &Step| match &step.did {
            Did::Waited { what, .. } => what.to_string(),
            did => format!("{did:?}"),
        };
        board.state().components["c"].past.iter().map(name).collect()
    }

    #[test]
    fn what_a_component_has_behind_it_grows_with_each_state() {
        let (board, name) = (Board::new(&"s".into()), Name::from("c"));
        board.begin(1, [&name].into_iter(), std::iter::empty());
        board.set(&name, 1, waits(&["s/before"]));
        board.set(&name, 1, waits(&["a/x/url", "b/x/url"]));
        assert_eq!(told(&board), ["s/before"]);
        board.set(&name, 1, waits(&["b/x/url"]));
        board.runs(&name, 1, clock::now());
        assert_eq!(told(&board), ["s/before", "a/x/url", "b/x/url"]);
        let past = board.past(&name, 1, clock::now(), &State::Done);
        board.set(&name, 1, State::Done);
        assert_eq!(told(&board), ["s/before", "a/x/url", "b/x/url", "Ran"]);
        assert_eq!(past.len(), 4, "the journal has the same");

        // The next revision begins with nothing.
        board.begin(2, [&name].into_iter(), std::iter::empty());
        board.set(&name, 2, State::Done);
        assert_eq!(told(&board), [""; 0]);
    }

    #[test]
    fn what_had_ended_before_an_agent_began_ended_then() {
        let (board, name) = (Board::new(&"s".into()), Name::from("c"));
        board.begin(1, [&name].into_iter(), std::iter::empty());
        let (since, until) = (Time::EPOCH, Time::from_secs(9));
        board.recall(&name, 1, vec![Step { since, until, did: Did::Ran }]);
        board.set(&name, 1, waits(&["a/x/url"]));
        board.set(&name, 1, State::Done);
        assert_eq!(told(&board), ["Ran"]);
        assert_eq!(board.state().components["c"].since, until);
    }
}
