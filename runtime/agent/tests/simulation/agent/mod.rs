//! Agents, which carry out a machine's actions as `runtime`'s agents do. Their environment is here as well: hosts,
//! disks, and the place that one agent of a server holds.
//!
//! What belongs here: what an agent does by itself. What does not: what it may do, which the machine decides, and
//! whether that was right, which the oracle decides.

mod asks;
mod claim;
mod disk;
mod host;
mod says;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use wattle_agent_core::layout::Layout;
use wattle_agent_core::machine::{Action, Cause, Desired, Event, Limits, Machine, Now, Setup, Ticket};
use wattle_agent_core::record::Record;
use wattle_agent_core::request::{Follow, Task, Versions};
use wattle_agent_core::revision::Revision;
use wattle_agent_core::server_plan::ServerPlan;
use wattle_agent_core::time::Time;
use wattle_agent_core::vault::PlainVault;
use wattle_model::{IndexMap, Name, Value};

use crate::happening::Happening;
use crate::net::Owner;
use crate::operator::STACK;
use crate::world::World;

use asks::Purpose;
use claim::Claim;
use says::Said;

pub(crate) use host::{Host, Pause};

/// An agent.
pub(crate) struct Agent {
    pub(crate) machine: Machine<PlainVault>,
    pub(crate) client: usize,
    calls: BTreeMap<u64, Purpose>,
    versions: Versions,
    journal: VecDeque<(Ticket, Vec<Record>)>,
    dirty: IndexMap<String, Said>,
    is_saying: bool,
    claim: Claim,
    /// The transaction that created the node that it last held.
    place: Option<i64>,
    /// Its request for its place.
    claiming: Option<u64>,
    /// Whether it has not held its place yet.
    begins: bool,
    /// Whether its request to take a place got no response, so that its former holder is unknown.
    may_have_taken: bool,
    /// When it last asked for its place.
    asked: u64,
    pub(crate) is_claimed: bool,
    pub(crate) is_in_touch: bool,
    timer: Option<u64>,
    pub(crate) following: Follow,
    /// The last plan given to its machine.
    pub(crate) desired: Option<Arc<ServerPlan>>,
    is_retiring: bool,
    inbox: VecDeque<Event>,
    is_busy: bool,
}

pub(crate) fn layout() -> Layout {
    Layout::new(STACK)
}

impl World {
    pub(crate) fn boot(&mut self, host: usize) {
        if std::mem::take(&mut self.hosts[host].is_late) {
            self.check_waits(host);
        }
        let state = &mut self.hosts[host];
        if state.agent.is_some() || state.is_destroyed || state.has_retired {
            return;
        }
        // Ends the processes that its predecessor left running.
        self.end_processes(host);
        let state = &mut self.hosts[host];
        state.incarnation += 1;
        let incarnation = state.incarnation;
        let (memory, lines) = match state.disk.read() {
            Ok(read) => read,
            Err(damaged) => return self.breaks(|| format!("h{host}: a journal that a crash left: {damaged}")),
        };
        let server = state.server.clone();
        self.say(|| format!("h{host}: its agent starts, of {lines} records"));
        let setup = Setup {
            server: server.clone(),
            user_data: [(Name::from("told"), Value::from(format!("told {server}")))].into_iter().collect(),
            limits: Limits { deadline: Duration::from_secs(25), wait: Duration::from_mins(1) },
            vault: PlainVault::new(&*server),
        };
        let now = self.clock(host);
        let client = self.open_client(Owner::Agent { host, incarnation });
        self.hosts[host].agent = Some(Agent {
            machine: Machine::new(setup, memory, now),
            client,
            calls: BTreeMap::new(),
            versions: Versions::default(),
            journal: VecDeque::new(),
            dirty: IndexMap::default(),
            is_saying: false,
            claim: Claim::Idle,
            place: None,
            claiming: None,
            begins: true,
            may_have_taken: false,
            asked: 0,
            is_claimed: false,
            is_in_touch: true,
            timer: None,
            following: Follow::new(&layout(), &server),
            desired: None,
            is_retiring: false,
            inbox: VecDeque::new(),
            is_busy: false,
        });
        self.follow(host);
    }

    fn clock(&self, host: usize) -> Now {
        let wall = Time::from_secs(1_790_000_000) + Duration::from_millis(self.now + self.hosts[host].wall);
        Now { uptime: Duration::from_millis(self.now), wall }
    }

    fn agent(&mut self, host: usize) -> &mut Agent {
        self.hosts[host].agent.as_mut().expect("INVARIANT: whoever asks has seen that there is one")
    }

    pub(crate) fn is_there(&self, host: usize, incarnation: u64) -> bool {
        self.hosts[host].agent.is_some() && self.hosts[host].incarnation == incarnation
    }

    /// Passes an event to a machine: at once, unless its agent is suspended or gone.
    pub(crate) fn tell(&mut self, host: usize, incarnation: u64, event: Event) {
        if !self.is_there(host, incarnation) {
            return;
        }
        if self.hosts[host].pause.is_some() {
            let event = Box::new(event);
            self.hosts[host].backlog.push(Happening::Machine { host, incarnation, event });
            return;
        }
        self.feed(host, event);
    }

