//! Handles the questions, outputs and results of running recipes, in one revision.

use wattle_model::values::span;
use wattle_model::{IndexMap, Name, Value, values};

use crate::content::Content;
use crate::failure::FailureKind;
use crate::fingerprint::fingerprint;
use crate::outputs;
use crate::record::Record;
use crate::server_plan::PlannedComponent;
use crate::status::State;
use crate::vault::Vault;

use super::component::{End, Outcome, Phase};
use super::context::{After, Context, Pending};
use super::event::{Action, Broken, Level, Question, RunId, Stop, WriteError};
use super::needs::{Missing, Values};
use super::publishing::log_write;
use super::run::{GRACE, Input, LiveOutput, Run};
use super::wait;
use super::work::Work;

impl Work {
    /// The index of the component that this run belongs to, if any.
    fn place_of(&self, id: RunId) -> Option<usize> {
        let is_it = |phase: &Phase| matches!(phase, Phase::Running(run) if run.id == id);
        self.components.iter().position(|component| is_it(&component.phase))
    }

    /// Checks whether inputs have arrived that a recipe requests itself.
    pub(super) fn look_at_run<V: Vault>(&mut self, cx: &mut Context<V>, place: usize) {
        let mut explain = Vec::new();
        let component = &mut self.components[place];
        let Phase::Running(run) = &mut component.phase else { return };
        let mut come = Vec::new();
        for (name, input) in &mut run.inputs {
            let Input::Awaited(wait) = input else { continue };
            match wait.look(&self.found, cx.now) {
                wait::Next::Wait => {}
                wait::Next::Explain(what) => explain.push((name.clone(), what)),
                wait::Next::Over(over) => come.push((name.clone(), over)),
                wait::Next::OutOfOrder(why) => come.push((name.clone(), Err(why))),
            }
        }
        let values = Values { vault: &cx.setup.vault, user_data: &cx.setup.user_data, found: &self.found };
        for (name, over) in come {
            let own = |kind, message| Err(cx.failure(&component.full, kind, message, Vec::new()));
            let there = match over {
                Ok(()) => match component.planned.inputs.get(&name).map(|input| values.input(&name, input)) {
                    Some(Ok(value)) => Ok(value),
                    Some(Err((kind, message))) => own(kind, message),
                    None => continue,
                },
                Err(Missing::Failed(failure)) => Err(failure),
                Err(Missing::Own(kind, message)) => own(kind, message),
                Err(Missing::Superseded) => {
                    run.inputs.insert(name, Input::Superseded);
                    continue;
                }
            };
            run.inputs.insert(name, Input::There(there));
        }
        self.answer(cx, place);
        for (input, what) in explain {
            self.explain(cx, place, Some(input), what);
        }
    }

    /// Answers the questions whose answers are known.
    fn answer<V: Vault>(&mut self, cx: &mut Context<V>, place: usize) {
        let component = &mut self.components[place];
        let Phase::Running(run) = &mut component.phase else { return };
        let questions: Vec<(Question, Name)> =
            run.questions.iter().map(|(question, name)| (*question, name.clone())).collect();
        for (question, name) in questions {
            let answer = match run.inputs.get(&name) {
                // Or it is an output that is being published.
                Some(Input::Awaited(_)) | None => continue,
                Some(Input::There(there)) => there.clone().map(Some),
                Some(Input::Superseded) => {
                    run.is_superseded = true;
                    let newer =
                        format!("revision {} was superseded while `{name}` was awaited", self.id.revision.number);
                    Err(cx.failure(&component.full, FailureKind::Input, newer, Vec::new()))
                }
            };
            run.unblock(question, cx.now.uptime);
            cx.actions.push(Action::Answer(question, answer));
        }
        let (state, left) = (run.state(), run.left(cx.now.uptime));
        let deadline = matches!(state, State::Running).then_some(left);
        if !cx.board.says(&component.name, &state) {
            cx.show(&component.name, state, deadline);
        }
    }

    /// Handles a recipe's request for an input.
    pub(super) fn asked<V: Vault>(&mut self, cx: &mut Context<V>, id: RunId, question: Question, name: Name) {
        let Some(place) = self.place_of(id) else { return };
        let component = &mut self.components[place];
        let Phase::Running(run) = &mut component.phase else { return };
        run.read.insert(name.clone());
        if run.inputs.contains_key(&name) {
            run.block(question, name, cx.now.uptime);
            self.answer(cx, place);
        } else {
            cx.actions.push(Action::Answer(question, Ok(None)));
        }
    }

    /// Handles an output that a recipe publishes.
    pub(super) fn reported<V: Vault>(
        &mut self,
        cx: &mut Context<V>,
        id: RunId,
        question: Question,
        output: Name,
        value: &Value,
    ) {
        let Some(place) = self.place_of(id) else { return };
        let component = &mut self.components[place];
        let Phase::Running(run) = &mut component.phase else { return };
        match fitting(&component.planned, &output, value) {
            Err(message) => {
                cx.actions.push(Action::Answered(question, Err(Broken::new(FailureKind::Type, message))));
            }
            Ok(value) => match outputs::stored(
                (&component.full, &output),
                &component.planned.outputs[&output],
                &value,
                &cx.setup.vault,
            ) {
                Err((kind, message)) => cx.actions.push(Action::Answered(question, Err(Broken::new(kind, message)))),
                Ok(stored) => {
                    run.publishing.push_back(LiveOutput { question, output, value, stored });
                    if run.publishing.len() == 1 {
                        self.publish_next(cx, place);
                    }
                }
            },
        }
    }

