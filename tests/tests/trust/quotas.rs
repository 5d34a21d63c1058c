//! The data of a server in its place are limited: by ZooKeeper if it enforces quotas, and by the embedded store.

use std::process::Command;
use std::sync::Arc;

use wattle_runtime::report::StackSnapshot;
use wattle_runtime::seed::{Changes, apply, delete};
use wattle_runtime::space::{Layout, Space};
use wattle_runtime::store::{Access, Address, Login, MOST_BYTES, MOST_NODES, Op, Rights, Store, StoreError};
use wattle_tests::running::Stage;
use wattle_tests::zookeeper::ZooKeeper;

use crate::Stack;

pub(crate) const ALL: Rights = Rights { read: true, write: true, create: true, delete: true };
const MB: usize = 1_000_000;

pub(crate) fn enforcing() -> ZooKeeper {
    ZooKeeper::start_with(1, |zkd: &mut Command, _| {
        zkd.env("ZK_CONFIG", "enforceQuota=true");
    })
}

/// Creates nodes of this many bytes below `place` until one is refused, and returns their number.
async fn fill(server: &Arc<dyn Store>, place: &str, own: &Access, nodes: usize, bytes: usize) -> usize {
    for number in 0..nodes {
        let op = Op::Create { path: format!("{place}/{number}"), data: vec![0; bytes], access: own.clone() };
        match server.apply(vec![op]).await {
            Ok(()) => {}
            Err(StoreError::Full { path }) => {
                assert_eq!(path, format!("{place}/{number}"));
                return number;
            }
            Err(error) => panic!("{number}: {error}"),
        }
    }
    nodes
}

/// An attack by a server with its own credential. Without quotas, it brought down a ZooKeeper with 256 MB.
pub(crate) async fn attack(server: &Arc<dyn Store>, place: &str, own: &Access) {
    assert_eq!(fill(server, place, own, 130, MB).await, 0, "nodes of 1 MB");
    // Many small nodes are refused as well, and so are a node that grows and nodes below one of its own.
    let made = fill(server, place, own, 10_000, 100).await;
    assert!((1..=MOST_NODES).contains(&made), "{made} nodes");
    let grown = server.set(&format!("{place}/0"), &vec![0; MB], None).await;
    assert!(matches!(grown, Err(StoreError::Full { .. })), "{grown:?}");
    server.apply(vec![Op::Delete { path: format!("{place}/1") }]).await.expect("its own");
    let below = fill(server, &format!("{place}/0"), own, 10_000, 100).await;
    assert!(below <= 1, "{below} nodes");
    server.set(&format!("{place}/0"), &vec![0; MOST_BYTES / 2], None).await.expect("it has room for that");
}

async fn bytes(stack: &Stack, path: &str) -> usize {
    let operator = stack.operator().await;
    let mut sum = 0;
    for name in operator.children(path).await.expect("reads") {
        let node = operator.get(&format!("{path}/{name}")).await.expect("reads");
        sum += node.map_or(0, |node| node.data.len());
    }
    sum
}

pub(crate) fn own(logins: &[Login], operator: &Login) -> Access {
    Access::new().grant(&logins[0].principal(), ALL).grant(&operator.principal(), Rights::READ)
}

#[tokio::test]
async fn a_server_that_fills_its_place_is_stopped() {
    let zookeeper = enforcing();
    let stack = Stack::at("filled", &zookeeper);
    let (operator, web) = (stack.operator().await, stack.server("web").await);
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let layout = Layout::new("filled");
    let place = layout.agent("web");
    attack(&web, &place, &own(&stack.logins("web"), &stack.options.key.login())).await;
    assert!(bytes(&stack, &place).await <= MOST_BYTES);
    // Other servers are not affected.
    let db = stack.server("db").await;
    let hold = db.hold(&layout.alive("db"), b"{}", &own(&stack.logins("db"), &stack.options.key.login()), None).await;
    hold.expect("its place has room").release().await;
    // The limits belong to the operator: a limited server can neither see nor change nor remove them.
    let quota = format!("/zookeeper/quota{place}");
    for ops in [
        vec![Op::Set {
            path: format!("{quota}/zookeeper_limits"),
            data: b"count=-1,bytes=-1".to_vec(),
            expected: None,
        }],
        vec![Op::Delete { path: format!("{quota}/zookeeper_limits") }],
        vec![Op::Create { path: format!("{quota}/more"), data: Vec::new(), access: Access::new() }],
    ] {
        let refused = web.apply(ops).await;
        assert!(matches!(refused, Err(StoreError::Denied { .. })), "{refused:?}");
    }
    let mut again = stack.options.clone();
    again.again = true;
    apply(&operator, &stack.seed, &again).await.expect("what is full stops nobody");
    for number in (0..MOST_NODES).rev() {
        let _ = web.apply(vec![Op::Delete { path: format!("{place}/0/{number}") }]).await;
    }
    assert!(delete(&operator, "filled", &stack.options.key, true).await.expect("deletes"));
    assert_eq!(operator.children("/zookeeper/quota/wattle").await.expect("reads"), [] as [&str; 0]);
    // The stack can be created again.
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    assert_eq!(operator.children("/zookeeper/quota/wattle/filled/agents").await.expect("reads"), ["db", "web"]);
}