    fn feed(&mut self, host: usize, event: Event) {
        self.agent(host).inbox.push_back(event);
        if std::mem::replace(&mut self.agent(host).is_busy, true) {
            return;
        }
        while let Some(agent) = &mut self.hosts[host].agent {
            let Some(event) = agent.inbox.pop_front() else { break };
            if self.is_traced() {
                self.say(|| format!("h{host} <- {}", short(&format!("{event:?}"))));
            }
            if let Event::Desired(Desired { plan, .. }) = &event {
                self.agent(host).desired = Some(Arc::clone(plan));
            }
            let now = self.clock(host);
            let actions = self.agent(host).machine.handle(now, event);
            for action in actions {
                if !self.is_calm && self.faults.crash_in > 0 && self.chance.once_in(self.faults.crash_in) {
                    self.crash(host);
                    return;
                }
                self.perform(host, action);
                if self.hosts[host].agent.is_none() {
                    return;
                }
            }
        }
        if self.hosts[host].agent.is_some() {
            self.agent(host).is_busy = false;
            self.set_timer(host);
            self.check_ended(host);
        }
    }

    fn set_timer(&mut self, host: usize) {
        let incarnation = self.hosts[host].incarnation;
        let Some(at) = self.agent(host).machine.wakes() else {
            self.agent(host).timer = None;
            return;
        };
        let at = u64::try_from(at.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX).max(self.now);
        if self.agent(host).timer != Some(at) {
            self.agent(host).timer = Some(at);
            self.at(at, Happening::Timer { host, incarnation, at });
        }
    }

    pub(crate) fn timer(&mut self, host: usize, incarnation: u64, at: u64) {
        if self.is_there(host, incarnation) && self.agent(host).timer == Some(at) {
            if self.hosts[host].pause.is_some() {
                self.hosts[host].backlog.push(Happening::Timer { host, incarnation, at });
                return;
            }
            self.agent(host).timer = None;
            self.feed(host, Event::Time);
        }
    }

    fn perform(&mut self, host: usize, action: Action) {
        if self.is_traced() && !matches!(action, Action::Log(..)) {
            self.say(|| format!("h{host} -> {}", short(&format!("{action:?}"))));
        }
        let incarnation = self.hosts[host].incarnation;
        let server = self.hosts[host].server.clone();
        let agent = self.hosts[host].agent.as_mut().expect("INVARIANT: it acts");
        if let Some(mut task) = Task::of(&action, &layout(), &mut agent.versions) {
            if let Action::Write(_, entry, revision, content) = &action {
                self.check_write(host, entry, revision, content);
            }
            let op = task.begin();
            return self.start(host, op, Purpose::Task(task));
        }
        let later = |world: &mut Self, most: u64, event: Event| {
            let delay = world.chance.between(1, most);
            world.after(delay, Happening::Machine { host, incarnation, event: Box::new(event) });
        };
        match action {
            Action::Journal(ticket, records) => {
                agent.journal.push_back((ticket, records));
                if agent.journal.len() == 1 {
                    self.write_journal(host);
                }
            }
            Action::LayOut(ticket, ..) => {
                let delay = self.chance.between(1, 100);
                let event = Box::new(Event::LaidOut(ticket, Ok(())));
                self.after(delay, Happening::LayOut { host, incarnation, event });
            }
            Action::Attribute(ticket, _) => {
                let value = Value::from(format!("id of h{host}"));
                later(self, 50, Event::Attribute(ticket, Ok(value)));
            }
            Action::Explain(ticket, what) => {
                let causes = self.causes(&what);
                later(self, 2_000, Event::Explained(ticket, causes));
            }
            Action::Forget(ticket) => {
                let forgotten: Vec<u64> = agent
                    .calls
                    .iter()
                    .filter(|(_, purpose)| matches!(purpose, Purpose::Task(task) if task.ticket() == ticket))
                    .map(|(id, _)| *id)
                    .collect();
                let client = agent.client;
                for id in forgotten {
                    self.agent(host).calls.remove(&id);
                    self.cancel(client, id);
                }
            }
            Action::Run(job) => self.process(host, *job),
            Action::Stop(run, why) => self.stop(host, run, why),
            Action::Drop(run) => self.dropped(host, run),
            Action::Answer(question, answer) => self.answered(host, question, answer),
            Action::Answered(question, result) => self.notified(host, question, result.map(drop)),
            Action::Show(name, status) => {
                self.shown(host, &name, &status);
                self.agent(host).dirty.insert(layout().status(&name), Said::Component(name, status));
                self.publish(host);
            }
            Action::ShowServer(status) => {
                let path = layout().server_status(&server);
                self.agent(host).dirty.insert(path, Said::Server(status));
                self.publish(host);
            }
            Action::Retire => self.agent(host).is_retiring = true,
            Action::Log(_, of, text) => self.say(|| format!("h{host}    {}: {text}", of.unwrap_or_default())),
            _ => {}
        }
    }

    /// A guess at causes, of which only the distance matters.
    fn causes(&mut self, what: &[(Name, Revision)]) -> Result<Vec<Cause>, String> {
        let Some((first, _)) = what.first() else { return Ok(Vec::new()) };
        let server: Name = first.split('/').next().unwrap_or_default().into();
        match self.chance.below(4) {
            0 => Err("the data space does not answer".to_owned()),
            1 => Ok(vec![Cause::Away { server }]),
            2 => Ok(vec![Cause::NotReached { component: first.clone() }]),
            _ => Ok(Vec::new()),
        }
    }
}

fn short(text: &str) -> String {
    text.replace("Name", "").chars().take(300).collect()
}
