//! Histories of what goes wrong, by chance.

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
const LONGEST: Duration = Duration::from_mins(2);

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
fn the_goal_is_reached_whatever_goes_wrong() {
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
