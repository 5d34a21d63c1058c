//! The engine without Heat over a cloud that does everything at once: what is left is the engine's own share.
//!
//! `cargo bench -p wattle-tests --bench engine [-- RESOURCES...]` prints the table of `docs/benchmarks.md`. A stack of N resources is
//! N/10 networks, each with nine servers that depend on it. Each row is a process of its own, since memory is never given back.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use tokio::sync::mpsc;
use wattle::model::{Name, Value};
use wattle_converge::{Cleanup, Id, Job, Known, Limits, OnFailure, Outcome, Sight, Target, Thing, Wanted as One, What};
use wattle_runtime::deploy::{Blindness, Cloud, Deployment, Maker, Rows, Seen, Wanted};
use wattle_runtime::space::OperatorKey;
use wattle_runtime::store::{Address, Memory, Op, Store, StoreError};
use wattle_tests::stores::{Asked, Guard, Guarded};
use wattle_tests::zookeeper::ZooKeeper;

/// Set for the child that measures one row: over which store.
const STORE: &str = "WATTLE_BENCH_STORE";

/// The only type that there is.
const KIND: &str = "Thing";

fn main() {
    let wanted: Vec<u32> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    if let Ok(store) = std::env::var(STORE) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        return runtime.block_on(row(wanted[0], &store));
    }
    let sizes = if wanted.is_empty() { vec![100, 1_000, 10_000] } else { wanted };
    println!(
        "| store | resources | created | writes | reads | the same again | writes | one changed | writes | loaded | memory |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for store in ["memory", "zookeeper"] {
        for size in &sizes {
            let program = std::env::current_exe().expect("this program");
            let status = Command::new(program).arg(size.to_string()).env(STORE, store).status().expect("runs");
            assert!(status.success(), "{store} with {size} resources");
        }
    }
}

async fn row(size: u32, store: &str) {
    let (inner, _server) = if store == "memory" {
        (Arc::new(Memory::new()) as Arc<dyn Store>, None)
    } else {
        let server = ZooKeeper::start(1);
        let address: Address = server.address().parse().expect("an address");
        (address.connect(&[OperatorKey::generate().login()]).await.expect("connects"), Some(server))
    };
    let counted = Guarded::new(inner, Counter::default());
    let before = resident();
    let deployment = Deployment {
        store: Arc::clone(&counted) as Arc<dyn Store>,
        stack: "shop".into(),
        key: OperatorKey::generate(),
        cloud: Arc::new(Instantly::default()),
        maker: Arc::new(Numbered),
        limits: Limits::default(),
    };
    let mut text = format!("| {store} | {size} ");
    let mut write = |taken: Duration, counts: (u64, u64), reads: bool| {
        let _ = write!(text, "| {} ms | {} ", taken.as_millis(), per(counts.0, size));
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

/// Has it done: how long that took, and the writes and reads of it.
async fn bring(deployment: &Deployment, counter: &Counter, source: String) -> (Duration, (u64, u64)) {
    counter.take();
    let wanted =
        Wanted::Deploy { source, on_failure: OnFailure::Stop, cleanup: Cleanup::Last, corrects: false, deadline: None };
    let begin = Instant::now();
    let (news, _heard) = mpsc::unbounded_channel();
    let ended = deployment.bring(&wanted, &news, std::future::pending()).await.expect("it is brought up");
    let taken = begin.elapsed();
    assert!(ended.is_some_and(|ended| ended.roots.is_empty()), "it is as it should be");
    (taken, counter.take())
}

/// Bytes of memory that this process has.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").expect("Linux says so");
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a line of it");
    line.trim().trim_end_matches(" kB").trim().parse::<u64>().expect("a number") * 1_024
}

/// How much is written and read of rows.
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

/// A cloud that does everything at once.
#[derive(Debug, Default)]
struct Instantly(Mutex<BTreeMap<Id, Value>>);

fn thing(mark: Id) -> Thing {
    Thing { phys: format!("thing-{mark}").into(), attributes: BTreeMap::new() }
}

#[async_trait]
impl Cloud for Instantly {
    fn kinds(&self) -> BTreeSet<Name> {
        BTreeSet::from([KIND.into()])
    }

    async fn carry_out(&self, job: &Job) -> Outcome {
        let mut things = self.0.lock().expect("nobody panics");
        match &job.what {
            What::Create { properties } | What::Update { properties } => {
                things.insert(job.row, properties.clone());
                Outcome::Done(Some(thing(job.row)))
            }
            other => panic!("{other:?} is not asked for here"),
        }
    }

    async fn list(&self, _: &BTreeSet<Name>, rows: &Rows) -> Result<Vec<Seen>, Blindness> {
        let things = self.0.lock().expect("nobody panics");
        let seen = things.iter().map(|(mark, properties)| {
            assert!(rows.expected.get(mark).is_none_or(|expected| expected == properties), "nobody changes anything");
            Seen { row: *mark, kind: KIND.into(), sight: Sight::Ready(thing(*mark)) }
        });
        Ok(seen.collect())
    }
}

/// Makes targets of how many things there are, and which one is another than the others.
#[derive(Debug)]
struct Numbered;

impl Maker for Numbered {
    fn make(&self, source: &str) -> Result<Arc<dyn Target>, String> {
        let (size, changed) = source.split_once(' ').ok_or("two words are needed")?;
        let size = size.parse().map_err(|_| "a number is needed")?;
        Ok(Arc::new(Many { size, changed: changed.parse().ok() }))
    }
}

#[derive(Debug)]
struct Many {
    size: u32,
    changed: Option<u32>,
}

fn name(number: u32) -> Name {
    format!("thing{number}").into()
}

impl Target for Many {
    fn resources(&self) -> Vec<(Name, Vec<Name>)> {
        let needs = |number: u32| if number.is_multiple_of(10) { Vec::new() } else { vec![name(number / 10 * 10)] };
        (0..self.size).map(|number| (name(number), needs(number))).collect()
    }

    fn resolve(&self, name: &str, _: &Known<'_>) -> Result<One, String> {
        let is_changed = self.changed.is_some_and(|changed| name == &*self::name(changed));
        let text: Name = if is_changed { "another".into() } else { "one".into() };
        Ok(One {
            kind: KIND.into(),
            fixed: "".into(),
            free: text.clone(),
            varying: BTreeMap::new(),
            exclusive: BTreeSet::new(),
            turns: BTreeSet::new(),
            drains: false,
            corrects: false,
            patience: None,
            properties: Value::Str(text),
        })
    }
}
