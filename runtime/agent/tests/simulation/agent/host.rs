//! Machines, on each of which an agent acts for a server: they crash, are suspended, resume, and are replaced.

use std::time::Duration;

use wattle_agent_core::machine::Event;
use wattle_model::Name;

use crate::happening::Happening;
use crate::process::Process;
use crate::world::World;

use super::Agent;
use super::disk::Disk;

/// A machine with a disk, on which an agent acts for a server.
pub(crate) struct Host {
    pub(crate) server: Name,
    pub(crate) disk: Disk,
    pub(crate) agent: Option<Agent>,
    pub(crate) incarnation: u64,
    pub(crate) pause: Option<Pause>,
    pub(crate) pauses: u64,
    /// How long it or its agent was suspended.
    pub(crate) paused_for: u64,
    /// Since when its agent has had contact with the store, if it has.
    pub(crate) hears_since: u64,
    /// Since when its agent has its session.
    pub(crate) session_since: u64,
    pub(crate) backlog: Vec<Happening>,
    pub(crate) is_full: bool,
    /// When there was room on its disk again.
    pub(crate) room_since: u64,
    /// How far its clock is ahead, in milliseconds.
    pub(crate) wall: u64,
    pub(crate) processes: Vec<Process>,
    pub(crate) is_destroyed: bool,
    /// Whether it is removed soon after it replaced another machine, which stays.
    pub(crate) is_visitor: bool,
    /// Whether it starts only when all waits for it have ended.
    pub(crate) is_late: bool,
    /// Whether its agent has ended because the server has left the model.
    pub(crate) has_retired: bool,
}

#[derive(Clone, Copy)]
pub(crate) struct Pause {
    pub(crate) since: u64,
    pub(crate) number: u64,
    /// Whether the whole machine is suspended, not only its agent.
    pub(crate) is_whole: bool,
}

/// The time after which no waits are left, in milliseconds.
const LATE: u64 = 30 * 60 * 1000;

impl Host {
    /// Whether it existed only for a moment.
    pub(crate) fn is_gone(&self) -> bool {
        self.is_visitor && self.is_destroyed
    }
}

impl World {
    /// The machine that finally acts for a server.
    pub(crate) fn machine_of(&self, server: &Name) -> Option<usize> {
        self.hosts.iter().rposition(|host| host.server == *server && !host.is_gone())
    }

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
            hears_since: 0,
            session_since: 0,
            backlog: Vec::new(),
            is_full: false,
            room_since: 0,
            wall: 0,
            processes: Vec::new(),
            is_destroyed: false,
            is_visitor: false,
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

    /// The time by which its agent was not paused.
    pub(crate) fn awake(&self, host: usize) -> u64 {
        let Host { pause, paused_for, .. } = &self.hosts[host];
        self.now - paused_for - pause.as_ref().map_or(0, |pause| self.now - pause.since)
    }

    /// Whether its agent is notified about its place.
    pub(crate) fn is_heard(&self, host: usize) -> bool {
        let is_connected = self.client_of(host).is_some_and(|client| self.clients[client].is_connected);
        is_connected && self.hosts[host].pause.is_none()
    }

    /// Whether another machine has taken its place.
    pub(crate) fn is_replaced(&self, host: usize) -> bool {
        let server = &self.hosts[host].server;
        self.hosts[host + 1..].iter().any(|later| later.server == *server && !later.is_gone())
    }

    /// Crashes the agent; any part of a pending write may be on disk.
    pub(crate) fn crash(&mut self, host: usize) {
        let Some(mut agent) = self.hosts[host].agent.take() else { return };
        self.say(|| format!("h{host}: its agent crashes"));
        if let Some((_, records)) = agent.journal.pop_front().filter(|_| !self.hosts[host].is_full) {
            self.tear(host, &records);
        }
        if let Some(pause) = self.hosts[host].pause.take() {
            self.hosts[host].paused_for += self.now - pause.since;
        }
        self.hosts[host].backlog.clear();
        self.close_client(agent.client, false);
        let most = if self.is_calm { 2_000 } else { 15_000 };
        let delay = self.chance.between(100, most);
        self.after(delay, Happening::Boot { host });
    }

    /// Removes a machine for good.
    pub(crate) fn destroy(&mut self, host: usize) {
        if std::mem::replace(&mut self.hosts[host].is_destroyed, true) {
            return;
        }
        self.say(|| format!("h{host} is destroyed"));
        self.end_processes(host);
        if let Some(client) = self.client_of(host).filter(|_| self.hosts[host].is_visitor) {
            // Its place is free at once.
            self.close_client(client, true);
        }
        self.crash(host);
    }

    /// Lets another machine take the place of one that still runs.
    pub(crate) fn replace(&mut self, host: usize) {
        if self.hosts[host].is_destroyed
            || self.hosts[host].has_retired
            || self.is_replaced(host)
            || self.hosts.len() > 12
        {
            return;
        }
        let server = self.hosts[host].server.clone();
        let newcomer = self.add_host(server);
        if self.chance.once_in(3) {
            self.hosts[newcomer].is_visitor = true;
            return;
        }
        let delay = self.chance.between(0, 30_000);
        self.after(delay, Happening::Destroy { host });
    }

    pub(crate) fn wake(&mut self, host: usize, number: u64) {
        let Some(pause) = self.hosts[host].pause.filter(|pause| pause.number == number) else { return };
        let lasted = self.now - pause.since;
        self.say(|| format!("h{host}: wakes up"));
        self.hosts[host].pause = None;
        self.hosts[host].paused_for += lasted;
        self.hosts[host].hears_since = self.now;
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
        // Its connection has been silent for so long that the peer has closed it.
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
}
