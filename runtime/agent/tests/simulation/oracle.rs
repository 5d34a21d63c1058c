//! What must hold, checked at every step by one who sees everything.

use std::collections::{HashMap, HashSet};

use wattle_agent_core::content::{Content, Written};
use wattle_agent_core::machine::Job;
use wattle_agent_core::plan::{PlannedComponent, Script};
use wattle_agent_core::record::{Record, RevisionId};
use wattle_agent_core::revision::Revision;
use wattle_agent_core::status::{State, Status};
use wattle_model::IndexMap;
use wattle_model::{Name, Order, Value};

use super::agent::layout;
use super::topology::{Model, Part, Teardown, Wire};
use super::world::{SESSION, World};

/// What is known of all that happened.
#[derive(Default)]
pub(crate) struct Oracle {
    /// The model of each revision.
    pub(crate) revisions: HashMap<(Revision, String), usize>,
    /// What each entry held first in a revision.
    first: HashMap<(Revision, Name), Content>,
    /// What they held in a data space that was lost since: who has read that goes on with it.
    lost: HashMap<(Revision, Name), Vec<Content>>,
    /// The newest revision that each entry was of.
    newest: HashMap<Name, Revision>,
    /// When the data space was lost last.
    lost_at: Option<u64>,
    done: HashSet<(Revision, Name)>,
    finished: HashMap<(usize, Name), Finished>,
    ran: HashMap<(usize, Name), (Part, IndexMap<Name, Value>)>,
}

#[derive(Clone)]
struct Finished {
    id: RevisionId,
    fingerprint: String,
    planned: PlannedComponent,
}

/// How a part ends if nothing goes wrong.
struct Expected {
    is_done: bool,
    /// That depends on what it did before: what asks for its inputs is compared by what it asked for before it begins.
    is_open: bool,
    /// Whether its recipe begins to run.
    begins: bool,
}

fn reveal(content: &Content) -> Option<Value> {
    match content {
        Content::Value(value) => Some(value.clone()),
        Content::Sealed(text) => {
            let wrapped: serde_json::Value = serde_json::from_str(text).ok()?;
            serde_json::from_value(wrapped["value"].clone()).ok()
        }
        Content::Failure(_) => None,
    }
}

/// A value without what is of its run.
fn base(text: &str) -> String {
    match text.split_once('#') {
        Some((before, run)) => format!("{before}{}", if run.ends_with('!') { "!" } else { "" }),
        None => text.to_owned(),
    }
}

impl World {
    fn model_at(&self, id: &RevisionId) -> Option<&Model> {
        let number = self.oracle.revisions.get(&(id.revision.clone(), id.digest.clone()))?;
        self.models.get(*number)
    }

    /// How many machines the server has had.
    fn machines(&self, host: usize) -> usize {
        let server = &self.hosts[host].server;
        self.hosts.iter().filter(|other| other.server == *server).count()
    }

    /// The store has taken a write.
    pub(crate) fn committed(&mut self, session: usize, paths: &[String]) {
        let prefix = format!("{}/", layout().entries());
        for path in paths {
            let Some(entry) = path.strip_prefix(&prefix) else { continue };
            let Some(node) = self.store.truth(path).filter(|node| !node.data.is_empty()) else { continue };
            let Ok(written) = serde_json::from_slice::<Written>(&node.data) else {
                self.breaks(|| format!("`{entry}` is no JSON"));
                continue;
            };
            let (entry, revision): (Name, Revision) = (entry.into(), written.of());
            self.say(|| format!("store: `{entry}` is {written:?} by session {session}"));
            let newest = self.oracle.newest.get(&entry).cloned();
            if newest.as_ref().is_some_and(|newest| *newest > revision && newest.space == revision.space) {
                self.breaks(|| format!("`{entry}` of revision {newest:?} is overwritten by {revision:?}"));
            }
            self.oracle.newest.insert(entry.clone(), revision.clone());
            let first =
                self.oracle.first.entry((revision.clone(), entry.clone())).or_insert_with(|| written.content.clone());
            if *first != written.content {
                let first = format!("{first:?}");
                self.breaks(|| format!("`{entry}` was {first} in {revision:?}, and is {:?}", written.content));
            }
        }
    }