    /// Publishes the next output that is not published yet.
    fn publish_next<V: Vault>(&mut self, cx: &mut Context<V>, place: usize) {
        let component = &mut self.components[place];
        let entry = |output: &Name| format!("{}/{output}", component.full);
        let Phase::Running(run) = &mut component.phase else { return };
        while let Some(publication) = run.publishing.front() {
            let before = run.published.get(&publication.output);
            let answer = match before {
                // A secret that is sealed for others cannot be compared.
                None if !run.early.contains_key(&publication.output) => {
                    let (component, output) = (component.name.clone(), publication.output.clone());
                    let record = Record::Early { component, output, stored: publication.stored.clone() };
                    return cx.record(record, After::Early(place, run.id));
                }
                Some(before) if *before == publication.value => Ok(before.clone()),
                Some(_) if run.republished.contains(&publication.output) => {
                    let message = format!(
                        "output `{}` was published with another value; an output is written once per run",
                        publication.output
                    );
                    Err(Broken::new(FailureKind::Type, message))
                }
                before => {
                    let before = before.unwrap_or(&publication.value).clone();
                    let entry = entry(&publication.output);
                    let text = format!("`{entry}` was published by a run that did not end, and stays as it is");
                    cx.log(Level::Warn, Some(&component.full), text);
                    Ok(before)
                }
            };
            cx.actions.push(Action::Answered(publication.question, answer));
            run.publishing.pop_front();
        }
    }

    /// Handles an output of a running recipe that is on disk.
    pub(super) fn early_kept<V: Vault>(&mut self, cx: &mut Context<V>, place: usize, id: RunId) {
        let component = &mut self.components[place];
        let Phase::Running(run) = &mut component.phase else { return };
        let Some(publication) = run.publishing.front().filter(|_| run.id == id) else { return };
        let (question, output, content) =
            (publication.question, publication.output.clone(), publication.stored.content.clone());
        run.early.insert(output.clone(), publication.stored.clone());
        run.republished.insert(output.clone());
        run.published.insert(output.clone(), publication.value.clone());
        // The recipe loses no time while the data space is unavailable.
        run.block(question, output.clone(), cx.now.uptime);
        let entry = format!("{}/{output}", component.full).into();
        let pending = Pending::WriteEarly { component: place, run: id, output, content: content.clone() };
        let revision = self.id.revision.clone();
        cx.ask(pending, |ticket| Action::Write(ticket, entry, revision, content));
    }

    /// Handles an output of a running recipe that is in the data space.
    pub(super) fn early_written<V: Vault>(
        &mut self,
        cx: &mut Context<V>,
        (place, id): (usize, RunId),
        (output, content): (Name, Content),
        result: Result<Option<Content>, WriteError>,
    ) {
        let component = &mut self.components[place];
        let (full, entry) = (component.full.clone(), component.entry(&output));
        if result.is_ok() {
            let there = result.as_ref().ok().cloned().flatten().unwrap_or_else(|| content.clone());
            component.there.insert(output, there);
        }
        log_write(cx, &full, self.id.revision.number, (&entry, &content), result);
        let Some(run) = self.components[place].run().filter(|run| run.id == id) else { return };
        if let Some(publication) = run.publishing.pop_front() {
            run.unblock(publication.question, cx.now.uptime);
            cx.actions.push(Action::Answered(publication.question, Ok(publication.value)));
        }
        self.publish_next(cx, place);
        self.answer(cx, place);
    }

    /// Handles the withdrawal of a question.
    pub(super) fn withdrawn<V: Vault>(&mut self, cx: &mut Context<V>, id: RunId, question: Question) {
        let Some(place) = self.place_of(id) else { return };
        let uptime = cx.now.uptime;
        if let Some(run) = self.components[place].run()
            && run.inputs.contains_key(run.questions.get(&question).unwrap_or(&Name::from("")))
        {
            run.unblock(question, uptime);
            self.answer(cx, place);
        }
    }

    /// Handles the passage of time: stops the runs that exceed their time.
    pub(super) fn look_at_clock<V: Vault>(&mut self, cx: &mut Context<V>) {
        for place in 0..self.components.len() {
            let uptime = cx.now.uptime;
            let Some(run) = self.components[place].run() else { continue };
            match run.stopped {
                None if run.overdue().is_some_and(|end| uptime >= end) => {
                    run.stopped = Some((Stop::Deadline, uptime));
                    cx.actions.push(Action::Stop(run.id, Stop::Deadline));
                }
                Some((_, at)) if uptime >= at.saturating_add(GRACE) => {
                    let id = run.id;
                    let limit = cx.deadline(&self.components[place].planned);
                    let message = format!("the recipe did not end within {}", span(limit));
                    cx.actions.push(Action::Drop(id));
                    self.ran(cx, id, Err(Broken::new(FailureKind::Deadline, message)));
                }
                _ => {}
            }
        }
        self.look_all(cx);
    }

