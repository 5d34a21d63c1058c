//! A stack under a series of faults, and its expected final state.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::thread::sleep;
use std::time::Duration;

use wattle_runtime::space::{Failure, State};
use wattle_tests::chance::Chance;

use super::members::{Ensemble, MEMBERS, Members};
use super::operators::Operators;
use super::{Fault, Health, signal};
use crate::ends::{heard, hold, records};
use crate::play::{One, Play};
use crate::stack::{Machine, Stack};

/// The number of faults for one stack.
const FAULTS: u64 = 40;
/// The maximum number of open files of an idle agent: its journal, lock, socket, log, pipes of its runtime, one
/// connection.
const OPEN: usize = 40;
/// The maximum jump of a clock: less than a year, after which a server no longer accepts what the operator has signed.
const JUMPS: Duration = Duration::from_hours(24 * 300);
/// The error of a program that writes to a full disk, and the shell's version of it.
const NO_ROOM: [&str; 2] = ["No space left on device", "I/O error"];

/// A stack under faults.
pub(super) struct Trial<'e> {
    members: Members<'e>,
    stack: Stack,
    servers: Vec<String>,
    agents: Vec<Health>,
    operators: Operators,
    /// Servers whose disk is full.
    full: BTreeSet<String>,
    /// Servers whose disk has been full.
    short: BTreeSet<String>,
    happened: BTreeMap<Fault, usize>,
    random: Chance,
}

impl<'e> Trial<'e> {
    pub(super) fn new(ensemble: &'e Ensemble, name: &str, play: Play, seed: u64, faults: &[Fault]) -> Self {
        let servers = play.servers();
        let mut stack = Stack::at(&ensemble.zookeeper.address(), name, play);
        for server in &servers {
            if faults.contains(&Fault::FillDisk) {
                stack.machine_mut(server).have_disk();
            }
            if faults.contains(&Fault::JumpClock) {
                stack.machine_mut(server).have_clock();
            }
        }
        stack.start_all();
        Self {
            members: Members::of(ensemble),
            operators: Operators::of(&stack),
            agents: vec![Health::Up; servers.len()],
            stack,
            servers,
            full: BTreeSet::new(),
            short: BTreeSet::new(),
            happened: BTreeMap::new(),
            random: Chance::new(seed),
        }
    }

    /// Injects `faults`, and checks the final state. Returns the number of each fault.
    pub(super) fn run(mut self, faults: &[Fault]) -> BTreeMap<Fault, usize> {
        let mut gates: Vec<String> =
            self.stack.play.acts.iter().filter(|one| one.act == "gate").map(One::path).collect();
        gates.reverse();
        for step in 0..FAULTS {
            let fault = *self.random.of(faults).unwrap();
            if self.happen(fault) {
                *self.happened.entry(fault).or_default() += 1;
            }
            sleep(self.random.millis(20, 600));
            self.heal_some();
            // The gates open one after another, so that all of them are open at the end.
            while (gates.len() as u64) * FAULTS > (FAULTS - step - 1) * self.stack.play.acts.len() as u64 {
                let Some(gate) = gates.pop() else { break };
                self.stack.open(&gate);
            }
        }
        gates.iter().for_each(|gate| self.stack.open(gate));
        self.heal();
        self.settle();
        self.had_room_in_the_end();
        let revision = self.stack.desired_revision().revision;
        self.stack.play.word = self.operators.word(revision).expect("somebody made it").to_owned();
        hold(&self.stack, None);
        self.values_are_of_their_revisions();
        if *faults == [Fault::Replace] {
            self.nothing_ran_beside_itself();
        }
        self.count();
        println!("{:?}; operators told, refused: {:?}", self.happened, self.operators.count());
        self.happened
    }

