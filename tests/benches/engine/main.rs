//! The engine without Heat over a cloud that does everything at once, which measures the engine's own share.
//!
//! `cargo bench -p wattle-tests --bench engine [-- RESOURCES...]` prints the table of `docs/benchmarks.md`. A stack of
//! N resources is N/10 networks, each with nine servers that depend on it. Each row is a process of its own, since
//! memory is never given back.
//!
//! A second table is about killed leaders: a process deploys a stack and is killed (`SIGKILL`) when nine of ten
//! resources exist; the table shows how long the next process takes from its start until it continues.

mod instantly;
mod killed;

use std::fmt::Write as _;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use tokio::sync::mpsc;
use wattle_converge::{Cleanup, Limits, OnFailure};
use wattle_runtime::deploy::{Deployment, Identity, Wanted};
use wattle_runtime::space::OperatorKey;
use wattle_runtime::store::{Address, Memory, Op, Store, StoreError};
use wattle_tests::embedded::Embedded;
use wattle_tests::stores::{Asked, Guard, Guarded};
use wattle_tests::zookeeper::ZooKeeper;

/// Set for a child: its part of the work.
const PART: &str = "WATTLE_BENCH_PART";

/// The store, its address, and the operator's key.
const STORE: &str = "WATTLE_BENCH_STORE";
const ADDRESS: &str = "WATTLE_BENCH_ADDRESS";
const KEY: &str = "WATTLE_BENCH_KEY";

fn main() {
    let wanted: Vec<u32> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    if let Ok(part) = std::env::var(PART) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        return runtime.block_on(self::part(wanted[0], &part));
    }
    let sizes = if wanted.is_empty() { vec![100, 1_000, 10_000] } else { wanted };
    println!(
        "| store | resources | created | writes | reads | the same again | writes | one changed | writes | loaded | memory |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    let mut growth = String::new();
    for store in ["memory", "embedded", "zookeeper"] {
        let mut created: Vec<(u32, f64)> = Vec::new();
        for size in &sizes {
            let place = Place::of(store);
            let ran = again(*size, &place, "row").stderr(Stdio::inherit()).output().expect("runs");
            assert!(ran.status.success(), "{store} with {size} resources");
            let row = String::from_utf8_lossy(&ran.stdout).into_owned();
            print!("{row}");
            created.push((*size, milliseconds(&row)));
        }
        if let [(fewer, then), .., (more, now)] = created[..] {
            let exponent = (now / then).ln() / (f64::from(more) / f64::from(fewer)).ln();
            let _ = writeln!(
                growth,
                "{store}: from {fewer} to {more} resources, the time grows with an exponent of {exponent:.2}"
            );
        }
    }
    println!("\n{growth}");
    println!("| store | resources | it goes on after | of that, since nobody else leads |\n|---|---|---|---|");
    for store in ["embedded", "zookeeper"] {
        for size in &sizes {
            println!("| {store} | {size} | {} |", killed::after_a_kill(*size, &Place::of(store)));
        }
    }
}

/// The time in a row of the table.
fn milliseconds(row: &str) -> f64 {
    let column = row.split('|').nth(3).and_then(|column| column.trim().strip_suffix(" ms"));
    column.and_then(|number| number.parse().ok()).expect("a row has a time")
}

/// A store that outlives the process.
enum Place {
    Memory,
    Embedded(Embedded),
    ZooKeeper(ZooKeeper, OperatorKey),
}

impl Place {
    fn of(store: &str) -> Self {
        match store {
            "memory" => Self::Memory,
            "embedded" => Self::Embedded(Embedded::new()),
            _ => Self::ZooKeeper(ZooKeeper::start(1), OperatorKey::generate()),
        }
    }

    /// Its name, its address, and the operator's key.
    fn said(&self) -> [String; 3] {
        match self {
            Self::Memory => ["memory".into(), String::new(), OperatorKey::generate().expose()],
            Self::Embedded(store) => ["embedded".into(), store.address(), store.key().expose()],
            Self::ZooKeeper(server, key) => ["zookeeper".into(), server.address(), key.expose()],
        }
    }
}

/// A command that runs this program again, for a part of its work.
fn again(size: u32, place: &Place, part: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    let said = place.said();
    command.arg(size.to_string()).env(PART, part);
    command.envs([STORE, ADDRESS, KEY].into_iter().zip(said));
    command
}

