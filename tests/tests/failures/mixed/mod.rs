//! Faults of all kinds at random times: agents and members of ZooKeeper that are killed or suspended, a lost quorum,
//! full disks, clocks that jump, servers replaced by another machine while the first still runs, new revisions in the
//! middle, and two operators at once; each kind alone, then all mixed.
//!
//! The seed is printed, and `WATTLE_TEST_SEED` repeats it: the same faults in the same order, as far as processes
//! allow. `WATTLE_TEST_FAULTS` restricts the faults to those that it names.

mod members;
mod operators;
mod trial;
mod witness;

use std::collections::BTreeMap;
use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use wattle_tests::chance::Chance;
use wattle_tests::skip::everything;

use crate::play::Play;
use members::Ensemble;
use trial::Trial;

/// How long faults are mixed.
const MIXED: Duration = Duration::from_mins(10);

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    KillAgent,
    PauseAgent,
    /// The disk of an agent has no room.
    FillDisk,
    /// The clock of an agent's machine is set.
    JumpClock,
    /// A server gets another machine, while the first still runs, or is paused.
    Replace,
    KillMember,
    /// As a network does that is cut.
    PauseMember,
    /// The disks of one or two members of ZooKeeper have no room.
    FillMember,
    LoseQuorum,
    NewRevision,
    /// Each of two gives the stack another parameter.
    TwoOperators,
}

const ALL: [Fault; 11] = [
    Fault::KillAgent,
    Fault::PauseAgent,
    Fault::FillDisk,
    Fault::JumpClock,
    Fault::Replace,
    Fault::KillMember,
    Fault::PauseMember,
    Fault::FillMember,
    Fault::LoseQuorum,
    Fault::NewRevision,
    Fault::TwoOperators,
];

/// Those that take no longer than a moment.
const QUICK: [Fault; 6] =
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
    /// Its disk has no room.
    Full,
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

/// How often each has happened.
#[derive(Default)]
struct Sum(BTreeMap<Fault, usize>);

impl Sum {
    fn add(&mut self, happened: BTreeMap<Fault, usize>) {
        for (fault, times) in happened {
            *self.0.entry(fault).or_default() += times;
        }
    }
}

/// The faults that are asked for, by their names, or all.
fn asked() -> Vec<Fault> {
    let Ok(names) = env::var("WATTLE_TEST_FAULTS") else { return ALL.to_vec() };
    ALL.into_iter().filter(|fault| names.split(',').any(|name| *name == format!("{fault:?}"))).collect()
}

/// Trials one after the other, on one ensemble for as long as that keeps its promises.
struct Trials {
    ensemble: Ensemble,
    /// How many proved nothing.
    void: usize,
}

impl Trials {
    /// So many may prove nothing.
    const MOST_VOID: usize = 3;

    fn begin() -> Self {
        Self { ensemble: Ensemble::start(), void: 0 }
    }

    /// What has happened, and how often. What fails is tried again with another ensemble if this one has lost something that it
    /// had answered, or has members that do not agree.
    fn run(&mut self, name: &str, play: &Play, seed: u64, faults: &[Fault]) -> BTreeMap<Fault, usize> {
        loop {
            let trial = || Trial::new(&self.ensemble, name, play.clone(), seed, faults).run(faults);
            let panic = match catch_unwind(AssertUnwindSafe(trial)) {
                Ok(happened) => return happened,
                Err(panic) => panic,
            };
            let Some(promise) = self.ensemble.broken_promise(name, &play.servers()) else { resume_unwind(panic) };
            println!("ZooKeeper has broken a promise, so this proves nothing: {promise}");
            self.void += 1;
            if self.void > Self::MOST_VOID {
                resume_unwind(panic);
            }
            self.ensemble = Ensemble::start();
        }
    }
}

fn each_alone(play: fn() -> Play) {
    let seed = seed();
    let mut trials = Trials::begin();
    for fault in asked() {
        let begin = Instant::now();
        let name = format!("{fault:?}").to_lowercase();
        trials.run(&name, &play(), seed, &[fault]);
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
    let faults = asked();
    let mut trials = Trials::begin();
    let (begin, mut sum) = (Instant::now(), Sum::default());
    for round in 0.. {
        if begin.elapsed() > MIXED {
            println!("{round} rounds, {} more proved nothing: {:?}", trials.void, sum.0);
            break;
        }
        let play = if round % 2 == 0 { chain(20) } else { fan(60) };
        let seed = random.number();
        println!("round {round} at {:.1?}", begin.elapsed());
        sum.add(trials.run(&format!("round{round}"), &play, seed, &faults));
    }
}

/// Without this, a loss of wattle's own might be taken for one of ZooKeeper's, or the other way round.
#[test]
fn a_promise_that_zookeeper_breaks_is_known() {
    let mut ensemble = Ensemble::start();
    sleep(Duration::from_secs(1));
    assert_eq!(ensemble.broken_promise("none", &[]), None);
    let mut ensemble = Ensemble::start();
    sleep(Duration::from_secs(1));
    ensemble.lose_everything();
    let promise = ensemble.broken_promise("none", &[]).expect("nothing is there any more");
    assert!(promise.contains("was answered"), "{promise}");
}

#[test]
fn a_few_mixed_faults() {
    Trials::begin().run("few", &chain(6), seed_or(1), &QUICK);
}