    /// Restarts agents that had no space to start, like systemd.
    fn supervise(&mut self) {
        for server in &self.short {
            if self.stack.machine_mut(server).has_failed() {
                let log = self.stack.machine(server).log();
                let last = log.lines().last().unwrap_or_default();
                assert!(last.starts_with("error: ") && last.contains(NO_ROOM[0]), "{server}: {log}");
                self.stack.start(server);
            }
        }
    }

    /// Injects a fault; returns whether it was possible at this time.
    fn happen(&mut self, fault: Fault) -> bool {
        self.supervise();
        self.members.supervise();
        let agent = self.victim();
        let member = self.random.below(MEMBERS);
        let (server, health) = (&self.servers[agent], self.agents[agent]);
        let machine = self.stack.machine(server);
        let all_members_are_up = self.members.all_are_up();
        match fault {
            Fault::KillAgent if health != Health::Gone => {
                self.stack.kill(server);
                self.agents[agent] = Health::Gone;
            }
            Fault::PauseAgent if health == Health::Up => {
                signal("STOP", self.stack.pid(server));
                self.agents[agent] = Health::Paused;
            }
            Fault::FillDisk if !self.full.contains(server) => {
                let Some(disk) = &machine.disk else { return false };
                disk.fill();
                self.short.insert(server.clone());
                self.full.insert(server.clone());
            }
            Fault::JumpClock => {
                let Some(clock) = &machine.clock else { return false };
                let by = Duration::from_secs(self.random.number() % JUMPS.as_secs());
                let by = *self.random.of(&[by, by / 1000, by / 100_000]).unwrap();
                if self.random.below(2) == 0 { clock.ahead(by) } else { clock.behind(by) }
            }
            Fault::Replace => {
                if self.random.below(2) == 0 {
                    machine.pause();
                }
                self.full.remove(server);
                self.stack.replace(server);
                self.agents[agent] = Health::Up;
            }
            Fault::KillMember if all_members_are_up => self.members.kill(member),
            Fault::PauseMember if all_members_are_up => self.members.pause(member),
            Fault::FillMember if all_members_are_up => {
                // With two full disks of three, no member can write.
                let both = self.random.below(2) == 0;
                let members = [member, (member + 1) % MEMBERS];
                return members.iter().take(1 + usize::from(both)).all(|member| self.members.fill(*member));
            }
            Fault::LoseQuorum if all_members_are_up => {
                self.members.kill(member);
                self.members.kill((member + 1) % MEMBERS);
            }
            Fault::NewRevision if all_members_are_up => self.operators.again(&self.stack),
            Fault::TwoOperators if all_members_are_up => self.operators.begin(&self.stack),
            _ => return false,
        }
        true
    }

    /// A random server: half of the time, one on which something runs.
    fn victim(&mut self) -> usize {
        let busy: Vec<usize> =
            (0..self.servers.len()).filter(|agent| self.stack.machine(&self.servers[*agent]).is_busy()).collect();
        let any = self.random.below(self.servers.len());
        let among = self.random.below(2) == 0;
        self.random.of(&busy).filter(|_| among).copied().unwrap_or(any)
    }

    /// Repairs each fault with some probability.
    fn heal_some(&mut self) {
        for agent in 0..self.agents.len() {
            if self.agents[agent] != Health::Up && self.random.below(4) == 0 {
                self.heal_agent(agent);
            }
        }
        for machine in self.stack.former().filter(|machine| machine.pid().is_some()) {
            match self.random.below(20) {
                0 | 1 => machine.go_on(),
                2 => machine.destroy(),
                _ => {}
            }
        }
        for server in self.full.clone() {
            if self.random.below(8) == 0 {
                self.make_room(&server);
            }
        }
        // Some of these faults last longer than a session.
        let random = &mut self.random;
        self.members.heal_some(|| random.below(6) == 0);
    }