async fn part(size: u32, part: &str) {
    let said = |name: &str| std::env::var(name).expect("it was said");
    let (store, key): (String, OperatorKey) = (said(STORE), said(KEY).parse().expect("a key"));
    let inner: Arc<dyn Store> = if store == "memory" {
        Arc::new(Memory::new())
    } else {
        let address: Address = said(ADDRESS).parse().expect("an address");
        address.connect(&[key.login()]).await.expect("connects")
    };
    match part {
        "row" => row(size, &store, inner, key).await,
        "begin" => killed::begin(size, inner, key).await,
        _ => killed::go_on(size, inner, key).await,
    }
}

fn deployment(store: Arc<dyn Store>, key: OperatorKey) -> Deployment {
    Deployment {
        store,
        stack: "shop".into(),
        key,
        cloud: Arc::new(instantly::Instantly::default()),
        maker: Arc::new(instantly::Numbered),
        limits: Limits::default(),
    }
}

fn wanted(source: String) -> Wanted {
    Wanted::Deploy { source, on_failure: OnFailure::Stop, cleanup: Cleanup::Last, corrects: false, deadline: None }
}

async fn row(size: u32, store: &str, inner: Arc<dyn Store>, key: OperatorKey) {
    let counted = Guarded::new(inner, Counter::default());
    let before = resident();
    let deployment = deployment(Arc::clone(&counted) as Arc<dyn Store>, key);
    // As every command does, so that it is not read again with each write.
    Identity::of(&deployment.store, &deployment.stack, &deployment.key).await.expect("an identity");
    let mut text = format!("| {store} | {size} ");
    let mut write = |taken: Duration, counts: (u64, u64), reads: bool| {
        let _ = write!(text, "| {:.1} ms | {} ", taken.as_secs_f64() * 1_000.0, per(counts.0, size));
        if reads {
            let _ = write!(text, "| {} ", per(counts.1, size));
        }
    };
    let (taken, counts) = bring(&deployment, &counted.guard, format!("{size} -")).await;
    write(taken, counts, true);
    let memory = resident().saturating_sub(before);
    let (taken, counts) = bring(&deployment, &counted.guard, format!("{size} -")).await;
    write(taken, counts, false);
    let (taken, counts) = bring(&deployment, &counted.guard, format!("{size} 7")).await;
    write(taken, counts, false);
    let begin = Instant::now();
    let (news, _heard) = mpsc::unbounded_channel();
    let differences = deployment.look(&news).await.expect("looks");
    assert!(differences.is_empty(), "{differences:?}");
    println!("{text}| {} ms | {} MB |", begin.elapsed().as_millis(), memory / 1_000_000);
}

fn per(count: u64, size: u32) -> String {
    format!("{:.2}", f64::from(u32::try_from(count).expect("few enough")) / f64::from(size))
}

/// Deploys, and returns the time, the writes and the reads.
async fn bring(deployment: &Deployment, counter: &Counter, source: String) -> (Duration, (u64, u64)) {
    counter.take();
    let wanted = wanted(source);
    let begin = Instant::now();
    let (news, _heard) = mpsc::unbounded_channel();
    let ended = deployment.bring(&wanted, &news, std::future::pending()).await.expect("it is brought up");
    let taken = begin.elapsed();
    assert!(ended.is_some_and(|ended| ended.roots.is_empty()), "it is as it should be");
    (taken, counter.take())
}

/// The resident memory of this process, in bytes.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").expect("Linux says so");
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a line of it");
    line.trim().trim_end_matches(" kB").trim().parse::<u64>().expect("a number") * 1_024
}

/// Counts writes and reads of rows.
#[derive(Debug, Default)]
struct Counter {
    writes: AtomicU64,
    reads: AtomicU64,
}

impl Counter {
    fn take(&self) -> (u64, u64) {
        (self.writes.swap(0, Ordering::Relaxed), self.reads.swap(0, Ordering::Relaxed))
    }
}

#[async_trait]
impl Guard for Counter {
    async fn before(&self, asked: &Asked<'_>) -> Result<(), StoreError> {
        let count = match asked {
            Asked::Get(_) | Asked::Changed(_) | Asked::Children(_) => &self.reads,
            Asked::Op(Op::Create { .. } | Op::Set { .. } | Op::Delete { .. }) => &self.writes,
            Asked::Op(Op::Check { .. }) | Asked::Protect(..) | Asked::Hold(_) => return Ok(()),
        };
        count.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}
