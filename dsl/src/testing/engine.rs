//! The run itself: what agents do, as events under a clock that passes when nothing else does.
//!
//! The same rules as those of the run time's agents: turn by turn on a server, then all that a component needs at the same
//! time, whatever fails first ends the wait, a failure takes the place of every output that was not published.

mod values;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::time::Duration;

use wattle_agent_core::plan::{Held, PlannedComponent, Source};

use crate::model::{IndexSet, Name, Value};
use crate::values::{FailureKind, span};

use super::fake::{Call, Failed};
use crate::values::ASKING;

use super::kind::Values;
use super::record::{Awaited, Failure, Record};
use super::schedule::Clock;
use super::world::World;

/// How long a server whose agent died takes to start it again.
const REBOOT: Duration = Duration::from_secs(30);

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A server's agent is there.
    Boots(usize),
    /// A component has what it waited for.
    Goes(usize),
    /// Something that a component waited for failed.
    Fails(usize),
    /// A component's run ends.
    Ends(usize),
    /// A component's wait is over.
    Expires(usize),
    /// A server's agent dies, while this component runs.
    Dies(usize),
}

/// How far a component is.
#[derive(Clone, Debug, PartialEq)]
enum State {
    Booting,
    /// For the component before it.
    Turn,
    /// For what it needs; for Chef, first for what it comes after, and then for its inputs.
    Waiting {
        missing: HashSet<Awaited>,
        for_inputs: bool,
        end: Duration,
    },
    /// It will start, or fail, in a moment.
    Leaving,
    Running,
    Ended,
}

/// Why a run cannot go on: the test is at fault.
pub(super) struct Fault {
    pub(super) component: Name,
    pub(super) at: String,
    pub(super) why: String,
}

struct Engine<'w> {
    world: &'w World,
    clock: Clock,
    now: Duration,
    events: BinaryHeap<Reverse<(Duration, u64, Event, u32)>>,
    scheduled: u64,
    step: usize,
    states: Vec<State>,
    /// Events of before a component's agent died are none of its business any more.
    epochs: Vec<u32>,
    /// What fails a component that is leaving.
    pending: HashMap<usize, Failure>,
    results: HashMap<usize, Result<Values, Failed>>,
    entries: HashMap<Name, Result<Value, Failure>>,
    ended: Vec<Option<Result<(), Failure>>>,
    waiters: HashMap<Awaited, Vec<usize>>,
    deaths: HashSet<usize>,
    records: Vec<Record>,
}

/// Runs through all of it.
///
/// # Errors
/// What a fake gave that no recipe could.
pub(super) fn run(world: &World, clock: Clock, deaths: HashSet<usize>) -> Result<Outcome, Fault> {
    let count = world.nodes.len();
    let mut engine = Engine {
        world,
        clock,
        now: Duration::ZERO,
        events: BinaryHeap::new(),
        scheduled: 0,
        step: 0,
        states: vec![State::Booting; count],
        epochs: vec![0; count],
        pending: HashMap::new(),
        results: HashMap::new(),
        entries: HashMap::new(),
        ended: vec![None; count],
        waiters: HashMap::new(),
        deaths,
        records: world.nodes.iter().map(|_| Record::default()).collect(),
    };
    engine.all_events()?;
    let Engine { entries, records, .. } = engine;
    Ok(Outcome { entries, records })
}

/// What came out.
pub(super) struct Outcome {
    pub(super) entries: HashMap<Name, Result<Value, Failure>>,
    pub(super) records: Vec<Record>,
}

