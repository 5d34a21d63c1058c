//! Hosts and their agents: they carry out what a machine asks for, as `runtime`'s agents do.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::time::Duration;

use wattle_agent_core::journal;
use wattle_agent_core::layout::Layout;
use wattle_agent_core::machine::{Action, Cause, Desired, Event, Limits, Machine, Now, Setup, Ticket};
use wattle_agent_core::memory::Memory;
use wattle_agent_core::node::Version;
use wattle_agent_core::record::{Record, RevisionId};
use wattle_agent_core::request::{Answer, Newer, Op, Request as _, Say, Step, Task, Versions, Wait};
use wattle_agent_core::status::{ServerStatus, Status};
use wattle_agent_core::time::Time;
use wattle_agent_core::vault::PlainVault;
use wattle_model::IndexMap;
use wattle_model::{Name, Value};

use super::call::{Call, Outcome};
use super::net::Owner;
use super::operator::STACK;
use super::process::Process;
use super::store::{Ask, Change, Data, Reply};
use super::world::{Happening, World};

/// A machine with a disk, on which an agent acts for a server.
pub(crate) struct Host {
    pub(crate) server: Name,
    pub(crate) disk: Disk,
    pub(crate) agent: Option<Agent>,
    pub(crate) incarnation: u64,
    pub(crate) pause: Option<Pause>,
    pub(crate) pauses: u64,
    /// How long all of it was paused.
    pub(crate) paused_for: u64,
    pub(crate) backlog: Vec<Happening>,
    pub(crate) is_full: bool,
    /// What its clock is ahead, in milliseconds.
    pub(crate) wall: u64,
    pub(crate) processes: Vec<Process>,
    pub(crate) is_destroyed: bool,
    /// It first comes up when all that waits for it has given up.
    pub(crate) is_late: bool,
    /// Its agent has ended since the server has left the model.
    pub(crate) has_retired: bool,
}

#[derive(Clone, Copy)]
pub(crate) struct Pause {
    pub(crate) since: u64,
    pub(crate) number: u64,
    /// Not only its agent.
    pub(crate) is_whole: bool,
}

/// What survives a crash.
#[derive(Default)]
pub(crate) struct Disk {
    pub(crate) bytes: Vec<u8>,
    /// What they say.
    pub(crate) memory: Memory,
}

/// An agent.
pub(crate) struct Agent {
    pub(crate) machine: Machine<PlainVault>,
    pub(crate) client: usize,
    calls: BTreeMap<u64, Purpose>,
    versions: Versions,
    journal: VecDeque<(Ticket, Vec<Record>)>,
    said: BTreeMap<String, Version>,
    dirty: IndexMap<String, Said>,
    is_saying: bool,
    claim: Claim,
    pub(crate) is_claimed: bool,
    pub(crate) is_in_touch: bool,
    timer: Option<u64>,
    /// The revision that its machine was told last.
    pub(crate) desired: Option<RevisionId>,
    is_retiring: bool,
    inbox: VecDeque<Event>,
    is_busy: bool,
}

/// What a call is for.
enum Purpose {
    Task(Task),
    Follow(Wait<Newer>),
    Say(String, Say),
    Claim,
    Watch,
}

#[derive(Clone, Debug)]
enum Said {
    Component(Name, Status),
    Server(ServerStatus),
}

/// How far it is with its place.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Claim {
    /// It does nothing about it: there is no connection, or no place.
    Idle,
    Making,
    Looking,
    Replacing,
    /// Another has it.
    Behind,
    Held {
        session: usize,
        made: i64,
    },
}

/// So much later, in milliseconds, nobody waits any more.
const LATE: u64 = 30 * 60 * 1000;

pub(crate) fn layout() -> Layout {
    Layout::new(STACK)
}

fn holder(host: usize) -> Rc<[u8]> {
    format!("h{host}").into_bytes().into()
}

impl World {
    pub(crate) fn add_host(&mut self, server: Name) -> usize {
        let host = self.hosts.len();
        self.say(|| format!("h{host} is a machine of {server}"));
        self.hosts.push(Host {
            server,
            disk: Disk::default(),
            agent: None,
            incarnation: 0,
            pause: None,
            pauses: 0,
            paused_for: 0,
            backlog: Vec::new(),
            is_full: false,
            wall: 0,
            processes: Vec::new(),
            is_destroyed: false,
            has_retired: false,
            is_late: false,
        });
        let is_late = host == 0 && self.faults.is_late;
        self.hosts[host].is_late = is_late;
        let delay = if is_late { self.faults.until + LATE } else { self.chance.between(0, 3_000) };
        self.after(delay, Happening::Boot { host });
        host
    }

