//! The data space compared to the bare clients of its stores: hand-over, chain, fan-out, seed.
//!
//! `cargo bench -p wattle-tests --bench space [-- zookeeper|embedded|seeds|ENTRIES...]` prints the tables of
//! `docs/benchmarks.md`; a number of entries selects that row of the seeds. Compared figures were measured in one run
//! of this program, in turns; figures are medians.

mod raw;
mod seeds;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use wattle::model::Value;
use wattle_runtime::space::{Content, Revision, ServerKey, Space};
use wattle_runtime::store::embedded::Server;
use wattle_runtime::store::{Access, Address, Login, Op, Store};
use wattle_tests::zookeeper::ZooKeeper;

use raw::Raw;

/// The recommended maximum number of watches of a ZooKeeper session.
const WATCHES: usize = 1_000;

/// Set for the child that is an embedded store's server: the path of its socket.
const SERVER: &str = "WATTLE_BENCH_SERVER";

/// The revision of all entries.
const FIRST: Revision = Revision { space: None, number: 1 };

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    if let Some(socket) = std::env::var_os(SERVER) {
        return runtime.block_on(serve(socket.into()));
    }
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|word| word == name);
    if is_wanted("zookeeper") {
        let server = ZooKeeper::start(1);
        let address = server.address().parse().expect("an address");
        runtime.block_on(zookeeper(&address, server.hosts()));
    }
    if is_wanted("embedded") {
        runtime.block_on(embedded());
    }
    let mut sizes: Vec<u32> = wanted.iter().filter_map(|word| word.parse().ok()).collect();
    if is_wanted("seeds") {
        sizes = vec![1_000, 10_000, 100_000];
    }
    if !sizes.is_empty() {
        runtime.block_on(seeds::table(&sizes));
    }
}

fn operator() -> Login {
    Login { name: "operator".to_owned(), password: "bench".to_owned() }
}

async fn serve(socket: PathBuf) {
    let log = socket.with_extension("log");
    let _server = Server::start(&socket, &log, &operator().principal()).await.expect("a server");
    std::future::pending::<()>().await;
}

/// The writer of all entries.
const WRITER: &str = "server";

/// Creates clients of a store.
struct Clients {
    address: Address,
    operator: Login,
    /// The key of the writer.
    key: ServerKey,
    /// Whether entries are signed by the writer, and verified by readers, as agents do.
    signs: bool,
}

impl Clients {
    fn new(address: Address) -> Self {
        Self { address, operator: operator(), key: ServerKey::generate(), signs: true }
    }

    /// The same clients without signatures.
    fn unsigned(&self) -> Self {
        Self { address: self.address.clone(), operator: self.operator.clone(), key: self.key.clone(), signs: false }
    }

    async fn store(&self) -> Arc<dyn Store> {
        self.address.connect(std::slice::from_ref(&self.operator)).await.expect("a store")
    }

    async fn space(&self, stack: &str) -> Space {
        let space = Space::new(self.store().await, stack);
        if !self.signs {
            return space;
        }
        let space = space.signing([self.key.signer()]);
        let plan = serde_json::json!({ "revision": 1, "key": self.key.signer().authority() });
        space.believe(&WRITER.into(), &serde_json::from_value(plan).expect("a plan"));
        space
    }
}

