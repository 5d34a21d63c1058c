//! One revision on a server: its components, in parallel, and their inputs.

use std::collections::HashMap;
use std::time::Duration;

use wattle_model::{IndexMap, Name, Order, Value};

use crate::content::Content;
use crate::failure::FailureKind;
use crate::fingerprint::fingerprint;
use crate::record::RevisionId;
use crate::server_plan::{PlannedComponent, ServerPlan, server_of};
use crate::status::{State, Waiting};
use crate::vault::Vault;

use super::causes::Cause;
use super::component::{Component, Next, Outcome, Phase, Start};
use super::context::{Context, Pending};
use super::event::{Action, Desired, Event, ReadError, Ticket};
use super::needs::{self, Awaited, Found, Missing, Needs, Values};
use super::publishing::attribute_entry;
use super::run::Input;
use super::wait::{self, Wait};

/// The work of this server in one revision.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) id: RevisionId,
    /// The plan without its components.
    pub(super) plan: ServerPlan,
    pub(super) components: Vec<Component>,
    places: HashMap<Name, usize>,
    pub(super) found: Found,
    reading: HashMap<Awaited, Ticket>,
    /// The number of attributes that are not published yet.
    pub(super) attributes: usize,
    pub(super) is_superseded: bool,
}

impl Work {
    pub(super) fn new<V: Vault>(cx: &Context<V>, desired: &Desired) -> Self {
        let mut plan = ServerPlan::clone(&desired.plan);
        let id = RevisionId::new(plan.of(), desired.digest.clone());
        let components = std::mem::take(&mut plan.components);
        let places = components.keys().enumerate().map(|(place, name)| (cx.full(name), place)).collect();
        let component = |(name, planned): (Name, PlannedComponent)| {
            let full = cx.full(&name);
            Component {
                name,
                full,
                planned,
                peeks: 0,
                there: IndexMap::default(),
                is_superseded: false,
                phase: Phase::Ended(Outcome::Abandoned),
            }
        };
        let components = components.into_iter().map(component).collect();
        let (found, reading, attributes) = (HashMap::new(), HashMap::new(), plan.publishes.len());
        Self { id, plan, components, places, found, reading, attributes, is_superseded: false }
    }

    /// Whether there is nothing left to do.
    pub(super) fn is_over(&self) -> bool {
        let is_over = self.components.iter().all(|component| component.outcome().is_some());
        is_over && (self.attributes == 0 || self.is_superseded)
    }

    pub(super) fn wakes(&self) -> Option<Duration> {
        self.components.iter().filter_map(Component::wakes).min()
    }

    /// Handles an event.
    pub(super) fn take<V: Vault>(&mut self, cx: &mut Context<V>, event: Event) {
        match event {
            Event::Read(ticket, content) => {
                if let Some(Pending::Read(awaited)) = cx.answered(ticket) {
                    self.came(cx, awaited, content);
                }
            }
            Event::Peeked(ticket, seen) => match cx.answered(ticket) {
                Some(Pending::Peek { component, output }) => self.peeked(cx, component, output, seen),
                Some(Pending::PeekAttribute(key)) => self.attribute_peeked(cx, key, &seen),
                _ => {}
            },
            Event::Written(ticket, result) => match cx.answered(ticket) {
                Some(Pending::Write { component, output, content }) => {
                    self.written(cx, component, (&output, &content), result);
                }
                Some(Pending::WriteEarly { component, run, output, content }) => {
                    self.early_written(cx, (component, run), (output, content), result);
                }
                Some(Pending::WriteAttribute(key, content)) => self.attribute_written(cx, (&key, &content), result),
                _ => {}
            },
            Event::LaidOut(ticket, result) => {
                if let Some(Pending::LayOut(component)) = cx.answered(ticket) {
                    self.laid_out(cx, component, result);
                }
            }
            Event::Attribute(ticket, value) => {
                if let Some(Pending::FindAttribute(key)) = cx.answered(ticket) {
                    self.attribute_found(cx, key, value);
                }
            }
            Event::Explained(ticket, causes) => {
                if let Some(Pending::Explain { component, input }) = cx.answered(ticket) {
                    self.explained(cx, component, input.as_ref(), &causes);
                }
            }
            Event::Ran(run, result) => self.ran(cx, run, result),
            Event::Asked(run, question, name) => self.asked(cx, run, question, name),
            Event::Reported(run, question, name, value) => self.reported(cx, run, question, name, &value),
            Event::Withdrawn(run, question) => self.withdrawn(cx, run, question),
            Event::Paused(pause) => self.excuse(pause),
            Event::Time => self.look_at_clock(cx),
            // These events concern the machine as a whole.
            Event::Claimed(_)
            | Event::Desired(_)
            | Event::Journalled(_)
            | Event::JournalFails(_)
            | Event::Trouble(..)
            | Event::InTouch(_) => {}
        }
    }

