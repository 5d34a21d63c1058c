//! W(N) on servers of its own: its first revision, a repetition, one changed component, and a restart of the ensemble.

use std::time::Instant;

use wattle_runtime::space::Space;
use wattle_tests::crowd::Server;
use wattle_tests::requests::Requests;
use wattle_tests::workload::Size;
use wattle_tests::zookeeper::ZooKeeper;

use super::field::Field;
use super::measure::{exponent, heap, kinds, per, said, show};
use super::operator::{all_done, applied, connect, ensemble, options, revision_of, seed};
use super::restart;

/// The size from which each run takes minutes.
const MANY: u32 = 5_000;

pub(super) async fn table(sizes: &[u32], requests: &Requests) {
    let mut before: Option<(u32, f64)> = None;
    for &tiers in sizes {
        let seconds = row(tiers, requests).await;
        if let Some(before) = before {
            println!("exponent: {:.2}", exponent(before, (tiers, seconds)));
        }
        before = Some((tiers, seconds));
    }
}

async fn row(tiers: u32, requests: &Requests) -> f64 {
    println!("## W({tiers})\n");
    let zookeeper = ensemble(0);
    let first = seed(Size::of(tiers));
    let mut options = options(&first);
    let store = connect(&zookeeper.address(), &options).await;
    let space = Space::new(store.clone(), &first.stack);
    let empty = heap(&zookeeper, 1).await;
    let servers: Vec<Server> = Server::all(&first.stack, &options.credentials).collect();
    let start = Instant::now();
    let mut field = Field::start(&zookeeper.address(), &servers).await;
    println!("- {} agents in {} processes, connected after {}", field.agents, field.processes(), show(start.elapsed()));
    println!("- memory a session: agents {} KB", field.memory / 1000);
    let full = heap(&zookeeper, 1).await;
    let sessions = said(&zookeeper, 1, "zk_num_alive_connections").unwrap_or(0);
    println!("- heap of member 1: {} KB, {} KB with {sessions} connections of {tiers}", empty / 1000, full / 1000);

    let last = format!("server{}/b", tiers - 1);
    let mut first_seconds = 0.0;
    let moved = |tier| seed(Size { tiers, moved: Some(tier) });
    let mut revisions = vec![("first", first.clone(), false), ("one of the last changed", moved(tiers - 1), false)];
    if tiers < MANY {
        revisions.extend([("one in the middle changed", moved(tiers / 2), false), ("again", moved(tiers / 2), true)]);
    }
    for (name, seed, again) in revisions {
        options.again = again;
        let (asked, operator) = (field.settled().await, requests.counts());
        let (revision, apply) = applied(&store, &seed, &options).await;
        let start = Instant::now();
        let operator = requests.counts().since(&operator);
        let of = revision_of(&space, &format!("server{}", tiers - 1)).await;
        space.ended(&last, &of).await.expect("it ends");
        let time = start.elapsed();
        if revision == 1 {
            first_seconds = time.as_secs_f64();
        }
        all_done(&space, tiers).await;
        let asked = field.settled().await.since(&asked);
        println!("- revision {revision} ({name}): applied in {}, {operator}", show(apply));
        println!("  - until the last is done: {}", show(time));
        println!("  - {:.2} requests a component: {}", per(&asked, 2 * tiers), kinds(&asked, 2 * tiers));
        if revision == 1 && tiers >= MANY {
            show_memory(&mut field, &zookeeper).await;
            restart::measure(&zookeeper, &mut field, &[8]).await;
        }
    }
    if tiers < MANY {
        show_memory(&mut field, &zookeeper).await;
        restart::measure(&zookeeper, &mut field, &[1, 8, 20]).await;
    }
    println!();
    first_seconds
}

/// The present memory of agents and a member; a restarted member no longer reports it.
async fn show_memory(field: &mut Field, zookeeper: &ZooKeeper) {
    let (agents, member) = (field.resident().await / 1000, heap(zookeeper, 1).await / 1000);
    println!("- memory a session: agents {agents} KB; member 1 {member} KB of heap");
}