    fn heal(&mut self) {
        self.members.heal_all();
        for agent in 0..self.agents.len() {
            self.heal_agent(agent);
        }
        for server in self.full.clone() {
            self.make_room(&server);
        }
        // Agents that found no space have ended by now.
        sleep(Duration::from_secs(1));
        self.operators.end(&self.stack);
        // Gives paused machines time to start something that they must not start.
        self.stack.former().for_each(|machine| machine.go_on());
        sleep(self.random.millis(0, 2000));
        self.stack.former().for_each(Machine::destroy);
    }

    fn heal_agent(&mut self, agent: usize) {
        let server = &self.servers[agent];
        match self.agents[agent] {
            Health::Up | Health::Full => {}
            Health::Paused => signal("CONT", self.stack.pid(server)),
            Health::Gone => self.stack.start(server),
        }
        self.agents[agent] = Health::Up;
    }

    fn make_room(&mut self, server: &str) {
        if let Some(disk) = &self.stack.machine(server).disk {
            disk.make_room();
        }
        self.full.remove(server);
    }

    /// Waits until everything has ended on the current machines of the servers.
    fn settle(&mut self) {
        self.supervise();
        let stack = &self.stack;
        let acts = |server: &String| {
            let alive = stack.snapshot().servers[server.as_str()].alive.clone();
            alive.is_some_and(|alive| alive.pid == stack.pid(server))
        };
        stack.until("whoever is to act for a server does", || {
            self.operators.admit(stack);
            self.servers.iter().all(acts)
        });
        let has_ended = |one: &One| records(stack, one).last().is_some_and(|kind| kind != "started");
        stack.until("their journals have an end", || stack.play.acts.iter().all(has_ended));
        stack.settle();
    }

    /// Failures because of a full disk say so, and succeed when they are repeated.
    fn had_room_in_the_end(&mut self) {
        let failed = self.failed();
        if failed.is_empty() {
            return;
        }
        for (path, failure) in &failed {
            let (server, _) = failure.component.split_once('/').unwrap();
            let says = std::iter::once(&failure.message).chain(&failure.log);
            let is_reported = says.into_iter().any(|line| NO_ROOM.iter().any(|words| line.contains(words)));
            assert!(is_reported && self.short.contains(server), "{path}: {failure:?}\n{}", self.stack.logs());
        }
        println!("{} failed for want of room", failed.len());
        self.operators.again(&self.stack);
        self.settle();
    }

    fn failed(&self) -> Vec<(String, Failure)> {
        let failure = |one: &One| match self.stack.status(&one.path()).unwrap().state {
            State::Failed(failure) => Some((one.path(), failure)),
            _ => None,
        };
        self.stack.play.acts.iter().filter_map(failure).collect()
    }

    /// Every run had the inputs of its revision.
    fn values_are_of_their_revisions(&self) {
        let play = |word: &str| Play { word: word.to_owned(), ..self.stack.play.clone() };
        for one in &self.stack.play.acts {
            for machine in self.stack.machines(&one.server) {
                for (revision, heard) in heard(machine, one) {
                    // The revision may come from an operator who did not learn its number.
                    let Some(word) = self.operators.word(revision) else { continue };
                    assert_eq!(heard, play(word).heard(one), "{} in revision {revision}", one.path());
                }
            }
        }
    }

    /// No machine started anything while another machine of its server was running something. This does not hold if the
    /// data space is unavailable for the duration of a session: a machine that has lost its place ends its processes
    /// once it learns of that.
    fn nothing_ran_beside_itself(&self) {
        for server in &self.servers {
            let beside: String = self.stack.machines(server).iter().map(Machine::beside).collect();
            assert_eq!(beside, "", "{server}: {}", self.stack.log(server));
        }
    }

    /// The remaining processes: one for each agent, with no more open files than an idle one.
    fn count(&self) {
        self.stack.until("only agents are left", || self.stack.processes().len() == self.servers.len());
        for server in &self.servers {
            let files = || fs::read_dir(format!("/proc/{}/fd", self.stack.pid(server))).map_or(0, Iterator::count);
            self.stack.until("files are closed", || files() <= OPEN);
        }
    }
}
