//! Fake recipes: they take time, request and publish values, and may outlive their agent.

use std::collections::VecDeque;
use std::time::Duration;

use wattle_agent_core::failure::{Failure, FailureKind};
use wattle_agent_core::machine::{Broken, Event, Question, RunId, RunRequest, Stop};
use wattle_agent_core::server_plan::Script;
use wattle_model::IndexMap;
use wattle_model::{Name, Value};

use super::happening::Happening;
use super::topology::{Part, Teardown};
use super::world::World;

/// How long after its deadline a recipe must have been ended, in milliseconds.
const ENDED: u64 = 5_000;

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// A running recipe.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) job: RunRequest,
    pub(crate) part: Part,
    pub(crate) incarnation: u64,
    /// When it began, in time during which its agent was awake, as for all of these.
    pub(crate) started: u64,
    steps: VecDeque<Step>,
    waits: Option<(Question, Name, u64)>,
    /// How long it has waited for inputs.
    blocked: u64,
    /// How long it has waited for its published values to arrive.
    telling: u64,
    got: IndexMap<Name, Value>,
    pub(crate) is_gone: bool,
    run: u64,
}

#[derive(Clone, Debug)]
enum Step {
    Work(u64),
    Ask(Name),
    Tell(Name),
    End,
}

impl Process {
    /// The value of an output.
    fn value(&self, output: &Name) -> Value {
        let part = &self.part;
        let inputs = match (part.outputs[output].early, part.live) {
            (true, _) => &IndexMap::default(),
            (false, true) => &self.got,
            (false, false) => &self.job.inputs,
        };
        let mut text = part.gives(output, inputs);
        if part.restless {
            let at = text.len() - usize::from(part.bad);
            text.insert_str(at, &format!("#{}", self.run));
        }
        Value::from(text)
    }
}

impl World {
    pub(crate) fn process(&mut self, host: usize, job: RunRequest) {
        let Some(part) = self.check_begin(host, &job) else { return };
        self.runs += 1;
        let run = self.runs;
        let mut steps = VecDeque::new();
        let takes = part.takes;
        let hangs = !self.is_calm && self.chance.once_in(25);
        if job.script == Script::Recipe {
            steps.push_back(Step::Work(takes / 3));
            let early = part.outputs.iter().filter(|(_, out)| out.early);
            steps.extend(early.map(|(name, _)| Step::Tell(name.clone())));
            if part.live {
                for ask in part.asks() {
                    steps.push_back(Step::Ask(ask));
                    steps.push_back(Step::Work(takes / 5));
                }
            }
        }
        steps.push_back(Step::Work(if hangs { 200_000 } else { takes / 3 }));
        steps.push_back(Step::End);
        let (now, incarnation) = (self.awake(host), self.hosts[host].incarnation);
        let limit = millis(job.deadline);
        self.check_beside(host, &job.component);
        let state = &mut self.hosts[host];
        let process = Process {
            job,
            part,
            incarnation,
            started: now,
            steps,
            waits: None,
            blocked: 0,
            telling: 0,
            got: IndexMap::default(),
            is_gone: false,
            run,
        };
        state.processes.push(process);
        let process = state.processes.len() - 1;
        self.after(1, Happening::Process { host, process });
        self.after(limit + ENDED, Happening::Overdue { host, process });
    }

    /// Checks that a recipe has ended in time, not counting its waits.
    pub(crate) fn overdue(&mut self, host: usize, number: usize) {
        let awake = self.awake(host);
        let process = &self.hosts[host].processes[number];
        if process.is_gone || self.hosts[host].is_destroyed || !self.is_there(host, process.incarnation) {
            return;
        }
        let waits = process.waits.as_ref().map_or(0, |(.., since)| awake - since);
        let worked = awake - process.started - process.blocked - process.telling - waits;
        let (limit, name) = (millis(process.job.deadline), process.part.full());
        if worked >= limit + ENDED {
            return self.breaks(|| format!("h{host}: {name} runs for {worked} ms, and may take {limit}"));
        }
        self.after(limit + ENDED - worked, Happening::Overdue { host, process: number });
    }

    pub(crate) fn process_goes_on(&mut self, host: usize, number: usize) {
        if self.hosts[host].processes[number].is_gone || self.hosts[host].is_destroyed {
            return;
        }
        if self.hosts[host].pause.is_some_and(|pause| pause.is_whole) {
            self.hosts[host].backlog.push(Happening::Process { host, process: number });
            return;
        }
        let process = &mut self.hosts[host].processes[number];
        let (run, incarnation) = (process.job.run, process.incarnation);
        match process.steps.pop_front() {
            None => {}
            Some(Step::Work(time)) => {
                let at = self.now + time.max(1);
                self.at(at, Happening::Process { host, process: number });
            }
            Some(Step::Ask(name)) => {
                self.questions += 1;
                let question = Question(self.questions);
                let now = self.awake(host);
                self.hosts[host].processes[number].waits = Some((question, name.clone(), now));
                self.tell(host, incarnation, Event::Asked(run, question, name));
            }
            Some(Step::Tell(name)) => {
                self.questions += 1;
                let question = Question(self.questions);
                let value = self.hosts[host].processes[number].value(&name);
                let now = self.awake(host);
                self.hosts[host].processes[number].waits = Some((question, name.clone(), now));
                self.tell(host, incarnation, Event::Reported(run, question, name, value));
            }
            Some(Step::End) => {
                process.is_gone = true;
                if !self.is_calm && self.chance.once_in(self.faults.fills_in) {
                    self.fill(host);
                }
                let process = &self.hosts[host].processes[number];
                let (fails, script) = (process.part.fails, process.job.script);
                let undo = process.part.teardown;
                let result = match script {
                    Script::Recipe if fails => Err(Broken::new(FailureKind::Recipe, "it failed".to_owned())),
                    Script::Teardown if undo == Teardown::Fails => {
                        Err(Broken::new(FailureKind::Recipe, "it failed".to_owned()))
                    }
                    Script::Teardown => Ok(IndexMap::default()),
                    Script::Recipe => {
                        let outputs = process.part.outputs.keys();
                        Ok(outputs.map(|name| (name.clone(), process.value(name))).collect())
                    }
                };
                let is_over = result.is_ok();
                self.say(|| format!("h{host}: run {run:?} ends: {is_over}"));
                self.tell(host, incarnation, Event::Ran(run, result));
            }
        }
    }

