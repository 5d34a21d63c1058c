//! Beyond one ensemble: observers, and several ensembles.

use std::time::Instant;

use futures_util::future::join_all;
use wattle_runtime::space::Space;
use wattle_tests::crowd::Server;
use wattle_tests::workload::Size;
use wattle_tests::zookeeper::ZooKeeper;

use super::field::Field;
use super::measure::{per, said, show};
use super::operator::{all_done, applied, connect, ensemble, options, revision_of, seed};

const TIERS: u32 = 200;

/// The number of requests to each member so far.
fn asked(zookeeper: &ZooKeeper) -> Vec<u64> {
    let members = 1..=zookeeper.hosts().split(',').count();
    members.map(|member| said(zookeeper, member, "zk_packets_received").unwrap_or(0)).collect()
}

/// All agents at an observer: the resulting requests to the voting members.
pub(super) async fn observers() {
    println!("## Three members and an observer\n");
    let zookeeper = ensemble(1);
    let seed = seed(Size::of(TIERS));
    let options = options(&seed);
    let hosts: Vec<&str> = zookeeper.hosts().split(',').collect();
    let (voters, observer) = (hosts[..3].join(","), hosts[3]);
    for (name, hosts) in [("the members that vote", &*voters), ("the observer", observer)] {
        let stack = format!("at-{}", name.len());
        let mut options = options.clone();
        options.stack = Some(stack.clone());
        let servers: Vec<Server> = Server::all(&stack, &options.credentials).collect();
        let mut field = Field::start(&format!("zookeeper://{hosts}"), &servers).await;
        let store = connect(&format!("zookeeper://{voters}"), &options).await;
        let (before, counts) = (asked(&zookeeper), field.settled().await);
        applied(&store, &seed, &options).await;
        let start = Instant::now();
        let space = Space::new(store, &stack);
        let last = format!("server{}", TIERS - 1);
        space.ended(&format!("{last}/b"), &revision_of(&space, &last).await).await.expect("it ends");
        let time = start.elapsed();
        let counts = field.settled().await.since(&counts);
        let packets: Vec<u64> = asked(&zookeeper).iter().zip(before).map(|(now, before)| now - before).collect();
        println!(
            "- {TIERS} agents at {name}: {}, {:.2} requests a component, packets of clients by member {packets:?}",
            show(time),
            per(&counts, 2 * TIERS)
        );
    }
    println!();
}

/// Half of the stacks in one ensemble and half in another, concurrently, and all of them in one.
pub(super) async fn ensembles() {
    const STACKS: u32 = 40;
    const EACH: u32 = 10;
    println!("## {STACKS} stacks over one ensemble and over two\n");
    let seed = seed(Size::of(EACH));
    let options = options(&seed);
    for ensembles in [1, 2] {
        let zookeepers: Vec<ZooKeeper> = (0..ensembles).map(|_| ensemble(0)).collect();
        let part = async |zookeeper: &ZooKeeper| {
            let names: Vec<String> = (0..STACKS / ensembles).map(|number| format!("stack{number}")).collect();
            let servers: Vec<Server> = names.iter().flat_map(|name| Server::all(name, &options.credentials)).collect();
            let _field = Field::start(&zookeeper.address(), &servers).await;
            let store = connect(&zookeeper.address(), &options).await;
            let start = Instant::now();
            for name in &names {
                let mut options = options.clone();
                options.stack = Some(name.clone());
                applied(&store, &seed, &options).await;
            }
            for name in &names {
                all_done(&Space::new(store.clone(), name), EACH).await;
            }
            start.elapsed()
        };
        let times = join_all(zookeepers.iter().map(part)).await;
        println!("- {ensembles}: {}", show(times.into_iter().max().unwrap_or_default()));
    }
    println!();
}
