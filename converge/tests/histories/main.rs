//! Histories of what goes wrong, by chance.
//!
//! A seed is a history: leaders over a store and a cloud, in one thread, whose clock and chance are a number. `WATTLE_HISTORIES` says
//! how many are run (`WATTLE_FIRST` from which seed on), else it is 100,000 or as many as two minutes take; `WATTLE_SEED` runs
//! one and prints what happened. A history takes about 195 events and 0.7 ms of a core. From the 5,000th on every fourth is of *comers and goers*: leaders that
//! leave in good order and come back, a store that takes its time, and things that were there before the stack.
//!
//! # What goes wrong
//!
//! New desired states come while others are under way, turn dependencies round, move what only one can have, or ask for
//! it twice, and say again whether what varies can be changed in place. Requests are lost, unheard of or late, and
//! creations arrive twice; answers come twice; the cloud refuses, breaks, asks to come back later, or takes its time,
//! or for ever. Things vanish, change and break by themselves. Leaders die with any part of a step stored or begun, and
//! are deposed while they go on. Of comers and goers, leaders leave with jobs under way, and what a leader writes
//! arrives late: it may be deposed by then, with other leaders before and after it; and somebody adopts what was there
//! before.
//!
//! # What must hold
//!
//! At every step: requirements have no cycle and lead to rows that are there; nothing is deleted that something requires or refers to,
//! that was up and has no successor, that a rollback would find, or that may still be wanted, nothing that was there
//! before the stack and that no desired state has contained, and no server before its software is torn down; what only
//! one can have is not given twice, and what takes turns is not made at once; nothing is made of which three are there
//! that nothing requires; what failed is not begun again for the same desired state. In one history of 16 each step is
//! what the predicates say when they are computed from scratch. When faults stop, everything comes to rest; then the
//! next desired state is reached, with nothing left over; what then drifts is put right; the same desired state once
//! more costs two writes and no job; a last one writes no row more than twice. What is written down of a thing is then
//! what can be read of it.
//!
//! # Whether it finds anything
//!
//! `tests/mutants.rs` puts these bugs into a copy, one at a time. They were found by so many histories from the first on:
//!
//! | Bug | Histories |
//! |---|---:|
//! | create does not wait for what another one has | 1 |
//! | create waits for what was up | 1 |
//! | delete takes what stands for its name | 1 |
//! | delete takes what was up before there is another one | 1 |
//! | done does not see drift that is to be put right | 1 |
//! | pick takes what cannot become what is wanted | 1 |
//! | a turn is never over | 2 |
//! | a turn is over once the cloud has the request | 2 |
//! | delete takes what a rollback would find | 3 |
//! | delete takes what something requires | 3 |
//! | look is left out: what nobody heard of was not made | 3 |
//! | pick takes what has another value than one that replaces | 3 |
//! | a server goes before its software | 4 |
//! | create does not wait for its turn | 4 |
//! | create makes a second one beside the first | 4 |
//! | delete takes what may still be wanted | 4 |
//! | two leaders give the same marks | 4 |
//! | update does not wait for what another one has | 4 |
//! | what nobody knows is left where it is | 4 |
//! | an update requires only what it will require | 5 |
//! | an update that nobody heard of has not happened | 5 |
//! | done does not ask whether what changes in place is as wanted | 5 |
//! | what is kept does not look at those who wait for their turn | 5 |
//! | what is kept does not look at those who wait for what a row gives up | 5 |
//! | what is kept is not looked at when nothing requires a row any more | 5 |
//! | create tries again what failed | 7 |
//! | forget forgets what failed | 7 |
//! | release takes what is wanted where it is | 7 |
//! | update changes what is being changed | 8 |
//! | done does not ask what is held | 10 |
//! | what nobody wants any more is tried again | 12 |
//! | a new leader does not wait for the requests of the former one | 14 |
//! | done does not ask what is required | 17 |
//! | forget forgets what something requires | 17 |
//! | nothing is repointed | 17 |
//! | what was seen before a change is believed | 17 |
//! | done does not ask whether what varies is as wanted | 21 |
//! | an update holds only what it had | 23 |
//! | what failed for an earlier desired state is not tried again | 23 |
//! | an answer to an older job is believed | 25 |
//! | update tries again what failed | 25 |
//! | what varies is not written down | 25 |
//! | delete tries again what failed | 29 |
//! | pick takes what failed | 31 |
//! | release tries again what failed | 38 |
//! | done does not ask whether there is software | 46 |
//! | a row is not done in time and goes on | 60 |
//! | release takes from what is being worked on | 85 |
//! | a released thing counts as it was | 156 |
//! | what was reached is told from what is left of it by nothing | 200 |
//! | create has too many things made at once | 787 |
//! | done counts what is still being changed | 1378 |
//! | an update that nobody heard of has not changed what varies | 4277 |
//! | what shows values of another thing is not read again | 5130 |
//! | what was read is no other edition | 5130 |
//! | what was there before stays so although it was changed | 5172 |
//! | what was there before has what another one has | 5500 |
//! | delete takes what was there before and nobody asked for | 5800 |

#[path = "../../../runtime/agent/tests/simulation/chance.rs"]
mod chance;
mod cloud;
mod faults;
mod store;
mod wish;
mod world;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use world::World;

/// Lines of a history that are printed when it fails.
const SHOWN: usize = 80;

/// How many histories are run unless `WATTLE_HISTORIES` says it, and for how long at most. A slow machine does fewer, unless it
/// is to do all that is slow.
const MOST: u64 = 100_000;
const LONGEST: Duration = Duration::from_secs(40);

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

/// What happened in a history that failed, for people.
fn report(seed: u64, shown: usize) -> String {
    let went = World::run(seed, true);
    let what = went.broken.unwrap_or_else(|| "nothing, when it is looked at".to_owned());
    let skipped = went.trace.len().saturating_sub(shown);
    let lines = went.trace[skipped..].join("\n");
    format!("history {seed} (WATTLE_SEED={seed} runs it alone): {what}\n{lines}")
}

#[test]
fn the_desired_state_is_reached_whatever_goes_wrong() {
    if let Some(seed) = number("WATTLE_SEED") {
        let went = World::run(seed, true);
        println!("{}", went.trace.join("\n"));
        assert!(went.broken.is_none(), "history {seed}: {}", went.broken.unwrap_or_default());
        return;
    }
    let (first, asked) = (number("WATTLE_FIRST").unwrap_or(0), number("WATTLE_HISTORIES"));
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
    println!("{done} histories, {events} events in {seconds:.1} s: {rate:.0} histories a second");
    let failed = failed.into_inner().expect("INVARIANT: nobody panics with it");
    if let Some(seed) = failed {
        println!("{}", report(seed, SHOWN));
        panic!("history {seed} fails");
    }
}
