//! Operators, who apply seeds as `wattle seed apply` does: in its steps, each in requests of a few changes, none of
//! which is carried out after another operator has written the desired revision.

use std::collections::VecDeque;
use std::rc::Rc;

use serde_json::json;
use wattle_agent_core::applying::{self, Step, There};
use wattle_agent_core::layout::Layout;
use wattle_agent_core::planning::keep_standing;
use wattle_agent_core::revision::Revision;
use wattle_agent_core::server_plan::ServerPlan;
use wattle_model::{IndexMap, Name};

use super::call::{Call, Outcome};
use super::happening::Happening;
use super::net::Owner;
use super::store::{Ask, Change, Data, Reply};
use super::topology::{self, Model};
use super::world::World;

pub(crate) const STACK: &str = "shop";

#[derive(Debug)]
pub(crate) struct Operator {
    client: usize,
    at: At,
    /// The pending request.
    asked: Option<u64>,
    round: u64,
    /// Whether an unchanged seed makes a new revision.
    again: bool,
    model: usize,
    tries: u64,
    /// The desired revision that it read.
    before: Option<(There, String)>,
    space: Option<Name>,
    number: u64,
    /// How many times the desired revision was set.
    count: i32,
    /// The data space whose turn this operator has taken before reading, and how many times the desired revision was set
    /// then.
    ended: Option<(Option<Name>, i32)>,
    /// The writes of each step.
    plan: Written,
    /// The rest of the present step.
    batches: VecDeque<Vec<Change>>,
}

