//! A seed of W(N) written to each store, compared to the bare client that writes the same nodes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use wattle::author::Blueprint;
use wattle::lower::{Options as Lowering, Seed, lower};
use wattle_runtime::seed::{Options, apply};
use wattle_runtime::space::OperatorKey;
use wattle_runtime::store::embedded::Server;
use wattle_runtime::store::{Address, Memory, Store};
use wattle_tests::seeds::Watch;
use wattle_tests::workload::{Size, workload};
use wattle_tests::zookeeper::ZooKeeper;

use super::raw::{Raw, size};
use super::{median, show};

const RUNS: usize = 5;

async fn time(work: impl Future) -> Duration {
    let start = Instant::now();
    work.await;
    start.elapsed()
}

/// Prints the table.
pub(super) async fn table(sizes: &[u32]) {
    println!("## Seeds\n");
    println!("| entries | nodes | MB | in memory | embedded | ZooKeeper | the bare client's multis | ratio |");
    println!("|---|---|---|---|---|---|---|---|");
    for entries in sizes {
        let (seed, options) = prepared(entries / 2);
        let recorded = Watch::over(Arc::new(Memory::new()));
        let store: Arc<dyn Store> = Arc::clone(&recorded) as _;
        apply(&store, &seed, &options).await.expect("applies");
        let ops = recorded.guard.ops();
        let bytes: usize = ops.iter().map(size).sum();
        let [mut memory, mut embedded, mut zookeeper, mut raw] = [const { Vec::new() }; 4];
        for _ in 0..RUNS {
            let store: Arc<dyn Store> = Arc::new(Memory::new());
            memory.push(time(async { apply(&store, &seed, &options).await.expect("applies") }).await);

            let folder = tempfile::tempdir().expect("a folder");
            let socket = folder.path().join("socket");
            let (log, principal) = (folder.path().join("log"), options.key.login().principal());
            let server = Server::start(&socket, &log, &principal).await.expect("starts");
            let store = Address::Socket(socket).connect(&[options.key.login()]).await.expect("connects");
            embedded.push(time(async { apply(&store, &seed, &options).await.expect("applies") }).await);
            drop(store);
            server.stop().await.expect("stops");

            let server = roomy();
            let address: Address = server.address().parse().expect("an address");
            let store = address.connect(&[options.key.login()]).await.expect("connects");
            zookeeper.push(time(async { apply(&store, &seed, &options).await.expect("applies") }).await);
            drop(store);
            let server = roomy();
            raw.push(Raw::new(server.hosts(), &options.key.login()).load(&ops).await);
        }
        let [memory, embedded, zookeeper, raw] = [memory, embedded, zookeeper, raw].map(median);
        println!(
            "| {entries} | {} | {}.{} | {} | {} | {} | {} | {:.2} |",
            ops.len(),
            bytes / 1_000_000,
            bytes / 100_000 % 10,
            show(memory),
            show(embedded),
            show(zookeeper),
            show(raw),
            zookeeper.as_secs_f64() / raw.as_secs_f64()
        );
    }
}

/// With 100,000 entries, a member with a heap of 512 MB does nothing but collect garbage. Sessions last for up to 20
/// ticks.
fn roomy() -> ZooKeeper {
    ZooKeeper::start_with(1, |zkd, _| {
        zkd.env("ZK_HEAP", "4g").env("ZK_TICK", "3000");
    })
}

fn prepared(tiers: u32) -> (Seed, Options) {
    let mut lowering = Lowering::default();
    lowering.decisions = false;
    let seed = lower(&workload.model(Size::of(tiers)), &lowering).seed;
    let mut options = Options::new(OperatorKey::generate());
    options.credentials.complete(&seed, &options.key);
    (seed, options)
}
