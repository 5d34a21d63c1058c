//! The rules of a run: an agent's decisions for its server, as a state machine without I/O.
//!
//! A [`Machine`] receives [`Event`]s, each with a time, and responds with [`Action`]s: what to read, write, put on disk
//! and run. Agents carry these out with a store, a disk and processes. Tests of blueprints and simulations carry them
//! out under clocks of their own. This module makes all decisions. It must contain no I/O, clocks or randomness, and
//! nothing that waits.
//!
//! The persistent state of a machine is its [`Memory`], which is the contents of its journal. Dropping it at any point
//! is equivalent to a crash. These rules make that safe:
//!
//! - A run begins only once its `started` is on disk. So everything that may have been changed on this server is known,
//!   and can be torn down.
//! - A run that succeeded is finished once its `finished` is on disk, with its outputs. Only then are they published.
//!   So everything that others have read of it is in the journal, and it never runs again.
//! - An output that a running recipe publishes is also on disk before it is published. The first value stays the value
//!   of the revision, whatever a second run of the recipe would publish.
//! - A failure is on disk before it is published. If the disk accepts nothing, the failure is published all the same,
//!   and an agent that starts after a crash finds it in the data space.

mod board;
mod causes;
mod component;
mod context;
mod event;
mod needs;
mod publishing;
mod run;
mod running;
mod search;
mod starting;
mod teardown;
mod wait;
mod work;

use std::time::Duration;

use wattle_model::names::count;

use crate::memory::Memory;
use crate::server_plan::ServerPlan;
use crate::vault::Vault;

pub use board::Board;
pub use causes::Cause;
pub use context::{Limits, Setup};
pub use event::{
    Action, Broken, Desired, Event, Level, Now, Question, ReadError, RunId, RunRequest, Seen, Stop, Ticket, WriteError,
};
pub use needs::Awaited;
pub use search::{Search, Sighting};

use context::{After, Context};
use teardown::Teardown;
use work::Work;

/// Makes an agent's decisions for one server.
#[derive(Debug)]
pub struct Machine<V> {
    cx: Context<V>,
    is_claimed: bool,
    desired: Option<Desired>,
    stage: Stage,
}

/// What the machine is doing.
#[derive(Debug)]
enum Stage {
    /// Nothing, until the desired revision changes.
    Idle,
    /// It tears down what has left the model.
    TearingDown(Box<Teardown>),
    /// It works on a revision, or has completed it.
    Working(Box<Work>),
    /// The server has left the model.
    Retired,
}

impl<V: Vault> Machine<V> {
    /// Creates a machine that begins at this time with the contents of its journal.
    pub fn new(setup: Setup<V>, memory: Memory, now: Now) -> Self {
        Self { cx: Context::new(setup, memory, now), is_claimed: false, desired: None, stage: Stage::Idle }
    }

    /// The state of everything on the server.
    pub fn board(&self) -> &Board {
        &self.cx.board
    }

    /// The contents of its journal.
    pub fn memory(&self) -> &Memory {
        &self.cx.memory
    }

    /// When the machine must next learn that [time has passed](Event::Time), by the clock of [`Now::uptime`], if
    /// nothing else happens before.
    pub fn wakes(&self) -> Option<Duration> {
        match &self.stage {
            Stage::TearingDown(teardown) => teardown.wakes(),
            Stage::Working(work) => work.wakes(),
            Stage::Idle | Stage::Retired => None,
        }
    }

    /// Whether there is nothing left to do until the desired revision changes.
    pub fn is_settled(&self) -> bool {
        match &self.stage {
            Stage::Idle | Stage::Retired => true,
            Stage::TearingDown(_) => false,
            Stage::Working(work) => work.is_over() && !work.is_superseded,
        }
    }

    /// Whether something would run if this agent were [in touch](Event::InTouch).
    pub fn holds_back(&self) -> bool {
        match &self.stage {
            Stage::Working(work) => work.holds_back(),
            Stage::TearingDown(teardown) => teardown.holds_back(),
            Stage::Idle | Stage::Retired => false,
        }
    }

    /// Handles an event and returns the actions to carry out, in order.
    pub fn handle(&mut self, now: Now, event: Event) -> Vec<Action> {
        self.cx.now = Now { uptime: now.uptime.max(self.cx.now.uptime), wall: now.wall };
        self.take(event);
        self.go_on();
        std::mem::take(&mut self.cx.actions)
    }

    fn take(&mut self, event: Event) {
        let cx = &mut self.cx;
        match event {
            Event::Claimed(is_claimed) => self.claimed(is_claimed),
            Event::InTouch(in_touch) => {
                cx.in_touch = in_touch;
                match &mut self.stage {
                    Stage::Working(work) if in_touch => work.begin_held(cx),
                    Stage::TearingDown(teardown) if in_touch => teardown.begin_held(cx),
                    _ => {}
                }
            }
            Event::Desired(desired) => self.desire(desired),
            Event::Journalled(ticket) => {
                let after = cx.written(ticket);
                self.after(&after);
            }
            Event::JournalFails(ticket) => {
                let after = cx.unwritten(ticket);
                self.after(&after);
            }
            Event::Trouble(of, what) => cx.trouble(of, what),
            event => match &mut self.stage {
                Stage::Working(work) => work.take(cx, event),
                Stage::TearingDown(teardown) => teardown.take(cx, event),
                Stage::Idle | Stage::Retired => {}
            },
        }
    }