    pub(crate) fn client_of(&self, host: usize) -> Option<usize> {
        self.hosts[host].agent.as_ref().map(|agent| agent.client)
    }

    /// Whether another machine was to take its place.
    pub(crate) fn is_replaced(&self, host: usize) -> bool {
        let server = &self.hosts[host].server;
        self.hosts[host + 1..].iter().any(|later| later.server == *server)
    }

    pub(crate) fn boot(&mut self, host: usize) {
        if std::mem::take(&mut self.hosts[host].is_late) {
            self.check_waits(host);
        }
        let state = &mut self.hosts[host];
        if state.agent.is_some() || state.is_destroyed || state.has_retired {
            return;
        }
        // What its predecessor left running is ended first.
        self.end_processes(host);
        let state = &mut self.hosts[host];
        state.incarnation += 1;
        let incarnation = state.incarnation;
        let replayed = match journal::replay(&state.disk.bytes) {
            Ok(replayed) => replayed,
            Err(damaged) => return self.breaks(|| format!("h{host}: a journal that a crash left: {damaged}")),
        };
        state.disk.bytes.truncate(replayed.whole);
        state.disk.memory = replayed.memory.clone();
        let server = state.server.clone();
        self.say(|| format!("h{host}: its agent starts, of {} records", replayed.lines));
        let setup = Setup {
            server: server.clone(),
            user_data: [(Name::from("told"), Value::from(format!("told {server}")))].into_iter().collect(),
            limits: Limits { deadline: Duration::from_secs(25), wait: Duration::from_mins(1) },
            vault: PlainVault::new(&*server),
        };
        let now = self.clock(host);
        let client = self.open_client(Owner::Agent { host, incarnation });
        self.hosts[host].agent = Some(Agent {
            machine: Machine::new(setup, replayed.memory, now),
            client,
            calls: BTreeMap::new(),
            versions: Versions::default(),
            journal: VecDeque::new(),
            said: BTreeMap::new(),
            dirty: IndexMap::default(),
            is_saying: false,
            claim: Claim::Idle,
            is_claimed: false,
            is_in_touch: true,
            timer: None,
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

    fn start(&mut self, host: usize, op: Op, purpose: Purpose) {
        let client = self.agent(host).client;
        let id = self.call(client, Call::new(op));
        self.agent(host).calls.insert(id, purpose);
    }

    fn follow(&mut self, host: usize) {
        let seen = self.agent(host).desired.clone();
        let mut request = Newer::wait(&layout(), seen);
        let op = request.begin();
        self.start(host, op, Purpose::Follow(request));
    }

    /// An event for a machine: at once, unless its agent is paused or gone.
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
            if let Event::Desired(Desired { revision, digest }) = &event {
                self.agent(host).desired = Some(RevisionId { revision: revision.clone(), digest: digest.clone() });
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
        if let Some(mut task) = Task::of(&action, &layout(), &server, &mut agent.versions) {
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
            Action::Explain(ticket, what, _) => {
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
            Action::Answered(question, result) => self.told(host, question, result.map(drop)),
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

    /// Somebody's guess, of which only whether it is near counts.
    fn causes(&mut self, what: &[Name]) -> Result<Vec<Cause>, String> {
        let Some(first) = what.first() else { return Ok(Vec::new()) };
        let server: Name = first.split('/').next().unwrap_or_default().into();
        match self.chance.below(4) {
            0 => Err("the data space does not answer".to_owned()),
            1 => Ok(vec![Cause::Away { server }]),
            2 => Ok(vec![Cause::NotReached { component: first.clone() }]),
            _ => Ok(Vec::new()),
        }
    }

    /// Says what is to be said next, one at a time: while this agent is the one that acts.
    fn publish(&mut self, host: usize) {
        let server = self.hosts[host].server.clone();
        let agent = self.agent(host);
        if agent.is_saying || !agent.is_claimed || !agent.is_in_touch {
            return;
        }
        let Some((path, said)) = agent.dirty.shift_remove_index(0) else { return };
        let known = agent.said.remove(&path);
        let mut say = match &said {
            Said::Component(name, status) => Say::of_component(&layout(), name, status, known),
            Said::Server(status) => Say::of_server(&layout(), &server, status, known),
        };
        agent.is_saying = true;
        let op = say.begin();
        self.start(host, op, Purpose::Say(path, say));
    }

    fn check_ended(&mut self, host: usize) {
        let agent = self.agent(host);
        if agent.is_retiring && agent.dirty.is_empty() && !agent.is_saying {
            self.say(|| format!("h{host}: its agent ends, the server has left the model"));
            let client = self.agent(host).client;
            self.hosts[host].agent = None;
            self.hosts[host].has_retired = true;
            self.close_client(client, true);
        }
    }

    fn write_journal(&mut self, host: usize) {
        let incarnation = self.hosts[host].incarnation;
        let delay = self.chance.between(1, if self.is_calm { 3 } else { self.faults.sync });
        self.after(delay, Happening::Synced { host, incarnation });
    }

    /// A write to disk has come to its end.
    pub(crate) fn synced(&mut self, host: usize, incarnation: u64) {
        if !self.is_there(host, incarnation) {
            return;
        }
        let Some((ticket, records)) = self.agent(host).journal.front().cloned() else { return };
        if self.hosts[host].is_full {
            self.after(5_000, Happening::Synced { host, incarnation });
            return self.tell(host, incarnation, Event::JournalFails(ticket));
        }
        self.agent(host).journal.pop_front();
        for record in &records {
            self.on_disk(host, record);
        }
        if !self.agent(host).journal.is_empty() {
            self.write_journal(host);
        }
        self.tell(host, incarnation, Event::Journalled(ticket));
    }

    fn on_disk(&mut self, host: usize, record: &Record) {
        let disk = &mut self.hosts[host].disk;
        disk.bytes.extend(journal::encode(record));
        disk.memory.note(record.clone());
        self.recorded(host, record);
    }

    /// The agent is gone at once; of what it was writing, anything may be on disk.
    pub(crate) fn crash(&mut self, host: usize) {
        let Some(mut agent) = self.hosts[host].agent.take() else { return };
        self.say(|| format!("h{host}: its agent crashes"));
        if let Some((_, records)) = agent.journal.pop_front().filter(|_| !self.hosts[host].is_full) {
            for record in &records {
                match self.chance.below(4) {
                    0 => break,
                    1 => self.on_disk(host, record),
                    2 => {
                        let line = journal::encode(record);
                        let cut = self.chance.index(line.len());
                        self.say(|| format!("h{host}: its journal is torn"));
                        self.hosts[host].disk.bytes.extend_from_slice(&line[..cut]);
                        break;
                    }
                    _ => {
                        let mut line = journal::encode(record);
                        let cut = self.chance.index(line.len() - 1) + 1;
                        line[..cut].fill(0);
                        self.hosts[host].disk.bytes.extend_from_slice(&line);
                        break;
                    }
                }
            }
        }
        self.hosts[host].pause = None;
        self.hosts[host].backlog.clear();
        self.close_client(agent.client, false);
        let most = if self.is_calm { 2_000 } else { 15_000 };
        let delay = self.chance.between(100, most);
        self.after(delay, Happening::Boot { host });
    }

    /// A machine goes for ever.
    pub(crate) fn destroy(&mut self, host: usize) {
        if std::mem::replace(&mut self.hosts[host].is_destroyed, true) {
            return;
        }
        self.say(|| format!("h{host} is destroyed"));
        self.end_processes(host);
        self.crash(host);
    }

    /// Another machine takes the place of one that still runs.
    pub(crate) fn replace(&mut self, host: usize) {
        if self.hosts[host].is_destroyed
            || self.hosts[host].has_retired
            || self.is_replaced(host)
            || self.hosts.len() > 12
        {
            return;
        }
        let server = self.hosts[host].server.clone();
        self.add_host(server);
        let delay = self.chance.between(0, 30_000);
        self.after(delay, Happening::Destroy { host });
    }

    pub(crate) fn wake(&mut self, host: usize, number: u64) {
        let Some(pause) = self.hosts[host].pause.filter(|pause| pause.number == number) else { return };
        let lasted = self.now - pause.since;
        self.say(|| format!("h{host}: wakes up"));
        self.hosts[host].pause = None;
        if pause.is_whole {
            self.hosts[host].paused_for += lasted;
        }
        let backlog = std::mem::take(&mut self.hosts[host].backlog);
        if self.hosts[host].agent.is_some() {
            if lasted > 3_000 {
                self.touch(host, false);
            }
            if self.hosts[host].agent.is_some() {
                self.feed(host, Event::Paused(Duration::from_millis(lasted)));
            }
        }
        for what in backlog {
            self.happens(what);
        }
        // Its connection has not answered for so long that the other side has ended it.
        if lasted > 3_000
            && let Some(client) = self.client_of(host)
        {
            if self.clients[client].is_connected {
                self.disconnect(client);
            }
            if self.hosts[host].agent.is_some() {
                self.touch(host, false);
            }
        }
    }

    pub(crate) fn pause_expires(&mut self, host: usize, number: u64) {
        let is_paused = self.hosts[host].pause.is_some_and(|pause| pause.number == number);
        if let Some(client) = self.client_of(host).filter(|_| is_paused)
            && let Some(session) = self.clients[client].session
        {
            self.end_session(session);
        }
    }

    fn touch(&mut self, host: usize, is_in_touch: bool) {
        if std::mem::replace(&mut self.agent(host).is_in_touch, is_in_touch) != is_in_touch {
            self.feed(host, Event::InTouch(is_in_touch));
        }
        if is_in_touch && self.hosts[host].agent.is_some() {
            self.publish(host);
        }
    }

    pub(crate) fn lease_ends(&mut self, host: usize, incarnation: u64, epoch: u64) {
        if !self.is_there(host, incarnation) || self.hosts[host].pause.is_some() {
            return;
        }
        let client = &self.clients[self.agent_client(host)];
        if client.epoch == epoch && !client.is_connected {
            self.touch(host, false);
        }
    }

    fn agent_client(&self, host: usize) -> usize {
        self.client_of(host).expect("INVARIANT: whoever asks has seen that there is an agent")
    }

    /// Its client is connected, in a new session or in the one that it had.
    pub(crate) fn connected(&mut self, host: usize, incarnation: u64, is_new: bool) {
        if !self.is_there(host, incarnation) {
            return;
        }
        let is_in_touch = self.agent(host).is_in_touch;
        match self.agent(host).claim {
            // Its place may have gone meanwhile, with all of the data space.
            Claim::Held { .. } if !is_new && !is_in_touch => self.look_at_place(host),
            Claim::Held { .. } if !is_new => {}
            Claim::Held { .. } | Claim::Idle => {
                if self.agent(host).is_claimed {
                    self.touch(host, false);
                }
                if self.hosts[host].agent.is_some() {
                    self.claim(host);
                }
            }
            // What was under way goes on.
            Claim::Making | Claim::Looking | Claim::Replacing | Claim::Behind => {}
        }
    }

    fn place(&self, host: usize) -> String {
        layout().alive(&self.hosts[host].server)
    }

    fn claim(&mut self, host: usize) {
        let (path, data) = (self.place(host), holder(host));
        self.agent(host).claim = Claim::Making;
        self.ask(host, Ask::Write(vec![Change::Create { path, data, ephemeral: true }]));
    }

    fn ask(&mut self, host: usize, ask: Ask) {
        let client = self.agent(host).client;
        let id = self.call(client, Call::plain(ask));
        self.agent(host).calls.insert(id, Purpose::Claim);
    }

    fn look_at_place(&mut self, host: usize) {
        let path = self.place(host);
        self.agent(host).claim = Claim::Looking;
        self.ask(host, Ask::Get { path, sync: true });
    }

    fn watch_place(&mut self, host: usize, path: String, seen: Option<Version>) {
        self.start(host, Op::Changed(path, seen), Purpose::Watch);
    }

    fn claim_hears(&mut self, host: usize, reply: Reply) {
        let Some(session) = self.clients[self.agent_client(host)].session else { return };
        match (self.agent(host).claim, reply) {
            (Claim::Making | Claim::Replacing, Reply::Written(..) | Reply::Exists) => self.look_at_place(host),
            (Claim::Replacing, Reply::NoNode | Reply::BadVersion) => self.claim(host),
            (Claim::Making, _) => {
                // There is no place for this server yet.
                self.agent(host).claim = Claim::Behind;
                let path = layout().server(&self.hosts[host].server);
                self.watch_place(host, path, None);
            }
            (Claim::Looking, Reply::Node(None)) => self.claim(host),
            (Claim::Looking, Reply::Node(Some(node))) => self.judge_place(host, session, &node),
            _ => {}
        }
    }

    fn judge_place(&mut self, host: usize, session: usize, node: &Data) {
        let path = self.place(host);
        if node.owner == Some(session) {
            self.say(|| format!("h{host}: has its place, in session {session}"));
            self.agent(host).claim = Claim::Held { session, made: node.made };
            self.watch_place(host, path, Some(node.version()));
            let is_first = !std::mem::replace(&mut self.agent(host).is_claimed, true);
            self.touch(host, true);
            if is_first && self.hosts[host].agent.is_some() {
                self.feed(host, Event::Claimed(true));
            }
            if self.hosts[host].agent.is_some() {
                self.publish(host);
            }
        } else if node.data == holder(host) {
            // Its own, of before a crash or of an older session: that is over, or will be.
            self.agent(host).claim = Claim::Replacing;
            let data = holder(host);
            let changes = vec![
                Change::Delete { path: path.clone(), count: Some(node.count) },
                Change::Create { path, data, ephemeral: true },
            ];
            self.ask(host, Ask::Write(changes));
        } else {
            self.say(|| format!("h{host}: another one has its place"));
            self.agent(host).claim = Claim::Behind;
            self.watch_place(host, path, Some(node.version()));
            self.is_displaced(host);
        }
    }

    fn is_displaced(&mut self, host: usize) {
        let agent = self.agent(host);
        agent.dirty.clear();
        if std::mem::replace(&mut agent.is_claimed, false) {
            self.feed(host, Event::Claimed(false));
        }
    }

    pub(crate) fn agent_hears(&mut self, host: usize, incarnation: u64, id: u64, outcome: Outcome) {
        if !self.is_there(host, incarnation) {
            return;
        }
        let Some(purpose) = self.agent(host).calls.remove(&id) else { return };
        match (purpose, outcome) {
            (Purpose::Task(mut task), Outcome::Answer(answer)) => {
                let mut versions = std::mem::take(&mut self.agent(host).versions);
                let step = task.answered(answer, &mut versions);
                self.agent(host).versions = versions;
                match step {
                    Step::Ask(op) => self.start(host, op, Purpose::Task(task)),
                    Step::Over(event) => {
                        self.feed(host, event.clone());
                        if self.faults.is_doubled && self.hosts[host].agent.is_some() && self.chance.once_in(5) {
                            self.feed(host, event);
                        }
                    }
                }
            }
            (Purpose::Follow(mut request), Outcome::Answer(answer)) => match request.answered(answer) {
                Step::Ask(op) => self.start(host, op, Purpose::Follow(request)),
                Step::Over(Ok((RevisionId { revision, digest }, _))) => {
                    let event = Event::Desired(Desired { revision, digest });
                    if self.faults.is_doubled && self.chance.once_in(3) {
                        self.feed(host, event.clone());
                    }
                    if self.hosts[host].agent.is_some() {
                        self.feed(host, event);
                    }
                    if self.hosts[host].agent.is_some() {
                        self.follow(host);
                    }
                }
                Step::Over(Err(refused)) => self.breaks(|| format!("h{host}: the goal: {refused}")),
            },
            (Purpose::Say(path, mut say), Outcome::Answer(answer)) => match say.answered(answer) {
                // Whoever has another's place says nothing more.
                Step::Ask(_) if !self.agent(host).is_claimed => {
                    self.agent(host).is_saying = false;
                    self.check_ended(host);
                }
                Step::Ask(op) => self.start(host, op, Purpose::Say(path, say)),
                Step::Over(result) => {
                    if let Ok(version) = result {
                        self.agent(host).said.insert(path, version);
                    }
                    self.agent(host).is_saying = false;
                    self.publish(host);
                    self.check_ended(host);
                }
            },
            (Purpose::Claim, Outcome::Plain(reply)) => self.claim_hears(host, reply),
            (Purpose::Watch, Outcome::Answer(Answer::Node(_))) => match self.agent(host).claim {
                Claim::Behind => self.claim(host),
                Claim::Held { .. } => {
                    self.touch(host, false);
                    if self.hosts[host].agent.is_some() {
                        self.look_at_place(host);
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }
}

fn short(text: &str) -> String {
    text.replace("Name", "").chars().take(300).collect()
}