impl Engine<'_> {
    fn all_events(&mut self) -> Result<(), Fault> {
        let world = self.world;
        for (place, host) in world.hosts.iter().enumerate() {
            let boot = self.clock.boot(place, world.hosts.len());
            if host.boots {
                self.schedule(boot, Event::Boots(place), 0);
            }
        }
        while let Some(Reverse((at, _, event, epoch))) = self.events.pop() {
            self.now = at;
            let node = match event {
                Event::Boots(host) => {
                    self.step += 1;
                    self.boots(host);
                    continue;
                }
                Event::Goes(node)
                | Event::Fails(node)
                | Event::Ends(node)
                | Event::Expires(node)
                | Event::Dies(node) => node,
            };
            if self.epochs[node] != epoch {
                continue;
            }
            self.step += 1;
            match event {
                Event::Goes(_) => self.start(node)?,
                Event::Fails(_) => {
                    if let Some(failure) = self.pending.remove(&node) {
                        self.fail(node, failure.passed_on(&world.nodes[node].key), &Values::new());
                    }
                }
                Event::Ends(_) => self.end(node),
                Event::Expires(_) => self.expire(node),
                Event::Dies(_) => self.die(node),
                Event::Boots(_) => {}
            }
        }
        Ok(())
    }

    fn schedule(&mut self, after: Duration, event: Event, epoch: u32) {
        self.scheduled += 1;
        self.events.push(Reverse((self.now.saturating_add(after), self.scheduled, event, epoch)));
    }

    fn boots(&mut self, host: usize) {
        let world = self.world;
        for entry in world.hosts[host].publishes() {
            let value = world.attributes.get(&entry).cloned().unwrap_or(Value::Null);
            self.publish(entry, Ok(value));
        }
        for node in &world.hosts[host].nodes {
            match world.nodes[*node].before {
                Some(_) => self.states[*node] = State::Turn,
                None => self.its_turn(*node),
            }
        }
    }

    /// Nothing before it on its server is in the way any more.
    fn its_turn(&mut self, node: usize) {
        let one = &self.world.nodes[node];
        let planned = self.world.planned(node);
        let mut needs: Vec<(Awaited, Option<Name>)> =
            one.after.iter().map(|before| (Awaited::Ended(*before), None)).collect();
        let mut judged = IndexSet::default();
        for required in planned.requires.values() {
            required.predicate.each(&mut |operand| judged.extend(entries(&operand.from)));
        }
        // What is required is judged of all that it is about, whoever asks for inputs.
        let is_needed = |awaited: &Awaited| match awaited {
            Awaited::Entry(entry) => !planned.recipe.tool.is_live() || judged.contains(entry),
            Awaited::Ended(_) => true,
        };
        needs.extend(inputs(planned).into_iter().filter(|(awaited, _)| is_needed(awaited)));
        needs.extend(judged.iter().map(|entry| (Awaited::Entry((*entry).clone()), None)));
        self.wait(node, needs, false);
    }

    fn wait(&mut self, node: usize, needs: Vec<(Awaited, Option<Name>)>, for_inputs: bool) {
        let mut missing = HashSet::new();
        for (awaited, input) in needs {
            match self.there(&awaited) {
                Some(Ok(())) => {}
                Some(Err(failure)) => return self.leave(node, Some(failure)),
                None => {
                    if missing.insert(awaited.clone()) {
                        self.waiters.entry(awaited.clone()).or_default().push(node);
                        self.records[node].waited(awaited, input);
                    }
                }
            }
        }
        if missing.is_empty() {
            return self.leave(node, None);
        }
        let wait = self.world.wait(node);
        let end = self.now.saturating_add(wait);
        self.states[node] = State::Waiting { missing, for_inputs, end };
        self.schedule(wait, Event::Expires(node), self.epochs[node]);
    }

    /// What has become of something that is awaited.
    fn there(&self, awaited: &Awaited) -> Option<Result<(), Failure>> {
        match awaited {
            Awaited::Entry(entry) => Some(self.entries.get(entry)?.as_ref().map(drop).map_err(Clone::clone)),
            Awaited::Ended(node) => self.ended[*node].clone(),
        }
    }

    /// Its wait is over; it starts, or fails, in a moment.
    fn leave(&mut self, node: usize, failure: Option<Failure>) {
        let to_inputs =
            matches!(self.states[node], State::Waiting { for_inputs: false, .. } | State::Booting | State::Turn)
                && self.world.planned(node).recipe.tool.is_live()
                && failure.is_none();
        self.states[node] = State::Leaving;
        if to_inputs {
            // A Chef recipe is started now, and asks for its inputs while it runs.
            let needs = inputs(self.world.planned(node));
            self.states[node] = State::Waiting { missing: HashSet::new(), for_inputs: true, end: self.now };
            return self.wait(node, needs, true);
        }
        let notice = self.clock.notice(node);
        let event = if let Some(failure) = failure {
            self.pending.insert(node, failure);
            Event::Fails(node)
        } else {
            Event::Goes(node)
        };
        self.schedule(notice, event, self.epochs[node]);
    }

    /// Tells those who wait for it.
    fn came(&mut self, awaited: &Awaited) {
        let Some(waiters) = self.waiters.remove(awaited) else { return };
        let there = self.there(awaited);
        for node in waiters {
            let State::Waiting { missing, .. } = &mut self.states[node] else { continue };
            if !missing.remove(awaited) {
                continue;
            }
            let is_last = missing.is_empty();
            self.records[node].came(awaited, self.now);
            match &there {
                Some(Err(failure)) => self.leave(node, Some(failure.clone())),
                _ if is_last => self.leave(node, None),
                _ => {}
            }
        }
    }

    fn publish(&mut self, entry: Name, value: Result<Value, Failure>) {
        if self.entries.contains_key(&entry) {
            return;
        }
        self.entries.insert(entry.clone(), value);
        self.came(&Awaited::Entry(entry));
    }

    /// Its recipe is started.
    fn start(&mut self, node: usize) -> Result<(), Fault> {
        let world = self.world;
        let one = &world.nodes[node];
        let inputs = match self.inputs(node).and_then(|inputs| self.judge(node).map(|()| inputs)) {
            Ok(inputs) => inputs,
            Err((kind, message)) => {
                let failure = Failure::new(&one.key, kind, message);
                self.fail(node, failure, &Values::new());
                return Ok(());
            }
        };
        let record = &mut self.records[node];
        record.attempts += 1;
        record.started.get_or_insert((self.step, self.now));
        record.inputs = Some(inputs.clone());
        let call = Call { component: &one.key, inputs: &inputs, attempt: record.attempts };
        let result = (one.fake.run)(call);
        let written = match &result {
            Ok(values) => values,
            Err(failed) => &failed.published,
        };
        if let Some(why) = self.impossible(node, written, result.is_ok()) {
            return Err(Fault { component: one.key.clone(), at: one.fake.at.to_string(), why });
        }
        self.states[node] = State::Running;
        let deadline = world.deadline(node);
        let takes = one.fake.takes.unwrap_or_else(|| self.clock.run(node));
        if self.deaths.remove(&node) {
            self.schedule(takes.min(deadline) / 2, Event::Dies(node), self.epochs[node]);
            return Ok(());
        }
        let result = if takes > deadline {
            let message = format!("the recipe did not end within {}", span(deadline));
            let published = if let Err(failed) = result { failed.published } else { Values::new() };
            Err(Failed { kind: FailureKind::Deadline, message, published })
        } else {
            result
        };
        self.results.insert(node, result);
        self.schedule(takes.min(deadline), Event::Ends(node), self.epochs[node]);
        Ok(())
    }

    fn end(&mut self, node: usize) {
        let world = self.world;
        let one = &world.nodes[node];
        match self.results.remove(&node) {
            Some(Ok(outputs)) => {
                self.states[node] = State::Ended;
                self.records[node].ended = Some((self.step, self.now));
                self.records[node].outputs = Some(outputs.clone());
                self.ended[node] = Some(Ok(()));
                for (name, value) in outputs.0 {
                    self.publish(format!("{}/{name}", one.key).into(), Ok(value));
                }
                self.after(node);
            }
            Some(Err(failed)) => {
                self.fail(node, Failure::new(&one.key, failed.kind, failed.message), &failed.published);
            }
            None => {}
        }
    }

    /// Puts the failure in the place of whatever it has not published.
    fn fail(&mut self, node: usize, failure: Failure, published: &Values) {
        let world = self.world;
        let one = &world.nodes[node];
        self.states[node] = State::Ended;
        self.records[node].ended = Some((self.step, self.now));
        self.records[node].failure = Some(failure.clone());
        self.ended[node] = Some(Err(failure.clone()));
        for name in world.planned(node).outputs.keys() {
            let value = published.0.get(name).cloned().ok_or_else(|| failure.clone());
            self.publish(format!("{}/{name}", one.key).into(), value);
        }
        self.after(node);
    }

    /// It has ended: those who wait for that go on.
    fn after(&mut self, node: usize) {
        let world = self.world;
        self.came(&Awaited::Ended(node));
        let behind = world.hosts[world.nodes[node].server].nodes.iter().copied();
        let next = behind.filter(|next| world.nodes[*next].before == Some(node) && self.states[*next] == State::Turn);
        for next in next.collect::<Vec<_>>() {
            match self.ended[node].clone() {
                Some(Err(failure)) => self.leave(next, Some(failure)),
                _ => self.its_turn(next),
            }
        }
    }

    /// It has waited as long as it may.
    fn expire(&mut self, node: usize) {
        let State::Waiting { missing, end, .. } = &self.states[node] else { return };
        if self.now < *end {
            return;
        }
        let world = self.world;
        let never = |awaited: &Awaited| {
            let host = world.hosts.iter().find(|host| match awaited {
                Awaited::Entry(entry) => entry.strip_prefix(&*host.name).is_some_and(|rest| rest.starts_with('/')),
                Awaited::Ended(other) => world.hosts[world.nodes[*other].server].name == host.name,
            });
            host.filter(|host| !host.boots).map(|host| host.name.clone())
        };
        let mut absent: Vec<Name> = missing.iter().filter_map(never).collect();
        absent.sort_unstable();
        absent.dedup();
        if absent.is_empty() && self.now < *end + ASKING {
            return self.schedule(ASKING, Event::Expires(node), self.epochs[node]);
        }
        let one = &world.nodes[node];
        let record = &self.records[node];
        let what: Vec<String> = record
            .waits
            .iter()
            .filter(|wait| missing.contains(&wait.what))
            .map(|wait| match &wait.input {
                Some(input) => format!("`{}` (its input `{input}`)", wait.what.name(world)),
                None => format!("`{}` to end", wait.what.name(world)),
            })
            .collect();
        let mut message = format!("waited {} for {}", span(world.wait(node)), what.join(", "));
        for server in absent {
            message += &format!(": never started: no agent of server `{server}` has come up");
        }
        let failure = Failure::new(&one.key, FailureKind::Wait, message);
        self.fail(node, failure, &Values::new());
    }

    /// The agent of its server dies, and starts again what was running.
    fn die(&mut self, node: usize) {
        let world = self.world;
        for other in &world.hosts[world.nodes[node].server].nodes {
            if self.states[*other] == State::Running {
                self.epochs[*other] += 1;
                self.results.remove(other);
                self.states[*other] = State::Leaving;
                self.schedule(REBOOT, Event::Goes(*other), self.epochs[*other]);
            }
        }
    }
}

/// What of inputs is awaited, and by which of them.
fn inputs(planned: &PlannedComponent) -> Vec<(Awaited, Option<Name>)> {
    let entries = planned.inputs.iter().flat_map(|(name, input)| {
        entries(&input.from).map(move |entry| (Awaited::Entry(entry.clone()), Some(name.clone())))
    });
    entries.collect()
}

/// The entries that a value needs.
fn entries(source: &Source) -> impl Iterator<Item = &Name> {
    source.leaves().filter_map(Held::entry)
}
