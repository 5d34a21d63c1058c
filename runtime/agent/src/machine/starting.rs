//! Takes a component from the decision about it to its run, or to its end without one.

use wattle_model::{IndexMap, Name};

use crate::content::Content;
use crate::failure::{Failure, FailureKind};
use crate::record::Record;
use crate::server_plan::{PlannedInput, Script};
use crate::status::State;
use crate::vault::Vault;

use super::component::{Component, End, Next, Outcome, Phase, Start};
use super::context::{After, Context};
use super::event::{Action, RunId, RunRequest, Seen};
use super::needs::{self, Missing, Needs};
use super::run::{Input, Run};
use super::wait::Wait;
use super::work::Work;

impl Work {
    /// Handles the arrival of its recipe's files, or the failure to fetch them.
    pub(super) fn laid_out<V: Vault>(
        &mut self,
        cx: &mut Context<V>,
        place: usize,
        result: Result<(), (FailureKind, String)>,
    ) {
        let Phase::LayingOut(start) = &self.components[place].phase else { return };
        match result {
            Ok(()) => {
                let next = Next::Run(start.clone());
                self.ready(cx, place, next);
            }
            Err((kind, message)) => self.does_not_come(cx, place, Missing::Own(kind, message)),
        }
    }

    pub(super) fn peeked<V: Vault>(&mut self, cx: &mut Context<V>, place: usize, output: Name, seen: Seen) {
        let component = &mut self.components[place];
        component.peeks = component.peeks.saturating_sub(1);
        match seen {
            Seen::Nothing => {}
            Seen::Content(content) => drop(component.there.insert(output, content)),
            Seen::Newer => component.is_superseded = true,
        }
        self.go(cx, place);
    }

    /// Records the decision about it.
    pub(super) fn ready<V: Vault>(&mut self, cx: &mut Context<V>, place: usize, next: Next) {
        self.components[place].phase = Phase::Ready(Box::new(next));
        self.go(cx, place);
    }

    /// Carries out the decision, once its entries have been read.
    fn go<V: Vault>(&mut self, cx: &mut Context<V>, place: usize) {
        let component = &mut self.components[place];
        if component.peeks > 0 {
            return;
        }
        if matches!(component.phase, Phase::Held(_)) && cx.in_touch {
            return self.begin_if_held(cx, place);
        }
        if !matches!(component.phase, Phase::Ready(_)) {
            return;
        }
        let phase = std::mem::replace(&mut component.phase, Phase::Ended(Outcome::Abandoned));
        let Phase::Ready(next) = phase else { return };
        if component.is_superseded {
            return self.end(cx, place, Outcome::Abandoned);
        }
        match *next {
            Next::StaysFailed(failure) => self.publish(cx, place, End::Failed(failure)),
            Next::Fail(failure) => self.fails(cx, place, failure, None),
            Next::Keep(outputs, None) => self.publish(cx, place, End::Done(outputs)),
            Next::Keep(outputs, Some(record)) => {
                component.phase = Phase::Ending(Box::new(End::Done(outputs)));
                cx.record(*record, After::Finished(place));
            }
            Next::Run(start) => {
                // It failed in this revision, and could not write that to disk. The failure stands, because others have
                // read it.
                match component.failed_before() {
                    Some(failure) => self.fails(cx, place, failure, None),
                    None => self.start(cx, place, start),
                }
            }
        }
    }

    fn start<V: Vault>(&mut self, cx: &mut Context<V>, place: usize, start: Start) {
        let component = &mut self.components[place];
        let record = Record::Started {
            component: component.name.clone(),
            revision: self.id.clone(),
            at: cx.now.wall,
            past: cx.board.past(&component.name, cx.now.wall, &State::Running),
            planned: component.planned.clone(),
            fingerprint: start.fingerprint.clone(),
            inputs: cx.keep(&component.planned.inputs, &start.inputs),
        };
        component.phase = Phase::Starting(start);
        cx.record(record, After::Started(place));
    }

