//! Nodes outside of the data space that a default ZooKeeper leaves open: anyone could fill it, or stop it permanently
//! with one request.

use std::sync::Arc;

use wattle_runtime::seed::{Applied, apply};
use wattle_runtime::store::{Access, Address, Login, Op, Store};
use wattle_tests::zookeeper::ZooKeeper;

use crate::quotas::{ALL, enforcing};
use crate::{Stack, assert_denied};

/// A client unrelated to the stack.
pub(crate) async fn stranger(zookeeper: &ZooKeeper) -> Arc<dyn Store> {
    let address: Address = zookeeper.address().parse().expect("an address");
    address.connect(&[login()]).await.expect("connects")
}

fn login() -> Login {
    Login { name: "mallory".into(), password: "x".into() }
}

/// A node at `path` that belongs to mallory. As the quota of the node `/`, its data bring a ZooKeeper down.
pub(crate) fn node(path: &str) -> Vec<Op> {
    let access = Access::new().grant(&login().principal(), ALL);
    vec![Op::Create { path: path.into(), data: b"count=-1,bytes=-1".to_vec(), access }]
}

fn said(applied: &Applied) -> String {
    applied.changes.warnings.join("\n")
}

#[tokio::test]
async fn nobody_makes_anything_beside_the_data_space() {
    let zookeeper = enforcing();
    let stack = Stack::at("beside", &zookeeper);
    let operator = stack.operator().await;
    let applied = apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    assert!(!said(&applied).contains("open to all"), "{}", said(&applied));
    for store in [stranger(&zookeeper).await, stack.server("web").await] {
        for path in
            ["/zookeeper/quota/zookeeper_limits", "/zookeeper/quota/more", "/zookeeper/more", "/more", "/wattle/more"]
        {
            assert_denied(store.apply(node(path)).await, path);
        }
    }
    let mut again = stack.options.clone();
    again.again = true;
    apply(&operator, &stack.seed, &again).await.expect("it is still there, and the operator may");
}

#[tokio::test]
async fn what_others_use_stays_open_and_is_said() {
    let zookeeper = enforcing();
    let stranger = stranger(&zookeeper).await;
    stranger.apply(node("/kafka")).await.expect("may");
    let stack = Stack::at("shared", &zookeeper);
    let operator = stack.operator().await;
    for _ in 0..2 {
        let applied = apply(&operator, &stack.seed, &stack.options).await.expect("applies");
        assert!(said(&applied).contains("`/` is open to all, and others use it (`kafka`)"), "{}", said(&applied));
    }
    stranger.apply(node("/kafka/topics")).await.expect("their own");
    stranger.apply(node("/hadoop")).await.expect("may");
    assert_denied(stranger.apply(node("/zookeeper/quota/zookeeper_limits")).await, "what stops it");
    // Once the others have left, `/` is closed.
    for path in ["/kafka/topics", "/kafka", "/hadoop"] {
        stranger.apply(vec![Op::Delete { path: path.into() }]).await.expect("their own");
    }
    let applied = apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    assert!(!said(&applied).contains("open to all"), "{}", said(&applied));
    assert_denied(stranger.apply(node("/kafka")).await, "/kafka");
}