    fn waiting(&mut self, host: usize, question: Question) -> Option<usize> {
        let is_it = |process: &Process| {
            !process.is_gone && process.waits.as_ref().is_some_and(|(asked, ..)| *asked == question)
        };
        self.hosts[host].processes.iter().position(is_it)
    }

    pub(crate) fn answered(&mut self, host: usize, question: Question, answer: Result<Option<Value>, Failure>) {
        let Some(number) = self.waiting(host, question) else { return };
        let now = self.awake(host);
        let process = &mut self.hosts[host].processes[number];
        let Some((_, name, since)) = process.waits.take() else { return };
        process.blocked += now - since;
        let (run, incarnation) = (process.job.run, process.incarnation);
        match answer {
            Ok(value) => {
                if let Some(value) = value {
                    self.check_input(host, number, &name, &value);
                    self.hosts[host].processes[number].got.insert(name, value);
                }
                self.after(1, Happening::Process { host, process: number });
            }
            Err(failure) => {
                process.is_gone = true;
                let mut broken = Broken::new(FailureKind::Recipe, format!("it has no `{name}`"));
                broken.cause = Some(Box::new(failure));
                let event = Box::new(Event::Ran(run, Err(broken)));
                self.after(1, Happening::Machine { host, incarnation, event });
            }
        }
    }

    pub(crate) fn notified(&mut self, host: usize, question: Question, result: Result<(), Broken>) {
        let Some(number) = self.waiting(host, question) else { return };
        let now = self.awake(host);
        let process = &mut self.hosts[host].processes[number];
        if let Some((.., since)) = process.waits.take() {
            process.telling += now - since;
        }
        let (run, incarnation) = (process.job.run, process.incarnation);
        match result {
            Ok(()) => self.after(1, Happening::Process { host, process: number }),
            Err(broken) => {
                process.is_gone = true;
                let event = Box::new(Event::Ran(run, Err(broken)));
                self.after(1, Happening::Machine { host, incarnation, event });
            }
        }
    }

    pub(crate) fn stop(&mut self, host: usize, run: RunId, why: Stop) {
        let incarnation = self.hosts[host].incarnation;
        let is_it =
            |process: &Process| process.job.run == run && process.incarnation == incarnation && !process.is_gone;
        if let Some(process) = self.hosts[host].processes.iter().find(|process| is_it(process)) {
            // The time for writing down its outputs is its own.
            let waits = process.waits.as_ref().filter(|(_, name, _)| process.part.inputs.contains_key(name));
            let awake = self.awake(host);
            let worked = awake - process.started - process.blocked - waits.map_or(0, |(.., since)| awake - since);
            let limit = millis(process.job.deadline);
            let name = process.part.full();
            if why == Stop::Deadline && worked < limit {
                self.breaks(|| format!("h{host}: {name} is ended after {worked} of the {limit} ms that it may take"));
            }
        }
        let delay = self.chance.between(0, 3_500);
        self.after(delay, Happening::Kill { host, incarnation, run });
    }

    pub(crate) fn killed(&mut self, host: usize, incarnation: u64, run: RunId) {
        let is_it =
            |process: &Process| process.job.run == run && process.incarnation == incarnation && !process.is_gone;
        let Some(number) = self.hosts[host].processes.iter().position(is_it) else { return };
        if self.hosts[host].pause.is_some() {
            self.hosts[host].backlog.push(Happening::Kill { host, incarnation, run });
            return;
        }
        self.hosts[host].processes[number].is_gone = true;
        self.say(|| format!("h{host}: run {run:?} is ended"));
        let broken = Broken::new(FailureKind::Deadline, "it did not end in time".to_owned());
        self.tell(host, incarnation, Event::Ran(run, Err(broken)));
    }

    /// Ends it at once: nobody waits for its end any more.
    pub(crate) fn dropped(&mut self, host: usize, run: RunId) {
        let state = &mut self.hosts[host];
        let is_it = |process: &&mut Process| process.job.run == run && process.incarnation == state.incarnation;
        if let Some(process) = state.processes.iter_mut().find(is_it) {
            process.is_gone = true;
        }
    }

    pub(crate) fn end_processes(&mut self, host: usize) {
        self.hosts[host].processes.iter_mut().for_each(|process| process.is_gone = true);
    }
}