async fn zookeeper(address: &Address, hosts: &str) {
    let clients = Clients::new(address.clone());
    let unsigned = clients.unsigned();
    println!("## ZooKeeper, one member\n");
    println!("| | wattle | unsigned | ratio | the bare client | ratio |\n|---|---|---|---|---|---|");
    let raw = Raw::new(hosts, &clients.operator);
    let mut runs = Vec::new();
    for run in 0..5 {
        let stack = &format!("hand-over{run}");
        prepare(&*clients.store().await, stack, 1_200).await;
        let ours = hand_over(&clients, stack, 0..400).await;
        let without = hand_over(&unsigned, stack, 400..800).await;
        runs.push([ours, without, raw.hand_over(stack, 800..1_200).await]);
    }
    row("hand-over, median", &runs);
    let mut runs = Vec::new();
    for run in 0..5 {
        let stack = &format!("chain{run}");
        prepare(&*clients.store().await, stack, 300).await;
        let ours = chain(&clients, stack, 0, 100).await;
        let without = chain(&unsigned, stack, 100, 100).await;
        runs.push([ours, without, raw.chain(stack, 200, 100).await]);
    }
    row("chain of 100", &runs);
    for readers in [100, 1_000, 5_000] {
        let mut runs = Vec::new();
        for run in 0..5 {
            let stack = &format!("fan{readers}-{run}");
            prepare(&*clients.store().await, stack, 3).await;
            let ours = fan_out(&clients, stack, 0, readers).await;
            let without = fan_out(&unsigned, stack, 1, readers).await;
            runs.push([ours, without, raw.fan_out(stack, 2, readers).await]);
        }
        row(&format!("fan-out to {readers} readers"), &runs);
    }
    println!();
}

/// The embedded store, its server in a process of its own; compared to a bare echo over a Unix socket within one
/// thread.
async fn embedded() {
    let folder = tempfile::tempdir().expect("a folder");
    let socket = folder.path().join("socket");
    let program = std::env::current_exe().expect("this program");
    let mut server = tokio::process::Command::new(program);
    let _server = server.env(SERVER, &socket).kill_on_drop(true).spawn().expect("a server");
    let clients = Clients::new(Address::Socket(socket));
    let unsigned = clients.unsigned();
    println!("## Embedded\n");
    println!("An echo over a Unix socket, and nothing else: {}\n", show(raw::echo().await));
    println!("| | wattle | unsigned | ratio |\n|---|---|---|---|");
    let mut runs = Vec::new();
    for run in 0..5 {
        let stack = &format!("hand-over{run}");
        prepare(&*clients.store().await, stack, 2_000).await;
        runs.push([hand_over(&clients, stack, 0..1_000).await, hand_over(&unsigned, stack, 1_000..2_000).await]);
    }
    row("hand-over, median", &runs);
    let mut runs = Vec::new();
    for run in 0..5 {
        let stack = &format!("chain{run}");
        prepare(&*clients.store().await, stack, 200).await;
        runs.push([chain(&clients, stack, 0, 100).await, chain(&unsigned, stack, 100, 100).await]);
    }
    row("chain of 100", &runs);
    for readers in [100, 1_000, 5_000] {
        let mut runs = Vec::new();
        for run in 0..5 {
            let stack = &format!("fan{readers}-{run}");
            prepare(&*clients.store().await, stack, 2).await;
            runs.push([fan_out(&clients, stack, 0, readers).await, fan_out(&unsigned, stack, 1, readers).await]);
        }
        row(&format!("fan-out to {readers} readers"), &runs);
    }
    println!();
}

/// Medians of runs that were measured in turns, ours first, each other one with the ratio of ours to it.
fn row<const N: usize>(what: &str, runs: &[[Duration; N]]) {
    let medians: Vec<Duration> = (0..N).map(|at| median(runs.iter().map(|run| run[at]))).collect();
    let others = medians[1..]
        .iter()
        .map(|other| format!(" {} | {:.2} |", show(*other), medians[0].as_secs_f64() / other.as_secs_f64()));
    println!("| {what} | {} |{}", show(medians[0]), others.collect::<String>());
}

fn show(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds >= 1.0 => format!("{seconds:.2} s"),
        seconds if seconds >= 0.001 => format!("{:.1} ms", seconds * 1e3),
        seconds => format!("{:.0} µs", seconds * 1e6),
    }
}

fn median(figures: impl IntoIterator<Item = Duration>) -> Duration {
    let mut figures: Vec<Duration> = figures.into_iter().collect();
    figures.sort();
    figures[figures.len() / 2]
}

