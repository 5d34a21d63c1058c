//! A running recipe: its requests and outputs, and its time limit.

use std::collections::VecDeque;
use std::time::Duration;

use wattle_model::{IndexMap, IndexSet, Name, Value};

use crate::failure::Failure;
use crate::record::Stored;
use crate::server_plan::PlannedComponent;
use crate::status::{State, Waiting};

use super::event::{Question, RunId, Stop};
use super::wait::Wait;

/// How long after its deadline a run may take to end before it is given up. The caller that runs it stops it, and has
/// its last output.
pub(super) const GRACE: Duration = Duration::from_secs(4);

/// An input that a running recipe has requested.
#[derive(Debug)]
pub(super) enum Input {
    /// It is being waited for.
    Awaited(Wait),
    /// It has arrived, or will not.
    There(Result<Value, Failure>),
    /// There is a newer revision.
    Superseded,
}

/// An output that a recipe publishes while it runs.
#[derive(Debug)]
pub(super) struct LiveOutput {
    pub(super) question: Question,
    pub(super) output: Name,
    pub(super) value: Value,
    pub(super) stored: Stored,
}

/// One run of a recipe.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) id: RunId,
    /// `None` if the inputs that it reads are known only after the run.
    pub(super) fingerprint: Option<String>,
    pub(super) inputs: IndexMap<Name, Input>,
    /// The inputs that the recipe has requested, wired or not.
    pub(super) read: IndexSet<Name>,
    /// What it is waiting for now: requested inputs, and outputs that are being published.
    pub(super) questions: IndexMap<Question, Name>,
    /// What was published, by this run or one before a crash.
    pub(super) early: IndexMap<Name, Stored>,
    pub(super) published: IndexMap<Name, Value>,
    pub(super) republished: IndexSet<Name>,
    /// Outputs to be published, one at a time, so that the journal has them in the same order as the data space.
    pub(super) publishing: VecDeque<LiveOutput>,
    pub(super) is_superseded: bool,
    clock: Clock,
    /// The reason and time of the order to stop, if one was given.
    pub(super) stopped: Option<(Stop, Duration)>,
}

/// Measures how long something has run, not counting the time in which it waited or nothing ran at all.
#[derive(Debug)]
struct Clock {
    started: Duration,
    limit: Duration,
    excused: Duration,
    blocked_since: Option<Duration>,
}

impl Run {
    pub(super) fn new(
        id: RunId,
        fingerprint: Option<String>,
        inputs: IndexMap<Name, Input>,
        early: IndexMap<Name, Stored>,
        published: IndexMap<Name, Value>,
        (started, limit): (Duration, Duration),
    ) -> Self {
        Self {
            id,
            fingerprint,
            inputs,
            read: IndexSet::default(),
            questions: IndexMap::default(),
            early,
            published,
            republished: IndexSet::default(),
            publishing: VecDeque::new(),
            is_superseded: false,
            clock: Clock { started, limit, excused: Duration::ZERO, blocked_since: None },
            stopped: None,
        }
    }

    /// When it exceeds its time. `None` while it waits.
    pub(super) fn overdue(&self) -> Option<Duration> {
        let Clock { started, limit, excused, blocked_since } = &self.clock;
        blocked_since.is_none().then(|| started.saturating_add(*limit).saturating_add(*excused))
    }

    /// When to check it again.
    pub(super) fn wakes(&self) -> Option<Duration> {
        let inputs = self.inputs.values().filter_map(|input| match input {
            Input::Awaited(wait) => wait.wakes(),
            Input::There(_) | Input::Superseded => None,
        });
        let end = match self.stopped {
            Some((_, at)) => Some(at.saturating_add(GRACE)),
            None => self.overdue(),
        };
        inputs.chain(end).min()
    }

    /// Its remaining time.
    pub(super) fn left(&self, uptime: Duration) -> Duration {
        self.overdue().map_or(self.clock.limit, |end| end.saturating_sub(uptime))
    }

    /// Excuses a pause during which nothing ran here.
    pub(super) fn excuse(&mut self, pause: Duration) {
        if self.clock.blocked_since.is_none() {
            self.clock.excused += pause;
        }
        for input in self.inputs.values_mut() {
            if let Input::Awaited(wait) = input {
                wait.excuse(pause);
            }
        }
    }

    /// Records that the recipe waits for a response.
    pub(super) fn block(&mut self, question: Question, on: Name, uptime: Duration) {
        self.questions.insert(question, on);
        self.clock.blocked_since.get_or_insert(uptime);
    }

    /// Records that the recipe has its response, or no longer waits for it.
    pub(super) fn unblock(&mut self, question: Question, uptime: Duration) {
        self.questions.shift_remove(&question);
        if self.questions.is_empty()
            && let Some(since) = self.clock.blocked_since.take()
        {
            self.clock.excused += uptime.saturating_sub(since);
        }
    }

    /// Its state in the form of a status.
    pub(super) fn state(&self) -> State {
        let missing = |name: &Name| match self.inputs.get(name) {
            Some(Input::Awaited(wait)) => wait.shown(),
            Some(Input::There(_) | Input::Superseded) | None => Vec::new(),
        };
        let waiting: Vec<Waiting> = self.questions.values().flat_map(missing).collect();
        if waiting.is_empty() { State::Running } else { State::Waiting(waiting) }
    }

    /// The inputs that it requested and received, and the requested ones that are not wired.
    pub(super) fn had(&self, planned: &PlannedComponent) -> (IndexMap<Name, Value>, Vec<Name>) {
        let mut values = IndexMap::default();
        let mut absent = Vec::new();
        for name in &self.read {
            match self.inputs.get(name) {
                Some(Input::There(Ok(value))) => drop(values.insert(name.clone(), value.clone())),
                Some(_) => {}
                None if planned.inputs.contains_key(name) => {}
                None => absent.push(name.clone()),
            }
        }
        (values, absent)
    }
}
