//! The place of a server, which one agent has at a time: taken, watched, and lost.

use std::rc::Rc;

use wattle_agent_core::machine::Event;
use wattle_agent_core::node::Version;
use wattle_agent_core::request::Op;

use crate::call::Call;
use crate::store::{Ask, Change, Data, Reply};
use crate::world::World;

use super::asks::Purpose;
use super::layout;

/// How far it is with its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Claim {
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

fn holder(host: usize) -> Rc<[u8]> {
    format!("h{host}").into_bytes().into()
}

impl World {
    pub(super) fn touch(&mut self, host: usize, is_in_touch: bool) {
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

    pub(super) fn claim(&mut self, host: usize) {
        let (path, data) = (self.place(host), holder(host));
        self.agent(host).claim = Claim::Making;
        self.ask(host, Ask::Write(vec![Change::Create { path, data, ephemeral: true }]));
    }

    fn ask(&mut self, host: usize, ask: Ask) {
        let client = self.agent(host).client;
        let id = self.call(client, Call::plain(ask));
        self.agent(host).calls.insert(id, Purpose::Claim);
    }

    pub(super) fn look_at_place(&mut self, host: usize) {
        let path = self.place(host);
        self.agent(host).claim = Claim::Looking;
        self.ask(host, Ask::Get { path, sync: true });
    }

    fn watch_place(&mut self, host: usize, path: String, seen: Option<Version>) {
        self.start(host, Op::Changed(path, seen), Purpose::Watch);
    }

    pub(super) fn claim_hears(&mut self, host: usize, reply: Reply) {
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
}