/// The writes, prepared when the desired revision was read.
#[derive(Debug, Default)]
struct Written {
    before: Vec<Change>,
    plans: Vec<Change>,
    /// The final versions of these plans.
    moved: Vec<(Name, ServerPlan)>,
    gone: Vec<Change>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum At {
    Idle,
    Reading,
    /// Ends another one's turn.
    Ending,
    Step(Step),
}

fn layout() -> Layout {
    Layout::new(STACK)
}

fn bytes(value: &serde_json::Value) -> Rc<[u8]> {
    value.to_string().into_bytes().into()
}

/// Parses a desired revision.
fn said(data: &[u8]) -> (There, Option<Name>, String) {
    let desired: serde_json::Value = serde_json::from_slice(data).expect("INVARIANT: a desired revision is JSON");
    let there = There { revision: desired["revision"].as_u64().unwrap_or(0), applying: desired["applying"].as_u64() };
    (there, desired["space"].as_str().map(Name::from), desired["digest"].as_str().unwrap_or("").to_owned())
}

/// The desired revision, once it is declared as reached.
pub(crate) fn reached(data: &[u8]) -> Option<Revision> {
    let (there, space, _) = said(data);
    (there.revision > 0).then_some(Revision { space, number: there.revision })
}

impl World {
    /// Creates the first model, its hosts, and its operator.
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
                at: At::Idle,
                asked: None,
                round: 0,
                again: false,
                model: 0,
                tries: 0,
                before: None,
                space: None,
                number: 0,
                count: 0,
                ended: None,
                plan: Written::default(),
                batches: VecDeque::new(),
            });
        }
        self.after(0, Happening::Apply { operator: 0, again: false });
    }

    /// Lets an operator apply a seed: a new one, or the same, which is a new revision if it applies `again`.
    pub(crate) fn apply(&mut self, operator: usize, again: bool) {
        if self.operators[operator].at != At::Idle {
            return;
        }
        let is_first = self.oracle.revisions.is_empty() && self.models.len() == 1;
        let may_change = !is_first && !self.is_calm && self.models.len() < 12;
        if self.is_partial || may_change && !self.chance.once_in(6) {
            let number = self.models.len() as u64;
            let last = Rc::clone(self.models.last().expect("INVARIANT: there is the first"));
            let next = last.next(number, &mut self.chance);
            self.models.push(Rc::new(next));
        }
        self.operators[operator].tries = 0;
        self.operators[operator].again = again;
        self.read_desired_revision(operator);
    }

    /// Whether no revision is desired yet, or an operator has announced one and got no further.
    pub(crate) fn is_broken_off(&self) -> bool {
        let desired = self.store.truth(&layout().revision());
        desired.is_none_or(|desired| said(&desired.data).0.applying.is_some())
    }

    fn read_desired_revision(&mut self, operator: usize) {
        self.operators[operator].at = At::Reading;
        let path = layout().revision();
        self.operator_asks(operator, Ask::Get { path, sync: true });
    }

    fn operator_asks(&mut self, operator: usize, ask: Ask) {
        let client = self.operators[operator].client;
        let asked = self.call(client, Call::plain(ask));
        self.operators[operator].asked = Some(asked);
    }

    /// Sends a request, or is interrupted before or just after that.
    fn writes(&mut self, operator: usize, changes: Vec<Change>) {
        let stops = !self.is_calm && self.chance.once_in(self.faults.operator_stops_in);
        if !stops || self.chance.flip() {
            self.operator_asks(operator, Ask::Write(changes));
        }
        if stops {
            self.say(|| format!("operator {operator} is broken off"));
            self.operators[operator].at = At::Idle;
            self.operators[operator].asked = None;
        }
    }

    fn busy(&mut self, operator: usize) {
        self.say(|| format!("operator {operator}: busy"));
        let state = &mut self.operators[operator];
        state.tries += 1;
        state.round += 1;
        if state.tries > 5 && !self.is_calm {
            state.at = At::Idle;
            return;
        }
        let round = state.round;
        let delay = self.chance.between(300, 3_000);
        self.after(delay, Happening::Operator { operator, round });
    }

    pub(crate) fn operator_goes_on(&mut self, operator: usize, round: u64) {
        if self.operators[operator].round == round {
            self.read_desired_revision(operator);
        }
    }

    fn desired(&self, operator: usize, there: There, digest: &str) -> Rc<[u8]> {
        let mut desired = json!({ "revision": there.revision, "digest": digest });
        if let Some(space) = &self.operators[operator].space {
            desired["space"] = json!(space);
        }
        if let Some(applying) = there.applying {
            desired["applying"] = json!(applying);
        }
        bytes(&desired)
    }

    pub(crate) fn operator_hears(&mut self, operator: usize, id: u64, outcome: Outcome) {
        let Outcome::Plain(reply) = outcome else { return };
        if self.operators[operator].asked.take_if(|asked| *asked == id).is_none() {
            return;
        }
        match (self.operators[operator].at, reply) {
            (At::Reading, Reply::Node(node)) => self.compare(operator, node.as_deref()),
            (At::Ending, Reply::Written(..)) => {
                self.operators[operator].count += 1;
                self.has_turn(operator);
            }
            (At::Step(step), Reply::Written(..)) => {
                match step {
                    Step::Announce if self.operators[operator].before.is_none() => {
                        // The expected state may have been lost with a data space.
                        self.operators[operator].count = 0;
                        return self.has_turn(operator);
                    }
                    Step::Announce | Step::Tell | Step::Finish => self.operators[operator].count += 1,
                    _ => {}
                }
                if step == Step::Tell {
                    let state = &self.operators[operator];
                    let (number, space) = (state.number, state.space.clone());
                    self.say(|| format!("operator {operator}: revision {number} of {space:?} is to be reached"));
                }
                self.next_batch(operator, step);
            }
            (At::Idle, _) => {}
            _ => self.busy(operator),
        }
    }

    /// Reads the present state: nobody else writes any more.
    fn has_turn(&mut self, operator: usize) {
        let state = &mut self.operators[operator];
        state.ended = Some((state.space.clone(), state.count));
        self.read_desired_revision(operator);
    }

    /// Continues with the rest of its step, or with the next one.
    fn next_batch(&mut self, operator: usize, step: Step) {
        let checks = self.checks(operator);
        if let Some(batch) = self.operators[operator].batches.pop_front() {
            return self.writes(operator, checks.into_iter().chain(batch).collect());
        }
        let cleans = !self.operators[operator].plan.gone.is_empty();
        match step.next(cleans) {
            Some(next) => self.take_step(operator, next),
            None => self.operators[operator].at = At::Idle,
        }
    }

    fn take_step(&mut self, operator: usize, step: Step) {
        self.operators[operator].at = At::Step(step);
        self.say(|| format!("operator {operator}: {step:?}"));
        let state = &mut self.operators[operator];
        let cleans = !state.plan.gone.is_empty();
        let number = state.number;
        let changes = match step {
            Step::Prepare => std::mem::take(&mut state.plan.before),
            Step::Plan => {
                for (server, plan) in std::mem::take(&mut state.plan.moved) {
                    self.oracle.plans.insert((server, plan.of()), (plan, state.model));
                }
                std::mem::take(&mut state.plan.plans)
            }
            Step::Clean => state.plan.gone.clone(),
            // The simulation has no rights, and no other stacks.
            Step::Grant | Step::Register | Step::Withdraw | Step::Deregister => Vec::new(),
            Step::Announce => {
                let digest = state.before.as_ref().map_or_else(String::new, |(_, digest)| digest.clone());
                let before = state.before.as_ref().map(|(there, _)| there.revision);
                let applying = Some(before.map_or(0, |_| number));
                let data = self.desired(operator, There { revision: before.unwrap_or(0), applying }, &digest);
                return self.write_desired_revision(operator, data);
            }
            Step::Tell | Step::Finish => {
                let model = state.model;
                let revision = Revision { space: state.space.clone(), number };
                let applying = (cleans && step == Step::Tell).then_some(number);
                let digest = self.models[model].digest();
                let data = self.desired(operator, There { revision: number, applying }, &digest);
                self.oracle.revisions.insert(revision, model);
                for server in self.models[model].servers.keys() {
                    let plan = self.plan_there(server);
                    self.oracle.reached.extend(plan.map(|plan| (server.clone(), plan.of())));
                }
                return self.write_desired_revision(operator, data);
            }
        };
        let mut changes = VecDeque::from(changes);
        while !changes.is_empty() {
            let most = changes.len().min(1 + self.chance.index(6));
            self.operators[operator].batches.push_back(changes.drain(..most).collect());
        }
        self.next_batch(operator, step);
    }

    /// The conditions that hold as long as it is an operator's turn: the desired revision is unchanged, and of its data
    /// space.
    fn checks(&self, operator: usize) -> Vec<Change> {
        let Operator { count, space, .. } = &self.operators[operator];
        let mark = Change::Check { path: layout().mark(space.as_ref()), count: 0 };
        vec![mark, Change::Check { path: layout().revision(), count: *count }]
    }

    fn write_desired_revision(&mut self, operator: usize, data: Rc<[u8]>) {
        let path = layout().revision();
        let state = &self.operators[operator];
        let is_new = state.before.is_none() && state.at == At::Step(Step::Announce);
        let mark = layout().mark(state.space.as_ref());
        let changes = if is_new {
            let mark = Change::Create { path: mark, data: Rc::new([]), ephemeral: false };
            vec![Change::Create { path, data, ephemeral: false }, mark]
        } else {
            vec![Change::Check { path: mark, count: 0 }, Change::Set { path, data, count: Some(state.count) }]
        };
        self.writes(operator, changes);
    }

    /// Determines the changes to the present state.
    fn compare(&mut self, operator: usize, node: Option<&Data>) {
        let (now, chance) = (self.now, self.chance.below(1 << 16));
        // Nobody applies a former model: a server that has left is gone.
        let number = self.models.len() - 1;
        let model = Rc::clone(&self.models[number]);
        let state = &mut self.operators[operator];
        state.model = number;
        state.batches.clear();
        let mut is_same = false;
        match node {
            None => {
                state.space = Some(format!("2026-{now:010}-{chance:04x}").into());
                state.before = None;
            }
            Some(node) => {
                let (there, space, digest) = said(&node.data);
                (state.space, state.count) = (space, node.count);
                is_same = !state.again && digest == model.digest();
                if is_same && there.applying.is_none() {
                    state.at = At::Idle;
                    return;
                }
                let is_ended = state.ended == Some((state.space.clone(), node.count));
                if there.is_being_written() && !is_ended {
                    state.at = At::Ending;
                    self.say(|| format!("operator {operator} ends a turn"));
                    let data = Rc::clone(&node.data);
                    return self.write_desired_revision(operator, data);
                }
                state.before = Some((there, digest));
            }
        }
        let there = state.before.as_ref().map(|(there, _)| *there);
        state.number = applying::number(there, is_same);
        let revision = Revision { space: state.space.clone(), number: state.number };
        let is_left = there.is_some_and(|there| there.revision == revision.number);
        let again = state.again;
        self.operators[operator].plan = self.difference(&model, &revision, again);
        self.take_step(operator, if is_left { Step::END } else { Step::Announce });
    }

    fn plan_there(&self, server: &Name) -> Option<ServerPlan> {
        let node = self.store.truth(&layout().plan(server))?;
        Some(serde_json::from_slice(&node.data).expect("INVARIANT: a plan is JSON"))
    }

    /// The writes for a model.
    fn difference(&self, model: &Model, revision: &Revision, again: bool) -> Written {
        let (layout, mut written) = (layout(), Written::default());
        let mut make = |path: String, data: Rc<[u8]>| {
            if self.store.truth(&path).is_none() {
                written.before.push(Change::Create { path, data, ephemeral: false });
            }
        };
        for server in model.servers.keys() {
            make(layout.agent(server), Rc::new([]));
            make(layout.server_status(server), Rc::new([]));
        }
        for full in model.parts.keys() {
            make(layout.status(full), Rc::new([]));
        }
        let entries: Vec<String> = model.entries().iter().map(|(entry, _)| layout.entry(entry)).collect();
        for path in &entries {
            make(path.clone(), Rc::new([]));
        }
        let servers = || model.servers.keys().cloned();
        let there: IndexMap<Name, ServerPlan> =
            servers().filter_map(|server| Some((server.clone(), self.plan_there(&server)?))).collect();
        let mut plans: IndexMap<Name, ServerPlan> =
            servers().map(|server| (server.clone(), model.plan(&server, revision))).collect();
        keep_standing(&mut plans, &there, |_| again);
        for (server, plan) in plans {
            let path = layout.plan(&server);
            let data = serde_json::to_vec(&plan).expect("INVARIANT: a plan is JSON").into();
            written.plans.extend(match there.get(&server) {
                Some(there) if *there == plan => None,
                Some(_) => Some(Change::Set { path, data, count: None }),
                None => Some(Change::Create { path, data, ephemeral: false }),
            });
            if plan.of() == *revision {
                written.moved.push((server, plan));
            }
        }
        let gone = self.store.paths(&layout.entries()).into_iter().filter(|path| !entries.contains(path));
        written.gone = gone.map(|path| Change::Delete { path, count: None }).collect();
        written
    }

    /// Loses all data of the data space, and applies the seed again.
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
        // A store that has lost its data has lost its sessions, too.
        for host in 0..self.hosts.len() {
            if let Some(client) = self.client_of(host) {
                self.disconnect(client);
                if let Some(session) = self.clients[client].session {
                    self.end_session(session);
                }
            }
        }
        let delay = self.chance.between(10, 5_000);
        self.after(delay, Happening::Apply { operator: 0, again: false });
    }
}
