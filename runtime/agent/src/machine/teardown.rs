//! Teardown: undoes what has left this server's model, in reverse order of the runs, before anything else.

use std::collections::VecDeque;
use std::time::Duration;

use wattle_model::values::span;
use wattle_model::{IndexMap, Name, Value};

use crate::failure::{Failure, FailureKind};
use crate::memory::Known;
use crate::record::Record;
use crate::server_plan::{Script, ServerPlan};
use crate::vault::Vault;

use super::context::{After, Context, Pending};
use super::event::{Action, Broken, Desired, Event, Level, Question, RunId, RunRequest, Stop};
use super::needs::{self, Found, Needs, Values};
use super::run::GRACE;

/// The components to tear down before a revision begins.
#[derive(Debug)]
pub(super) struct Teardown {
    /// The revision that begins afterwards.
    pub(super) desired: Desired,
    due: VecDeque<(Name, Known)>,
    step: Step,
    is_all: bool,
    is_stopped: bool,
}

/// The progress of the first component to tear down.
#[derive(Debug)]
enum Step {
    /// Nothing has been done yet.
    New,
    /// The files of its recipe are being fetched.
    LayingOut,
    /// The start of its teardown is being written to the journal.
    Undoing(IndexMap<Name, Value>),
    /// That is on disk. The teardown runs once no other agent can act for this server.
    Held(IndexMap<Name, Value>),
    /// Its teardown is running.
    Running { id: RunId, inputs: IndexMap<Name, Value>, end: Duration, stopped: Option<(Stop, Duration)> },
    /// Its removal is being written to the journal.
    Going,
}

/// The components that ran on this server and are not in `plan`, the last to run first.
pub(super) fn due<V: Vault>(cx: &Context<V>, plan: &ServerPlan) -> IndexMap<Name, Known> {
    let is_due = |(component, _): &(&Name, &Known)| !plan.components.contains_key(*component);
    cx.memory.started().filter(is_due).map(|(component, known)| (component.clone(), known.clone())).collect()
}

impl Teardown {
    pub(super) fn new(desired: Desired, due: IndexMap<Name, Known>) -> Self {
        Self { desired, due: due.into_iter().collect(), step: Step::New, is_all: true, is_stopped: false }
    }

    pub(super) fn is_over(&self) -> bool {
        self.due.is_empty()
    }

    /// Whether everything was torn down.
    pub(super) fn is_all(&self) -> bool {
        self.is_all
    }

    /// Whether it ended before everything was attempted, because another agent acts for this server.
    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    pub(super) fn wakes(&self) -> Option<Duration> {
        match &self.step {
            Step::Running { stopped: Some((_, at)), .. } => Some(at.saturating_add(GRACE)),
            Step::Running { end, .. } => Some(*end),
            Step::New | Step::LayingOut | Step::Undoing(_) | Step::Held(_) | Step::Going => None,
        }
    }

    /// Handles an event.
    pub(super) fn take<V: Vault>(&mut self, cx: &mut Context<V>, event: Event) {
        match event {
            Event::LaidOut(ticket, result) if cx.answered(ticket).is_some() => self.laid_out(cx, result),
            Event::Ran(run, result) => self.ran(cx, run, result.map(drop)),
            Event::Asked(run, question, name) => self.asked(cx, run, question, &name),
            Event::Reported(_, question, name, _) => {
                // Outputs of a teardown have no readers.
                let message = format!("output `{name}` cannot be published by a teardown");
                cx.actions.push(Action::Answered(question, Err(Broken::new(FailureKind::Type, message))));
            }
            Event::Paused(pause) => self.excuse(pause),
            Event::Time => self.look_at_clock(cx),
            _ => {}
        }
    }

    /// Begins to tear down the next component.
    pub(super) fn go<V: Vault>(&mut self, cx: &mut Context<V>) {
        let Some((component, known)) = self.due.front() else { return };
        if known.planned.recipe.teardown.is_none() {
            return self.leaves(cx);
        }
        let full = cx.full(component);
        let text = "has left the model: tearing it down".to_owned();
        cx.log(Level::Info, Some(&full), text);
        let (name, files) = (component.clone(), known.planned.recipe.files.clone());
        self.step = Step::LayingOut;
        cx.ask(Pending::LayOutTeardown, |ticket| Action::LayOut(ticket, name, files));
    }

