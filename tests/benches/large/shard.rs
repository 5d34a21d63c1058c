//! A process with a part of the agents: its commands on the standard input, and its responses.

use std::fs;
use std::io::{BufRead as _, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;
use wattle_tests::crowd::{Crowd, Server};
use wattle_tests::requests::{Counts, Requests};

/// Set for a shard: the path of its [`Config`].
pub(super) const CONFIG: &str = "WATTLE_BENCH_SHARD";

/// The work of a shard.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Config {
    pub(super) address: String,
    pub(super) servers: Vec<Server>,
    pub(super) folder: PathBuf,
}

/// The state of a shard.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Report {
    pub(super) counts: Counts,
    /// The resident memory, in bytes.
    pub(super) memory: u64,
}

/// Responds to each line with a report; the first is sent when all agents are connected.
pub(super) async fn run(config: &Path, requests: &Requests) {
    let config = fs::read(config).expect("a configuration");
    let config: Config = serde_json::from_slice(&config).expect("a configuration");
    let (sender, mut asked) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
        // The measuring process is gone.
        std::process::exit(0);
    });
    // The memory of a process without agents is not theirs.
    report(requests);
    let address = config.address.parse().expect("an address");
    let mut crowd = Crowd::start(&address, &config.servers, &config.folder).await;
    report(requests);
    loop {
        tokio::select! {
            _ = asked.recv() => report(requests),
            ended = crowd.ended() => panic!("{ended}"),
        }
    }
}

fn report(requests: &Requests) {
    let report = Report { counts: requests.counts(), memory: resident("self") };
    let text = serde_json::to_string(&report).expect("INVARIANT: it is JSON");
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}").and_then(|()| out.flush()).expect("somebody listens");
}

/// The resident memory of a process, in bytes.
pub(super) fn resident(process: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0) * 1024
}