    /// Handles a start that is on disk. From here on, only a crash can end it before its end is on disk.
    pub(super) fn started<V: Vault>(&mut self, cx: &mut Context<V>, place: usize) {
        if self.is_superseded {
            return self.end(cx, place, Outcome::Abandoned);
        }
        let component = &mut self.components[place];
        let phase = std::mem::replace(&mut component.phase, Phase::Ended(Outcome::Abandoned));
        let Phase::Starting(start) = phase else { return };
        if !cx.in_touch || component.peeks > 0 {
            component.phase = Phase::Held(start);
            return;
        }
        if component.is_superseded {
            return self.end(cx, place, Outcome::Abandoned);
        }
        if let Some(failure) = component.failed_before() {
            // Another agent has acted for the server since its entries were first read.
            return self.fails(cx, place, failure, None);
        }
        let Start { inputs, fingerprint } = start;
        let planned = &component.planned;
        let limit = cx.wait(planned);
        let mut needed = Needs::default();
        let input = |(name, input): (&Name, &PlannedInput)| {
            let state = if let Some(value) = inputs.get(name) {
                Input::There(Ok(value.clone()))
            } else {
                let mut needs = Needs::default();
                needs::add(&input.from, Some(name), &mut needs);
                needed.extend(needs.clone());
                Input::Awaited(Wait::new(needs, limit, cx.now))
            };
            (name.clone(), state)
        };
        let states = planned.inputs.iter().map(input).collect();
        let early = cx.memory.known(&component.name).map(|known| known.early.clone()).unwrap_or_default();
        let vault = &cx.setup.vault;
        let read = |name: &Name, content: &Content| vault.read(&component.entry(name), content).ok().flatten();
        let published =
            early.iter().filter_map(|(name, stored)| Some((name.clone(), read(name, &stored.content)?))).collect();
        let id = RunId(cx.number());
        let deadline = cx.deadline(planned);
        let run = Run::new(id, fingerprint, states, early, published, (cx.now.uptime, deadline));
        let job = RunRequest {
            run: id,
            component: component.name.clone(),
            planned: planned.clone(),
            script: Script::Recipe,
            inputs,
            published: run.published.clone(),
            deadline,
        };
        component.phase = Phase::Running(Box::new(run));
        cx.show(&component.name, State::Running, Some(deadline));
        cx.actions.push(Action::Run(Box::new(job)));
        self.read(cx, &needed);
        self.look(cx, place);
    }

    /// Whether something waits until no other agent can act for this server.
    pub(super) fn holds_back(&self) -> bool {
        let is_held = |component: &Component| matches!(component.phase, Phase::Held(_)) && component.peeks == 0;
        self.components.iter().any(is_held)
    }

    /// Starts what was held back, because no other agent can act for this server now.
    pub(super) fn begin_held<V: Vault>(&mut self, cx: &mut Context<V>) {
        for place in 0..self.components.len() {
            self.begin_if_held(cx, place);
        }
    }

    fn begin_if_held<V: Vault>(&mut self, cx: &mut Context<V>, place: usize) {
        let phase = &mut self.components[place].phase;
        if let Phase::Held(start) = phase {
            *phase = Phase::Starting(start.clone());
            self.started(cx, place);
        }
    }

    /// Records its failure, which is written to disk first, with the inputs that its recipe requested if they are known
    /// only after the run.
    pub(super) fn fails<V: Vault>(
        &mut self,
        cx: &mut Context<V>,
        place: usize,
        failure: Failure,
        inputs: Option<IndexMap<Name, Content>>,
    ) {
        let component = &mut self.components[place];
        let past = cx.board.past(&component.name, cx.now.wall, &State::Failed(failure.clone()));
        cx.board.recall(&component.name, past.clone());
        let (name, revision) = (component.name.clone(), self.id.clone());
        let record = Record::Failed { component: name, revision, failure: failure.clone(), inputs, past };
        component.phase = Phase::Ending(Box::new(End::Failed(failure)));
        cx.record(record, After::Failed(place));
    }
}
