//! The state shared by all parts of a machine: its knowledge, its pending requests, and its actions.

use std::collections::HashMap;
use std::time::Duration;

use wattle_model::{IndexMap, Name, Value};

use crate::content::Content;
use crate::failure::{Failure, FailureKind};
use crate::memory::Memory;
use crate::record::Record;
use crate::server_plan::{PlannedComponent, PlannedInput};
use crate::status::State;
use crate::vault::Vault;

use super::board::Board;
use super::event::{Action, Level, Now, RunId, Ticket};
use super::needs::Awaited;

/// The upper bound of all limits, because clocks are bounded.
const LONGEST: Duration = Duration::from_hours(366 * 24);

/// How long a component may take by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// For one run of its recipe, not counting the time in which it waits for inputs.
    pub deadline: Duration,
    /// For the wait for its inputs.
    pub wait: Duration,
}

/// An hour for a run, four hours for its inputs.
impl Default for Limits {
    fn default() -> Self {
        Self { deadline: Duration::from_hours(1), wait: Duration::from_hours(4) }
    }
}

/// What a machine is created from.
#[derive(Clone, Debug)]
pub struct Setup<V> {
    /// The server that it acts for.
    pub server: Name,
    /// The values in the server's user data.
    pub user_data: IndexMap<Name, Value>,
    /// Limits for components that do not declare their own.
    pub limits: Limits,
    /// Opens and seals secrets for the server.
    pub vault: V,
}

/// The origin of a request.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Pending {
    Read(Awaited),
    Peek { component: usize, output: Name },
    Write { component: usize, output: Name, content: Content },
    WriteEarly { component: usize, run: RunId, output: Name, content: Content },
    LayOut(usize),
    Explain { component: usize, input: Option<Name> },
    PeekAttribute(Name),
    FindAttribute(Name),
    WriteAttribute(Name, Content),
    LayOutTeardown,
}

/// What to do once some records are on disk.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum After {
    Nothing,
    Started(usize),
    Early(usize, RunId),
    Finished(usize),
    Failed(usize),
    Undoing,
    Gone,
}

/// Records that are being written to disk.
#[derive(Debug)]
pub(super) struct Writing {
    pub(super) records: Vec<Record>,
    pub(super) after: After,
}

/// The state shared by all parts of a machine.
#[derive(Debug)]
pub(super) struct Context<V> {
    pub(super) setup: Setup<V>,
    pub(super) memory: Memory,
    pub(super) board: Board,
    pub(super) now: Now,
    pub(super) actions: Vec<Action>,
    pub(super) in_touch: bool,
    pending: HashMap<Ticket, Pending>,
    writing: IndexMap<Ticket, Writing>,
    numbers: u64,
}

impl<V: Vault> Context<V> {
    pub(super) fn new(setup: Setup<V>, memory: Memory, now: Now) -> Self {
        let board = Board::new(&setup.server);
        let (actions, pending, writing) = (Vec::new(), HashMap::new(), IndexMap::default());
        Self { setup, memory, board, now, actions, in_touch: true, pending, writing, numbers: 0 }
    }

    pub(super) fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    /// Makes a request.
    pub(super) fn ask(&mut self, pending: Pending, action: impl FnOnce(Ticket) -> Action) -> Ticket {
        let ticket = Ticket(self.number());
        self.pending.insert(ticket, pending);
        self.actions.push(action(ticket));
        ticket
    }

    /// The origin of the request that is answered. `None` if the answer is no longer wanted.
    pub(super) fn answered(&mut self, ticket: Ticket) -> Option<Pending> {
        self.pending.remove(&ticket)
    }

    /// Withdraws all requests. Records that are being written still go to disk.
    pub(super) fn forget_all(&mut self) {
        let mut tickets: Vec<Ticket> = self.pending.drain().map(|(ticket, _)| ticket).collect();
        tickets.sort_unstable();
        self.actions.extend(tickets.into_iter().map(Action::Forget));
        self.writing.values_mut().for_each(|writing| writing.after = After::Nothing);
    }

    /// Has a record written to the journal.
    pub(super) fn record(&mut self, record: Record, after: After) {
        let ticket = Ticket(self.number());
        self.actions.push(Action::Journal(ticket, vec![record.clone()]));
        self.writing.insert(ticket, Writing { records: vec![record], after });
    }

    /// Handles records that are on disk. From now on they are part of the memory.
    pub(super) fn written(&mut self, ticket: Ticket) -> After {
        let Some(Writing { records, after }) = self.writing.shift_remove(&ticket) else { return After::Nothing };
        records.into_iter().for_each(|record| self.memory.note(record));
        after
    }

    /// Handles a failure that cannot be written to disk. It is published all the same: otherwise nothing would learn of
    /// it, and an agent that starts after a crash finds it in the data space.
    pub(super) fn unwritten(&mut self, ticket: Ticket) -> After {
        match self.writing.get_mut(&ticket) {
            Some(writing) if matches!(writing.after, After::Failed(_)) => {
                std::mem::replace(&mut writing.after, After::Nothing)
            }
            _ => After::Nothing,
        }
    }

    pub(super) fn log(&mut self, level: Level, component: Option<&Name>, text: String) {
        self.actions.push(Action::Log(level, component.cloned(), text));
    }

    /// The component's full name in the stack.
    pub(super) fn full(&self, component: &str) -> Name {
        self.board.full(component)
    }

    /// How long one run of a component may take.
    pub(super) fn deadline(&self, planned: &PlannedComponent) -> Duration {
        planned.recipe.deadline.map_or(self.setup.limits.deadline, Duration::from_secs).min(LONGEST)
    }

    /// How long a component may wait for its inputs.
    pub(super) fn wait(&self, planned: &PlannedComponent) -> Duration {
        planned.recipe.wait.map_or(self.setup.limits.wait, Duration::from_secs).min(LONGEST)
    }

    /// A failure of the component itself.
    pub(super) fn failure(&self, component: &Name, kind: FailureKind, message: String, log: Vec<String>) -> Failure {
        Failure { component: component.clone(), kind, message, log, at: self.now.wall, through: Vec::new() }
    }

    /// Converts inputs to the form of the journal.
    pub(super) fn keep(
        &self,
        declared: &IndexMap<Name, PlannedInput>,
        inputs: &IndexMap<Name, Value>,
    ) -> IndexMap<Name, Content> {
        let is_secret = |name: &Name| declared.get(name).is_some_and(|input| input.ty.is_secret());
        inputs.iter().map(|(name, value)| (name.clone(), self.setup.vault.keep(value, is_secret(name)))).collect()
    }

    pub(super) fn show(&mut self, component: &Name, state: State, deadline: Option<Duration>) {
        let deadline = deadline.map(|left| self.now.wall + left);
        self.board.set(self.now, component, state, deadline, &mut self.actions);
    }

    pub(super) fn trouble(&mut self, of: String, what: Option<String>) {
        self.board.trouble(of, what, &mut self.actions);
    }
}
