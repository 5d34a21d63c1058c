//! Clients of the store, their sessions, and the fate of messages.

use std::collections::{BTreeMap, VecDeque};

use super::call::{Call, Next, Outcome};
use super::happening::Happening;
use super::store::{Ask, MEMBERS, Reply};
use super::world::{LEASE, SESSION, World};

/// The owner of a client.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Owner {
    Agent { host: usize, incarnation: u64 },
    Operator(usize),
}

/// A message to a client.
#[derive(Clone, Debug)]
pub(crate) enum Message {
    Reply(u64, Reply),
    Watch(String),
}

#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) owner: Owner,
    pub(crate) session: Option<usize>,
    pub(crate) is_connected: bool,
    pub(crate) epoch: u64,
    outbox: VecDeque<(u64, Ask)>,
    up: u64,
    down: u64,
    calls: BTreeMap<u64, Call>,
    last: u64,
    pub(crate) is_apart: bool,
    pub(crate) is_gone: bool,
}

impl World {
    pub(crate) fn open_client(&mut self, owner: Owner) -> usize {
        self.clients.push(Client {
            owner,
            session: None,
            is_connected: false,
            epoch: 0,
            outbox: VecDeque::new(),
            up: 0,
            down: 0,
            calls: BTreeMap::new(),
            last: 0,
            is_apart: false,
            is_gone: false,
        });
        let client = self.clients.len() - 1;
        let delay = self.latency();
        self.after(delay, Happening::Reconnect { client, epoch: 0 });
        client
    }

    fn latency(&mut self) -> u64 {
        let most = if self.is_calm { 5 } else { self.faults.latency };
        self.chance.between(1, most)
    }

    pub(crate) fn call(&mut self, client: usize, call: Call) -> u64 {
        let state = &mut self.clients[client];
        state.last += 1;
        let id = state.last;
        let ask = call.ask();
        state.calls.insert(id, call);
        if let Some(ask) = ask {
            self.send(client, id, ask);
        }
        id
    }

    pub(crate) fn cancel(&mut self, client: usize, id: u64) {
        self.clients[client].calls.remove(&id);
    }

    fn send(&mut self, client: usize, id: u64, ask: Ask) {
        if !self.clients[client].is_connected {
            return;
        }
        let at = self.now + self.latency();
        let state = &mut self.clients[client];
        state.up = state.up.max(at);
        state.outbox.push_back((id, ask));
        let (at, epoch) = (state.up, state.epoch);
        self.at(at, Happening::Up { client, epoch });
    }

    pub(crate) fn arrives(&mut self, client: usize, epoch: u64) {
        if self.clients[client].epoch == epoch {
            self.carry_out(client, true);
        }
    }

    /// Lets a member carry out the next request of a client.
    fn carry_out(&mut self, client: usize, is_heard: bool) {
        let Some((id, ask)) = self.clients[client].outbox.pop_front() else { return };
        // Requests of an expired session are not carried out.
        let session = self.clients[client].session.filter(|session| !self.store.sessions[*session].over);
        let Some(session) = session else { return };
        let before = self.store.last;
        let (fired, reply, set) = self.store.answer(session, &ask);
        if let Some(place) = self.store.mistaken.take().filter(|_| matches!(reply, Reply::Written(..))) {
            self.say(|| format!("store: `{place}` is taken from another one than was thought"));
            self.oracle.mistaken.insert(place, self.now);
        }
        self.fire(fired);
        if is_heard {
            self.answer(client, Message::Reply(id, reply));
        }
        self.committed(session, &set);
        self.spread(before);
    }

    /// Replicates writes to the other members, sooner or later.
    pub(crate) fn spread(&mut self, before: i64) {
        let to = self.store.last;
        if to == before {
            return;
        }
        for member in 0..MEMBERS {
            let most = if self.is_calm { 20 } else { self.faults.lag };
            let delay = self.chance.between(1, most);
            self.after(delay, Happening::Advance { member, to });
        }
    }

    pub(crate) fn fire(&mut self, fired: Vec<(usize, String)>) {
        for (session, path) in fired {
            let client = self.store.sessions[session].client;
            if self.clients[client].session == Some(session) {
                self.answer(client, Message::Watch(path));
            }
        }
    }

    fn answer(&mut self, client: usize, message: Message) {
        if !self.clients[client].is_connected {
            return;
        }
        let at = self.now + self.latency();
        let state = &mut self.clients[client];
        state.down = state.down.max(at);
        let (at, epoch) = (state.down, state.epoch);
        self.at(at, Happening::Down { client, epoch, message });
    }

