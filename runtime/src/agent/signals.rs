//! The signals of programs on this server: kept on disk, and published to the data space.
//!
//! All signals are on disk, and all of them are published each time. So they are complete even if the server has a new
//! key by then, or another server was in its place before.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use tokio::time;
use wattle::model::{Name, Value};
use wattle_agent_core::signal::Signal;

use crate::clock;
use crate::space::{Signals, SpaceError};
use crate::store::{Access, Rights};

use super::durable;
use super::shared::{AGAIN, Shared};
use super::touch;

/// The file name.
pub(super) const NAME: &str = "signals";

/// The name under which a status reports that signals cannot be published.
const TROUBLE: &str = "signals";

/// The signals of this server.
#[derive(Debug)]
pub(super) struct Kept {
    path: PathBuf,
    state: Mutex<State>,
    /// Counts the changes to publish.
    changes: watch::Sender<u64>,
    /// The last of these changes that is published.
    passed_on: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct State {
    signals: Signals,
    /// The plan that the server works on.
    plan: u64,
    /// For each handle and component, the token of the run that signalled last.
    runs: HashMap<(Name, Name), String>,
}

impl Kept {
    /// Opens the file in the agent's folder.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn open(state: &Path) -> io::Result<Self> {
        let path = state.join(NAME);
        let signals = match fs::read(&path) {
            Ok(data) => Signals::parse(&data).ok_or_else(|| io::Error::other("these are not signals"))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Signals::default(),
            Err(error) => return Err(error),
        };
        let state = Mutex::new(State { signals, ..State::default() });
        Ok(Self { path, state, changes: watch::Sender::new(0), passed_on: watch::Sender::new(0) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the number of the plan that the server works on from now on, and that its key may have changed.
    pub(super) fn works_by(&self, plan: u64) {
        self.state().plan = plan;
        self.changes.send_modify(|changes| *changes += 1);
    }

    /// Accepts the signal `said` for a handle from the `run` of a component's recipe, or from another program. Returns
    /// once it is in the data space.
    ///
    /// # Errors
    /// It is not a signal, or cannot be stored.
    pub(super) async fn signal(&self, handle: &str, said: &Value, run: Option<(&Name, &str)>) -> Result<(), String> {
        let signal = Signal::read(said, clock::now()).map_err(|error| error.to_string())?;
        let number = self.keep(handle, signal, run)?;
        let _ = self.passed_on.subscribe().wait_for(|passed_on| *passed_on >= number).await;
        Ok(())
    }

    /// Stores the signal. Returns the number of this change.
    fn keep(&self, handle: &str, mut signal: Signal, run: Option<(&Name, &str)>) -> Result<u64, String> {
        let mut state = self.state();
        signal.plan = state.plan;
        signal.component = run.map(|(component, _)| component.clone());
        let key = run.map(|(component, token)| ((Name::from(handle), component.clone()), token.to_owned()));
        let begins = key.as_ref().is_some_and(|(key, token)| state.runs.get(key) != Some(token));
        let mut signals = state.signals.clone();
        signals.add(handle, signal, begins).map_err(|error| error.to_string())?;
        let kept = durable::write(&self.path, &signals.to_bytes(), 0o600);
        kept.map_err(|error| format!("cannot write `{}`: {error}", self.path.display()))?;
        state.signals = signals;
        state.runs.extend(key);
        self.changes.send_modify(|changes| *changes += 1);
        Ok(*self.changes.borrow())
    }

    /// Publishes changes, forever, while no other agent acts for the server.
    pub(super) async fn publish(&self, shared: &Shared) {
        let mut changes = self.changes.subscribe();
        let mut in_trouble = false;
        loop {
            if changes.wait_for(|changes| *changes > *self.passed_on.borrow()).await.is_err() {
                return std::future::pending().await;
            }
            let number = *changes.borrow();
            let signals = self.state().signals.clone();
            if !signals.handles.is_empty() {
                touch::certain(shared).await;
                match publish(shared, &signals).await {
                    Ok(()) => {}
                    Err(SpaceError::Unsure) => continue,
                    Err(error) => {
                        in_trouble = true;
                        shared.trouble(
                            TROUBLE,
                            Some(format!("the signals sent here cannot be passed on: {error}; trying again")),
                        );
                        time::sleep(AGAIN).await;
                        continue;
                    }
                }
                if std::mem::take(&mut in_trouble) {
                    shared.trouble(TROUBLE, None);
                }
            }
            self.passed_on.send_replace(number);
        }
    }
}

/// The access rights that allow the desired revision's author to read what the server writes in the place of its agent.
///
/// # Errors
/// The desired revision cannot be read.
pub(super) async fn readable(shared: &Shared) -> Result<Access, SpaceError> {
    let operator = shared.insist(|| shared.space.desired_revision()).await?.and_then(|desired| desired.operator);
    let own = Access::new().grant(&shared.admission.public().principal, Rights::READ.and(Rights::WRITE));
    Ok(operator.iter().fold(own, |access, operator| access.grant(operator, Rights::READ)))
}

async fn publish(shared: &Shared, signals: &Signals) -> Result<(), SpaceError> {
    let access = readable(shared).await?;
    let sure = || shared.touch.is_certain();
    shared.insist(|| shared.space.set_signals(&shared.server, signals, &access, &sure)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(json: &str) -> Signal {
        Signal::read(&serde_json::from_str(json).unwrap(), clock::now()).unwrap()
    }

    #[test]
    fn what_is_signalled_outlives_the_agent_and_is_said_anew_by_the_next_run() {
        let folder = tempfile::tempdir().unwrap();
        let (web, handle) = (Name::from("web"), "3-1-ab");
        let kept = Kept::open(folder.path()).unwrap();
        kept.works_by(7);
        for _ in 0..2 {
            kept.keep(handle, said("{}"), Some((&web, "run 1"))).unwrap();
        }
        let all = |kept: &Kept| kept.state().signals.handles[handle].clone();
        assert_eq!(all(&kept).len(), 2);
        assert!(all(&kept).iter().all(|signal| signal.plan == 7 && signal.component.as_ref() == Some(&web)));
        let again = Kept::open(folder.path()).unwrap();
        assert_eq!(all(&again), all(&kept));
        again.keep(handle, said("{}"), None).unwrap();
        again.keep(handle, said(r#"{"status": "FAILURE"}"#), Some((&web, "run 2"))).unwrap();
        assert_eq!(all(&again).len(), 2, "the former run's are gone, and nobody else's");
        assert!(again.keep("../x", said("{}"), None).unwrap_err().contains("not a handle"));
        fs::write(folder.path().join(NAME), "x").unwrap();
        Kept::open(folder.path()).unwrap_err();
    }
}
