//! The world of a schedule: a clock, a queue of events, and all participants.

use std::collections::BinaryHeap;
use std::rc::Rc;

use super::agent::Host;
use super::chance::Chance;
use super::faults::Faults;
use super::happening::{Happening, Scheduled};
use super::net::Client;
use super::operator::Operator;
use super::oracle::Oracle;
use super::store::Store;
use super::topology::Model;

/// How long a silent session lasts.
pub(crate) const SESSION: u64 = 10_000;

/// How long after the last news an agent may have been replaced.
pub(crate) const LEASE: u64 = 6_000;

/// All participants.
pub(crate) struct World {
    pub(crate) chance: Chance,
    /// In milliseconds.
    pub(crate) now: u64,
    number: u64,
    queue: BinaryHeap<Scheduled>,
    pub(crate) store: Store,
    pub(crate) clients: Vec<Client>,
    pub(crate) hosts: Vec<Host>,
    pub(crate) operators: Vec<Operator>,
    pub(crate) oracle: Oracle,
    pub(crate) faults: Faults,
    /// The models applied so far, and the next one.
    pub(crate) models: Vec<Rc<Model>>,
    pub(crate) is_calm: bool,
    /// Whether faults have ended, and the next model changes a part of everything.
    pub(crate) is_partial: bool,
    pub(crate) runs: u64,
    pub(crate) questions: u64,
    pub(crate) happened: u64,
    trace: Option<Vec<String>>,
    pub(crate) broken: Option<String>,
}

/// The result of a schedule.
pub(crate) struct Went {
    pub(crate) broken: Option<String>,
    pub(crate) trace: Vec<String>,
    pub(crate) happened: u64,
}

/// The maximum number of events of a schedule that settles.
const MOST: u64 = 400_000;

/// The time after the faults that is enough for everything: waits, deadlines, teardowns.
const PATIENCE: u64 = 60 * 60 * 1000;

impl World {
    pub(crate) fn new(seed: u64, is_traced: bool) -> Self {
        let mut chance = Chance::new(seed);
        let faults = Faults::draw(&mut chance);
        Self {
            chance,
            now: 0,
            number: 0,
            queue: BinaryHeap::new(),
            store: Store::default(),
            clients: Vec::new(),
            hosts: Vec::new(),
            operators: Vec::new(),
            oracle: Oracle::default(),
            faults,
            models: Vec::new(),
            is_calm: false,
            is_partial: false,
            runs: 0,
            questions: 0,
            happened: 0,
            trace: is_traced.then(Vec::new),
            broken: None,
        }
    }

    pub(crate) fn is_traced(&self) -> bool {
        self.trace.is_some()
    }

    pub(crate) fn say(&mut self, text: impl FnOnce() -> String) {
        if let Some(trace) = &mut self.trace {
            let text: String = text().chars().take(400).collect();
            trace.push(format!("{:>8}.{:03} {text}", self.now / 1000, self.now % 1000));
        }
    }

    /// Records a violated invariant.
    pub(crate) fn breaks(&mut self, what: impl FnOnce() -> String) {
        if self.broken.is_none() {
            let text = what();
            self.say(|| format!("BROKEN: {text}"));
            self.broken = Some(text);
        }
    }

    pub(crate) fn after(&mut self, delay: u64, what: Happening) {
        self.at(self.now + delay, what);
    }

    pub(crate) fn at(&mut self, at: u64, what: Happening) {
        self.number += 1;
        self.queue.push(Scheduled { at: at.max(self.now), number: self.number, what });
    }

