//! Faults of all kinds at random times: killed or paused agents and members of ZooKeeper, a lost quorum, full disks,
//! jumping clocks, servers that get another machine while the first one still runs, new revisions in the middle, and
//! two operators at once; each kind alone, then all mixed.
//!
//! The seed is printed, and `WATTLE_TEST_SEED` repeats it: the same faults in the same order, as far as processes
//! permit. `WATTLE_TEST_FAULTS` restricts the faults to those named in it.

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

/// The duration of mixed faults.
const MIXED: Duration = Duration::from_mins(10);

/// The faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    KillAgent,
    PauseAgent,
    /// Fills the disk of an agent.
    FillDisk,
    /// Sets the clock of an agent's machine.
    JumpClock,
    /// Gives a server another machine, while the first one still runs, or is paused.
    Replace,
    KillMember,
    /// Like a disconnected network.
    PauseMember,
    /// Fills the disks of one or two members of ZooKeeper.
    FillMember,
    LoseQuorum,
    NewRevision,
    /// Two operators each set the stack's parameter to a different value.
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

/// Faults that take only a moment.
const QUICK: [Fault; 6] =
    [Fault::KillAgent, Fault::PauseAgent, Fault::KillMember, Fault::PauseMember, Fault::LoseQuorum, Fault::NewRevision];

/// Components of which each reads from the previous one.
fn chain(length: usize) -> Play {
    let line = |number: usize| match number {
        1 => "s1/c1 gate".to_owned(),
        _ => format!("s{number}/c{number} gate < s{before}/c{before}", before = number - 1),
    };
    play((1..=length).map(line).collect())
}

/// Components that all read from one.
fn fan(width: usize) -> Play {
    let readers = (1..=width).map(|number| format!("r{number}/reader say < root/root"));
    play(std::iter::once("root/root gate".to_owned()).chain(readers).collect())
}

fn play(lines: Vec<String>) -> Play {
    Play::of(&lines.iter().map(String::as_str).collect::<Vec<_>>())
}

/// The state of a process.
#[derive(Clone, Copy, PartialEq)]
enum Health {
    Up,
    Paused,
    Gone,
    /// Its disk is full.
    Full,
}

fn signal(signal: &str, pid: u32) {
    let status = Command::new("kill").args([&format!("-{signal}"), &pid.to_string()]).stderr(Stdio::null()).status();
    assert!(status.unwrap().success(), "{signal} {pid}");
}

/// The seed in `WATTLE_TEST_SEED`, or this one.
fn seed_or(other: u64) -> u64 {
    let given = env::var("WATTLE_TEST_SEED").ok().map(|seed| seed.parse().expect("WATTLE_TEST_SEED is a number"));
    let seed = given.unwrap_or(other);
    println!("WATTLE_TEST_SEED={seed}");
    seed
}

/// The seed in `WATTLE_TEST_SEED`, or a new one.
fn seed() -> u64 {
    seed_or(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs())
}

/// How often each fault has happened.
#[derive(Default)]
struct Sum(BTreeMap<Fault, usize>);

impl Sum {
    fn add(&mut self, happened: BTreeMap<Fault, usize>) {
        for (fault, times) in happened {
            *self.0.entry(fault).or_default() += times;
        }
    }
}

/// The faults that `WATTLE_TEST_FAULTS` names, or all.
fn asked() -> Vec<Fault> {
    let Ok(names) = env::var("WATTLE_TEST_FAULTS") else { return ALL.to_vec() };
    ALL.into_iter().filter(|fault| names.split(',').any(|name| *name == format!("{fault:?}"))).collect()
}

/// Trials, one after another, on the same ensemble as long as it keeps its guarantees.
struct Trials {
    ensemble: Ensemble,
    /// The number of inconclusive trials.
    void: usize,
}

impl Trials {
    /// The maximum number of inconclusive trials.
    const MOST_VOID: usize = 3;

    fn begin() -> Self {
        Self { ensemble: Ensemble::start(), void: 0 }
    }

    /// Runs a trial. If it fails, and the ensemble has lost an acknowledged write or its members disagree, repeats the
    /// trial with another ensemble.
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

/// If this were not reliable, ZooKeeper might be blamed for a loss that wattle caused, or vice versa.
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
