//! The place of a server, which one agent holds at a time: taking, watching and losing it.

use std::rc::Rc;

use wattle_agent_core::machine::Event;
use wattle_agent_core::node::Version;
use wattle_agent_core::request::Op;

use crate::call::Call;
use crate::happening::Happening;
use crate::store::{Ask, Change, Data, Reply};
use crate::world::{LEASE, SESSION, World};

use super::asks::Purpose;
use super::layout;

/// The progress of claiming a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Claim {
    /// Nothing is in progress: there is no connection, or no place.
    Idle,
    Making,
    Looking,
    /// It is taking the place of the node created at that transaction.
    Replacing(i64),
    /// It may have taken another agent's place, which gets the time to notice.
    Yielding,
    /// Another agent holds it.
    Behind,
    Held,
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
        if !self.is_there(host, incarnation) {
            return;
        }
        if self.hosts[host].pause.is_some() {
            self.hosts[host].backlog.push(Happening::LeaseEnds { host, incarnation, epoch });
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

    /// Handles the connection of its client, in a new session or in the former one.
    pub(crate) fn connected(&mut self, host: usize, incarnation: u64, is_new: bool) {
        if !self.is_there(host, incarnation) {
            return;
        }
        let is_in_touch = self.agent(host).is_in_touch;
        let session = self.clients[self.agent_client(host)].session;
        let session = session.and_then(|session| i64::try_from(session).ok()).unwrap_or(-1);
        self.agent(host).versions.in_session(session);
        let claim = self.agent(host).claim;
        if matches!(claim, Claim::Making | Claim::Looking | Claim::Replacing(_)) {
            // The fate of its request is unknown.
            self.agent(host).may_have_taken |= matches!(claim, Claim::Replacing(_));
            if let Some(id) = self.agent(host).claiming.take() {
                let client = self.agent_client(host);
                self.agent(host).calls.remove(&id);
                self.cancel(client, id);
            }
            return self.claim(host);
        }
        match claim {
            // Its place may have gone meanwhile, with all of the data space.
            Claim::Held if !is_new && !is_in_touch => self.look_at_place(host),
            Claim::Held if !is_new => {}
            Claim::Held | Claim::Idle => {
                if self.agent(host).is_claimed {
                    self.touch(host, false);
                }
                if self.hosts[host].agent.is_some() {
                    self.claim(host);
                }
            }
            // Pending requests continue.
            Claim::Making | Claim::Looking | Claim::Replacing(_) | Claim::Yielding | Claim::Behind => {}
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
        self.agent(host).asked = self.now;
        let id = self.call(client, Call::plain(ask));
        self.agent(host).calls.insert(id, Purpose::Claim);
        self.agent(host).claiming = Some(id);
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
        self.agent(host).claiming = None;
        match (self.agent(host).claim, reply) {
            (Claim::Making, Reply::Written(..) | Reply::Exists) => self.look_at_place(host),
            (Claim::Replacing(former), Reply::Written(_, was)) if was == former => self.look_at_place(host),
            (Claim::Replacing(_), Reply::Written(..)) => self.yields(host),
            (Claim::Replacing(_), _) => {
                self.agent(host).may_have_taken = false;
                self.claim(host);
            }
            (Claim::Making, _) => {
                // There is no place for this server yet.
                self.agent(host).claim = Claim::Behind;
                let path = layout().agent(&self.hosts[host].server);
                self.watch_place(host, path, None);
            }
            (Claim::Looking, Reply::Node(None)) => self.claim(host),
            (Claim::Looking, Reply::Node(Some(node))) => self.judge_place(host, session, &node),
            _ => {}
        }
    }

    /// Gives the creator of the replaced node as long as a session lasts to notice.
    fn yields(&mut self, host: usize) {
        let incarnation = self.hosts[host].incarnation;
        self.agent(host).may_have_taken = false;
        self.agent(host).claim = Claim::Yielding;
        self.after(SESSION, Happening::Yielded { host, incarnation });
    }

    pub(crate) fn yielded(&mut self, host: usize, incarnation: u64) {
        if !self.is_there(host, incarnation) {
            return;
        }
        if self.hosts[host].pause.is_some() {
            return self.hosts[host].backlog.push(Happening::Yielded { host, incarnation });
        }
        if self.agent(host).claim == Claim::Yielding {
            self.look_at_place(host);
        }
    }

    fn judge_place(&mut self, host: usize, session: usize, node: &Data) {
        let path = self.place(host);
        let agent = self.agent(host);
        // Its own node of an older session or, at the start, its predecessor's in the same folder.
        let is_former = agent.place == Some(node.made) || agent.begins && node.data == holder(host);
        if node.owner == Some(session) && agent.may_have_taken {
            self.yields(host);
        } else if node.owner == Some(session) && self.now >= self.agent(host).asked + LEASE {
            // So long ago that another agent may hold it since.
            self.look_at_place(host);
        } else if node.owner == Some(session) {
            self.has_place(host, session, node);
        } else if is_former {
            self.agent(host).claim = Claim::Replacing(node.made);
            let data = holder(host);
            let changes = vec![
                Change::Set { path: path.clone(), data: Rc::clone(&data), count: Some(node.count) },
                Change::Delete { path: path.clone(), count: Some(node.count + 1) },
                Change::Create { path, data, ephemeral: true },
            ];
            self.ask(host, Ask::Write(changes));
        } else {
            self.say(|| format!("h{host}: another one has its place"));
            self.agent(host).claim = Claim::Behind;
            self.agent(host).place = None;
            self.watch_place(host, path, Some(node.version()));
            self.is_displaced(host);
        }
    }

    fn has_place(&mut self, host: usize, session: usize, node: &Data) {
        self.say(|| format!("h{host}: has its place, in session {session}"));
        let path = self.place(host);
        let agent = self.agent(host);
        (agent.claim, agent.begins) = (Claim::Held, false);
        let is_anew = agent.place.replace(node.made) != Some(node.made);
        let is_first = !std::mem::replace(&mut agent.is_claimed, true);
        self.watch_place(host, path, Some(node.version()));
        if is_first && self.hosts[host].is_visitor && !self.is_calm {
            let delay = self.chance.between(0, 4_000);
            self.after(delay, Happening::Destroy { host });
        }
        if (is_first || is_anew) && self.hosts[host].agent.is_some() {
            self.feed(host, Event::Claimed(true));
        }
        if self.hosts[host].agent.is_some() {
            self.touch(host, true);
        }
        if self.hosts[host].agent.is_some() {
            self.publish(host);
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