    /// Starts with all components.
    pub(super) fn begin<V: Vault>(&mut self, cx: &mut Context<V>) {
        for key in self.plan.publishes.keys() {
            let (entry, revision) = (attribute_entry(cx, key), self.id.revision.clone());
            cx.ask(Pending::PeekAttribute(key.clone()), |ticket| Action::Peek(ticket, entry, revision));
        }
        for place in 0..self.components.len() {
            self.components[place].phase = Phase::Turn(place);
        }
        for place in 0..self.components.len() {
            let component = &mut self.components[place];
            let past = cx.memory.past(&component.name, &self.id, cx.now.wall);
            cx.board.recall(&component.name, past);
            self.peek(cx, place);
            if let Some(failure) = cx.memory.failed(&self.components[place].name, &self.id).cloned() {
                self.ready(cx, place, Next::StaysFailed(failure));
                continue;
            }
            match self.before(place) {
                None => self.its_turn(cx, place, None),
                Some(before) => {
                    let what = self.components[before].full.clone();
                    let waiting = Waiting { what, input: None, revision: None, since: cx.now.wall };
                    let component = &mut self.components[place];
                    component.phase = Phase::Turn(before);
                    cx.show(&component.name, State::Waiting(vec![waiting]), None);
                    if let Some(outcome) = self.components[before].outcome().cloned() {
                        self.turn_comes(cx, place, &outcome);
                    }
                }
            }
        }
    }

    /// Reads the entries of a component before it begins.
    fn peek<V: Vault>(&mut self, cx: &mut Context<V>, place: usize) {
        let component = &mut self.components[place];
        component.peeks += component.planned.outputs.len();
        for output in component.planned.outputs.keys() {
            let (entry, revision) = (component.entry(output), self.id.revision.clone());
            let pending = Pending::Peek { component: place, output: output.clone() };
            cx.ask(pending, |ticket| Action::Peek(ticket, entry, revision));
        }
    }

    /// Reads the entries of components that have not begun again, because another agent may have acted for the server
    /// in the meantime.
    pub(super) fn look_again<V: Vault>(&mut self, cx: &mut Context<V>) {
        for place in 0..self.components.len() {
            match self.components[place].phase {
                Phase::Turn(_)
                | Phase::Waiting(_)
                | Phase::LayingOut(_)
                | Phase::Ready(_)
                | Phase::Starting(_)
                | Phase::Held(_) => self.peek(cx, place),
                Phase::Running(_) | Phase::Ending(_) | Phase::Publishing(..) | Phase::Ended(_) => {}
            }
        }
    }

    /// The component that must end before this one, by the order of declaration.
    fn before(&self, place: usize) -> Option<usize> {
        match self.plan.order {
            Order::Declared => place.checked_sub(1),
            Order::Dataflow => None,
        }
    }

    fn turn_comes<V: Vault>(&mut self, cx: &mut Context<V>, place: usize, outcome: &Outcome) {
        match outcome {
            Outcome::Done => self.its_turn(cx, place, None),
            Outcome::Failed(failure) => {
                let (component, failed) = (&self.components[place], Missing::Failed(failure.clone()));
                if component.may_stay(cx.memory.known(&component.name)) {
                    self.its_turn(cx, place, Some(failed));
                } else {
                    self.does_not_come(cx, place, failed);
                }
            }
            Outcome::Abandoned => self.end(cx, place, Outcome::Abandoned),
        }
    }

    /// Handles the end of the components before it on its server, or that one of them has `failed` and this one may
    /// still be unchanged.
    fn its_turn<V: Vault>(&mut self, cx: &mut Context<V>, place: usize, failed: Option<Missing>) {
        let component = &self.components[place];
        let known = cx.memory.known(&component.name);
        let read = component.read_first(known);
        let read = read.iter().filter_map(|name| component.planned.inputs.get_key_value(name));
        let needs = needs::before_start(&component.planned, read);
        let mut wait = Wait::new(needs.clone(), cx.wait(&component.planned), cx.now);
        if component.may_stay(known) {
            wait = wait.that_may_stay(failed);
        }
        self.components[place].phase = Phase::Waiting(wait);
        self.read(cx, &needs);
        self.look(cx, place);
    }

