//! What programs on this server signal to whoever waits for it: kept on the disk, and told to the data space.
//!
//! The disk has all of it, so the data space is told the whole each time: also when this server has another key by then, or another
//! server had its place before.

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

/// The file.
pub(super) const NAME: &str = "signals";

/// What a status says of signals that nobody hears of.
const TROUBLE: &str = "signals";

/// What was signalled on this server.
#[derive(Debug)]
pub(super) struct Kept {
    path: PathBuf,
    state: Mutex<State>,
    /// How often there was something to tell.
    changes: watch::Sender<u64>,
    /// Up to which of these the data space was told.
    told: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct State {
    signals: Signals,
    /// The plan by which the server works.
    plan: u64,
    /// By handle and component the run that has said something last: its token.
    runs: HashMap<(Name, Name), String>,
}

impl Kept {
    /// As the agent's folder has it.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn open(state: &Path) -> io::Result<Self> {
        let path = state.join(NAME);
        let signals = match fs::read(&path) {
            Ok(data) => Signals::parse(&data).ok_or_else(|| io::Error::other("these are no signals"))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Signals::default(),
            Err(error) => return Err(error),
        };
        let state = Mutex::new(State { signals, ..State::default() });
        Ok(Self { path, state, changes: watch::Sender::new(0), told: watch::Sender::new(0) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The server works by the plan of this number from now on, and may be known by another key.
    pub(super) fn works_by(&self, plan: u64) {
        self.state().plan = plan;
        self.changes.send_modify(|changes| *changes += 1);
    }

    /// Takes what is `said` of a handle by the `run` of a component's recipe, or by another program, and returns once the data space
    /// knows it.
    ///
    /// # Errors
    /// When it is no signal, or cannot be kept.
    pub(super) async fn signal(&self, handle: &str, said: &Value, run: Option<(&Name, &str)>) -> Result<(), String> {
        let signal = Signal::read(said, clock::now()).map_err(|error| error.to_string())?;
        let number = self.keep(handle, signal, run)?;
        let _ = self.told.subscribe().wait_for(|told| *told >= number).await;
        Ok(())
    }

    /// The number of the change that it is.
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

    /// Tells the data space what is new, for ever, while nobody else acts for the server.
    pub(super) async fn publish(&self, shared: &Shared) {
        let mut changes = self.changes.subscribe();
        let mut in_trouble = false;
        loop {
            if changes.wait_for(|changes| *changes > *self.told.borrow()).await.is_err() {
                return std::future::pending().await;
            }
            let number = *changes.borrow();
            let signals = self.state().signals.clone();
            if !signals.handles.is_empty() {
                touch::certain(shared).await;
                match tell(shared, &signals).await {
                    Ok(()) => {}
                    Err(SpaceError::Unsure) => continue,
                    Err(error) => {
                        in_trouble = true;
                        shared.trouble(
                            TROUBLE,
                            Some(format!("what is signalled here cannot be told: {error}; tries again")),
                        );
                        time::sleep(AGAIN).await;
                        continue;
                    }
                }
                if std::mem::take(&mut in_trouble) {
                    shared.trouble(TROUBLE, None);
                }
            }
            self.told.send_replace(number);
        }
    }
}

async fn tell(shared: &Shared, signals: &Signals) -> Result<(), SpaceError> {
    // Whoever asks for the goal reads what is told.
    let operator = shared.insist(|| shared.space.goal()).await?.and_then(|goal| goal.operator);
    let own = Access::new().grant(&shared.admission.public().principal, Rights::READ.and(Rights::WRITE));
    let access = operator.iter().fold(own, |access, operator| access.grant(operator, Rights::READ));
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
        assert!(again.keep("../x", said("{}"), None).unwrap_err().contains("no handle"));
        fs::write(folder.path().join(NAME), "x").unwrap();
        Kept::open(folder.path()).unwrap_err();
    }
}
