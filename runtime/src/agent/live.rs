//! What a recipe may ask and tell while it runs.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::OnceCell;
use tokio::time::Instant;
use wattle::model::{IndexMap, IndexSet, Name, Value};
use wattle::values;
use wattle_agent_core::outputs;
use wattle_agent_core::record::{Record, Stored};
use wattle_agent_core::vault::Vault as _;

use crate::clock;
use crate::recipe::{Broken, Live};
use crate::space::{Failure, Kind, PlannedComponent, State, Waiting};

use super::entries;
use super::inputs::{self, Missing, Needs};
use super::revision::Revision;
use super::shared::Shared;

/// One run of a recipe.
pub(super) struct Run {
    shared: Arc<Shared>,
    revision: Arc<Revision>,
    component: Name,
    planned: PlannedComponent,
    token: String,
    limit: Duration,
    inputs: IndexMap<Name, OnceCell<Result<Value, Failure>>>,
    // Only one publishes at a time, so that the journal's order is that of the entries.
    publishing: tokio::sync::Mutex<()>,
    state: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// What was published, of this run or of one before a crash.
    early: IndexMap<Name, Stored>,
    published: IndexMap<Name, Value>,
    by_this_run: IndexSet<Name>,
    /// What the recipe asked for, wired or not.
    read: IndexSet<Name>,
    secrets: Vec<Value>,
    /// What each input that does not come yet is missing.
    missing: IndexMap<Name, Vec<Waiting>>,
    /// The inputs and outputs that the recipe waits for, as often as it does.
    blocked: Vec<Name>,
    blocked_since: Option<Instant>,
    waited: Duration,
    superseded: bool,
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("component", &self.component).finish_non_exhaustive()
    }
}

impl Run {
    /// A run whose inputs are `known`; those that are not are waited for when they are asked for.
    pub(super) fn new(
        shared: &Arc<Shared>,
        revision: &Arc<Revision>,
        component: &Name,
        planned: &PlannedComponent,
        known: &IndexMap<Name, Value>,
        limit: Duration,
    ) -> Arc<Self> {
        let cell = |name: &Name| {
            let cell = known.get(name).map(|value| OnceCell::new_with(Some(Ok(value.clone())))).unwrap_or_default();
            (name.clone(), cell)
        };
        let early = shared.journal().memory().known(component).map(|known| known.early.clone()).unwrap_or_default();
        let published = early
            .iter()
            .filter_map(|(name, stored)| Some((name.clone(), shared.vault.reveal(&stored.content).ok()??)))
            .collect();
        let secrets = known
            .iter()
            .filter(|(name, _)| planned.inputs.get(*name).is_some_and(|input| input.ty.is_secret()))
            .map(|(_, value)| value.clone())
            .collect();
        Arc::new(Self {
            shared: Arc::clone(shared),
            revision: Arc::clone(revision),
            component: component.clone(),
            planned: planned.clone(),
            token: shared.runs.token(),
            limit,
            inputs: planned.inputs.keys().map(cell).collect(),
            publishing: tokio::sync::Mutex::default(),
            state: Mutex::new(Inner { early, published, secrets, ..Inner::default() }),
        })
    }

    fn state(&self) -> MutexGuard<'_, Inner> {
        self.state.lock().expect("INVARIANT: nothing panics while it holds the state of a run")
    }

    pub(super) fn token(&self) -> &str {
        &self.token
    }

    /// What was published while it ran.
    pub(super) fn early(&self) -> IndexMap<Name, Stored> {
        self.state().early.clone()
    }

    /// What it asked for and had, and what it asked for that is not wired.
    pub(super) fn read(&self) -> (IndexMap<Name, Value>, Vec<Name>) {
        let mut values = IndexMap::default();
        let mut absent = Vec::new();
        for name in &self.state().read {
            match self.inputs.get(name).map(OnceCell::get) {
                Some(Some(Ok(value))) => {
                    values.insert(name.clone(), value.clone());
                }
                Some(_) => {}
                None => absent.push(name.clone()),
            }
        }
        (values, absent)
    }

    /// Whether it did not get an input because there is a newer revision.
    pub(super) fn is_superseded(&self) -> bool {
        self.state().superseded
    }

    /// Waits for the inputs that nobody has asked for yet, so that they are there when somebody does.
    pub(super) async fn prefetch(&self) {
        futures_util::future::join_all(self.inputs.keys().map(|name| self.value(name, false))).await;
    }

    fn failure(&self, kind: Kind, message: String) -> Failure {
        let component = self.shared.full(&self.component);
        Failure { component, kind, message, log: Vec::new(), at: clock::now(), through: Vec::new() }
    }

    /// The value of an input that is wired; `asked` by the recipe, which waits for it.
    async fn value(&self, name: &Name, asked: bool) -> Result<Value, Failure> {
        let (Some(cell), Some(input)) = (self.inputs.get(name), self.planned.inputs.get(name)) else {
            return Err(self.failure(Kind::Input, format!("there is no input `{name}`")));
        };
        if let Some(there) = cell.get() {
            return there.clone();
        }
        let _blocked = asked.then(|| Blocked::new(self, name));
        let mut needs = Needs::default();
        inputs::needs(name, &input.from, &mut needs);
        let limit = self.limit.saturating_sub(self.waited());
        let get = || async {
            let wait = inputs::wait(&self.shared, &self.revision, &needs, limit, |waiting| self.tell(name, waiting));
            tokio::select! {
                biased;
                () = self.revision.superseded() => Err(()),
                found = wait => match found {
                    Ok(found) => Ok(inputs::value(&self.shared, name, input, &found)
                        .map_err(|(kind, message)| self.failure(kind, message))),
                    Err(Missing::Superseded) => Err(()),
                    Err(Missing::Failed(failure)) => Ok(Err(failure)),
                    Err(Missing::Own(kind, message)) => Ok(Err(self.failure(kind, message))),
                },
            }
        };
        if let Ok(value) = cell.get_or_try_init(get).await {
            return value.clone();
        }
        self.state().superseded |= asked;
        let newer = format!("revision {} was superseded while `{name}` was awaited", self.revision.id.number);
        Err(self.failure(Kind::Input, newer))
    }

    /// Tells what of an input is missing.
    fn tell(&self, name: &Name, waiting: Vec<Waiting>) {
        let mut state = self.state();
        state.missing.insert(name.clone(), waiting);
        drop(state);
        self.show();
    }

    /// Shows what the recipe waits for.
    fn show(&self) {
        let state = self.state();
        let waiting: Vec<Waiting> =
            state.blocked.iter().filter_map(|name| state.missing.get(name)).flatten().cloned().collect();
        drop(state);
        let now = if waiting.is_empty() { State::Running } else { State::Waiting(waiting) };
        self.shared.board.set(&self.component, self.revision.id.number, now);
    }
}