    fn leaves<V: Vault>(&mut self, cx: &mut Context<V>) {
        if let Some((component, _)) = self.due.front() {
            self.step = Step::Going;
            cx.record(Record::Gone { component: component.clone() }, After::Gone);
        }
    }

    /// Handles the removal of a component, which is on disk.
    pub(super) fn gone<V: Vault>(&mut self, cx: &mut Context<V>) {
        if !matches!(self.step, Step::Going) {
            return;
        }
        if let Some((component, _)) = self.due.pop_front() {
            let now = cx.now;
            cx.board.torn_down(now, &component, None, &mut cx.actions);
            let full = cx.full(&component);
            cx.log(Level::Info, Some(&full), "has left this server".to_owned());
        }
        self.step = Step::New;
        self.go(cx);
    }

    fn fails<V: Vault>(&mut self, cx: &mut Context<V>, broken: Broken) {
        let Some((component, _)) = self.due.pop_front() else { return };
        let full = cx.full(&component);
        if self.is_stopped {
            let text = "has left the model, and its teardown was ended: another agent acts for this server";
            return cx.log(Level::Info, Some(&full), text.to_owned());
        }
        for line in &broken.log {
            cx.log(Level::Error, Some(&full), line.clone());
        }
        let text = format!(
            "has left the model, and its teardown failed: {}; it is tried again by `wattle seed apply --again`, or when the \
             agent starts again",
            broken.message
        );
        cx.log(Level::Error, Some(&full), text);
        let failure = cx.failure(&full, broken.kind, broken.message, broken.log);
        let now = cx.now;
        cx.board.torn_down(now, &component, Some(failure), &mut cx.actions);
        self.is_all = false;
        self.step = Step::New;
        self.go(cx);
    }

    /// Handles the arrival of its recipe's files, or the failure to fetch them.
    fn laid_out<V: Vault>(&mut self, cx: &mut Context<V>, result: Result<(), (FailureKind, String)>) {
        let Some((component, known)) = self.due.front().filter(|_| matches!(self.step, Step::LayingOut)) else {
            return;
        };
        let inputs = result.map_err(|(kind, message)| Broken::new(kind, message)).and_then(|()| {
            let mut inputs = IndexMap::default();
            for (name, content) in &known.inputs {
                let value = cx.setup.vault.reveal(content).map_err(|error| {
                    Broken::new(FailureKind::Input, format!("the input `{name}` that it had: {error}"))
                })?;
                inputs.extend(value.map(|value| (name.clone(), value)));
            }
            Ok(inputs)
        });
        match inputs {
            Err(broken) => self.fails(cx, broken),
            Ok(inputs) => {
                // A component that is partly torn down is no longer finished: if it came back, it would have to run.
                let record = Record::Undoing { component: component.clone() };
                self.step = Step::Undoing(inputs);
                cx.record(record, After::Undoing);
            }
        }
    }

    /// Handles the start of its teardown, which is on disk.
    pub(super) fn undoing<V: Vault>(&mut self, cx: &mut Context<V>) {
        let Step::Undoing(inputs) = std::mem::replace(&mut self.step, Step::New) else { return };
        if self.is_stopped {
            self.due.clear();
            return;
        }
        if !cx.in_touch {
            self.step = Step::Held(inputs);
            return;
        }
        let Some((component, known)) = self.due.front() else { return };
        let (id, deadline) = (RunId(cx.number()), cx.deadline(&known.planned));
        let job = RunRequest {
            run: id,
            component: component.clone(),
            planned: known.planned.clone(),
            script: Script::Teardown,
            inputs: inputs.clone(),
            published: IndexMap::default(),
            deadline,
        };
        let end = cx.now.uptime.saturating_add(deadline);
        self.step = Step::Running { id, inputs, end, stopped: None };
        cx.actions.push(Action::Run(Box::new(job)));
    }

    /// Whether it waits until no other agent can act for this server.
    pub(super) fn holds_back(&self) -> bool {
        matches!(self.step, Step::Held(_))
    }