    /// What is published is on disk before.
    pub(crate) fn check_write(&mut self, host: usize, entry: &Name, revision: &Revision, content: &Content) {
        let mut parts = entry.splitn(3, '/').skip(1);
        let (Some(component), Some(output)) = (parts.next(), parts.next()) else { return };
        if component == "server" || matches!(content, Content::Failure(_)) {
            return;
        }
        let known = self.hosts[host].disk.memory.known(component);
        let is_kept = known.is_some_and(|known| {
            let early = known.early.get(output).is_some_and(|stored| stored.content == *content);
            let finished = known.finished.as_ref().and_then(|finished| finished.outputs.get(output));
            early || finished.is_some_and(|stored| stored.content == *content)
        });
        if !is_kept {
            self.breaks(|| format!("h{host} publishes `{entry}` of {revision:?}, which is not on its disk"));
        }
    }

    pub(crate) fn shown(&mut self, host: usize, name: &Name, status: &Status) {
        if status.state == State::Done {
            self.oracle.done.insert((status.of(), name.clone()));
            let component = name.rsplit('/').next().unwrap_or_default();
            let known = self.hosts[host].disk.memory.known(component);
            let outputs: Vec<Name> = known.iter().flat_map(|known| known.planned.outputs.keys().cloned()).collect();
            for output in outputs {
                let key = (status.of(), Name::from(format!("{name}/{output}")));
                // Of what was lost, or has left the model, or is of a newer revision, nothing is written.
                let is_there = self.store.truth(&layout().entry(&key.1)).is_some() && self.oracle.lost_at.is_none();
                let is_newer = self.oracle.newest.get(&key.1).is_some_and(|newest| *newest > key.0);
                if is_there && !is_newer && !self.oracle.first.contains_key(&key) {
                    self.breaks(|| format!("h{host}: {name} is done, and `{}` was never written", key.1));
                }
            }
        }
    }

    /// All that the data space held is gone.
    pub(crate) fn is_lost(&mut self) {
        self.oracle.newest.clear();
        self.oracle.lost_at = Some(self.now);
        for (key, content) in self.oracle.first.drain() {
            self.oracle.lost.entry(key).or_default().push(content);
        }
    }

    /// A record is on a disk.
    pub(crate) fn recorded(&mut self, host: usize, record: &Record) {
        let key = |component: &Name| (host, component.clone());
        match record {
            Record::Started { component, revision, planned, fingerprint, inputs, .. } => {
                // From now on it may have run.
                let full: Name = format!("{}/{component}", self.hosts[host].server).into();
                let part = self.model_at(revision).and_then(|model| model.parts.get(&full)).cloned();
                let inputs = inputs.iter().filter_map(|(name, input)| Some((name.clone(), reveal(input)?))).collect();
                self.oracle.ran.extend(part.map(|part| (key(component), (part, inputs))));
                let Some(before) = self.oracle.finished.remove(&key(component)) else { return };
                if before.id == *revision {
                    self.breaks(|| format!("h{host}: {component} runs again in {revision:?}, where it has succeeded"));
                }
                let is_same = fingerprint.as_ref() == Some(&before.fingerprint);
                if is_same && before.planned.outputs == planned.outputs {
                    self.breaks(|| {
                        format!("h{host}: {component} runs again in {revision:?}, although it is as it was")
                    });
                }
            }
            Record::Finished { component, fingerprint, outputs, .. } => {
                let Some(known) = self.hosts[host].disk.memory.known(component) else { return };
                let (id, planned) = (known.revision.clone(), known.planned.clone());
                let full = format!("{}/{component}", self.hosts[host].server);
                for (output, stored) in outputs {
                    let entry: Name = format!("{full}/{output}").into();
                    let first = self.oracle.first.get(&(id.revision.clone(), entry.clone())).cloned();
                    if self.machines(host) == 1 && first.as_ref().is_some_and(|first| *first != stored.content) {
                        self.breaks(|| {
                            format!("h{host}: `{entry}` was published as {first:?}, and its journal has {stored:?}")
                        });
                    }
                }
                let finished = Finished { id, fingerprint: fingerprint.clone(), planned };
                self.oracle.finished.insert(key(component), finished);
            }
            Record::Kept { component, planned, .. } => {
                if let Some(finished) = self.oracle.finished.get_mut(&key(component)) {
                    finished.planned = planned.clone();
                }
            }
            Record::Undoing { component } | Record::Gone { component } => {
                self.oracle.finished.remove(&key(component));
            }
            Record::Early { .. } | Record::Failed { .. } => {}
        }
    }

