//! A lost connection or session: requests, watches and held nodes.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{sleep, timeout};
use wattle_runtime::store::{Access, Op, Rights, Store, StoreError};
use wattle_tests::proxy::Proxy;
use wattle_tests::zookeeper::ZooKeeper;

use super::{LONG, all, connect, connect_as, create, login, nodes, wait_for_all};

#[tokio::test]
async fn more_watches_than_one_session_takes_outlive_a_lost_connection() {
    let zookeeper = ZooKeeper::start(1);
    let proxy = Proxy::before(zookeeper.hosts());
    let writer = connect(&zookeeper.address()).await;
    // Long names: a client re-registers its watches after a loss in requests of 128 KiB.
    let top = format!("/{}", "m".repeat(50));
    let paths = nodes(&*writer, &top, 5_000).await;

    let reader = connect(&format!("zookeeper://{}", proxy.hosts())).await;
    let waiting = wait_for_all(&reader, &paths);
    watches(&zookeeper, paths.len()).await;
    proxy.cut();
    // Half of the nodes change while nobody is connected.
    let (now, later) = paths.split_at(2_500);
    set_all(&writer, now).await;
    proxy.fix();
    set_all(&writer, later).await;
    assert_eq!(all(waiting).await, paths.iter().cloned().collect());
    // These are five sessions of 1,000 watches each, and the writer's session.
    let sessions = zookeeper.ask("cons");
    assert_eq!(sessions.lines().filter(|line| line.contains("sid=0x")).count(), 6, "{sessions}");
}

