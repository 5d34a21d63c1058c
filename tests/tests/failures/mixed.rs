//! Faults of all kinds at random times: agents and members of ZooKeeper that are killed or paused, a quorum that is lost,
//! new revisions in the middle; each kind alone, then all mixed.
//!
//! The seed is printed, and `WATTLE_TEST_SEED` repeats it: the same faults in the same order, as far as processes allow.

use std::env;
use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use wattle_tests::chance::Chance;
use wattle_tests::skip::everything;
use wattle_tests::zookeeper::ZooKeeper;

use crate::ends::hold;
use crate::play::{One, Play};
use crate::stack::Stack;

/// How long faults are mixed.
const MIXED: Duration = Duration::from_mins(10);
/// So many faults happen to one stack.
const FAULTS: u64 = 40;
const MEMBERS: usize = 3;
/// Open files that an agent at rest has at most: its journal, lock, socket, log, pipes of its run time, one connection.
const OPEN: usize = 40;

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    KillAgent,
    PauseAgent,
    KillMember,
    /// As a network does that is cut.
    PauseMember,
    LoseQuorum,
    NewRevision,
}

const ALL: [Fault; 6] =
    [Fault::KillAgent, Fault::PauseAgent, Fault::KillMember, Fault::PauseMember, Fault::LoseQuorum, Fault::NewRevision];

/// Each hears the one before.
fn chain(length: usize) -> Play {
    let line = |number: usize| match number {
        1 => "s1/c1 gate".to_owned(),
        _ => format!("s{number}/c{number} gate < s{before}/c{before}", before = number - 1),
    };
    play((1..=length).map(line).collect())
}

/// All hear one.
fn fan(width: usize) -> Play {
    let readers = (1..=width).map(|number| format!("r{number}/reader say < root/root"));
    play(std::iter::once("root/root gate".to_owned()).chain(readers).collect())
}

fn play(lines: Vec<String>) -> Play {
    Play::of(&lines.iter().map(String::as_str).collect::<Vec<_>>())
}

/// How a process is.
#[derive(Clone, Copy, PartialEq)]
enum Health {
    Up,
    Paused,
    Gone,
}

/// A stack to which things happen.
struct Trial<'z> {
    zookeeper: &'z ZooKeeper,
    members: [Health; MEMBERS],
    stack: Stack,
    servers: Vec<String>,
    agents: Vec<Health>,
    random: Chance,
}

impl<'z> Trial<'z> {
    fn new(zookeeper: &'z ZooKeeper, name: &str, play: Play, seed: u64) -> Self {
        let servers = play.servers();
        let mut stack = Stack::at(&zookeeper.address(), name, play);
        stack.start_all();
        let agents = vec![Health::Up; servers.len()];
        Self { zookeeper, members: [Health::Up; MEMBERS], stack, servers, agents, random: Chance::new(seed) }
    }

    /// Lets `faults` happen, and looks whether everything ends as it should.
    fn run(mut self, faults: &[Fault]) {
        let mut gates: Vec<String> =
            self.stack.play.acts.iter().filter(|one| one.act == "gate").map(One::path).collect();
        gates.reverse();
        for step in 0..FAULTS {
            let fault = *self.random.of(faults).unwrap();
            self.happen(fault);
            sleep(self.random.millis(20, 600));
            self.heal_some();
            // All are open at the end, one after the other.
            while (gates.len() as u64) * FAULTS > (FAULTS - step - 1) * self.stack.play.acts.len() as u64 {
                let Some(gate) = gates.pop() else { break };
                self.stack.open(&gate);
            }
        }
        gates.iter().for_each(|gate| self.stack.open(gate));
        self.heal();
        self.stack.settle();
        hold(&self.stack, None);
        self.count();
    }

    fn happen(&mut self, fault: Fault) {
        let agent = self.random.below(self.servers.len());
        let member = self.random.below(MEMBERS);
        match fault {
            Fault::KillAgent if self.agents[agent] != Health::Gone => {
                self.stack.kill(&self.servers[agent]);
                self.agents[agent] = Health::Gone;
            }
            Fault::PauseAgent if self.agents[agent] == Health::Up => {
                signal("STOP", self.stack.pid(&self.servers[agent]));
                self.agents[agent] = Health::Paused;
            }
            Fault::KillMember if self.all_members_are_up() => self.kill_member(member),
            Fault::PauseMember if self.all_members_are_up() => {
                signal("STOP", self.member(member));
                self.members[member] = Health::Paused;
            }
            Fault::LoseQuorum if self.all_members_are_up() => {
                self.kill_member(member);
                self.kill_member((member + 1) % MEMBERS);
            }
            Fault::NewRevision if self.all_members_are_up() => self.stack.apply_again(),
            _ => {}
        }
    }