    /// A recipe begins: whether it may, and what it is.
    pub(crate) fn check_begin(&mut self, host: usize, job: &Job) -> Option<Part> {
        let (server, component) = (self.hosts[host].server.clone(), job.component.clone());
        let full: Name = format!("{server}/{component}").into();
        let what = format!("h{host}: {:?} of {full}", job.script);
        let agent = self.hosts[host].agent.as_ref().expect("INVARIANT: it acts");
        if !agent.is_claimed {
            self.breaks(|| format!("{what} begins before it is this agent's turn"));
            return None;
        }
        let desired = agent.desired.clone();
        let place = self.store.truth(&layout().alive(&server));
        // A data space that was lost forgets who had the place, and so it is given again at once.
        let is_forgotten = self.oracle.lost_at.is_some_and(|lost| self.now < lost + SESSION);
        let others = place.filter(|node| *node.data != *format!("h{host}").as_bytes() && !is_forgotten);
        if let Some(holder) = others {
            let holder = String::from_utf8_lossy(&holder.data).into_owned();
            self.breaks(|| format!("{what} begins while {holder} has the place of the server"));
            return None;
        }
        if self.hosts[host].processes.iter().any(|process| !process.is_gone && process.job.component == component) {
            self.breaks(|| format!("{what} begins while the component still runs"));
            return None;
        }
        let known = self.hosts[host].disk.memory.known(&component).cloned();
        let Some((known, desired)) = known.zip(desired) else {
            self.breaks(|| format!("{what} begins, and its disk does not know"));
            return None;
        };
        if job.script == Script::Teardown {
            let still = self.model_at(&desired).is_none_or(|model| model.parts.contains_key(&full));
            let Some((part, inputs)) = self.oracle.ran.get(&(host, component.clone())).cloned() else {
                self.breaks(|| format!("{what} begins, and the component never ran"));
                return None;
            };
            if still {
                self.breaks(|| format!("{what} begins, and the component has not left"));
            }
            let is_same = if part.live {
                job.inputs.iter().all(|(name, value)| inputs.get(name).is_none_or(|had| had == value))
            } else {
                job.inputs == inputs
            };
            if !is_same {
                self.breaks(|| format!("{what} has {:?}, and the component had {inputs:?}", job.inputs));
            }
            return Some(part);
        }
        let id = known.revision;
        if id != desired {
            self.breaks(|| format!("{what} begins in {id:?}, and {desired:?} is to be reached"));
            return None;
        }
        let Some(model) = self.model_at(&id) else {
            self.breaks(|| format!("{what} begins in {id:?}, which nobody has applied"));
            return None;
        };
        let Some(part) = model.parts.get(&full).cloned() else {
            self.breaks(|| format!("{what} begins in {id:?}, which has no such component"));
            return None;
        };
        let is_planned = model.planned(&part) == job.planned;
        let mut before = part.after.clone();
        if model.servers[&server].order == Order::Declared {
            let mine = model.parts.values().filter(|part| part.server == server);
            before.extend(mine.map(Part::full).take_while(|name| *name != full).last());
        }
        if !is_planned {
            self.breaks(|| format!("{what} is not what {id:?} says of it"));
        }
        for name in before {
            if !self.oracle.done.contains(&(id.revision.clone(), name.clone())) {
                self.breaks(|| format!("{what} begins in {id:?} before {name} has ended"));
            }
        }
        for output in part.outputs.keys() {
            let entry: Name = format!("{full}/{output}").into();
            let first = self.oracle.first.get(&(id.revision.clone(), entry.clone()));
            if matches!(first, Some(Content::Failure(_))) && self.machines(host) == 1 {
                self.breaks(|| format!("{what} begins in {id:?}, where `{entry}` has failed already"));
            }
        }
        for (name, value) in &job.inputs {
            self.check_value(host, &part, &id, name, value);
        }
        if !part.live && !part.inputs.keys().eq(job.inputs.keys()) {
            self.breaks(|| format!("{what} is not given all of its inputs: {:?}", job.inputs));
        }
        Some(part)
    }

