//! Plans that remain valid in a revision are not written again.

use std::sync::Arc;

use wattle::model::Model;
use wattle::prelude::*;
use wattle_runtime::seed::apply;
use wattle_runtime::space::Space;
use wattle_runtime::store::{Store, Version};
use wattle_tests::random::Anything;
use wattle_tests::seeds::seed;

use super::{exporter, importer, memory, options_for, plan, server};

const SERVERS: [&str; 4] = ["a", "b", "c", "d"];

/// `b` and `d` read the output of `a`, and `c` reads that of `b`.
fn model(word: &'static str) -> Model {
    let mut t = Topology::new("chain");
    let servers = SERVERS.map(|name| server(&mut t, name));
    let first = t.on(servers[0]).run("part", Anything::new());
    let second = t.on(servers[1]).run("part", Anything::new().texts([text!("{} {word}", first.text)]));
    t.on(servers[2]).run("part", Anything::new().texts([text!("{}", second.text)]));
    t.on(servers[3]).run("part", Anything::new().texts([text!("{}", first.text)]));
    t.finish(Exports::new())
}

/// The number of each plan, and the version of its node.
async fn plans(store: &Arc<dyn Store>) -> [(u64, Version); 4] {
    let mut all = Vec::new();
    for name in SERVERS {
        let path = Space::new(Arc::clone(store), "chain").layout().plan(name);
        let node = store.get(&path).await.expect("reads").expect("a plan");
        all.push((plan(store, "chain", name).await.revision, node.version));
    }
    all.try_into().expect("four")
}

#[tokio::test]
async fn a_revision_writes_the_plans_of_what_has_changed_and_of_what_reads_from_it() {
    let (store, first, second) = (memory(), seed(&model("one")), seed(&model("two")));
    let mut options = options_for(&[&first]);
    apply(&store, &first, &options).await.expect("applies");
    let before = plans(&store).await;
    assert_eq!(before.map(|(number, _)| number), [1; 4]);
    assert_eq!(apply(&store, &second, &options).await.expect("applies").revision, 2);
    let after = plans(&store).await;
    assert_eq!(after.map(|(number, _)| number), [1, 2, 2, 1]);
    assert_eq!((after[0].1, after[3].1), (before[0].1, before[3].1), "they are not touched");
    let [b, c] = [plan(&store, "chain", "b").await, plan(&store, "chain", "c").await];
    assert_eq!((b.expects("a").number, c.expects("b").number), (1, 2));
    // With `again`, failed components are tried again everywhere.
    options.again = true;
    apply(&store, &second, &options).await.expect("applies");
    assert_eq!(plans(&store).await.map(|(number, _)| number), [3; 4]);
}

#[tokio::test]
async fn a_server_with_another_credential_is_another_one() {
    let seed = seed(&model("one"));
    for (another, expected) in [("d", [1, 1, 1, 2]), ("b", [1, 2, 2, 1])] {
        let (store, mut others) = (memory(), seed.clone());
        others.servers.shift_remove(another);
        let kept = options_for(&[&others]);
        let complete = || {
            let mut options = kept.clone();
            options.credentials.complete(&seed, &options.key);
            options
        };
        apply(&store, &seed, &complete()).await.expect("applies");
        let mut options = complete();
        options.renew = true;
        assert_eq!(apply(&store, &seed, &options).await.expect("applies").revision, 2);
        assert_eq!(plans(&store).await.map(|(number, _)| number), expected, "{another}");
    }
}

#[tokio::test]
async fn what_reads_from_another_stack_begins_with_every_revision() {
    let store = memory();
    let outer = seed(&exporter(&["one"]));
    let first = seed(&importer(&[("reads", &["text"]), ("alone", &[])]));
    let second = seed(&importer(&[("reads", &["text"]), ("alone", &[]), ("more", &[])]));
    let options = options_for(&[&outer, &second]);
    apply(&store, &outer, &options).await.expect("applies");
    apply(&store, &first, &options).await.expect("applies");
    assert_eq!(apply(&store, &second, &options).await.expect("applies").revision, 2);
    let mut numbers = Vec::new();
    for server in ["reads", "alone", "more"] {
        numbers.push(plan(&store, "importer", server).await.revision);
    }
    assert_eq!(numbers, [2, 1, 2]);
}
