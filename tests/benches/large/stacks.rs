//! Many small stacks in one ensemble.

use std::time::Instant;

use futures_util::stream::{self, StreamExt as _};
use wattle_runtime::space::Space;
use wattle_tests::crowd::Server;
use wattle_tests::requests::Requests;
use wattle_tests::workload::Size;

use super::field::Field;
use super::measure::{kinds, per, show};
use super::operator::{all_done, applied, connect, ensemble, options, seed};

const STACKS: u32 = 1_000;
const TIERS: u32 = 10;

pub(super) async fn table(requests: &Requests) {
    println!("## {STACKS} stacks of {TIERS} servers\n");
    let zookeeper = ensemble(0);
    let seed = seed(Size::of(TIERS));
    let mut options = options(&seed);
    let store = connect(&zookeeper.address(), &options).await;
    let names: Vec<String> = (0..STACKS).map(|number| format!("stack{number}")).collect();
    let servers: Vec<Server> = names.iter().flat_map(|name| Server::all(name, &options.credentials)).collect();
    let mut field = Field::start(&zookeeper.address(), &servers).await;
    let (asked, operator) = (field.settled().await, requests.counts());
    let start = Instant::now();
    for name in &names {
        options.stack = Some(name.clone());
        applied(&store, &seed, &options).await;
    }
    let apply = start.elapsed();
    let operator = requests.counts().since(&operator);
    stream::iter(&names)
        .for_each_concurrent(8, |name| {
            let space = Space::new(store.clone(), name);
            async move { all_done(&space, TIERS).await }
        })
        .await;
    let time = start.elapsed();
    let asked = field.settled().await.since(&asked);
    let components = 2 * TIERS * STACKS;
    println!("- applied one after the other in {}, {operator}", show(apply));
    println!("- until all are done: {}", show(time));
    println!("- {:.2} requests a component: {}\n", per(&asked, components), kinds(&asked, components));
}