    /// Records are on disk.
    fn after(&mut self, after: &After) {
        let cx = &mut self.cx;
        match (after, &mut self.stage) {
            (After::Started(place), Stage::Working(work)) => work.started(cx, *place),
            (After::Early(place, run), Stage::Working(work)) => work.early_kept(cx, *place, *run),
            (After::Finished(place) | After::Failed(place), Stage::Working(work)) => work.ended(cx, *place),
            (After::Undoing, Stage::TearingDown(teardown)) => teardown.undoing(cx),
            (After::Gone, Stage::TearingDown(teardown)) => teardown.gone(cx),
            _ => {}
        }
    }

    fn claimed(&mut self, is_claimed: bool) {
        let was_claimed = std::mem::replace(&mut self.is_claimed, is_claimed);
        let cx = &mut self.cx;
        if is_claimed {
            // Another agent may have acted for the server in the meantime, and published other statuses.
            cx.board.show_all(&mut cx.actions);
            match &mut self.stage {
                _ if !was_claimed => self.begin(),
                Stage::Working(work) => work.look_again(cx),
                Stage::TearingDown(_) | Stage::Idle | Stage::Retired => {}
            }
            return;
        }
        match &mut self.stage {
            _ if !was_claimed => {}
            Stage::Working(work) => work.stop_all(cx),
            Stage::TearingDown(teardown) => teardown.stop(cx),
            Stage::Idle | Stage::Retired => {}
        }
    }

    /// Records the desired revision, if it is newer than the previous one.
    fn desire(&mut self, desired: Desired) {
        let is_newer = self.desired.as_ref().is_none_or(|before| desired.plan.is_news_after(&before.plan));
        if !is_newer || matches!(self.stage, Stage::Retired) {
            return;
        }
        self.desired = Some(desired);
        if let Stage::Working(work) = &mut self.stage {
            let text = "a newer revision: what runs is allowed to finish first".to_owned();
            if !work.is_over() {
                self.cx.log(Level::Info, None, text);
            }
            work.supersede(&mut self.cx);
        } else {
            self.begin();
        }
    }

    /// Begins the desired revision, if the machine is idle.
    fn begin(&mut self) {
        if !self.is_claimed || !matches!(self.stage, Stage::Idle) {
            return;
        }
        let Some(desired) = self.desired.clone() else { return };
        let (cx, plan) = (&mut self.cx, &desired.plan);
        let components = count(plan.components.len(), "component");
        cx.log(Level::Info, None, format!("begins a revision with {components}"));
        let due = teardown::due(cx, plan);
        cx.board.begin(cx.now, plan, due.keys(), &mut cx.actions);
        let mut teardown = Teardown::new(desired, due);
        teardown.go(cx);
        self.stage = Stage::TearingDown(Box::new(teardown));
    }

    /// Moves on to the next stage as long as the current one is over.
    fn go_on(&mut self) {
        loop {
            match &mut self.stage {
                Stage::TearingDown(teardown) if teardown.is_over() => self.torn_down(),
                Stage::Working(work) if work.is_over() && work.is_superseded => {
                    self.cx.forget_all();
                    self.stage = Stage::Idle;
                    self.begin();
                }
                _ => return,
            }
        }
    }

    fn torn_down(&mut self) {
        let Stage::TearingDown(teardown) = std::mem::replace(&mut self.stage, Stage::Idle) else { return };
        let (is_all, is_stopped) = (teardown.is_all(), teardown.is_stopped());
        let Teardown { desired, .. } = *teardown;
        // The agent may have lost its place and regained it in the meantime.
        if is_stopped || !self.is_claimed || self.desired.as_ref() != Some(&desired) {
            self.cx.forget_all();
            return self.begin();
        }
        let cx = &mut self.cx;
        cx.actions.push(Action::Prune(needed(cx, &desired.plan)));
        if desired.plan.retired {
            if is_all {
                cx.actions.push(Action::Retire);
                self.stage = Stage::Retired;
            } else {
                let text = "the server has left the model; its agent stays until what has failed is torn down";
                cx.log(Level::Warn, None, text.to_owned());
            }
            return;
        }
        let mut work = Work::new(cx, &desired);
        work.begin(cx);
        self.stage = Stage::Working(Box::new(work));
    }
}

/// The digests of all files that this server needs: for the plan, and for later teardowns.
fn needed<V: Vault>(cx: &Context<V>, plan: &ServerPlan) -> Vec<String> {
    let known = cx.memory.started().map(|(_, known)| &known.planned);
    let mut digests: Vec<String> =
        known.chain(plan.components.values()).flat_map(|planned| planned.recipe.files.values().cloned()).collect();
    digests.sort_unstable();
    digests.dedup();
    digests
}
