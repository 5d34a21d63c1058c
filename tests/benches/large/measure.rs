//! Formats figures.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use wattle_tests::requests::Counts;
use wattle_tests::zookeeper::ZooKeeper;

pub(super) fn show(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds >= 1.0 => format!("{seconds:.2} s"),
        seconds => format!("{:.1} ms", seconds * 1e3),
    }
}

/// The growth exponent between two sizes.
pub(super) fn exponent(then: (u32, f64), now: (u32, f64)) -> f64 {
    (now.1 / then.1).ln() / (f64::from(now.0) / f64::from(then.0)).ln()
}

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
pub(super) fn per(counts: &Counts, of: u32) -> f64 {
    counts.requests() as f64 / f64::from(of)
}

/// The counts by kind, divided by this number.
#[expect(clippy::cast_precision_loss, reason = "counts are small")]
pub(super) fn kinds(counts: &Counts, of: u32) -> String {
    let kind = |(kind, count): (&String, &u64)| format!("{kind} {:.2}", *count as f64 / f64::from(of));
    counts.answers.iter().map(kind).collect::<Vec<_>>().join(", ")
}

/// A figure that a member reports about itself; `None` while it is not in service.
pub(super) fn said(zookeeper: &ZooKeeper, member: usize, what: &str) -> Option<u64> {
    let address = zookeeper.hosts().split(',').nth(member - 1).expect("a member");
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(5))).ok()?;
    stream.write_all(b"mntr").ok()?;
    let mut said = String::new();
    stream.read_to_string(&mut said).ok()?;
    said.lines().find_map(|line| line.strip_prefix(what)?.strip_prefix('\t')).and_then(|value| value.parse().ok())
}

/// The live data in a member's heap, in bytes.
pub(super) async fn heap(zookeeper: &ZooKeeper, member: usize) -> u64 {
    let home = zookeeper.dir().join(member.to_string());
    let read = |file: &str| std::fs::read_to_string(home.join(file)).unwrap_or_default();
    let histograms = |log: &str| log.lines().filter(|line| line.starts_with("Total ")).count();
    let before = histograms(&read("log"));
    let pid = read("pid").trim().to_owned();
    let asked = std::process::Command::new("kill").args(["-3", &pid]).status();
    assert!(asked.is_ok_and(|status| status.success()), "the member is asked");
    loop {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let log = read("log");
        if histograms(&log) > before {
            let total = log.lines().rfind(|line| line.starts_with("Total ")).unwrap_or_default();
            return total.split_whitespace().nth(2).and_then(|bytes| bytes.parse().ok()).unwrap_or(0);
        }
    }
}
