//! Operators, who apply seeds, as `wattle seed apply` does: announced first, in several requests, and the goal last.

use std::rc::Rc;

use serde_json::json;
use wattle_agent_core::layout::Layout;
use wattle_agent_core::record::RevisionId;
use wattle_agent_core::revision::Revision;
use wattle_model::Name;

use super::call::{Call, Outcome};
use super::happening::Happening;
use super::net::Owner;
use super::store::{Ask, Change, Reply};
use super::topology::{self, Model};
use super::world::World;

pub(crate) const STACK: &str = "shop";

#[derive(Debug)]
pub(crate) struct Operator {
    client: usize,
    step: Step,
    round: u64,
    model: usize,
    tries: u64,
    space: Option<Name>,
    number: u64,
    count: Option<i32>,
    /// The plans as they were when the goal was read.
    plans: Vec<(String, Option<i32>)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Idle,
    Reading,
    Announcing,
    Making,
    Planning,
    Telling,
    Cleaning,
}

fn layout() -> Layout {
    Layout::new(STACK)
}

fn bytes(value: &serde_json::Value) -> Rc<[u8]> {
    value.to_string().into_bytes().into()
}

impl World {
    /// The first model, its hosts, and who applies it.
    pub(crate) fn open_stack(&mut self) {
        let model = topology::model(&mut self.chance);
        for server in model.servers.keys().cloned().collect::<Vec<_>>() {
            self.add_host(server);
        }
        self.say(|| format!("{:?}", model.parts.values().collect::<Vec<_>>()));
        self.models.push(Rc::new(model));
        for number in 0..2 {
            let client = self.open_client(Owner::Operator(number));
            self.operators.push(Operator {
                client,
                step: Step::Idle,
                round: 0,
                model: 0,
                tries: 0,
                space: None,
                number: 0,
                count: None,
                plans: Vec::new(),
            });
        }
        self.after(0, Happening::Apply { operator: 0 });
    }

    /// An operator applies a seed: another one than before, or the same again.
    pub(crate) fn apply(&mut self, operator: usize) {
        if self.operators[operator].step != Step::Idle {
            return;
        }
        let is_first = self.oracle.revisions.is_empty() && self.models.len() == 1;
        if !is_first && !self.is_calm && self.models.len() < 12 {
            let number = self.models.len() as u64;
            let last = Rc::clone(self.models.last().expect("INVARIANT: there is the first"));
            let next = last.next(number, &mut self.chance);
            self.models.push(Rc::new(next));
        }
        self.operators[operator].model = self.models.len() - 1;
        self.operators[operator].tries = 0;
        self.read_goal(operator);
    }

    fn read_goal(&mut self, operator: usize) {
        self.operators[operator].step = Step::Reading;
        let path = layout().revision();
        self.operator_asks(operator, Ask::Get { path, sync: true });
    }

    fn operator_asks(&mut self, operator: usize, ask: Ask) {
        let client = self.operators[operator].client;
        self.call(client, Call::plain(ask));
    }

    fn writes(&mut self, operator: usize, step: Step, changes: Vec<Change>) {
        self.operators[operator].step = step;
        if !self.is_calm && self.chance.once_in(self.faults.operator_stops_in) {
            self.say(|| format!("operator {operator} is broken off at {step:?}"));
            self.operators[operator].step = Step::Idle;
            return;
        }
        self.operator_asks(operator, Ask::Write(changes));
    }

    fn again(&mut self, operator: usize) {
        self.say(|| format!("operator {operator}: busy"));
        let state = &mut self.operators[operator];
        state.tries += 1;
        state.round += 1;
        if state.tries > 5 && !self.is_calm {
            state.step = Step::Idle;
            return;
        }
        let round = state.round;
        let delay = self.chance.between(300, 3_000);
        self.after(delay, Happening::Operator { operator, round });
    }

    pub(crate) fn operator_goes_on(&mut self, operator: usize, round: u64) {
        if self.operators[operator].round == round {
            self.read_goal(operator);
        }
    }

    fn model_of(&self, operator: usize) -> Rc<Model> {
        Rc::clone(&self.models[self.operators[operator].model])
    }

    fn goal(&self, operator: usize, number: u64, applying: Option<u64>, digest: &str) -> Rc<[u8]> {
        let state = &self.operators[operator];
        let mut goal = json!({ "revision": number, "digest": digest });
        if let Some(space) = &state.space {
            goal["space"] = json!(space);
        }
        if let Some(applying) = applying {
            goal["applying"] = json!(applying);
        }
        bytes(&goal)
    }