    /// Runs the schedule of a seed.
    pub(crate) fn run(seed: u64, is_traced: bool) -> Went {
        let mut world = Self::new(seed, is_traced);
        world.begin();
        // With faults, and until everything has settled.
        world.go_on(u64::MAX);
        if world.broken.is_none() {
            world.check_settled(false);
        }
        // The last revision is undisturbed.
        if world.broken.is_none() {
            world.say(|| "the last revision".to_owned());
            world.after(0, Happening::Apply { operator: 0, again: true });
            world.go_on(u64::MAX);
        }
        if world.broken.is_none() {
            world.check_settled(true);
        }
        // So is the one after it, in which only a part changes.
        if world.broken.is_none() {
            world.say(|| "one in which not everything changes".to_owned());
            world.is_partial = true;
            world.after(0, Happening::Apply { operator: 0, again: false });
            world.go_on(u64::MAX);
        }
        if world.broken.is_none() {
            world.check_settled(true);
        }
        Went { broken: world.broken, trace: world.trace.unwrap_or_default(), happened: world.happened }
    }

    fn begin(&mut self) {
        self.open_stack();
        let first = self.faults.gap(&mut self.chance);
        self.after(first, Happening::Fault);
        let until = self.faults.until;
        self.at(until, Happening::Calm);
    }

    fn go_on(&mut self, until: u64) {
        let patience = self.now.max(self.faults.until) + PATIENCE;
        let most = self.happened + MOST;
        while let Some(next) = self.queue.pop() {
            if self.broken.is_some() || next.at > until {
                return;
            }
            self.now = next.at;
            self.happened += 1;
            if self.happened > most {
                return self.breaks(|| "it goes on and on: too much happens".to_owned());
            }
            if self.now > patience {
                return self.breaks(|| format!("it does not settle: an hour later there is still {:?}", next.what));
            }
            self.happens(next.what);
        }
    }

    pub(crate) fn happens(&mut self, what: Happening) {
        match what {
            Happening::Up { client, epoch } => self.arrives(client, epoch),
            Happening::Down { client, epoch, message } => self.hears(client, epoch, message),
            Happening::Reconnect { client, epoch } => self.reconnect(client, epoch),
            Happening::Expire { session, client, epoch } => self.expire(session, client, epoch),
            Happening::Advance { member, to } => {
                let fired = self.store.advance(member, to);
                self.fire(fired);
            }
            Happening::LeaseEnds { host, incarnation, epoch } => self.lease_ends(host, incarnation, epoch),
            Happening::Yielded { host, incarnation } => self.yielded(host, incarnation),
            Happening::Beside { host, process, other } => self.beside(host, process, other),
            Happening::Overdue { host, process } => self.overdue(host, process),
            Happening::WaitEnds { host, incarnation, component, wait } => {
                self.wait_ends(host, incarnation, &component, wait);
            }
            Happening::Timer { host, incarnation, at } => self.timer(host, incarnation, at),
            Happening::Synced { host, incarnation } => self.synced(host, incarnation),
            Happening::Machine { host, incarnation, event } => self.tell(host, incarnation, *event),
            Happening::LayOut { host, incarnation, event } => {
                if self.hosts[host].is_full {
                    self.after(5_000, Happening::LayOut { host, incarnation, event });
                } else {
                    self.tell(host, incarnation, *event);
                }
            }
            Happening::Process { host, process } => self.process_goes_on(host, process),
            Happening::Kill { host, incarnation, run } => self.killed(host, incarnation, run),
            Happening::Boot { host } => self.boot(host),
            Happening::Crash { host } if !self.is_calm => self.crash(host),
            Happening::Destroy { host } if !self.is_calm => self.destroy(host),
            Happening::Crash { .. } | Happening::Destroy { .. } => {}
            Happening::Wake { host, pause } => self.wake(host, pause),
            Happening::PauseExpires { host, pause } => self.pause_expires(host, pause),
            Happening::Room { host } => {
                self.say(|| format!("h{host}: there is room on its disk"));
                self.hosts[host].is_full = false;
                self.hosts[host].room_since = self.now;
            }
            Happening::Heal { client } => self.clients[client].is_apart = false,
            Happening::Operator { operator, round } => self.operator_goes_on(operator, round),
            Happening::Apply { operator, again } => self.apply(operator, again),
            Happening::Complete { operator } if self.is_broken_off() => self.apply(operator, false),
            Happening::Complete { .. } => {}
            Happening::Fault => self.fault(),
            Happening::Calm => self.calm(),
        }
    }
}