/// A recipe waits for an input, or for an output to reach the data space, for as long as this lives.
struct Blocked<'r> {
    run: &'r Run,
    name: Name,
}

impl<'r> Blocked<'r> {
    fn new(run: &'r Run, name: &Name) -> Self {
        let mut state = run.state();
        state.blocked.push(name.clone());
        state.blocked_since.get_or_insert_with(Instant::now);
        drop(state);
        run.show();
        Self { run, name: name.clone() }
    }
}

impl Drop for Blocked<'_> {
    fn drop(&mut self) {
        let mut state = self.run.state();
        if let Some(at) = state.blocked.iter().position(|name| *name == self.name) {
            state.blocked.swap_remove(at);
        }
        if state.blocked.is_empty()
            && let Some(since) = state.blocked_since.take()
        {
            state.waited += since.elapsed();
        }
        drop(state);
        self.run.show();
    }
}

#[async_trait]
impl Live for Run {
    async fn input(&self, name: &str) -> Result<Option<Value>, Failure> {
        let name = Name::from(name);
        self.state().read.insert(name.clone());
        let Some(input) = self.planned.inputs.get(&name) else { return Ok(None) };
        let value = self.value(&name, true).await?;
        if input.ty.is_secret() {
            let mut state = self.state();
            if !state.secrets.contains(&value) {
                state.secrets.push(value.clone());
            }
        }
        Ok(Some(value))
    }

    async fn publish(&self, name: &str, value: Value) -> Result<(), Broken> {
        let broken = |kind, message| Broken { kind, message, log: Vec::new(), cause: None };
        let Some(output) = self.planned.outputs.get(name) else {
            let known: Vec<String> = self.planned.outputs.keys().map(|name| format!("`{name}`")).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(broken(Kind::Type, format!("no output `{name}` is declared; declared are: {known}")));
        };
        let value = match (values::fit(&output.declared.ty, value.clone()), &value) {
            (Ok(value), _) => Ok(value),
            (Err(_), Value::Str(text)) => values::parse(&output.declared.ty, text),
            (Err(why), _) => Err(why),
        };
        let value = value.map_err(|why| broken(Kind::Type, format!("output `{name}`: {why}")))?;
        let stored = outputs::stored(name, output, &value, &self.shared.vault)
            .map_err(|(kind, message)| broken(kind, message))?;
        let name = Name::from(name);
        let _alone = self.publishing.lock().await;
        let entry = format!("{}/{}/{name}", self.shared.server, self.component);
        {
            let state = self.state();
            if let Some(before) = state.published.get(&name) {
                if *before == value {
                    return Ok(());
                }
                if state.by_this_run.contains(&name) {
                    let message = format!("output `{name}` was published with another value; it is written once a run");
                    return Err(broken(Kind::Type, message));
                }
                tracing::warn!("`{entry}` was published by a run that did not end, and stays as it is");
                return Ok(());
            }
        }
        let (component, output_name) = (self.component.clone(), name.clone());
        self.shared.record(&[Record::Early { component, output: output_name, stored: stored.clone() }]).await;
        {
            let mut state = self.state();
            state.early.insert(name.clone(), stored.clone());
            state.by_this_run.insert(name.clone());
            if output.declared.ty.is_secret() {
                state.secrets.push(value.clone());
            }
            state.published.insert(name.clone(), value);
        }
        // A data space that is away takes nothing from the recipe's time.
        let _blocked = Blocked::new(self, &name);
        entries::publish(&self.shared, &self.revision.id, &entry, &stored.content, None).await;
        Ok(())
    }

    fn published(&self, name: &str) -> Option<Value> {
        self.state().published.get(name).cloned()
    }

    fn waited(&self) -> Duration {
        let state = self.state();
        state.waited + state.blocked_since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    fn secrets(&self) -> Vec<Value> {
        self.state().secrets.clone()
    }

    fn socket(&self) -> Option<(PathBuf, String)> {
        Some((self.shared.socket.clone(), self.token.clone()))
    }
}
