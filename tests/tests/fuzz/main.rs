//! Fuzzing of all readers of external data: no panic, no infinite loop, no excessive memory; and accepted input means
//! what it claims to mean.

mod frames;
mod nodes;
mod said;
mod texts;

use std::sync::Arc;

use wattle::author::Blueprint as _;
use wattle::lower::Seed;
use wattle_runtime::seed::{Options, apply};
use wattle_runtime::store::{Memory, Store};
use wattle_tests::seeds::{options, seed};

/// Seeds of examples.
fn seeds() -> [Seed; 2] {
    [seed(&hello::hello.model(Default::default())), seed(&three_tier::three_tier.model(Default::default()))]
}

/// The content of a data space after applying a seed, by path, and the options.
fn applied(seed: &Seed) -> (Vec<(String, Vec<u8>)>, Options) {
    let mut options = options(seed);
    options.credentials.complete(seed, &options.key);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("it starts");
    let nodes = runtime.block_on(async {
        let store: Arc<dyn Store> = Arc::new(Memory::new());
        apply(&store, seed, &options).await.expect("it is applied");
        let (mut nodes, mut level) = (Vec::new(), vec!["/wattle".to_owned()]);
        while let Some(path) = level.pop() {
            for name in store.children(&path).await.expect("reads") {
                level.push(format!("{path}/{name}"));
            }
            let node = store.get(&path).await.expect("reads").expect("it is there");
            nodes.push((path, node.data));
        }
        nodes
    });
    (nodes, options)
}