fn entry(i: usize) -> String {
    format!("{WRITER}/component/output{i}")
}

fn value(text: &str) -> Content {
    Content::Value(Value::from(text))
}

/// Creates `count` empty entries.
async fn prepare(store: &dyn Store, stack: &str, count: usize) {
    let space = wattle_runtime::space::Layout::new(stack);
    let mut above = String::new();
    let parents = space.entry("server/component");
    for part in parents.trim_start_matches('/').split('/') {
        above = format!("{above}/{part}");
        let create = Op::Create { path: above.clone(), data: Vec::new(), access: Access::new() };
        let _ = store.apply(vec![create]).await;
    }
    let create = |i| Op::Create { path: space.entry(&entry(i)), data: Vec::new(), access: Access::new() };
    store.apply((0..count).map(create).collect()).await.expect("entries");
}

/// From the writer's call until its blocked reader has the value.
async fn hand_over(clients: &Clients, stack: &str, entries: std::ops::Range<usize>) -> Duration {
    let (reader, writer) = (clients.space(stack).await, clients.space(stack).await);
    let mut figures = Vec::new();
    for i in entries {
        let (reader, name) = (reader.clone(), entry(i));
        // As an agent does when it begins a revision.
        writer.holds(&name, &FIRST).await.expect("an entry");
        let waiting = reader.clone();
        let read = tokio::spawn(async move {
            let content = waiting.read(&entry(i), &FIRST).await.expect("a value");
            (content, Instant::now())
        });
        // Once both of these have returned, the server knows the reader: it has responded and has the watch.
        tokio::task::yield_now().await;
        reader.peek(&name).await.expect("an entry");
        reader.peek(&name).await.expect("an entry");
        let start = Instant::now();
        writer.write(&name, &FIRST, &value("10.0.0.7")).await.expect("written");
        let (content, end) = read.await.expect("read");
        assert_eq!(content, value("10.0.0.7"));
        figures.push(end - start);
    }
    median(figures)
}

/// Agent `i` waits for the entry of agent `i - 1` and writes its own.
async fn chain(clients: &Clients, stack: &str, first: usize, length: usize) -> Duration {
    let mut links = JoinSet::new();
    for i in first + 1..first + length {
        let space = clients.space(stack).await;
        space.holds(&entry(i), &FIRST).await.expect("an entry");
        links.spawn(async move {
            let before = space.read(&entry(i - 1), &FIRST).await.expect("a value");
            space.write(&entry(i), &FIRST, &before).await.expect("written");
        });
    }
    let space = clients.space(stack).await;
    space.holds(&entry(first), &FIRST).await.expect("an entry");
    let last = clients.space(stack).await;
    let end = tokio::spawn(async move { last.read(&entry(first + length - 1), &FIRST).await.expect("a value") });
    tokio::time::sleep(Duration::from_millis(200)).await;
    let start = Instant::now();
    space.write(&entry(first), &FIRST, &value("x")).await.expect("written");
    assert_eq!(end.await.expect("read"), value("x"));
    let time = start.elapsed();
    links.join_all().await;
    time
}

/// One value, until the last of many blocked readers has it.
async fn fan_out(clients: &Clients, stack: &str, i: usize, readers: usize) -> Duration {
    let space = clients.space(stack).await;
    let writer = clients.space(stack).await;
    let mut reads = JoinSet::new();
    for _ in 0..readers {
        let space = space.clone();
        reads.spawn(async move { space.read(&entry(i), &FIRST).await.expect("a value") });
    }
    tokio::time::sleep(Duration::from_millis(500 + readers as u64 / 4)).await;
    let start = Instant::now();
    writer.write(&entry(i), &FIRST, &value("x")).await.expect("written");
    let values = reads.join_all().await;
    let time = start.elapsed();
    assert_eq!(values.len(), readers);
    time
}
