//! All agents, in as many processes as necessary.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use wattle_tests::crowd::Server;
use wattle_tests::requests::Counts;

use super::shard::{self, Config, Report};

/// The number of descriptors of an agent: its connection, its journal, its lock, its socket.
const DESCRIPTORS: usize = 4;

pub(super) struct Field {
    shards: Vec<Shard>,
    pub(super) agents: usize,
    /// The memory of each agent before it has any work, in bytes.
    pub(super) memory: u64,
    folder: TempDir,
}

struct Shard {
    _child: Child,
    say: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Field {
    /// Starts an agent for each of `servers`, and returns when all of them are connected.
    pub(super) async fn start(address: &str, servers: &[Server]) -> Self {
        // A journal is synced line by line, but the data space is to be measured.
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() }.expect("a folder");
        let most = (descriptors() - 500) / DESCRIPTORS;
        let parts = servers.len().div_ceil(most).max(1);
        let mut field = Self { shards: Vec::new(), agents: servers.len(), memory: 0, folder };
        for (number, servers) in servers.chunks(servers.len().div_ceil(parts)).enumerate() {
            let folder = field.folder.path().join(number.to_string());
            fs::create_dir(&folder).expect("a folder");
            let config = Config { address: address.to_owned(), servers: servers.to_vec(), folder };
            field.shards.push(Shard::start(&config));
        }
        let empty: u64 = field.answers().await.iter().map(|report| report.memory).sum();
        let full: u64 = field.answers().await.iter().map(|report| report.memory).sum();
        field.memory = (full - empty) / servers.len() as u64;
        field
    }

    async fn answers(&mut self) -> Vec<Report> {
        let mut reports = Vec::new();
        for shard in &mut self.shards {
            reports.push(shard.answer().await);
        }
        reports
    }

    async fn ask(&mut self) -> Vec<Report> {
        for shard in &mut self.shards {
            shard.say.write_all(b"\n").await.expect("a shard listens");
        }
        self.answers().await
    }

    /// The number of processes.
    pub(super) fn processes(&self) -> usize {
        self.shards.len()
    }

    /// The number of requests by all agents so far.
    pub(super) async fn counts(&mut self) -> Counts {
        let mut counts = Counts::default();
        self.ask().await.iter().for_each(|report| counts.add(&report.counts));
        counts
    }

    /// The present memory of an agent, in bytes, including its share of its process.
    pub(super) async fn resident(&mut self) -> u64 {
        self.ask().await.iter().map(|report| report.memory).sum::<u64>() / self.agents as u64
    }

    /// The number of requests by all agents, once they are idle: no requests in a second count as idle.
    pub(super) async fn settled(&mut self) -> Counts {
        let begun = Instant::now();
        let mut before = self.counts().await;
        loop {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let now = self.counts().await;
            // Periodic checks never end.
            if now.requests() < before.requests() + 5 + self.agents as u64 / 50 || begun.elapsed().as_secs() > 300 {
                return now;
            }
            before = now;
        }
    }
}

impl Shard {
    fn start(config: &Config) -> Self {
        let file = config.folder.join("config.json");
        fs::write(&file, serde_json::to_vec(config).expect("INVARIANT: it is JSON")).expect("it is written");
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.env(shard::CONFIG, &file).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().expect("a shard");
        let say = child.stdin.take().expect("INVARIANT: it is piped");
        let answers = BufReader::new(child.stdout.take().expect("INVARIANT: it is piped")).lines();
        Self { _child: child, say, answers }
    }

    async fn answer(&mut self) -> Report {
        let line = self.answers.next_line().await.expect("a shard answers").expect("a shard lives");
        serde_json::from_str(&line).expect("a report")
    }
}

/// The limit of descriptors for a process.
fn descriptors() -> usize {
    let limits = fs::read_to_string("/proc/self/limits").expect("limits");
    let line = limits.lines().find(|line| line.starts_with("Max open files")).expect("a limit");
    line.split_whitespace().nth(3).and_then(|soft| soft.parse().ok()).expect("a number")
}