    fn all_members_are_up(&self) -> bool {
        self.members.iter().all(|member| *member == Health::Up)
    }

    fn member(&self, member: usize) -> u32 {
        let path = self.zookeeper.dir().join((member + 1).to_string()).join("pid");
        fs::read_to_string(path).unwrap().trim().parse().unwrap()
    }

    fn kill_member(&mut self, member: usize) {
        let pid = self.member(member);
        self.zookeeper.kill(member + 1);
        while fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z ")) {
            sleep(Duration::from_millis(5));
        }
        self.members[member] = Health::Gone;
    }

    /// Each of what is broken is whole again with some chance.
    fn heal_some(&mut self) {
        for agent in 0..self.agents.len() {
            if self.agents[agent] != Health::Up && self.random.below(4) == 0 {
                self.heal_agent(agent);
            }
        }
        // Longer than a session now and then.
        for member in 0..MEMBERS {
            if self.members[member] != Health::Up && self.random.below(12) == 0 {
                self.heal_member(member, false);
            }
        }
    }

    fn heal(&mut self) {
        for member in 0..MEMBERS {
            self.heal_member(member, true);
        }
        for agent in 0..self.agents.len() {
            self.heal_agent(agent);
        }
    }

    fn heal_agent(&mut self, agent: usize) {
        let server = &self.servers[agent];
        match self.agents[agent] {
            Health::Up => {}
            Health::Paused => signal("CONT", self.stack.pid(server)),
            Health::Gone => self.stack.start(server),
        }
        self.agents[agent] = Health::Up;
    }

    fn heal_member(&mut self, member: usize, is_last: bool) {
        match self.members[member] {
            Health::Up => {}
            Health::Paused => signal("CONT", self.member(member)),
            // Several that are gone come back one after the other; the last of them is waited for.
            Health::Gone if is_last && self.members[member + 1..].iter().all(|other| *other != Health::Gone) => {
                self.zookeeper.up(member + 1);
            }
            Health::Gone => self.zookeeper.start_again(member + 1),
        }
        self.members[member] = Health::Up;
    }

    /// What is left at the end: one process for each agent, with as many open files as one at rest has.
    fn count(&self) {
        self.stack.until("only agents are left", || self.stack.processes().len() == self.servers.len());
        for server in &self.servers {
            let files = || fs::read_dir(format!("/proc/{}/fd", self.stack.pid(server))).map_or(0, Iterator::count);
            self.stack.until("files are closed", || files() <= OPEN);
        }
    }
}

fn signal(signal: &str, pid: u32) {
    let status = Command::new("kill").args([&format!("-{signal}"), &pid.to_string()]).stderr(Stdio::null()).status();
    assert!(status.unwrap().success(), "{signal} {pid}");
}

/// The seed that is asked for, or this one.
fn seed_or(other: u64) -> u64 {
    let given = env::var("WATTLE_TEST_SEED").ok().map(|seed| seed.parse().expect("WATTLE_TEST_SEED is a number"));
    let seed = given.unwrap_or(other);
    println!("WATTLE_TEST_SEED={seed}");
    seed
}

/// The seed that is asked for, or a new one.
fn seed() -> u64 {
    seed_or(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs())
}

fn each_alone(play: fn() -> Play) {
    let seed = seed();
    let zookeeper = ZooKeeper::start(MEMBERS);
    for fault in ALL {
        let begin = Instant::now();
        Trial::new(&zookeeper, &format!("{fault:?}").to_lowercase(), play(), seed).run(&[fault]);
        println!("{fault:?}: {:.1?}", begin.elapsed());
    }
}

#[test]
fn each_alone_on_a_chain_of_twenty() {
    if everything("faults of each kind on a chain of 20 servers") {
        each_alone(|| chain(20));
    }
}

#[test]
fn each_alone_on_a_fan_of_sixty() {
    if everything("faults of each kind on a fan of 60 servers") {
        each_alone(|| fan(60));
    }
}

#[test]
fn mixed_for_ten_minutes() {
    if !everything("faults of all kinds, mixed for ten minutes") {
        return;
    }
    let mut random = Chance::new(seed());
    let zookeeper = ZooKeeper::start(MEMBERS);
    let begin = Instant::now();
    for round in 0.. {
        if begin.elapsed() > MIXED {
            break;
        }
        let play = if round % 2 == 0 { chain(20) } else { fan(60) };
        let seed = random.number();
        println!("round {round} at {:.1?}", begin.elapsed());
        Trial::new(&zookeeper, &format!("round{round}"), play, seed).run(&ALL);
    }
}

#[test]
fn a_few_mixed_faults() {
    let zookeeper = ZooKeeper::start(MEMBERS);
    Trial::new(&zookeeper, "few", chain(6), seed_or(1)).run(&ALL);
}
