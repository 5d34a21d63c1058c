//! Rights that reach a real ZooKeeper late: after someone else has written the stack.

use std::sync::Arc;

use wattle::lower::Seed;
use wattle_runtime::seed::{Options, SeedError, apply, delete};
use wattle_runtime::space::Space;
use wattle_runtime::store::{Address, Store, StoreError};
use wattle_tests::proxy::Proxy;
use wattle_tests::seeds::seed;
use wattle_tests::zookeeper::ZooKeeper;

use super::{options_for, three_tier};

/// The code of a request that sets rights.
const SET_ACL: i32 = 7;

/// An entry that the third application server may read, if it exists.
const ENTRY: &str = "/wattle/three_tier/entries/db/postgres/url";

struct Stage {
    zookeeper: ZooKeeper,
    store: Arc<dyn Store>,
    options: Options,
    seeds: [Seed; 3],
}

impl Stage {
    /// A stack of two application servers.
    async fn new() -> Self {
        let zookeeper = ZooKeeper::start(1);
        let seeds = [1, 2, 3].map(|apps| seed(&three_tier(apps)));
        let options = options_for(&[&seeds[2], &seeds[1], &seeds[0]]);
        let address: Address = zookeeper.address().parse().expect("an address");
        let store = address.connect(&[options.key.login()]).await.expect("connects");
        apply(&store, &seeds[1], &options).await.expect("applies");
        Self { zookeeper, store, options, seeds }
    }

    /// Applies a seed of three application servers, and delays its rights until `meanwhile` is done.
    async fn held_up(&self, meanwhile: impl Future<Output = ()>) {
        let proxy = Proxy::before(self.zookeeper.hosts());
        let address: Address = format!("zookeeper://{}", proxy.hosts()).parse().expect("an address");
        let slow = address.connect(&[self.options.key.login()]).await.expect("connects");
        proxy.stall_before(|request| request.get(8..12) == Some(&SET_ACL.to_be_bytes()));
        let stalled = tokio::task::spawn_blocking(move || {
            proxy.wait_until_stalled();
            proxy
        });
        let late = Box::pin(apply(&slow, &self.seeds[2], &self.options));
        let others = async {
            let proxy = stalled.await.expect("no panic");
            meanwhile.await;
            proxy.fix();
            proxy
        };
        let (late, _proxy) = tokio::join!(late, others);
        assert!(matches!(late, Err(SeedError::Busy { .. })), "{late:?}");
    }

    async fn the_third_may_read(&self) -> bool {
        let address: Address = self.zookeeper.address().parse().expect("an address");
        let third = self.options.credentials.get("app3").expect("made");
        let store = address.connect(&third.logins("three_tier", "app3")).await.expect("connects");
        match store.get(ENTRY).await {
            Ok(node) => node.is_some(),
            Err(StoreError::Denied { .. }) => false,
            Err(error) => panic!("{error}"),
        }
    }

    async fn is_whole(&self) -> bool {
        let goal =
            Space::new(Arc::clone(&self.store), "three_tier").desired_revision().await.expect("reads").expect("a goal");
        goal.applying.is_none()
    }
}

#[tokio::test]
async fn rights_that_come_late_are_not_set_over_newer_ones() {
    let stage = Stage::new().await;
    stage
        .held_up(Box::pin(async {
            apply(&stage.store, &stage.seeds[0], &stage.options).await.expect("overtakes");
        }))
        .await;
    assert!(!stage.the_third_may_read().await);
    assert!(stage.is_whole().await);
}

/// When a node is created again, ZooKeeper counts the versions of its rights from the start.
#[tokio::test]
async fn rights_that_were_set_to_what_was_made_anew_are_set_right_by_the_next() {
    let stage = Stage::new().await;
    stage
        .held_up(Box::pin(async {
            delete(&stage.store, "three_tier", &stage.options.key, false).await.expect("deletes");
            apply(&stage.store, &stage.seeds[1], &stage.options).await.expect("applies again");
            assert!(stage.is_whole().await);
        }))
        .await;
    assert!(!stage.is_whole().await, "nobody would know");
    let revision = apply(&stage.store, &stage.seeds[1], &stage.options).await.expect("applies").revision;
    assert_eq!(revision, 1, "servers are told nothing");
    assert!(stage.is_whole().await);
    assert!(!stage.the_third_may_read().await);
}