    /// Requests needs that have not been requested before.
    pub(super) fn read<V: Vault>(&mut self, cx: &mut Context<V>, needs: &Needs) {
        for awaited in needs.keys() {
            if self.found.contains_key(awaited) || self.reading.contains_key(awaited) {
                continue;
            }
            if let Awaited::Ended(full) = awaited
                && is_own(cx, full)
            {
                if let Some(found) = self.own(cx, full) {
                    self.found.insert(awaited.clone(), found);
                }
                continue;
            }
            let (what, revision) = (awaited.clone(), self.plan.expects(server_of(&awaited.name())));
            let ticket = cx.ask(Pending::Read(awaited.clone()), |ticket| Action::Read(ticket, what, revision));
            self.reading.insert(awaited.clone(), ticket);
        }
    }

    fn planned(&self) -> impl Iterator<Item = &PlannedComponent> {
        self.components.iter().map(|component| &component.planned)
    }

    /// How a component of this server has ended, if it has.
    fn own<V: Vault>(&self, cx: &Context<V>, full: &Name) -> Option<Result<Value, Missing>> {
        let Some(place) = self.places.get(full) else {
            let message = "there is no such component on this server".to_owned();
            return Some(Err(Missing::Failed(cx.failure(full, FailureKind::Input, message, Vec::new()))));
        };
        self.components[*place].outcome().map(found)
    }

    /// Handles the arrival of something awaited, or that it will not arrive.
    pub(super) fn came<V: Vault>(
        &mut self,
        cx: &mut Context<V>,
        awaited: Awaited,
        content: Result<Content, ReadError>,
    ) {
        self.reading.remove(&awaited);
        let what = awaited.name();
        let found = match content {
            Ok(Content::Failure(failure)) => Err(Missing::Failed(failure.bounded())),
            Ok(Content::Sealed(_)) if !needs::is_secret(self.planned(), &awaited) => {
                let why = format!("cannot read `{what}`: it holds a secret, and what reads it here is not secret");
                Err(Missing::Own(FailureKind::Input, why))
            }
            Ok(content) => match cx.setup.vault.read(&what, &content) {
                Ok(value) => Ok(value.unwrap_or(Value::Null)),
                Err(error) => Err(Missing::Own(FailureKind::Input, format!("cannot read `{what}`: {error}"))),
            },
            Err(ReadError::Superseded) => Err(Missing::Superseded),
            Err(ReadError::Refused(why)) => {
                Err(Missing::Own(FailureKind::Input, format!("cannot read `{what}`: {why}")))
            }
        };
        self.found.insert(awaited, found);
        self.look_all(cx);
    }

    /// Checks whether any component can continue.
    pub(super) fn look_all<V: Vault>(&mut self, cx: &mut Context<V>) {
        for place in 0..self.components.len() {
            self.look(cx, place);
        }
    }

    /// Checks whether a component can continue.
    pub(super) fn look<V: Vault>(&mut self, cx: &mut Context<V>, place: usize) {
        let component = &mut self.components[place];
        match &mut component.phase {
            Phase::Waiting(wait) => match wait.look(&self.found, cx.now) {
                wait::Next::Wait => cx.show(&component.name, State::Waiting(wait.shown()), None),
                wait::Next::Explain(what) => self.explain(cx, place, None, what),
                wait::Next::Over(Ok(())) => self.decide(cx, place),
                wait::Next::Over(Err(why)) => self.does_not_come(cx, place, why),
                wait::Next::OutOfOrder(why) => match self.decision(cx, place) {
                    Ok(next @ Next::Keep(..)) => self.ready(cx, place, next),
                    Ok(_) | Err(_) => self.does_not_come(cx, place, why),
                },
            },
            Phase::Running(_) => self.look_at_run(cx, place),
            Phase::Turn(_)
            | Phase::LayingOut(_)
            | Phase::Ready(_)
            | Phase::Starting(_)
            | Phase::Held(_)
            | Phase::Ending(_)
            | Phase::Publishing(..)
            | Phase::Ended(_) => {}
        }
    }

    pub(super) fn explain<V: Vault>(
        &mut self,
        cx: &mut Context<V>,
        place: usize,
        input: Option<Name>,
        what: Vec<Name>,
    ) {
        let expected = |name: Name| {
            let revision = self.plan.expects(server_of(&name));
            (name, revision)
        };
        let what = what.into_iter().map(expected).collect();
        cx.ask(Pending::Explain { component: place, input }, |ticket| Action::Explain(ticket, what));
    }