/// Waits until ZooKeeper has this many watches.
async fn watches(zookeeper: &ZooKeeper, count: usize) {
    let watches = || zookeeper.ask("mntr").lines().any(|line| line == format!("zk_watch_count\t{count}"));
    let wait = async {
        while !watches() {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(LONG, wait).await.expect("everybody watches");
}

async fn set_all(store: &Arc<dyn Store>, paths: &[String]) {
    let ops = paths.iter().map(|path| Op::Set { path: path.clone(), data: path.clone().into(), expected: None });
    store.apply(ops.collect()).await.unwrap();
}

#[tokio::test]
async fn what_was_carried_out_without_our_knowing_is_not_a_conflict() {
    let zookeeper = ZooKeeper::start(1);
    let proxy = Proxy::before(zookeeper.hosts());
    let store = connect(&format!("zookeeper://{}", proxy.hosts())).await;
    store.apply(vec![create("/once", "before")]).await.unwrap();
    let before = store.get("/once").await.unwrap().unwrap().version;

    proxy.cut_next_answer();
    let after = timeout(LONG, store.set("/once", b"after", Some(before))).await.expect("in time").unwrap();
    assert_eq!(after.count, before.count + 1);
    assert_eq!(store.get("/once").await.unwrap().unwrap().version, after);
    // If another client has written in between, that is a conflict.
    let conflict = store.set("/once", b"later", Some(before)).await;
    assert!(matches!(conflict, Err(StoreError::Conflict { .. })), "{conflict:?}");

    // A write without a condition is not repeated either.
    proxy.cut_next_answer();
    let last = timeout(LONG, store.set("/once", b"last", None)).await.expect("in time").unwrap();
    assert_eq!(last.count, before.count + 2);
    assert_eq!(store.get("/once").await.unwrap().unwrap().version, last);

    // Nor is a request with several changes.
    proxy.cut_next_answer();
    let changes = vec![
        create("/twice", ""),
        create("/twice/a", "a"),
        Op::Set { path: "/once".to_owned(), data: b"set".to_vec(), expected: Some(last) },
    ];
    timeout(LONG, store.apply(changes)).await.expect("in time").unwrap();
    assert_eq!(store.get("/once").await.unwrap().unwrap().version.count, last.count + 1);
    assert_eq!(store.children("/twice").await.unwrap(), ["a"]);
}

/// A member that loses its leader may forget a request and keep running.
#[tokio::test]
async fn an_answer_that_never_comes_is_not_waited_for_for_ever() {
    // Sessions last 2 s.
    let zookeeper = ZooKeeper::start_with(1, |zkd, _| {
        zkd.env("ZK_TICK", "100");
    });
    let proxy = Proxy::before(zookeeper.hosts());
    let operator = connect(&zookeeper.address()).await;
    operator.apply(vec![create("/written", "before"), create("/waited", "before")]).await.unwrap();
    let agent = connect(&format!("zookeeper://{}", proxy.hosts())).await;
    let _hold = agent.hold("/held", b"here", &Access::new(), None).await.unwrap();
    let session = agent.session_id();
    let [written, waited] = [agent.get("/written").await.unwrap(), agent.get("/waited").await.unwrap()]
        .map(|node| node.expect("it was made").version);
    let waiting = tokio::spawn({
        let agent = Arc::clone(&agent);
        async move { agent.changed("/waited", Some(waited)).await.unwrap().unwrap().data }
    });

    // Wait until both watch.
    sleep(Duration::from_millis(500)).await;
    // The answer to a ping has a negative ID.
    let is_no_ping: fn(&[u8]) -> bool = |answer| answer.get(4).is_some_and(|byte| *byte < 0x80);
    proxy.lose_answer(is_no_ping);
    let after = timeout(LONG, agent.set("/written", b"after", Some(written))).await.expect("in time").unwrap();
    assert_eq!(after.count, written.count + 1, "it is written once");
    assert_ne!(agent.session_id(), session);

    // The session's node is still there, and the next request is answered.
    let held = operator.get("/held").await.unwrap().expect("it is held").version;
    proxy.lose_answer(is_no_ping);
    assert_eq!(timeout(LONG, agent.get("/written")).await.expect("in time").unwrap().unwrap().version, after);
    timeout(LONG, operator.changed("/held", Some(held))).await.expect("in time").unwrap();
    operator.set("/waited", b"changed", None).await.unwrap();
    assert_eq!(timeout(LONG, waiting).await.expect("in time").unwrap(), b"changed");
}

#[tokio::test]
async fn a_session_that_expired_is_replaced_with_all_that_it_had() {
    let zookeeper = ZooKeeper::start(1);
    let proxy = Proxy::before(zookeeper.hosts());
    let operator = connect(&zookeeper.address()).await;
    let member = login("member");
    let rights = Rights { create: true, delete: true, ..Rights::READ };
    let access = Access::new().grant(&member.principal(), rights);
    operator.apply(vec![Op::Create { path: "/held".to_owned(), data: Vec::new(), access }]).await.unwrap();
    let readable =
        Access::new().grant(&member.principal(), Rights::READ).grant(&login("operator").principal(), Rights::READ);
    operator
        .apply(vec![Op::Create { path: "/waited".to_owned(), data: Vec::new(), access: readable.clone() }])
        .await
        .unwrap();

    let agent = connect_as(&format!("zookeeper://{}", proxy.hosts()), &[member]).await;
    let hold = agent.hold("/held/alive", b"here", &readable, None).await.unwrap();
    let first = operator.get("/held/alive").await.unwrap().expect("it is held").version;
    let seen = agent.get("/waited").await.unwrap().unwrap().version;
    let waiting = tokio::spawn({
        let agent = Arc::clone(&agent);
        async move { agent.changed("/waited", Some(seen)).await.unwrap().unwrap().data }
    });

    proxy.stall();
    // This takes longer than the session lasts.
    let gone = timeout(LONG, operator.changed("/held/alive", Some(first))).await.expect("in time").unwrap();
    assert_eq!(gone, None, "the node goes with the session");
    operator.set("/waited", b"changed", None).await.unwrap();
    proxy.fix();
    let again = timeout(LONG, operator.changed("/held/alive", None)).await.expect("in time").unwrap().unwrap();
    assert_eq!(again.data, b"here");
    assert_eq!(timeout(LONG, waiting).await.expect("in time").unwrap(), b"changed");
    drop(hold);
    let released = timeout(LONG, operator.changed("/held/alive", Some(again.version))).await.expect("in time").unwrap();
    assert_eq!(released, None);
}

#[tokio::test]
async fn what_is_held_goes_with_a_store_that_is_closed() {
    let zookeeper = ZooKeeper::start(1);
    let (operator, agent) = (connect(&zookeeper.address()).await, connect(&zookeeper.address()).await);
    let mut hold = agent.hold("/held", b"here", &Access::new(), None).await.unwrap();
    agent.close().await;
    assert_eq!(operator.get("/held").await.unwrap(), None);
    hold.lost().await;
    assert!(matches!(agent.get("/held").await, Err(StoreError::Unusable { .. })));
}

/// The granted timeout, which may be less than the requested one.
#[tokio::test]
async fn how_long_a_session_is_kept_is_known() {
    let zookeeper = ZooKeeper::start_with(1, |zkd, _| {
        zkd.env("ZK_TICK", "200");
    });
    let store = connect(&zookeeper.address()).await;
    assert_eq!(store.session(), Some(Duration::from_secs(4)));
}
