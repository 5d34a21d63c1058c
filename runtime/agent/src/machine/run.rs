//! A recipe that runs: what it asks and publishes meanwhile, and how long it may take.

use std::collections::VecDeque;
use std::time::Duration;

use wattle_model::{IndexMap, IndexSet, Name, Value};

use crate::failure::Failure;
use crate::plan::PlannedComponent;
use crate::record::Stored;
use crate::status::{State, Waiting};

use super::event::{Question, RunId, Stop};
use super::wait::Wait;

/// How much longer than its deadline a run may take to end before it is given up: whoever runs it ends it, and knows what
/// it said last.
pub(super) const GRACE: Duration = Duration::from_secs(4);

/// An input of a recipe that runs.
#[derive(Debug)]
pub(super) enum Input {
    /// It is awaited.
    Awaited(Wait),
    /// It is there, or will not come.
    There(Result<Value, Failure>),
    /// There is a newer revision.
    Superseded,
}

/// What a recipe publishes while it runs.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) question: Question,
    pub(super) output: Name,
    pub(super) value: Value,
    pub(super) stored: Stored,
}

/// One run of a recipe.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) id: RunId,
    /// None if only its run shows what it reads.
    pub(super) fingerprint: Option<String>,
    pub(super) inputs: IndexMap<Name, Input>,
    /// What the recipe asked for, wired or not.
    pub(super) read: IndexSet<Name>,
    /// What it waits for now: inputs that it asked for, and outputs on their way to the data space.
    pub(super) questions: IndexMap<Question, Name>,
    /// What was published, of this run or of one before a crash.
    pub(super) early: IndexMap<Name, Stored>,
    pub(super) published: IndexMap<Name, Value>,
    pub(super) anew: IndexSet<Name>,
    /// Outputs that are being published, one at a time, so that the journal's order is that of the entries.
    pub(super) telling: VecDeque<Told>,
    pub(super) is_superseded: bool,
    clock: Clock,
    /// That it is to end was said then.
    pub(super) stopped: Option<(Stop, Duration)>,
}

/// How long something ran, without the time in which it waited or nothing ran at all.
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
            anew: IndexSet::default(),
            telling: VecDeque::new(),
            is_superseded: false,
            clock: Clock { started, limit, excused: Duration::ZERO, blocked_since: None },
            stopped: None,
        }
    }

    /// When it has run for as long as it may; never while it waits.
    pub(super) fn overdue(&self) -> Option<Duration> {
        let Clock { started, limit, excused, blocked_since } = &self.clock;
        blocked_since.is_none().then(|| started.saturating_add(*limit).saturating_add(*excused))
    }

    /// When something is to be done about it.
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

    /// What is left of its time.
    pub(super) fn left(&self, uptime: Duration) -> Duration {
        self.overdue().map_or(self.clock.limit, |end| end.saturating_sub(uptime))
    }

    /// For so long nothing ran here.
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

    /// The recipe waits for an answer from now on.
    pub(super) fn block(&mut self, question: Question, on: Name, uptime: Duration) {
        self.questions.insert(question, on);
        self.clock.blocked_since.get_or_insert(uptime);
    }

    /// The recipe has its answer, or does not wait for it any more.
    pub(super) fn unblock(&mut self, question: Question, uptime: Duration) {
        self.questions.shift_remove(&question);
        if self.questions.is_empty()
            && let Some(since) = self.clock.blocked_since.take()
        {
            self.clock.excused += uptime.saturating_sub(since);
        }
    }

    /// As a status shows it.
    pub(super) fn state(&self) -> State {
        let missing = |name: &Name| match self.inputs.get(name) {
            Some(Input::Awaited(wait)) => wait.shown(),
            Some(Input::There(_) | Input::Superseded) | None => Vec::new(),
        };
        let waiting: Vec<Waiting> = self.questions.values().flat_map(missing).collect();
        if waiting.is_empty() { State::Running } else { State::Waiting(waiting) }
    }

    /// What it asked for and had, and what it asked for that is not wired.
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