    pub(super) fn explained<V: Vault>(
        &mut self,
        cx: &mut Context<V>,
        place: usize,
        input: Option<&Name>,
        causes: &Result<Vec<Cause>, String>,
    ) {
        let wait = match (&mut self.components[place].phase, input) {
            (Phase::Waiting(wait), None) => Some(wait),
            (Phase::Running(run), Some(input)) => match run.inputs.get_mut(input) {
                Some(Input::Awaited(wait)) => Some(wait),
                _ => None,
            },
            _ => None,
        };
        if let Some(wait) = wait {
            wait.explained(causes, cx.now);
            self.look(cx, place);
        }
    }

    pub(super) fn does_not_come<V: Vault>(&mut self, cx: &mut Context<V>, place: usize, why: Missing) {
        let full = &self.components[place].full;
        let failure = match why {
            Missing::Superseded => return self.end(cx, place, Outcome::Abandoned),
            Missing::Failed(failure) => failure.passed_on(full),
            Missing::Own(kind, message) => cx.failure(full, kind, message, Vec::new()),
        };
        self.ready(cx, place, Next::Fail(failure));
    }

    /// Decides what to do with a component whose needs are all available.
    fn decide<V: Vault>(&mut self, cx: &mut Context<V>, place: usize) {
        match self.decision(cx, place) {
            Err(why) => self.does_not_come(cx, place, why),
            Ok(Next::Run(start)) => {
                let component = &mut self.components[place];
                let (name, files) = (component.name.clone(), component.planned.recipe.files.clone());
                component.phase = Phase::LayingOut(start);
                cx.ask(Pending::LayOut(place), |ticket| Action::LayOut(ticket, name, files));
            }
            Ok(next) => self.ready(cx, place, next),
        }
    }

    fn decision<V: Vault>(&self, cx: &Context<V>, place: usize) -> Result<Next, Missing> {
        let component = &self.components[place];
        let values = self.values(cx);
        let mut inputs = IndexMap::default();
        for name in component.read_first(cx.memory.known(&component.name)) {
            if let Some(input) = component.planned.inputs.get(&name) {
                let value = values.input(&name, input).map_err(|(kind, message)| Missing::Own(kind, message))?;
                inputs.insert(name, value);
            }
        }
        values.judge(&component.planned)?;
        let fingerprint = fingerprint(&component.planned, &inputs);
        if let Some(kept) = component.kept(cx, &fingerprint) {
            return Ok(kept);
        }
        let is_live = component.planned.recipe.tool.is_live();
        Ok(Next::Run(Start { inputs, fingerprint: (!is_live).then_some(fingerprint) }))
    }

    fn values<'a, V>(&'a self, cx: &'a Context<V>) -> Values<'a, V> {
        Values { vault: &cx.setup.vault, user_data: &cx.setup.user_data, found: &self.found }
    }

    /// Ends a component, so the components that wait for it continue.
    pub(super) fn end<V: Vault>(&mut self, cx: &mut Context<V>, place: usize, outcome: Outcome) {
        let awaited = Awaited::Ended(self.components[place].full.clone());
        self.found.insert(awaited, found(&outcome));
        self.components[place].phase = Phase::Ended(outcome.clone());
        let next = |component: &Component| matches!(component.phase, Phase::Turn(before) if before == place);
        let behind: Vec<usize> = (0..self.components.len()).filter(|at| next(&self.components[*at])).collect();
        for next in behind {
            self.turn_comes(cx, next, &outcome);
        }
        self.look_all(cx);
    }

    /// Handles a newer revision: nothing new begins, and what is running may end.
    pub(super) fn supersede<V: Vault>(&mut self, cx: &mut Context<V>) {
        if std::mem::replace(&mut self.is_superseded, true) {
            return;
        }
        for place in 0..self.components.len() {
            match &self.components[place].phase {
                Phase::Turn(_)
                | Phase::Waiting(_)
                | Phase::LayingOut(_)
                | Phase::Ready(_)
                | Phase::Held(_)
                | Phase::Publishing(..) => {
                    self.components[place].phase = Phase::Ended(Outcome::Abandoned);
                }
                Phase::Running(_) => self.supersede_run(cx, place),
                Phase::Starting(_) | Phase::Ending(_) | Phase::Ended(_) => {}
            }
        }
        cx.board.supersede(&mut cx.actions);
    }
}

/// Whether a component belongs to this server.
fn is_own<V: Vault>(cx: &Context<V>, full: &Name) -> bool {
    full.strip_prefix(&*cx.setup.server).is_some_and(|rest| rest.starts_with('/'))
}

/// The value for components that wait for the end of this one.
fn found(outcome: &Outcome) -> Result<Value, Missing> {
    match outcome {
        Outcome::Done => Ok(Value::Null),
        Outcome::Failed(failure) => Err(Missing::Failed(failure.clone())),
        Outcome::Abandoned => Err(Missing::Superseded),
    }
}