    /// An input that a recipe asked for.
    pub(crate) fn check_input(&mut self, host: usize, process: usize, name: &Name, value: &Value) {
        let process = &self.hosts[host].processes[process];
        let (part, component, script) = (process.part.clone(), process.job.component.clone(), process.job.script);
        let Some(known) = self.hosts[host].disk.memory.known(&component) else { return };
        let id = known.revision.clone();
        if script == Script::Recipe {
            self.check_value(host, &part, &id, name, value);
            if let Some((_, inputs)) = self.oracle.ran.get_mut(&(host, component)) {
                inputs.insert(name.clone(), value.clone());
            }
        }
    }

    fn check_value(&mut self, host: usize, part: &Part, id: &RevisionId, name: &Name, value: &Value) {
        let key = |entry: &Name| (id.revision.clone(), entry.clone());
        let of = |entry: &Name| {
            let mut lost = self.oracle.lost.get(&key(entry)).into_iter().flatten().filter_map(reveal);
            lost.find(|lost| lost == value).or_else(|| self.oracle.first.get(&key(entry)).and_then(reveal))
        };
        let right = match part.inputs.get(name) {
            Some(Wire::Constant(number)) => Some(Value::from(format!("k{number}"))),
            Some(Wire::UserData) => Some(Value::from(format!("told {}", part.server))),
            Some(Wire::Entry(entry)) => of(entry),
            Some(Wire::Attribute(server)) => of(&format!("{server}/server/id").into()),
            None => None,
        };
        if right.as_ref() != Some(value) {
            let full = part.full();
            self.breaks(|| format!("h{host}: {full} is given {value} as `{name}` in {id:?}, where it is {right:?}"));
        }
    }

    /// Another server than these has never come up: each wait for it has ended.
    pub(crate) fn check_waits(&mut self, absent: usize) {
        let waits = self.hosts.iter().position(|host| {
            let agent = host.agent.as_ref().filter(|agent| agent.is_claimed && agent.is_in_touch);
            agent.is_some_and(|agent| !agent.machine.is_settled())
        });
        if let Some(host) = waits {
            self.breaks(|| format!("h{host} still waits, long after it should have given up h{absent}"));
        }
    }

    /// Everything has settled, in the revision that is to be reached; in the last one, as if nothing had gone wrong.
    pub(crate) fn check_settled(&mut self, is_last: bool) {
        if let Err(what) = self.settled(is_last) {
            self.breaks(|| format!("after all{}: {what}", if is_last { ", in the last revision" } else { "" }));
        }
    }

