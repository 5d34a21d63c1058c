//! The run itself: the machines that decide for agents, on a clock that advances only when nothing else happens.
//!
//! The rules that agents follow on servers ([`wattle_agent_core::machine`]) also decide here. Their actions are carried out
//! on a data space in memory, with fakes in place of recipes.

mod agent;
mod queue;
mod recipes;
mod space;

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use wattle_agent_core::content::Content;
use wattle_agent_core::machine::{Action, Awaited, Cause, Event, Machine, Search, Seen, Sighting, Ticket};
use wattle_agent_core::record::Record as Noted;
use wattle_agent_core::revision::Revision;
use wattle_agent_core::status::{State, Status};

use crate::model::{Name, Value};

use super::record::{Failure, Record};
use super::schedule::Clock;
use super::world::World;
use agent::{Agent, now};
use queue::{Happening, Queue};
use space::{Space, Waiter};

/// How long a server takes to restart its agent after the agent died.
const REBOOT: Duration = Duration::from_secs(30);

/// Why a run cannot continue: a mistake in the test.
pub(super) struct Fault {
    pub(super) component: Name,
    pub(super) at: String,
    pub(super) why: String,
}

struct Engine<'w> {
    world: &'w World,
    clock: Clock,
    queue: Queue,
    step: usize,
    agents: Vec<Agent>,
    space: Space,
    deaths: HashSet<usize>,
    records: Vec<Record>,
    /// The events for the agent whose turn it is, next one first.
    events: VecDeque<Event>,
}

/// Runs everything to the end.
///
/// # Errors
/// If a fake returned something that no recipe could write.
pub(super) fn run(world: &World, clock: Clock, deaths: HashSet<usize>) -> Result<Outcome, Fault> {
    let mut engine = Engine {
        world,
        clock,
        queue: Queue::default(),
        step: 0,
        agents: world.hosts.iter().map(|_| Agent::default()).collect(),
        space: Space::default(),
        deaths,
        records: world.nodes.iter().map(|_| Record::default()).collect(),
        events: VecDeque::new(),
    };
    engine.all_events()?;
    let Engine { space, records, .. } = engine;
    Ok(Outcome { entries: space.values(), records })
}

/// The result of a run.
pub(super) struct Outcome {
    pub(super) entries: HashMap<Name, Result<Value, Failure>>,
    pub(super) records: Vec<Record>,
}

