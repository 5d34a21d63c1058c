//! A run under every fault that nobody thought of: many agents, a store, an operator, disks and recipes in one process,
//! whose clock and chance are a number.
//!
//! What carries the actions out here is an agent like `runtime`'s in small: it loses its place when the store has not heard
//! it for long enough, says nothing and begins nothing while it cannot be sure of it, and takes it only from a predecessor
//! in the same folder. The store keeps ZooKeeper's promises and no more. Recipes are fakes: what they give is made of what
//! they are given, so that the last revision comes to the same whatever has happened before.
//!
//! A seed is a schedule. `WATTLE_SCHEDULES` says how many are run (`WATTLE_FIRST` from which seed on); `WATTLE_SEED` runs
//! one and prints what happened.

#![allow(
    clippy::match_same_arms,
    clippy::similar_names,
    clippy::struct_excessive_bools,
    clippy::struct_field_names,
    clippy::too_many_lines,
    reason = "cases stand side by side, and a world is made of flags"
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

use world::World;

/// Lines of a schedule that are printed when it fails.
const SHOWN: usize = 60;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

/// What happened in a schedule that failed, for people.
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
    let (first, count) = (number("WATTLE_FIRST").unwrap_or(0), number("WATTLE_SCHEDULES").unwrap_or(20_000));
    let next = AtomicU64::new(first);
    let (found, failed, happened) = (AtomicBool::new(false), Mutex::new(None::<u64>), AtomicU64::new(0));
    let begin = std::time::Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while !found.load(Ordering::Relaxed) {
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
