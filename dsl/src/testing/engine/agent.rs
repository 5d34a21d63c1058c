//! One agent: its state machine, the content of its disk, and the recipes that run on its server.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use wattle_agent_core::machine::{Broken, Desired, Event, Limits, Machine, Now, Question, RunId, RunRequest, Setup};
use wattle_agent_core::memory::Memory;
use wattle_agent_core::record::Record;
use wattle_agent_core::time::Time;
use wattle_agent_core::vault::PlainVault;

use crate::model::{IndexMap, Name, Value};

use super::super::component_type::Values;
use super::super::fake::Failed;
use super::super::world::Host;

/// The run's own time, as agents see it. There is no wall clock.
pub(super) fn now(at: Duration) -> Now {
    Now { uptime: at, wall: Time::EPOCH }
}

/// An agent.
#[derive(Debug, Default)]
pub(super) struct Agent {
    /// `None` while the agent is down.
    pub(super) machine: Option<Machine<PlainVault>>,
    /// The agent's life. It ignores anything addressed to an earlier life.
    pub(super) life: u32,
    pub(super) journal: Vec<Record>,
    pub(super) runs: HashMap<RunId, Run>,
    /// When it next looks at the clock.
    pub(super) wakes: Option<Duration>,
    questions: u64,
}

/// A recipe that is running.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) place: usize,
    pub(super) job: RunRequest,
    /// Values that it requested and has not received yet.
    pub(super) asked: HashMap<Question, Name>,
    /// Values that it received on request.
    pub(super) received: IndexMap<Name, Value>,
    /// The time at which it had all of its inputs.
    pub(super) since: Duration,
    /// The result of its fake, once it was called.
    pub(super) gives: Option<Result<Values, Failed>>,
    /// Outputs that it publishes before it ends and that are not yet acknowledged.
    pub(super) publishes: Vec<Question>,
    /// Its result, once those are published.
    pub(super) ends: Option<Result<IndexMap<Name, Value>, Broken>>,
}

impl Run {
    pub(super) fn new(place: usize, job: RunRequest) -> Self {
        Self {
            place,
            job,
            asked: HashMap::new(),
            received: IndexMap::default(),
            since: Duration::ZERO,
            gives: None,
            publishes: Vec::new(),
            ends: None,
        }
    }

    /// Its inputs, in the order of their declaration.
    pub(super) fn inputs(&self) -> Values {
        let value = |name: &Name| self.job.inputs.get(name).or_else(|| self.received.get(name)).cloned();
        let inputs = self.job.planned.inputs.keys();
        Values(inputs.filter_map(|name| Some((name.clone(), value(name)?))).collect())
    }
}

impl Agent {
    /// Starts the agent with the content of its journal, and returns its first events.
    pub(super) fn boot(&mut self, host: &Host, at: Duration) -> [Event; 2] {
        let setup = Setup {
            server: host.name.clone(),
            user_data: host.user_data.clone(),
            limits: Limits::default(),
            vault: PlainVault::new(&*host.name),
        };
        let mut memory = Memory::default();
        self.journal.iter().cloned().for_each(|record| memory.note(record));
        self.machine = Some(Machine::new(setup, memory, now(at)));
        [Event::Claimed(true), Event::Desired(Desired { plan: Arc::clone(&host.plan), digest: String::new() })]
    }

    /// Kills the agent and everything that runs with it.
    pub(super) fn die(&mut self) {
        self.machine = None;
        self.life += 1;
        self.runs.clear();
        self.wakes = None;
    }

    pub(super) fn question(&mut self) -> Question {
        self.questions += 1;
        Question(self.questions)
    }
}
