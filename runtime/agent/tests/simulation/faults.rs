//! The faults, and when they occur.

use super::agent::Pause;
use super::chance::Chance;
use super::happening::Happening;
use super::world::{SESSION, World};

/// The possible faults of a schedule: few in most, so that each occurs alone and in combinations.
#[derive(Clone, Debug)]
pub(crate) struct Faults {
    pub(crate) until: u64,
    gap: u64,
    kinds: Vec<FaultKind>,
    /// The maximum latency of a message, in milliseconds.
    pub(crate) latency: u64,
    /// The maximum lag of a member, in milliseconds.
    pub(crate) lag: u64,
    /// The maximum duration of a write to disk, in milliseconds.
    pub(crate) sync: u64,
    /// An agent crashes once in so many actions.
    pub(crate) crash_in: u64,
    /// A disk fills up once in so many ends of recipes.
    pub(crate) fills_in: u64,
    pub(crate) is_doubled: bool,
    /// A server starts very late.
    pub(crate) is_late: bool,
    pub(crate) operator_stops_in: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum FaultKind {
    Crash,
    Reboot,
    Disconnect,
    Partition,
    Expire,
    Pause,
    FullDisk,
    Clock,
    Apply,
    ApplyTwice,
    Replace,
    Lose,
}

const KINDS: [FaultKind; 12] = [
    FaultKind::Crash,
    FaultKind::Reboot,
    FaultKind::Disconnect,
    FaultKind::Partition,
    FaultKind::Expire,
    FaultKind::Pause,
    FaultKind::FullDisk,
    FaultKind::Clock,
    FaultKind::Apply,
    FaultKind::ApplyTwice,
    FaultKind::Replace,
    FaultKind::Lose,
];

impl Faults {
    pub(crate) fn draw(chance: &mut Chance) -> Self {
        let often = [2, 4][chance.index(2)];
        let mut kinds: Vec<FaultKind> = KINDS.into_iter().filter(|_| chance.once_in(often)).collect();
        if chance.once_in(2) {
            kinds.push(FaultKind::Apply);
        }
        let fills_in = if kinds.contains(&FaultKind::FullDisk) { 6 } else { 0 };
        Self {
            until: chance.between(10_000, 60_000),
            gap: [500, 2_000, 6_000][chance.index(3)],
            kinds,
            latency: [3, 30, 400][chance.index(3)],
            lag: [5, 300, 4_000][chance.index(3)],
            sync: [3, 30, 1_500][chance.index(3)],
            crash_in: [0, 0, 30, 150, 600][chance.index(5)],
            fills_in,
            is_doubled: chance.once_in(4),
            is_late: chance.once_in(12),
            operator_stops_in: [0, 0, 8][chance.index(3)],
        }
    }

    pub(crate) fn gap(&self, chance: &mut Chance) -> u64 {
        chance.between(20, self.gap * 2)
    }
}

impl World {
    pub(crate) fn fault(&mut self) {
        if self.is_calm {
            return;
        }
        let gap = self.faults.gap(&mut self.chance);
        self.after(gap, Happening::Fault);
        if self.faults.kinds.is_empty() {
            return;
        }
        let kind = self.faults.kinds[self.chance.index(self.faults.kinds.len())];
        let host = self.chance.index(self.hosts.len());
        match kind {
            FaultKind::Crash => self.crash(host),
            FaultKind::Reboot => {
                self.say(|| format!("h{host}: reboots"));
                self.end_processes(host);
                self.crash(host);
            }
            FaultKind::Disconnect => {
                if let Some(client) = self.client_of(host) {
                    self.disconnect(client);
                }
            }
            FaultKind::Partition => {
                if let Some(client) = self.client_of(host) {
                    self.say(|| format!("h{host}: is cut off from the store"));
                    self.clients[client].is_apart = true;
                    self.disconnect(client);
                    let delay = self.chance.between(500, 20_000);
                    self.after(delay, Happening::Heal { client });
                }
            }
            FaultKind::Expire => {
                if let Some(client) = self.client_of(host)
                    && let Some(session) = self.clients[client].session
                {
                    self.disconnect(client);
                    // Its client is notified so late that it can no longer be sure of its place.
                    self.clients[client].is_apart = true;
                    let delay = SESSION + self.chance.between(100, 3_000);
                    self.after(delay, Happening::Heal { client });
                    self.say(|| format!("h{host}: session {session} will not be kept"));
                }
            }
            FaultKind::Pause => self.pause(host),
            FaultKind::FullDisk => self.fill(host),
            FaultKind::Clock => {
                let jump = self.chance.between(0, 8_000_000);
                self.say(|| format!("h{host}: its clock jumps to {jump} ms off"));
                self.hosts[host].wall = jump;
            }
            FaultKind::Apply => {
                let (operator, again) = (self.chance.index(2), self.chance.flip());
                self.after(0, Happening::Apply { operator, again });
            }
            FaultKind::ApplyTwice => {
                let delay = self.chance.between(0, 300);
                self.after(0, Happening::Apply { operator: 0, again: true });
                self.after(delay, Happening::Apply { operator: 1, again: true });
            }
            FaultKind::Replace => self.replace(host),
            FaultKind::Lose => {
                if self.chance.once_in(3) {
                    self.lose();
                }
            }
        }
    }

    /// Fills the disk of a host, for some time.
    pub(crate) fn fill(&mut self, host: usize) {
        if std::mem::replace(&mut self.hosts[host].is_full, true) {
            return;
        }
        self.say(|| format!("h{host}: its disk is full"));
        let delay = self.chance.between(200, 40_000);
        self.after(delay, Happening::Room { host });
        // Somebody restarts it because nothing happens.
        if self.chance.flip() {
            let before = self.chance.between(100, delay);
            self.after(before, Happening::Crash { host });
        }
    }

    fn pause(&mut self, host: usize) {
        if self.hosts[host].pause.is_some() || self.hosts[host].is_destroyed {
            return;
        }
        let is_whole = self.chance.flip();
        let lasts = self.chance.between(500, 25_000);
        self.say(|| format!("h{host}: {} is paused for {lasts} ms", if is_whole { "all of it" } else { "its agent" }));
        let number = self.hosts[host].pauses + 1;
        let host_state = &mut self.hosts[host];
        host_state.pauses = number;
        host_state.pause = Some(Pause { since: self.now, number, is_whole });
        self.after(lasts, Happening::Wake { host, pause: number });
        self.after(SESSION, Happening::PauseExpires { host, pause: number });
    }

    /// Ends all faults, and repairs what is broken.
    pub(crate) fn calm(&mut self) {
        self.say(|| "no more faults".to_owned());
        self.is_calm = true;
        for host in 0..self.hosts.len() {
            if let Some(Pause { number, .. }) = self.hosts[host].pause {
                self.wake(host, number);
            }
            self.hosts[host].room_since = self.now;
            self.hosts[host].is_full = false;
        }
        for client in &mut self.clients {
            client.is_apart = false;
        }
        for host in 0..self.hosts.len() {
            // The present holder of the place is removed now, or stays.
            if self.hosts[host].is_visitor && self.hosts[host].agent.as_ref().is_some_and(|agent| agent.is_claimed) {
                self.destroy(host);
            }
            self.hosts[host].is_visitor &= self.hosts[host].is_destroyed;
        }
        let doubled: Vec<usize> = (0..self.hosts.len()).filter(|host| self.is_replaced(*host)).collect();
        for host in doubled {
            self.destroy(host);
        }
        // Complete what was interrupted. Apply nothing else, which would unblock what hangs.
        self.after(1_000, Happening::Complete { operator: 0 });
    }
}