    fn settled(&self, is_last: bool) -> Result<(), String> {
        let goal = self.store.truth(&layout().revision()).ok_or("there is no goal")?;
        let goal: serde_json::Value = serde_json::from_slice(&goal.data).map_err(|error| error.to_string())?;
        let space = goal["space"].as_str().map(Name::from);
        let revision = Revision { space, number: goal["revision"].as_u64().unwrap_or(0) };
        let id = RevisionId { revision: revision.clone(), digest: goal["digest"].as_str().unwrap_or("").to_owned() };
        let model = self.model_at(&id).ok_or_else(|| format!("nobody applied {id:?}"))?;
        for (name, server) in &model.servers {
            let host = self.hosts.iter().rposition(|host| host.server == *name).ok_or("a server without a machine")?;
            self.server_settled(host, &id, server.retired).map_err(|what| format!("h{host} of {name}: {what}"))?;
        }
        if let Some((host, process)) =
            self.hosts.iter().enumerate().find_map(|(at, host)| Some((at, host.processes.iter().find(|p| !p.is_gone)?)))
        {
            return Err(format!("h{host}: {} still runs", process.part.full()));
        }
        let expected = expected(model);
        for (full, part) in &model.parts {
            let is_expected = is_last && !expected[full].is_open;
            self.part_settled(model, &revision, part, is_expected.then(|| expected[full].is_done))
                .map_err(|what| format!("{full}: {what}"))?;
        }
        Ok(())
    }

    fn server_settled(&self, host: usize, id: &RevisionId, is_retired: bool) -> Result<(), String> {
        let state = &self.hosts[host];
        let left = state.disk.memory.started().filter(|(name, _)| {
            let full: Name = format!("{}/{name}", state.server).into();
            let has_left = self.model_at(id).is_some_and(|model| !model.parts.contains_key(&full));
            let ran = self.oracle.ran.get(&(host, (*name).clone()));
            has_left && ran.is_none_or(|(part, _)| part.teardown != Teardown::Fails)
        });
        let left: Vec<&Name> = left.map(|(name, _)| name).collect();
        if !left.is_empty() {
            return Err(format!("{left:?} have left, and are not torn down"));
        }
        if is_retired {
            let stays = state.disk.memory.started().next().is_some();
            let is_over = state.has_retired || stays;
            return if is_over { Ok(()) } else { Err("its agent does not retire".to_owned()) };
        }
        let agent = state.agent.as_ref().ok_or("there is no agent")?;
        if agent.desired.as_ref() != Some(id) {
            return Err(format!("it knows of {:?}, and {id:?} is to be reached", agent.desired));
        }
        if !agent.is_claimed || !agent.is_in_touch {
            return Err("it does not have its place".to_owned());
        }
        if agent.machine.is_settled() { Ok(()) } else { Err("it has not settled".to_owned()) }
    }

    fn part_settled(
        &self,
        model: &Model,
        revision: &Revision,
        part: &Part,
        expected: Option<bool>,
    ) -> Result<(), String> {
        let full = part.full();
        let node = self.store.truth(&layout().status(&full)).ok_or("it has no status")?;
        let status: Status = serde_json::from_slice(&node.data).map_err(|_| "nothing was ever said of it")?;
        if status.of() != *revision {
            return Err(format!("what is said of it is of {:?}", status.of()));
        }
        let is_done = match &status.state {
            State::Done => true,
            State::Failed(_) => false,
            other => return Err(format!("it is {other:?}")),
        };
        if expected.is_some_and(|expected| expected != is_done) {
            return Err(format!("it is {:?}", status.state));
        }
        let host = self.hosts.iter().rposition(|host| host.server == part.server).ok_or("no machine")?;
        for output in part.outputs.keys() {
            let entry: Name = format!("{full}/{output}").into();
            let node = self.store.truth(&layout().entry(&entry)).ok_or_else(|| format!("there is no `{entry}`"))?;
            let written: Written = serde_json::from_slice(&node.data).map_err(|_| format!("`{entry}` is empty"))?;
            if written.of() != *revision {
                return Err(format!("`{entry}` is of {:?}", written.of()));
            }
            if !is_done || self.machines(host) > 1 && expected.is_none() {
                continue;
            }
            let Some(Value::Str(value)) = reveal(&written.content) else {
                return Err(format!("it is done, and `{entry}` is {:?}", written.content));
            };
            let known = self.hosts[host].disk.memory.known(&part.name).and_then(|known| known.finished.as_ref());
            let stored = known.and_then(|finished| finished.outputs.get(output));
            if stored.is_none_or(|stored| stored.content != written.content) {
                return Err(format!("`{entry}` is {:?}, and its journal has {stored:?}", written.content));
            }
            let inputs = self.inputs(model, revision, part, output)?;
            if base(&value) != part.gives(output, &inputs) {
                return Err(format!("`{entry}` is {value}, and is to be {}", part.gives(output, &inputs)));
            }
        }
        Ok(())
    }

