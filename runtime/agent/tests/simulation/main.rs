//! Runs under random faults: many agents, a store, an operator, disks and recipes in one process, with a simulated
//! clock and pseudorandom numbers.
//!
//! The actions are carried out by a small model of `runtime`'s agent: it loses its place when the store has been
//! without news of it for long enough, publishes nothing and begins nothing while it cannot be sure of its place, and
//! takes it only from a predecessor in the same folder. The store keeps ZooKeeper's guarantees and no more. Recipes are
//! fakes: their outputs are functions of their inputs, so that the last revision yields the same results whatever has
//! happened before.
//!
//! A seed determines a schedule. `WATTLE_SCHEDULES` sets how many are run (`WATTLE_FIRST`, from which seed on); the
//! default is 100,000 or as many as two minutes allow; `WATTLE_SEED` runs one and prints its events. A schedule takes
//! about 1,260 events and 2.1 ms of CPU time.
//!
//! # What goes wrong
//!
//! Agents crash between any two actions and restart with the journal as it was on disk: whole, torn, or with pages of
//! zeros. Responses are late, lost, or duplicated; connections break with any part of the pending requests carried out;
//! members of the store lag behind. Hosts are cut off from the store, sessions expire, agents or whole hosts are
//! suspended and resume late, disks fill up (also just as a recipe ends), clocks jump, a machine is replaced while the
//! old one still runs. Two operators apply seeds at once, or are interrupted; new revisions arrive in the middle; the
//! data space is lost and created again.
//!
//! # What must hold
//!
//! At every step: a component does not run again after it succeeded in a revision, nor in a later one that changes
//! nothing for it; an input is the value of its own revision; published data is on disk before, and never changes in
//! its revision; nothing begins before its dependencies have ended, in a revision that is not desired, without its
//! place, or twice at once; teardown has the inputs of the run that it undoes, and only for what has left; no recipe is
//! ended before its time. Waits for a server that never starts all end. When faults stop, everything settles in the
//! desired revision, and in the last one with the values of a run without faults.
//!
//! # Whether it finds anything
//!
//! `tests/mutants.rs` puts these bugs into a copy, one at a time. All are found, by so many schedules from the first on:
//!
//! | Bug | Schedules |
//! |---|---:|
//! | lets a plan stand although what it reads from does not | 1 |
//! | expects its own revision of everybody | 2 |
//! | publishes what it has not written down | 2 |
//! | runs again what has finished | 2 |
//! | takes a lost answer for success | 2 |
//! | begins before it has its place | 4 |
//! | begins what waited although there is a newer revision | 9 |
//! | takes a value of an older revision | 9 |
//! | does not look at its entries first | 15 |
//! | goes to the next revision before what runs has ended | 16 |
//! | forgets that a wait ends | 34 |
//! | forgets what was published early when it starts again | 37 |
//! | begins what no desired revision has reached | 52 |
//! | counts waiting as running | 107 |
//! | runs what has failed and could not write that down | 125 |
//! | takes the plan of another data space for its own | 169 |
//! | lets a plan stand that expects what was never written | 411 |
//! | does not look again at a plan that was seen before the desired revision | 517 |
//! | begins while it cannot know whether it was replaced | 840 |
//! | begins although its entries are of a newer revision | 61763 |

#![allow(
    clippy::match_same_arms,
    clippy::similar_names,
    clippy::struct_excessive_bools,
    clippy::struct_field_names,
    clippy::too_many_lines,
    reason = "cases are listed side by side, and a world consists of flags"
)]

mod agent;
mod call;
mod chance;
mod faults;
mod fnv;
mod happening;
mod net;
mod operator;
mod oracle;
mod process;
mod store;
mod topology;
mod world;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use world::World;

/// The number of lines printed of a failed schedule.
const SHOWN: usize = 60;

/// How many schedules are run unless `WATTLE_SCHEDULES` says it, and for how long at most. A slow machine does fewer, unless it
/// is to do all that is slow.
const MOST: u64 = 100_000;
const LONGEST: Duration = Duration::from_secs(40);

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

/// The events of a failed schedule, for people.
fn report(seed: u64, shown: usize) -> String {
    let went = World::run(seed, true);
    let what = went.broken.unwrap_or_else(|| "nothing, when it is looked at".to_owned());
    let skipped = went.trace.len().saturating_sub(shown);
    let lines = went.trace[skipped..].join("\n");
    format!("schedule {seed} (WATTLE_SEED={seed} runs it alone): {what}\n{lines}")
}

#[test]
fn everything_settles_whatever_goes_wrong() {
    if let Some(seed) = number("WATTLE_SEED") {
        let went = World::run(seed, true);
        println!("{}", went.trace.join("\n"));
        assert!(went.broken.is_none(), "schedule {seed}: {}", went.broken.unwrap_or_default());
        return;
    }
    let (first, asked) = (number("WATTLE_FIRST").unwrap_or(0), number("WATTLE_SCHEDULES"));
    let count = asked.unwrap_or(MOST);
    let takes_its_time = asked.is_some() || std::env::var_os("WATTLE_TEST_ALL").is_some();
    let next = AtomicU64::new(first);
    let (found, failed, happened) = (AtomicBool::new(false), Mutex::new(None::<u64>), AtomicU64::new(0));
    let begin = Instant::now();
    let may_go_on = || takes_its_time || begin.elapsed() < LONGEST;
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while !found.load(Ordering::Relaxed) && may_go_on() {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + count {
                        return;
                    }
                    let went = World::run(seed, false);
                    happened.fetch_add(went.happened, Ordering::Relaxed);
                    if went.broken.is_some() {
                        found.store(true, Ordering::Relaxed);
                        let mut failed = failed.lock().expect("INVARIANT: nobody panics with it");
                        *failed = Some(failed.map_or(seed, |before| before.min(seed)));
                    }
                }
            });
        }
    });
    let seconds = begin.elapsed().as_secs_f64();
    let events = happened.load(Ordering::Relaxed);
    let done = next.load(Ordering::Relaxed).min(first + count) - first;
    #[expect(clippy::cast_precision_loss, reason = "for people")]
    let rate = done as f64 / seconds;
    println!("{done} schedules, {events} events in {seconds:.1} s: {rate:.0} schedules a second");
    let failed = failed.into_inner().expect("INVARIANT: nobody panics with it");
    if let Some(seed) = failed {
        println!("{}", report(seed, SHOWN));
        panic!("schedule {seed} fails");
    }
}