    pub(crate) fn operator_hears(&mut self, operator: usize, outcome: Outcome) {
        let Outcome::Plain(reply) = outcome else { return };
        let layout = layout();
        match (self.operators[operator].step, reply) {
            (Step::Reading, Reply::Node(node)) => self.announce(operator, node.as_deref()),
            (Step::Announcing, Reply::Written(..)) => {
                let state = &mut self.operators[operator];
                state.count = Some(state.count.map_or(0, |count| count + 1));
                self.say(|| format!("operator {operator} has announced"));
                let mut changes = Vec::new();
                let model = self.model_of(operator);
                let mut make = |path: String| {
                    if self.store.truth(&path).is_none() {
                        changes.push(Change::Put { path, data: Rc::new([]) });
                    }
                };
                for server in model.servers.keys() {
                    make(layout.server(server));
                    make(layout.server_status(server));
                }
                for full in model.parts.keys() {
                    make(layout.status(full));
                }
                for (entry, _) in model.entries() {
                    make(layout.entry(&entry));
                }
                self.writes(operator, Step::Making, changes);
            }
            (Step::Making, Reply::Written(..)) => {
                let (number, model) = (self.operators[operator].number, self.model_of(operator));
                let revision = Revision { space: self.operators[operator].space.clone(), number };
                let seen = self.operators[operator].plans.clone();
                let plan = |server: &Name| {
                    let path = layout.plan(server);
                    let data =
                        serde_json::to_vec(&model.plan(server, &revision)).expect("INVARIANT: a plan is JSON").into();
                    let count = seen.iter().find(|(at, _)| *at == path).and_then(|(_, count)| *count);
                    match count {
                        Some(count) => Change::Set { path, data, count: Some(count) },
                        None => Change::Create { path, data, ephemeral: false },
                    }
                };
                let changes = model.servers.keys().map(plan).collect();
                self.writes(operator, Step::Planning, changes);
            }
            (Step::Planning, Reply::Written(..)) => {
                let state = &self.operators[operator];
                let (number, digest) = (state.number, self.model_of(operator).digest());
                let data = self.goal(operator, number, None, &digest);
                let revision = Revision { space: self.operators[operator].space.clone(), number };
                let id = RevisionId { revision, digest };
                let model = self.operators[operator].model;
                self.oracle.revisions.insert((id.revision, id.digest), model);
                let change = Change::Set { path: layout.revision(), data, count: self.operators[operator].count };
                self.writes(operator, Step::Telling, vec![change]);
            }
            (Step::Telling, Reply::Written(..)) => {
                let state = &self.operators[operator];
                let (number, space) = (state.number, state.space.clone());
                self.say(|| format!("operator {operator}: revision {number} of {space:?} is to be reached"));
                let model = self.model_of(operator);
                let entries: Vec<String> = model.entries().iter().map(|(entry, _)| layout.entry(entry)).collect();
                let gone = self.store.paths(&layout.entries()).into_iter().filter(|path| !entries.contains(path));
                let changes: Vec<Change> = gone.map(|path| Change::Delete { path, count: None }).collect();
                if changes.is_empty() {
                    self.operators[operator].step = Step::Idle;
                } else {
                    self.writes(operator, Step::Cleaning, changes);
                }
            }
            (Step::Cleaning, _) => self.operators[operator].step = Step::Idle,
            _ => self.again(operator),
        }
    }

    fn announce(&mut self, operator: usize, node: Option<&super::store::Data>) {
        let (now, chance) = (self.now, self.chance.below(1 << 16));
        // Nobody applies what was before: a server that has left is gone.
        self.operators[operator].model = self.models.len() - 1;
        let (data, change);
        let path = layout().revision();
        match node {
            None => {
                let state = &mut self.operators[operator];
                state.space = Some(format!("2026-{now:010}-{chance:04x}").into());
                (state.number, state.count) = (1, None);
                data = self.goal(operator, 0, Some(1), "");
                change = Change::Create { path, data, ephemeral: false };
            }
            Some(node) => {
                let goal: serde_json::Value = serde_json::from_slice(&node.data).expect("INVARIANT: a goal is JSON");
                let number = |name: &str| goal[name].as_u64().unwrap_or(0);
                let state = &mut self.operators[operator];
                state.space = goal["space"].as_str().map(Name::from);
                state.number = number("revision").max(number("applying")) + 1;
                state.count = Some(node.count);
                let next = state.number;
                data = self.goal(operator, number("revision"), Some(next), goal["digest"].as_str().unwrap_or(""));
                change = Change::Set { path, data, count: Some(node.count) };
            }
        }
        let servers: Vec<Name> = self.model_of(operator).servers.keys().cloned().collect();
        let plan = |server: &Name| {
            let path = layout().plan(server);
            let count = self.store.truth(&path).map(|node| node.count);
            (path, count)
        };
        self.operators[operator].plans = servers.iter().map(plan).collect();
        self.writes(operator, Step::Announcing, vec![change]);
    }

    /// All that the data space has is lost, and the seed is applied again.
    pub(crate) fn lose(&mut self) {
        self.say(|| "the data space is lost".to_owned());
        let session = self.clients[self.operators[1].client].session;
        let Some(session) = session.filter(|session| self.store.sessions[*session].member.is_some()) else { return };
        let before = self.store.last;
        let ask = Ask::Write(vec![Change::DeleteAll { prefix: layout().root() }]);
        let (fired, _, _) = self.store.answer(session, &ask);
        self.is_lost();
        self.fire(fired);
        self.spread(before);
        let delay = self.chance.between(10, 5_000);
        self.after(delay, Happening::Apply { operator: 0 });
    }
}