impl Engine<'_> {
    fn all_events(&mut self) -> Result<(), Fault> {
        for (place, host) in self.world.hosts.iter().enumerate() {
            let boot = self.clock.boot(place, self.world.hosts.len());
            if host.boots {
                self.queue.put(boot, (place, 0), Happening::Boots);
            }
        }
        while let Some((host, life, what)) = self.queue.next() {
            if self.agents[host].life != life {
                continue;
            }
            match what {
                Happening::Boots => {
                    self.step += 1;
                    let first = self.agents[host].boot(&self.world.hosts[host], self.queue.now);
                    self.events.extend(first);
                }
                Happening::Dies => {
                    self.step += 1;
                    let agent = &mut self.agents[host];
                    agent.die();
                    self.queue.put(self.queue.now + REBOOT, (host, agent.life), Happening::Boots);
                }
                Happening::Event(event) => self.events.push_back(event),
                Happening::Goes(run) => self.goes(host, run)?,
                Happening::Ends(run) => self.ends(host, run),
                Happening::Wakes => {
                    self.agents[host].wakes = None;
                    self.events.push_back(Event::Time);
                }
            }
            self.decide(host);
        }
        Ok(())
    }

    /// Lets an agent process its events, and carries out its actions.
    fn decide(&mut self, host: usize) {
        let now = now(self.queue.now);
        while let Some(event) = self.events.pop_front() {
            let Some(machine) = &mut self.agents[host].machine else { continue };
            for action in machine.handle(now, event) {
                self.act(host, action);
            }
        }
        let agent = &mut self.agents[host];
        let wakes = agent.machine.as_ref().and_then(Machine::wakes);
        if let Some(at) = wakes.filter(|at| agent.wakes.is_none_or(|wakes| *at < wakes)) {
            agent.wakes = Some(at);
            self.queue.put(at, (host, agent.life), Happening::Wakes);
        }
    }

    /// Schedules an event for an agent after a delay.
    fn after(&mut self, delay: Duration, host: usize, what: Happening) {
        let at = self.queue.now.saturating_add(delay);
        self.queue.put(at, (host, self.agents[host].life), what);
    }

    fn act(&mut self, host: usize, action: Action) {
        let here = &self.world.hosts[host];
        match action {
            Action::Read(ticket, awaited, _) => match self.space.there(&awaited) {
                Some(content) => self.events.push_back(Event::Read(ticket, Ok(content))),
                None => self.space.waits(awaited, (host, self.agents[host].life, ticket)),
            },
            Action::Peek(ticket, entry, _) => {
                self.events.push_back(Event::Peeked(
                    ticket,
                    self.space.entry(&entry).cloned().map_or(Seen::Nothing, Seen::Content),
                ));
            }
            Action::Write(ticket, entry, _, content) => {
                let there = self.space.entry(&entry).cloned();
                if there.is_none() {
                    let waiters = self.space.write(entry, content.clone());
                    self.deliver(waiters, &content);
                }
                self.events.push_back(Event::Written(ticket, Ok(there)));
            }
            Action::Journal(ticket, records) => self.note(host, ticket, records),
            Action::LayOut(ticket, component, _) => {
                let notice = self.clock.notice(here.nodes[&component]);
                self.after(notice, host, Happening::Event(Event::LaidOut(ticket, Ok(()))));
            }
            Action::Attribute(ticket, attribute) => {
                let entry = here.publishes().find(|(_, published)| **published == attribute);
                let value = entry.and_then(|(entry, _)| self.world.attributes.get(&entry)).cloned();
                self.events.push_back(Event::Attribute(ticket, Ok(value.unwrap_or(Value::Null))));
            }
            Action::Explain(ticket, what) => {
                self.events.push_back(Event::Explained(ticket, Ok(self.root_causes(&what))));
            }
            Action::Run(job) => self.begin(host, *job),
            Action::Stop(run, _) => self.stop(host, run),
            Action::Drop(run) => drop(self.agents[host].runs.remove(&run)),
            Action::Answer(question, answer) => self.answer(host, question, answer),
            Action::Answered(question, _) => self.answered(host, question),
            Action::Show(component, status) => self.show(&component, status),
            // Nothing to do: an agent that no longer needs an answer does not listen, and there is no disk, no operator and
            // no log.
            Action::Forget(_)
            | Action::ShowServer(_)
            | Action::Prune(_)
            | Action::Remove(_)
            | Action::Retire
            | Action::Log(..) => {}
        }
    }

    /// Records what an agent would write to its disk. For a failure caused by another one, the agent takes as long as it
    /// takes to notice that one.
    fn note(&mut self, host: usize, ticket: Ticket, records: Vec<Noted>) {
        let fails = records.iter().find_map(|record| match record {
            Noted::Failed { component, .. } => Some(self.world.hosts[host].nodes[component]),
            _ => None,
        });
        self.agents[host].journal.extend(records);
        let done = Event::Journalled(ticket);
        match fails.filter(|place| self.records[*place].attempts == 0) {
            None => self.events.push_back(done),
            Some(place) => {
                let notice = self.clock.notice(place);
                self.after(notice, host, Happening::Event(done));
            }
        }
    }

    /// Delivers the content to everyone who waited for it.
    fn deliver(&mut self, waiters: Vec<Waiter>, content: &Content) {
        for (host, life, ticket) in waiters {
            let event = Event::Read(ticket, Ok(content.clone()));
            self.queue.put(self.queue.now, (host, life), Happening::Event(event));
        }
    }

    /// Records the status of a component.
    fn show(&mut self, component: &Name, status: Status) {
        let Some(place) = self.world.places.get(component).copied() else { return };
        let record = &mut self.records[place];
        let waits = if let State::Waiting(waits) = &status.state { waits.as_slice() } else { &[] };
        record.waits_for(waits, |what| self.space.has(what), self.queue.now);
        if let State::Done | State::Failed(_) = &status.state
            && record.ended.is_none()
        {
            self.step += 1;
            record.ended = Some((self.step, self.queue.now));
            if let State::Failed(failure) = &status.state {
                record.failure = Some(failure.into());
                record.outputs = None;
            }
        }
        let waiters = self.space.show(component, status);
        if let Some(content) = self.space.there(&Awaited::Ended(component.clone())) {
            self.deliver(waiters, &content);
        }
    }

    /// Why the awaited values do not arrive.
    fn root_causes(&self, awaited: &[(Name, Revision)]) -> Vec<Cause> {
        let mut search = Search::new(awaited);
        while let Some(component) = search.looks_at() {
            let server = component.split('/').next().unwrap_or(&component);
            let host = self.world.hosts.iter().position(|host| *host.name == *server);
            let sighting = Sighting {
                is_alive: host.is_some_and(|host| self.agents[host].machine.is_some()),
                is_known: host.is_some_and(|host| self.agents[host].life > 0),
                status: self.space.status(&component).cloned(),
            };
            search.sees(component, sighting);
        }
        search.causes()
    }
}