    /// Excuses a pause during which nothing ran here.
    pub(super) fn excuse(&mut self, pause: std::time::Duration) {
        for component in &mut self.components {
            match &mut component.phase {
                Phase::Waiting(wait) => wait.excuse(pause),
                Phase::Running(run) => run.excuse(pause),
                _ => {}
            }
        }
    }

    /// Stops everything, because another agent acts for this server.
    pub(super) fn stop_all<V: Vault>(&mut self, cx: &mut Context<V>) {
        self.supersede(cx);
        let uptime = cx.now.uptime;
        for component in &mut self.components {
            if let Some(run) = component.run()
                && run.stopped.is_none()
            {
                run.stopped = Some((Stop::Replaced, uptime));
                cx.actions.push(Action::Stop(run.id, Stop::Replaced));
            }
        }
    }

    /// Handles a newer revision: what the recipe is still waiting for will not arrive.
    pub(super) fn supersede_run<V: Vault>(&mut self, cx: &mut Context<V>, place: usize) {
        if let Some(run) = self.components[place].run() {
            for input in run.inputs.values_mut() {
                if matches!(input, Input::Awaited(_)) {
                    *input = Input::Superseded;
                }
            }
        }
        self.answer(cx, place);
    }

    /// Handles the end of a run.
    pub(super) fn ran<V: Vault>(
        &mut self,
        cx: &mut Context<V>,
        id: RunId,
        result: Result<IndexMap<Name, Value>, Broken>,
    ) {
        let Some(place) = self.place_of(id) else { return };
        let component = &mut self.components[place];
        let phase = std::mem::replace(&mut component.phase, Phase::Ended(Outcome::Abandoned));
        let Phase::Running(run) = phase else { return };
        let is_replaced = matches!(run.stopped, Some((Stop::Replaced, _)));
        let (full, planned) = (&component.full, &component.planned);
        let outputs = result.and_then(|values| {
            let all = outputs::all_stored(full, planned, &values, &run.early, &cx.setup.vault);
            all.map_err(|(kind, message)| Broken::new(kind, message))
        });
        match outputs {
            Err(_) if run.is_superseded || is_replaced => self.end(cx, place, Outcome::Abandoned),
            Err(Broken { kind, message, log, cause }) => {
                let failure = match cause {
                    // If the wait itself failed, the failure is the component's own.
                    Some(cause) if cause.component == *full && cause.through.is_empty() => *cause,
                    Some(cause) => cause.passed_on(full),
                    None => cx.failure(full, kind, message, log),
                };
                let inputs = run.fingerprint.is_none().then(|| cx.keep(&planned.inputs, &run.had(planned).0));
                self.fails(cx, place, failure, inputs);
            }
            Ok(outputs) => {
                let (inputs, absent, fingerprint) = finished(&run, planned);
                let at = cx.now.wall;
                let past = cx.board.past(&component.name, at, &State::Done);
                cx.board.recall(&component.name, past.clone());
                let record = Record::Finished {
                    component: component.name.clone(),
                    at,
                    past,
                    fingerprint,
                    inputs: cx.keep(&planned.inputs, &inputs),
                    absent,
                    outputs: outputs.clone(),
                };
                component.phase = Phase::Ending(Box::new(End::Done(outputs)));
                cx.record(record, After::Finished(place));
            }
        }
    }
}

/// The data for the record of a finished run: its inputs, those that are not wired, and its fingerprint.
fn finished(run: &Run, planned: &PlannedComponent) -> (IndexMap<Name, Value>, Vec<Name>, String) {
    if let Some(fingerprint) = &run.fingerprint {
        let there = |(name, input): (&Name, &Input)| match input {
            Input::There(Ok(value)) => Some((name.clone(), value.clone())),
            Input::There(Err(_)) | Input::Awaited(_) | Input::Superseded => None,
        };
        return (run.inputs.iter().filter_map(there).collect(), Vec::new(), fingerprint.clone());
    }
    let (read, absent) = run.had(planned);
    let fingerprint = fingerprint(planned, &read);
    (read, absent, fingerprint)
}

/// The value of an output in its declared type, as published by a running recipe.
fn fitting(planned: &PlannedComponent, name: &Name, value: &Value) -> Result<Value, String> {
    let Some(output) = planned.outputs.get(name) else {
        let known: Vec<String> = planned.outputs.keys().map(|name| format!("`{name}`")).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        return Err(format!("no output `{name}` is declared; declared outputs: {known}"));
    };
    let fitted = match (values::fit_unseen(&output.declared.ty, value.clone()), value) {
        (Ok(value), _) => Ok(value),
        (Err(_), Value::Str(text)) => values::parse_unseen(&output.declared.ty, text),
        (Err(why), _) => Err(why),
    };
    fitted.map_err(|why| format!("output `{name}`: {why}"))
}