    /// The inputs of which an output is made, as they are in the end.
    fn inputs(
        &self,
        model: &Model,
        revision: &Revision,
        part: &Part,
        output: &Name,
    ) -> Result<IndexMap<Name, Value>, String> {
        let mut inputs = IndexMap::default();
        if part.outputs[output].early {
            return Ok(inputs);
        }
        let _ = model;
        let asks = part.asks();
        for (name, wire) in part.inputs.iter().filter(|(name, _)| !part.live || asks.contains(name)) {
            let of = |entry: &Name| self.oracle.first.get(&(revision.clone(), entry.clone())).and_then(reveal);
            let value = match wire {
                Wire::Constant(number) => Some(Value::from(format!("k{number}"))),
                Wire::UserData => Some(Value::from(format!("told {}", part.server))),
                Wire::Entry(entry) => of(entry),
                Wire::Attribute(server) => of(&format!("{server}/server/id").into()),
            };
            inputs.insert(name.clone(), value.ok_or_else(|| format!("its input `{name}` has no value"))?);
        }
        Ok(inputs)
    }
}

/// How everything ends if nothing goes wrong.
fn expected(model: &Model) -> IndexMap<Name, Expected> {
    let mut all: IndexMap<Name, Expected> = IndexMap::default();
    for (full, part) in &model.parts {
        let has = |wire: &Wire| match wire {
            Wire::Entry(entry) => {
                let (of, output) = entry.rsplit_once('/').expect("INVARIANT: an entry has three parts");
                let early = model.parts[of].outputs[output].early;
                all[of].is_done || early && all[of].begins
            }
            Wire::Attribute(_) | Wire::Constant(_) | Wire::UserData => true,
        };
        let is_bad = |input: &Name| match &part.inputs[input] {
            Wire::Entry(entry) => model.parts[entry.rsplit_once('/').expect("INVARIANT: as above").0].bad,
            Wire::Attribute(_) | Wire::Constant(_) | Wire::UserData => false,
        };
        let before = match model.servers[&part.server].order {
            Order::Declared => all.keys().rfind(|name| model.parts[*name].server == part.server).cloned(),
            Order::Dataflow => None,
        };
        let orders = part.after.iter().chain(&before).all(|name| all[name].is_done);
        let asks = part.asks();
        let judged = part.requires.as_ref().is_none_or(|input| has(&part.inputs[input]) && !is_bad(input));
        let given = part.inputs.iter().filter(|(name, _)| !part.live || asks.contains(name)).all(|(_, wire)| has(wire));
        let begins = orders && judged && (part.live || given);
        let is_open = |wire: &Wire| match wire {
            Wire::Entry(entry) => {
                let (of, output) = entry.rsplit_once('/').expect("INVARIANT: as above");
                let (early, part) = (model.parts[of].outputs[output].early, &model.parts[of]);
                all[of].is_open || early && part.live && !all[of].is_done && !part.fails
            }
            Wire::Attribute(_) | Wire::Constant(_) | Wire::UserData => false,
        };
        let is_open =
            part.inputs.values().any(is_open) || part.after.iter().chain(&before).any(|name| all[name].is_open);
        all.insert(full.clone(), Expected { is_done: begins && given && !part.fails, is_open, begins });
    }
    all
}
