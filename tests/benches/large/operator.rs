//! The operator: an ensemble, a stack on it, and its revisions.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::stream::{self, StreamExt as _};
use wattle::author::Blueprint;
use wattle::lower::{Options as Lowering, Seed, lower};
use wattle_runtime::seed::{Options, apply};
use wattle_runtime::space::{OperatorKey, Revision, Space, State};
use wattle_runtime::store::{Address, Store};
use wattle_tests::crowd::SOON;
use wattle_tests::workload::{Size, workload};
use wattle_tests::zookeeper::ZooKeeper;

/// An ensemble of three, with so many observers, and enough memory.
pub(super) fn ensemble(observers: usize) -> ZooKeeper {
    ZooKeeper::start_with(3 + observers, |zkd, _| {
        zkd.env("ZK_HEAP", "3g").env("ZK_OBSERVERS", observers.to_string());
        // A member that dumps its threads collects garbage and reports what is left.
        zkd.env("JAVA_TOOL_OPTIONS", "-XX:+PrintClassHistogram");
    })
}

pub(super) fn seed(size: Size) -> Seed {
    let mut lowering = Lowering::default();
    lowering.decisions = false;
    lower(&workload.model(size), &lowering).seed
}

pub(super) fn options(seed: &Seed) -> Options {
    let mut options = Options::new(OperatorKey::generate());
    options.credentials.complete(seed, &options.key);
    options
}

pub(super) async fn connect(address: &str, options: &Options) -> Arc<dyn Store> {
    let address: Address = address.parse().expect("an address");
    address.connect(&[options.key.login()]).await.expect("a store")
}

/// Applies a seed; returns its revision and the time.
pub(super) async fn applied(store: &Arc<dyn Store>, seed: &Seed, options: &Options) -> (u64, Duration) {
    let start = Instant::now();
    let applied = apply(store, seed, options).await.expect("applies");
    (applied.revision, start.elapsed())
}

/// Waits until every component of a stack of `tiers` is done in `revision`.
pub(super) async fn all_done(space: &Space, tiers: u32) {
    let components = (0..tiers).flat_map(|tier| ["a", "b"].map(|name| (format!("server{tier}"), name)));
    stream::iter(components)
        .for_each_concurrent(256, |(server, name)| async move {
            let (of, component) = (revision_of(space, &server).await, format!("{server}/{name}"));
            loop {
                let status = space.status(&component).await.expect("a status");
                match status {
                    Some(status) if status.of() == of && status.state == State::Done => return,
                    Some(status) => assert!(!matches!(status.state, State::Failed(_)), "{component}: {status:?}"),
                    None => {}
                }
                tokio::time::sleep(SOON * 10).await;
            }
        })
        .await;
}

/// The revision in which a server's plan last changed.
pub(super) async fn revision_of(space: &Space, server: &str) -> Revision {
    space.plan(server).await.expect("a plan").expect("a plan").of()
}