    /// Starts what was held back, because no other agent can act for this server now.
    pub(super) fn begin_held<V: Vault>(&mut self, cx: &mut Context<V>) {
        if let Step::Held(inputs) = &self.step {
            self.step = Step::Undoing(inputs.clone());
            self.undoing(cx);
        }
    }

    /// Handles the end of a teardown.
    fn ran<V: Vault>(&mut self, cx: &mut Context<V>, run: RunId, result: Result<(), Broken>) {
        let Step::Running { id, .. } = &self.step else { return };
        if *id != run {
            return;
        }
        if let Err(broken) = result {
            return self.fails(cx, broken);
        }
        // If a component has no teardown, what it left behind may still use its files.
        if let Some((component, _)) = self.due.front() {
            cx.actions.push(Action::Remove(component.clone()));
        }
        self.leaves(cx);
    }

    /// Answers a request for an input: a teardown gets the inputs that its component had last.
    fn asked<V: Vault>(&self, cx: &mut Context<V>, run: RunId, question: Question, name: &Name) {
        if let Step::Running { id, inputs, .. } = &self.step
            && *id == run
        {
            let answer = match inputs.get(name) {
                Some(value) => Ok(Some(value.clone())),
                None => self.unread(cx, name),
            };
            cx.actions.push(Action::Answer(question, answer));
        }
    }

    /// The value of an input that the last run did not request, as far as it is in the plan. Values that only an entry
    /// has are not waited for. `None` if the input is not wired.
    fn unread<V: Vault>(&self, cx: &Context<V>, name: &Name) -> Result<Option<Value>, Failure> {
        let Some((component, known)) = self.due.front() else { return Ok(None) };
        let Some(input) = known.planned.inputs.get(name) else { return Ok(None) };
        let mut needs = Needs::default();
        needs::add(&input.from, Some(name), &mut needs);
        let values = Values { vault: &cx.setup.vault, user_data: &cx.setup.user_data, found: &Found::default() };
        let value = match needs.keys().next() {
            None => values.input(name, input).map(Some),
            Some(awaited) => Err((
                FailureKind::Input,
                format!(
                    "the teardown reads the input `{name}`, which the last run of the recipe did not read, and it does not \
                     wait for `{}`: read the input in the recipe, too",
                    awaited.name()
                ),
            )),
        };
        value.map_err(|(kind, message)| cx.failure(&cx.full(component), kind, message, Vec::new()))
    }

    fn excuse(&mut self, pause: Duration) {
        if let Step::Running { end, .. } = &mut self.step {
            *end = end.saturating_add(pause);
        }
    }

    /// Handles the passage of time: stops the runs that exceed their time.
    fn look_at_clock<V: Vault>(&mut self, cx: &mut Context<V>) {
        let Step::Running { id, end, stopped, .. } = &mut self.step else { return };
        let uptime = cx.now.uptime;
        match stopped {
            None if uptime >= *end => {
                *stopped = Some((Stop::Deadline, uptime));
                cx.actions.push(Action::Stop(*id, Stop::Deadline));
            }
            Some((_, at)) if uptime >= at.saturating_add(GRACE) => {
                let limit = self.due.front().map(|(_, known)| cx.deadline(&known.planned)).unwrap_or_default();
                let message = format!("the recipe did not end within {}", span(limit));
                cx.actions.push(Action::Drop(*id));
                self.fails(cx, Broken::new(FailureKind::Deadline, message));
            }
            _ => {}
        }
    }

    /// Stops, because another agent acts for this server. The run is stopped, and the next agent retries everything
    /// that is left. Records that are being written reach the disk first, since the next agent would not know of them
    /// otherwise.
    pub(super) fn stop<V: Vault>(&mut self, cx: &mut Context<V>) {
        self.due.truncate(1);
        self.is_stopped = true;
        let uptime = cx.now.uptime;
        match &mut self.step {
            Step::Running { id, stopped, .. } => {
                if stopped.is_none() {
                    *stopped = Some((Stop::Replaced, uptime));
                    cx.actions.push(Action::Stop(*id, Stop::Replaced));
                }
            }
            Step::Undoing(_) | Step::Going => {}
            Step::New | Step::LayingOut | Step::Held(_) => self.due.clear(),
        }
    }
}
