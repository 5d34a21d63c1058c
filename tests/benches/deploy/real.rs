//! Heat, the engine without Heat, and a minimal client, compared on real services.

use std::process::Command;
use std::time::{Duration, Instant};

use wattle_runtime::openstack::sources;
use wattle_tests::openstack::{RealHeat, admin};

use super::bare::{Askers, Bare, THREADS};
use super::own::{Own, source};
use super::template;

/// The requests to the services of the lab, and the time.
struct Seen {
    time: Duration,
    requests: u64,
}

impl Seen {
    fn of<T>(work: impl FnOnce() -> T) -> Self {
        let before = requests();
        let began = Instant::now();
        work();
        Self { time: began.elapsed(), requests: requests() - before }
    }
}

/// Prints the tables.
pub(crate) fn compared(sizes: &[usize]) {
    println!(
        "| tiers | who | create | change | delete | requests: create | change | delete |\n|---|---|---|---|---|---|---|---|"
    );
    for &size in sizes {
        let (one, two) = (template(size, "one"), template(size, "two"));
        let mut askers = Askers::new();
        // The first client of a service waits until the service has connected to its own dependencies.
        Bare::made(THREADS, &mut askers).delete();
        let read;
        let own = {
            let own = Own::new(&sources().expect("files"));
            let create = Seen::of(|| own.deploy(&one));
            drop(own.read());
            let change = Seen::of(|| own.deploy(&two));
            read = own.read();
            [create, change, Seen::of(|| own.destroy())]
        };
        let (bare, seeing) = {
            let mut made = None;
            let create = Seen::of(|| made = Some(Bare::made(size, &mut askers)));
            let mut made = made.expect("it was made");
            let change = Seen::of(|| made.change("two"));
            // A client that is not blind reads what `deploy` reads.
            let seeing = Seen::of(|| {
                made.read(&read);
                made.change("three");
            });
            ([create, change, Seen::of(|| made.delete())], seeing)
        };
        let memory = peak();
        let heat = {
            let heat = RealHeat::new();
            let mut stack = None;
            let create = Seen::of(|| stack = Some(heat.made("tiers", &source(&one))));
            let stack = stack.expect("it was made");
            let change = Seen::of(|| assert_eq!(stack.update(&source(&two)).0, "UPDATE_COMPLETE"));
            [create, change, Seen::of(|| stack.delete())]
        };
        for (who, seen) in [("Heat", &heat), ("`deploy`", &own), ("eight threads", &bare)] {
            let times: Vec<String> = seen.iter().map(|seen| format!("{:.1} s", seen.time.as_secs_f64())).collect();
            let requests: Vec<String> = seen.iter().map(|seen| seen.requests.to_string()).collect();
            println!("| {size} | {who} | {} | {} |", times.join(" | "), requests.join(" | "));
        }
        let (time, requests) = (seeing.time.as_secs_f64(), seeing.requests);
        println!("| {size} | eight threads that read | | {time:.1} s | | | {requests} | |");
        let ratio = |at: usize| own[at].time.as_secs_f64() / bare[at].time.as_secs_f64();
        println!(
            "{size} tiers: `deploy` takes {:.2}, {:.2} and {:.2} of what eight threads take, {:.2} of a change by those that read, in \
             {memory}; Heat's engine has {}",
            ratio(0),
            ratio(1),
            ratio(2),
            own[1].time.as_secs_f64() / time,
            engine()
        );
    }
}

fn lab(what: &str) -> String {
    let lab = Command::new(admin::lab()).arg(what).output().expect("the lab");
    String::from_utf8_lossy(&lab.stdout).into_owned()
}

/// The number of requests to the services so far.
fn requests() -> u64 {
    lab("requests").lines().filter_map(|line| line.split_whitespace().last()?.parse::<u64>().ok()).sum()
}

/// The memory use of Heat's engine.
fn engine() -> String {
    let status = lab("status");
    let line = status.lines().find(|line| line.starts_with("heat-engine")).unwrap_or_default();
    line.split_whitespace().skip(3).collect::<Vec<_>>().join(" ")
}

/// The peak memory use of this process.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").expect("reads");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    let kib: u64 = line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or_default();
    format!("{} MiB", kib / 1024)
}
