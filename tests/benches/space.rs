//! The data space: a seed of W(N) written to each store, next to the raw client that writes the same nodes.
//!
//! `cargo bench -p wattle-tests --bench space [-- ENTRIES...]` prints the tables of `docs/benchmarks.md`. Every figure is
//! the median of five runs; every ratio is between figures of one run of this program.

use std::env;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use async_trait::async_trait;
use wattle::author::Blueprint;
use wattle::lower::{Options as Lowering, Seed, lower};
use wattle_runtime::seed::{Options, apply, delete};
use wattle_runtime::space::OperatorKey;
use wattle_runtime::store::embedded::Server;
use wattle_runtime::store::{Access, Address, Hold, Memory, Node, Op, Rights, Store, StoreError, Version};
use wattle_tests::workload::{Size, workload};
use wattle_tests::zookeeper::ZooKeeper;
use zookeeper_client as zk;

const RUNS: usize = 5;

/// What one request of the raw client takes.
const BATCH: (usize, usize) = (1_000, 500_000);

fn main() -> ExitCode {
    let sizes: Vec<u32> = env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![1_000, 10_000, 100_000] } else { sizes };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(seeds(&sizes));
    ExitCode::SUCCESS
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

async fn time(work: impl Future) -> f64 {
    let start = Instant::now();
    work.await;
    start.elapsed().as_secs_f64() * 1e3
}

async fn seeds(sizes: &[u32]) {
    println!("## Seeds, milliseconds\n");
    println!("| entries | nodes | MB | in memory | embedded | ZooKeeper | raw multis | ratio |");
    println!("|---|---|---|---|---|---|---|---|");
    for entries in sizes {
        let (seed, options) = prepared(entries / 2);
        let recorded = Arc::new(Recorder::default());
        let store: Arc<dyn Store> = Arc::clone(&recorded) as _;
        apply(&store, &seed, &options).await.expect("applies");
        let ops = recorded.ops.lock().expect("no panic").clone();
        let bytes: usize = ops.iter().map(size).sum();
        let [mut memory, mut embedded, mut zookeeper, mut raw] = [const { Vec::new() }; 4];
        for _ in 0..RUNS {
            let store: Arc<dyn Store> = Arc::new(Memory::new());
            memory.push(time(async { apply(&store, &seed, &options).await.expect("applies") }).await);

            let folder = tempfile::tempdir().expect("a folder");
            let socket = folder.path().join("socket");
            let (log, operator) = (folder.path().join("log"), options.key.login().principal());
            let server = Server::start(&socket, &log, &operator).await.expect("starts");
            let store = Address::Socket(socket).connect(&[options.key.login()]).await.expect("connects");
            embedded.push(time(async { apply(&store, &seed, &options).await.expect("applies") }).await);
            drop(store);
            server.stop().await.expect("stops");

            let server = ZooKeeper::start(1);
            let address: Address = server.address().parse().expect("an address");
            let store = address.connect(&[options.key.login()]).await.expect("connects");
            zookeeper.push(time(async { apply(&store, &seed, &options).await.expect("applies") }).await);
            delete(&store, &seed.stack, false).await.expect("deletes");
            drop(store);
            let server = ZooKeeper::start(1);
            let client = zk::Client::connect(server.hosts()).await.expect("connects");
            let login = options.key.login();
            let auth = format!("{}:{}", login.name, login.password);
            client.auth("digest", auth.as_bytes()).await.expect("logs in");
            raw.push(time(write_raw(&client, &ops)).await);
        }
        let [memory, embedded, zookeeper, raw] = [memory, embedded, zookeeper, raw].map(median);
        println!(
            "| {entries} | {} | {:.1} | {memory:.0} | {embedded:.0} | {zookeeper:.0} | {raw:.0} | {:.2} |",
            ops.len(),
            bytes as f64 / 1e6,
            zookeeper / raw
        );
    }
}

fn prepared(tiers: u32) -> (Seed, Options) {
    let mut lowering = Lowering::default();
    lowering.decisions = false;
    let seed = lower(&workload.model(Size { tiers }), &lowering).seed;
    let mut options = Options::new(OperatorKey::generate());
    options.credentials.complete(&seed);
    (seed, options)
}

fn size(op: &Op) -> usize {
    match op {
        Op::Create { path, data, access } => path.len() + data.len() + access.grants().count() * 80,
        Op::Set { path, data, .. } => path.len() + data.len(),
        Op::Delete { path } => path.len(),
    }
}

/// The same changes in the raw client's multis, one behind the other.
async fn write_raw(client: &zk::Client, ops: &[Op]) {
    let mut rest = ops;
    while !rest.is_empty() {
        let mut writer = client.new_multi_writer();
        let (mut count, mut bytes) = (0, 0);
        for op in rest.iter().take(BATCH.0) {
            bytes += size(op);
            if count > 0 && bytes > BATCH.1 {
                break;
            }
            count += 1;
            match op {
                Op::Create { path, data, access } => {
                    let acls = acls(access);
                    writer.add_create(path, data, &zk::CreateMode::Persistent.with_acls(zk::Acls::from(&acls[..])))
                }
                Op::Set { path, data, .. } => writer.add_set_data(path, data, None),
                Op::Delete { path } => writer.add_delete(path, None),
            }
            .expect("is a change");
        }
        writer.commit().await.expect("is written");
        rest = &rest[count..];
    }
}

fn acls(access: &Access) -> Vec<zk::Acl> {
    let permission = |rights: Rights| {
        let of = |granted, permission| if granted { permission } else { zk::Permission::NONE };
        of(rights.read, zk::Permission::READ)
            | of(rights.write, zk::Permission::WRITE)
            | of(rights.create, zk::Permission::CREATE)
            | of(rights.delete, zk::Permission::DELETE)
    };
    let grants = access.grants();
    let grants = grants.map(|(who, rights)| zk::Acl::new(permission(rights), zk::AuthId::new("digest", who.as_str())));
    std::iter::once(zk::Acl::new(zk::Permission::ALL, zk::AuthId::new("auth", ""))).chain(grants).collect()
}

/// Keeps what is written, for the raw client.
#[derive(Debug, Default)]
struct Recorder {
    tree: Memory,
    ops: Mutex<Vec<Op>>,
}

#[async_trait]
impl Store for Recorder {
    async fn get(&self, path: &str) -> Result<Option<Node>, StoreError> {
        self.tree.get(path).await
    }

    async fn changed(&self, path: &str, seen: Option<Version>) -> Result<Option<Node>, StoreError> {
        self.tree.changed(path, seen).await
    }

    async fn set(&self, path: &str, data: &[u8], expected: Option<Version>) -> Result<Version, StoreError> {
        let op = Op::Set { path: path.to_owned(), data: data.to_vec(), expected: None };
        self.ops.lock().expect("no panic").push(op);
        self.tree.set(path, data, expected).await
    }

    async fn children(&self, path: &str) -> Result<Vec<String>, StoreError> {
        self.tree.children(path).await
    }

    async fn apply(&self, ops: Vec<Op>) -> Result<(), StoreError> {
        self.ops.lock().expect("no panic").extend(ops.iter().cloned());
        self.tree.apply(ops).await
    }

    async fn protect(&self, path: &str, access: &Access) -> Result<(), StoreError> {
        self.tree.protect(path, access).await
    }

    async fn hold(&self, path: &str, data: &[u8], access: &Access) -> Result<Hold, StoreError> {
        self.tree.hold(path, data, access).await
    }
}
