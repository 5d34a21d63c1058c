//! Fakes in place of recipes: their arguments, their ends, and values that no recipe could have written.

use wattle_agent_core::failure::Failure;
use wattle_agent_core::machine::{Broken, Event, Question, RunId, RunRequest};
use wattle_agent_core::server_plan::PlannedComponent;

use crate::model::{Name, Value};
use crate::values::{self, FailureKind, span};

use super::super::component_type::Values;
use super::super::fake::Call;
use super::super::world::meant;
use super::agent::Run;
use super::queue::Happening;
use super::{Engine, Fault};

impl Engine<'_> {
    /// Starts a recipe. One that requests its inputs itself requests all of them.
    pub(super) fn begin(&mut self, host: usize, job: RunRequest) {
        let agent = &mut self.agents[host];
        let (id, mut run) = (job.run, Run::new(self.world.hosts[host].nodes[&job.component], job));
        let asks: Vec<Name> =
            run.job.planned.inputs.keys().filter(|name| !run.job.inputs.contains_key(*name)).cloned().collect();
        for name in asks {
            let question = agent.question();
            run.asked.insert(question, name.clone());
            self.events.push_back(Event::Asked(id, question, name));
        }
        run.since = self.queue.now;
        let has_all = run.asked.is_empty();
        agent.runs.insert(id, run);
        if has_all {
            self.queue.put(self.queue.now, (host, agent.life), Happening::Goes(id));
        }
    }

    /// Gives a recipe a value that it requested. Its fake is called once it has everything. It fails at the first input
    /// that does not arrive.
    pub(super) fn answer(&mut self, host: usize, question: Question, answer: Result<Option<Value>, Failure>) {
        let runs = &mut self.agents[host].runs;
        let Some((id, run)) = runs.iter_mut().find(|(_, run)| run.asked.contains_key(&question)) else { return };
        let (id, place) = (*id, run.place);
        let Some(name) = run.asked.remove(&question) else { return };
        match answer {
            Ok(value) => {
                run.received.extend(value.map(|value| (name, value)));
                if run.asked.is_empty() {
                    run.since = self.queue.now;
                    let notice = self.clock.notice(place);
                    self.after(notice, host, Happening::Goes(id));
                }
            }
            Err(failure) => {
                runs.remove(&id);
                let broken = Broken::new(FailureKind::Input, format!("its input `{name}` never arrives"));
                self.events.push_back(Event::Ran(id, Err(Broken { cause: Some(Box::new(failure)), ..broken })));
            }
        }
    }

    /// Calls the fake of a recipe that has everything it needs.
    pub(super) fn goes(&mut self, host: usize, id: RunId) -> Result<(), Fault> {
        let Some(run) = self.agents[host].runs.get_mut(&id) else { return Ok(()) };
        let (place, since) = (run.place, run.since);
        let node = &self.world.nodes[place];
        let inputs = run.inputs();
        self.step += 1;
        let record = &mut self.records[place];
        record.attempts += 1;
        record.started.get_or_insert((self.step, self.queue.now));
        record.inputs = Some(inputs.clone());
        let given = (node.fake.run)(Call { component: &node.key, inputs: &inputs, attempt: record.attempts });
        let written = match &given {
            Ok(values) => values,
            Err(failed) => &failed.published,
        };
        if let Some(why) = impossible(&run.job.planned, written, given.is_ok()) {
            return Err(Fault { component: node.key.clone(), at: node.fake.at.to_string(), why });
        }
        run.gives = Some(given);
        let deadline = run.job.deadline;
        let takes = node.fake.takes.unwrap_or_else(|| self.clock.run(place));
        let life = self.agents[host].life;
        if self.deaths.remove(&place) {
            self.queue.put(since.saturating_add(takes.min(deadline) / 2), (host, life), Happening::Dies);
        } else {
            self.queue.put(since.saturating_add(takes), (host, life), Happening::Ends(id));
        }
        Ok(())
    }

    /// Ends a recipe.
    pub(super) fn ends(&mut self, host: usize, id: RunId) {
        let Some(run) = self.agents[host].runs.get(&id) else { return };
        let (place, gives) = (run.place, run.gives.clone());
        match gives {
            Some(Ok(outputs)) => {
                self.agents[host].runs.remove(&id);
                self.records[place].outputs = Some(outputs.clone());
                self.events.push_back(Event::Ran(id, Ok(outputs.0)));
            }
            Some(Err(failed)) => self.fails(host, id, Broken::new(failed.kind, failed.message)),
            None => {}
        }
    }

    /// Stops a recipe that has exceeded its deadline.
    pub(super) fn stop(&mut self, host: usize, id: RunId) {
        let Some(run) = self.agents[host].runs.get(&id) else { return };
        let message = format!("the recipe did not end within {}", span(run.job.deadline));
        self.fails(host, id, Broken::new(FailureKind::Deadline, message));
    }

    /// Makes a recipe fail, after it has published its early outputs.
    fn fails(&mut self, host: usize, id: RunId, broken: Broken) {
        let agent = &mut self.agents[host];
        let Some(mut run) = agent.runs.remove(&id) else { return };
        let published = match run.gives.take() {
            Some(Err(failed)) => failed.published,
            Some(Ok(_)) | None => Values::new(),
        };
        if published.0.is_empty() {
            return self.events.push_back(Event::Ran(id, Err(broken)));
        }
        for (name, value) in published.0 {
            let question = agent.question();
            run.publishes.push(question);
            self.events.push_back(Event::Reported(id, question, name, value));
        }
        run.ends = Some(Err(broken));
        agent.runs.insert(id, run);
    }

    /// Records that an output published by a recipe has arrived. Once all have, the recipe ends.
    pub(super) fn answered(&mut self, host: usize, question: Question) {
        let runs = &mut self.agents[host].runs;
        let Some((id, run)) = runs.iter_mut().find(|(_, run)| run.publishes.contains(&question)) else { return };
        run.publishes.retain(|other| *other != question);
        if run.publishes.is_empty() {
            let id = *id;
            let ends = runs.remove(&id).and_then(|run| run.ends);
            self.events.extend(ends.map(|result| Event::Ran(id, result)));
        }
    }
}

/// Why no recipe could have written these values.
fn impossible(planned: &PlannedComponent, written: &Values, all: bool) -> Option<String> {
    let outputs = &planned.outputs;
    if let Some(name) = written.0.keys().find(|name| !outputs.contains_key(*name)) {
        let known: Vec<&str> = outputs.keys().map(|name| &**name).collect();
        return Some(format!("it declares no output `{name}`{}", meant(name, &known)));
    }
    for (name, output) in outputs {
        let Some(value) = written.0.get(name) else {
            if all {
                return Some(format!("it does not set the output `{name}`, and a recipe that leaves it out fails"));
            }
            continue;
        };
        if let Some(why) = values::refuse(&output.declared.ty, value) {
            return Some(format!("no recipe could write its output `{name}`: {why}"));
        }
        let bytes = value.to_string().len();
        if bytes > values::MAX_DATA {
            let why = values::too_large(bytes);
            return Some(format!("no recipe could write its output `{name}`: {why}"));
        }
    }
    None
}