/// ZooKeeper checks quotas against the state before a request, so the last accepted request may be of any size.
#[tokio::test]
async fn one_request_passes_a_quota_and_nothing_after_it() {
    let zookeeper = enforcing();
    let stack = Stack::at("overfilled", &zookeeper);
    let (operator, web) = (stack.operator().await, stack.server("web").await);
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let (place, own) = (Layout::new("overfilled").agent("web"), own(&stack.logins("web"), &stack.options.key.login()));
    let create = |name: String, bytes: usize| Op::Create {
        path: format!("{place}/{name}"),
        data: vec![0; bytes],
        access: own.clone(),
    };
    let refused = async |ops: Vec<Op>| {
        let refused = web.apply(ops).await;
        assert!(matches!(refused, Err(StoreError::Full { .. })), "{refused:?}");
    };
    web.apply((0..7).map(|number| create(format!("large-{number}"), MOST_BYTES)).collect()).await.expect("one request");
    assert_eq!(bytes(&stack, &place).await, 7 * MOST_BYTES);
    refused(vec![create("more".into(), 1)]).await;
    refused(vec![Op::Set { path: format!("{place}/large-0"), data: vec![0; MOST_BYTES + 1], expected: None }]).await;
    let removals = (0..7).map(|number| Op::Delete { path: format!("{place}/large-{number}") });
    web.apply(removals.collect()).await.expect("its own");
    web.apply((0..1_000).map(|number| create(number.to_string(), 0)).collect()).await.expect("one request");
    refused((0..1_000).map(|number| create(format!("more-{number}"), 0)).collect()).await;
    assert_eq!(operator.children(&place).await.expect("reads").len(), 1_000);
    // Readers see the valid data, and everything is removed.
    let snapshot =
        StackSnapshot::read(&Space::new(Arc::clone(&operator), "overfilled"), None).await.expect("it is shown");
    assert_eq!(snapshot.tally().all, 2);
    assert!(delete(&operator, "overfilled", &stack.options.key, false).await.expect("deletes"));
}

/// Missing quotas are requested once. If they are not available, nothing is blocked.
#[tokio::test]
async fn bounds_cost_few_requests_and_are_done_without_where_they_cannot_be_had() {
    let zookeeper = ZooKeeper::start(1);
    let stack = Stack::at("unbounded", &zookeeper);
    let operator = stack.operator().await;
    // Someone else has created the node of the quotas first.
    let other: Address = zookeeper.address().parse().expect("an address");
    let login = Login { name: "mallory".into(), password: "x".into() };
    let mallory = other.connect(std::slice::from_ref(&login)).await.expect("connects");
    let theirs = Access::new().grant(&login.principal(), ALL);
    let quota = "/zookeeper/quota/wattle".to_owned();
    mallory.apply(vec![Op::Create { path: quota.clone(), data: Vec::new(), access: theirs }]).await.expect("may");
    let applied = apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let warned = |changes: &Changes| changes.warnings.iter().any(|warning| warning.contains("cannot be limited"));
    assert!(warned(&applied.changes), "{}", applied.changes);
    operator.apply(vec![Op::Delete { path: quota }]).await.expect("the node above it is the operator's");
    let mut again = stack.options.clone();
    again.again = true;
    let applied = apply(&operator, &stack.seed, &again).await.expect("applies");
    assert!(!warned(&applied.changes), "{}", applied.changes);
    assert_eq!(operator.children("/zookeeper/quota/wattle/unbounded/agents").await.expect("reads"), ["db", "web"]);
    // With a quota on everything, no quotas are requested.
    let nodes = ["web/zookeeper_stats", "web/zookeeper_limits", "web"];
    let gone = nodes.map(|node| Op::Delete { path: format!("/zookeeper/quota/wattle/unbounded/agents/{node}") });
    operator.apply(gone.into()).await.expect("the operator may");
    apply(&operator, &stack.seed, &again).await.expect("applies");
    assert_eq!(operator.children("/zookeeper/quota/wattle/unbounded/agents").await.expect("reads"), ["db"]);
}

#[tokio::test]
async fn the_embedded_store_bounds_it_too() {
    let stage = Stage::new(&Stack::new("embedded_bounds").model);
    let up = stage.run(&["up", "-d"]);
    assert_eq!(up.code, Some(0), "{up}");
    let folder = stage.path().join(".wattle");
    let credentials = wattle_runtime::seed::Credentials::read(&folder.join("credentials.yaml")).expect("reads");
    let key = wattle_runtime::seed::read_operator_key(&folder.join("operator.key")).expect("reads").expect("a key");
    let logins = credentials.get("web").expect("it has one").logins("embedded_bounds", "web");
    let address = Address::Socket(folder.join("space.sock"));
    let web = address.connect(&logins).await.expect("connects");
    attack(&web, &Layout::new("embedded_bounds").agent("web"), &own(&logins, &key.login())).await;
    let down = stage.run(&["down"]);
    assert_eq!(down.code, Some(0), "{down}");
}