    pub(crate) fn hears(&mut self, client: usize, epoch: u64, message: Message) {
        if self.clients[client].epoch != epoch || self.clients[client].is_gone {
            return;
        }
        if let Owner::Agent { host, .. } = self.clients[client].owner
            && self.hosts[host].pause.is_some()
        {
            self.hosts[host].backlog.push(Happening::Down { client, epoch, message });
            return;
        }
        match message {
            Message::Watch(path) => {
                let notified: Vec<u64> = self.clients[client]
                    .calls
                    .iter_mut()
                    .filter(|(_, call)| call.waits_for(&path))
                    .map(|(id, call)| {
                        call.notified();
                        *id
                    })
                    .collect();
                for id in notified {
                    if let Some(ask) = self.clients[client].calls.get(&id).and_then(Call::ask) {
                        self.send(client, id, ask);
                    }
                }
            }
            Message::Reply(id, reply) => {
                let Some(call) = self.clients[client].calls.get_mut(&id) else { return };
                match call.answered(reply) {
                    Next::Wait => {}
                    Next::Send(ask) => self.send(client, id, ask),
                    Next::Done(outcome) => {
                        self.clients[client].calls.remove(&id);
                        self.outcome(client, id, outcome);
                    }
                }
            }
        }
    }

    fn outcome(&mut self, client: usize, id: u64, outcome: Outcome) {
        match self.clients[client].owner {
            Owner::Agent { host, incarnation } => self.agent_hears(host, incarnation, id, outcome),
            Owner::Operator(operator) => self.operator_hears(operator, id, outcome),
        }
    }

    /// Breaks the connection: some of the pending requests were carried out.
    pub(crate) fn disconnect(&mut self, client: usize) {
        if !self.clients[client].is_connected {
            return;
        }
        let under_way = self.clients[client].outbox.len();
        let arrived = self.chance.index(under_way + 1);
        self.say(|| format!("client {client}: its connection breaks, {arrived} of {under_way} requests arrived"));
        for _ in 0..arrived {
            self.carry_out(client, false);
        }
        let state = &mut self.clients[client];
        state.is_connected = false;
        state.epoch += 1;
        state.outbox.clear();
        state.calls.values_mut().for_each(|call| call.lost(true));
        let (epoch, session) = (state.epoch, state.session);
        if let Some(session) = session {
            self.store.sessions[session].member = None;
            self.after(SESSION, Happening::Expire { session, client, epoch });
        }
        if self.clients[client].is_gone {
            return;
        }
        let delay = self.chance.between(20, 800);
        self.after(delay, Happening::Reconnect { client, epoch });
        if let Owner::Agent { host, incarnation } = self.clients[client].owner {
            self.after(LEASE, Happening::LeaseEnds { host, incarnation, epoch });
        }
    }

    pub(crate) fn expire(&mut self, session: usize, client: usize, epoch: u64) {
        let state = &self.clients[client];
        if state.session == Some(session) && (state.epoch != epoch || state.is_connected) {
            return;
        }
        self.end_session(session);
    }

    pub(crate) fn end_session(&mut self, session: usize) {
        if self.store.sessions[session].over {
            return;
        }
        self.say(|| format!("session {session} is over"));
        let before = self.store.last;
        self.store.end(session);
        self.spread(before);
    }

    pub(crate) fn reconnect(&mut self, client: usize, epoch: u64) {
        let state = &self.clients[client];
        if state.epoch != epoch || state.is_connected || state.is_gone {
            return;
        }
        if let Owner::Agent { host, .. } = state.owner
            && self.hosts[host].pause.is_some()
        {
            self.hosts[host].backlog.push(Happening::Reconnect { client, epoch });
            return;
        }
        if state.is_apart {
            let delay = self.chance.between(300, 3_000);
            return self.after(delay, Happening::Reconnect { client, epoch });
        }
        let is_new = match state.session {
            Some(session) if !self.store.sessions[session].over => false,
            _ => {
                self.clients[client].session = Some(self.store.open(client));
                true
            }
        };
        let session = self.clients[client].session.expect("INVARIANT: it was just opened, or is there");
        let member = self.chance.index(MEMBERS);
        self.clients[client].is_connected = true;
        let mut fired = self.store.connect(session, member);
        if is_new {
            // A session begins with a sync.
            fired.extend(self.store.advance(member, self.store.last));
        }
        self.say(|| format!("client {client}: connected to member {member} in session {session}"));
        self.fire(fired);
        if let Owner::Agent { host, incarnation } = self.clients[client].owner {
            self.hosts[host].hears_since = self.now;
            if is_new {
                self.hosts[host].session_since = self.now;
                self.clients[client].calls.values_mut().for_each(Call::moves);
            }
            self.connected(host, incarnation, is_new);
        }
        let calls: Vec<(u64, Ask)> =
            self.clients[client].calls.iter().filter_map(|(id, call)| Some((*id, call.ask()?))).collect();
        for (id, ask) in calls {
            // The owner may have sent or withdrawn requests when notified of the connection.
            let is_sent = self.clients[client].outbox.iter().any(|(sent, _)| *sent == id);
            if !is_sent && self.clients[client].calls.contains_key(&id) {
                self.send(client, id, ask);
            }
        }
    }

    /// Closes a client, with or without its session.
    pub(crate) fn close_client(&mut self, client: usize, ends_session: bool) {
        self.clients[client].is_gone = true;
        if self.clients[client].is_connected {
            self.disconnect(client);
        }
        if ends_session && let Some(session) = self.clients[client].session {
            self.end_session(session);
        }
    }
}
