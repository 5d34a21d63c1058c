//! Remains of earlier clients, and their late messages, compared with newer ones.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::time::{sleep, timeout};
use wattle_agent_core::time::Time;
use wattle_runtime::space::{ServerStatus, Space, SpaceError};
use wattle_runtime::store::{Access, Op, StoreError};
use wattle_tests::proxy::Proxy;
use wattle_tests::zookeeper::ZooKeeper;

use super::{LONG, connect, create};

/// The last request of a killed agent may be pending in a paused member, and be carried out after its successor has
/// reported.
#[tokio::test]
async fn what_a_former_agent_says_late_does_not_undo_what_was_said_since() {
    let zookeeper = ZooKeeper::start(1);
    let proxy = Proxy::before(zookeeper.hosts());
    let operator = connect(&zookeeper.address()).await;
    let path = Space::new(Arc::clone(&operator), "shop").layout().server_status("a");
    let parents = path.match_indices('/').skip(1).map(|(at, _)| &path[..at]);
    operator.apply(parents.chain([&*path, "/marker"]).map(|path| create(path, "")).collect()).await.unwrap();
    let slow = connect(&format!("zookeeper://{}", proxy.hosts())).await;
    let (former, latter) = (Space::new(Arc::clone(&slow), "shop"), Space::new(Arc::clone(&operator), "shop"));
    let said = |revision| ServerStatus {
        revision,
        space: None,
        since: Time::EPOCH,
        agent: None,
        new_disk_since: None,
        troubles: Vec::new(),
        leaving: Vec::new(),
        finishing: Vec::new(),
    };
    former.set_server_status("a", &said(1), &|| true).await.unwrap();

    proxy.stall();
    let marker = operator.get("/marker").await.unwrap().unwrap().version;
    let late = tokio::spawn(async move { former.set_server_status("a", &said(2), &|| true).await });
    sleep(Duration::from_millis(100)).await;
    let after = tokio::spawn(async move { slow.set("/marker", b"late", None).await });
    sleep(Duration::from_millis(100)).await;
    latter.set_server_status("a", &said(3), &|| true).await.unwrap();
    late.abort();
    proxy.fix();
    let reached = timeout(LONG, operator.changed("/marker", Some(marker))).await.expect("in time").unwrap();
    assert_eq!(reached.unwrap().data, b"late");
    assert_eq!(latter.server_status("a").await.unwrap().unwrap().revision, 3);
    after.await.unwrap().unwrap();
}

/// In a data space that is created again, version counters start again, and may by chance equal those of the lost one.
#[tokio::test]
async fn what_was_said_in_a_data_space_that_is_lost_proves_nothing_in_the_next_one() {
    let zookeeper = ZooKeeper::start(1);
    let operator = connect(&zookeeper.address()).await;
    let path = Space::new(Arc::clone(&operator), "shop").layout().server_status("a");
    let parents = path.match_indices('/').skip(1).map(|(at, _)| &path[..at]);
    operator.apply(parents.chain([&*path]).map(|path| create(path, "")).collect()).await.unwrap();
    let [former, latter] = [(); 2].map(|()| Space::new(Arc::clone(&operator), "shop"));
    let said = |space: &str, since| ServerStatus {
        revision: 1,
        space: Some(space.into()),
        since,
        agent: None,
        new_disk_since: None,
        troubles: Vec::new(),
        leaving: Vec::new(),
        finishing: Vec::new(),
    };
    former.set_server_status("a", &said("1", Time::EPOCH), &|| true).await.unwrap();

    operator.apply(vec![Op::Delete { path: path.clone() }, create(&path, "")]).await.unwrap();
    let since = Time::EPOCH + Duration::from_secs(1);
    latter.set_server_status("a", &said("2", since), &|| true).await.unwrap();
    // At first, it is sure of its place. After the answer, it no longer is.
    let asked = AtomicBool::new(false);
    let late = former.set_server_status("a", &said("2", Time::EPOCH), &|| !asked.swap(true, Ordering::Relaxed)).await;
    assert!(matches!(late, Err(SpaceError::Unsure)), "{late:?}");
    assert_eq!(latter.server_status("a").await.unwrap().unwrap().since, since);
}

/// A write in a later session than its read may meet a data space that was created again, whose version counters have
/// started again.
#[tokio::test]
async fn what_was_read_in_another_session_is_looked_at_before_it_is_written() {
    let zookeeper = ZooKeeper::start(1);
    let proxy = Proxy::before(zookeeper.hosts());
    let operator = connect(&zookeeper.address()).await;
    let agent = connect(&format!("zookeeper://{}", proxy.hosts())).await;
    operator.apply(vec![create("/entry", ""), create("/place", "")]).await.unwrap();
    let known = agent.get("/entry").await.unwrap().unwrap().version;
    let hold = agent.hold("/place/alive", b"here", &Access::new(), None).await.unwrap();
    let alive = operator.get("/place/alive").await.unwrap().unwrap().version;

    proxy.stall();
    timeout(LONG, operator.changed("/place/alive", Some(alive))).await.expect("its session is over").unwrap();
    operator.apply(vec![Op::Delete { path: "/entry".to_owned() }, create("/entry", "new")]).await.unwrap();
    let before = agent.session_id();
    let late = tokio::spawn({
        let agent = Arc::clone(&agent);
        async move { agent.set("/entry", b"late", Some(known)).await }
    });
    sleep(Duration::from_millis(100)).await;
    proxy.fix();
    let late = timeout(LONG, late).await.expect("in time").unwrap();
    assert!(matches!(late, Err(StoreError::Conflict { .. })), "{late:?}");
    assert_eq!(operator.get("/entry").await.unwrap().unwrap().data, b"new");
    assert_ne!(agent.session_id(), before);
    drop(hold);
}

/// A request to replace a leftover node is delayed. Meanwhile, the store removes that node, and someone else creates
/// another: ZooKeeper cannot distinguish the two, because neither was ever set.
#[tokio::test]
async fn a_place_that_was_given_to_another_is_only_taken_once_that_one_knows() {
    let zookeeper = ZooKeeper::start(1);
    let proxy = Proxy::before(zookeeper.hosts());
    let operator = connect(&zookeeper.address()).await;
    let (left, rightful) = (connect(&zookeeper.address()).await, connect(&zookeeper.address()).await);
    let former = left.hold("/held", b"former", &Access::new(), None).await.unwrap();
    let over = operator.get("/held").await.unwrap().unwrap().version;
    let late = connect(&format!("zookeeper://{}", proxy.hosts())).await;
    // The code of a request for several changes at once.
    proxy.stall_before(|request| request.get(8..12) == Some(&14_i32.to_be_bytes()));
    let mut taking = tokio::spawn(async move { late.hold("/held", b"late", &Access::new(), Some(over)).await });
    let proxy = tokio::task::spawn_blocking(move || {
        proxy.wait_until_stalled();
        proxy
    });
    let proxy = timeout(LONG, proxy).await.expect("in time").unwrap();
    former.release().await;
    let mut held = rightful.hold("/held", b"rightful", &Access::new(), None).await.unwrap();
    proxy.fix();
    tokio::select! {
        biased;
        taken = &mut taking => panic!("two hold it: {taken:?}"),
        () = held.lost() => {}
    }
    let late = timeout(LONG, taking).await.expect("in time").unwrap().unwrap();
    assert_eq!(operator.get("/held").await.unwrap().unwrap().data, b"late");
    late.release().await;
}

/// A late release of a place does not take it from its successor.
#[tokio::test]
async fn a_place_that_is_given_back_late_stays_its_successor_s() {
    let zookeeper = ZooKeeper::start(1);
    let proxy = Proxy::before(zookeeper.hosts());
    let operator = connect(&zookeeper.address()).await;
    let late = connect(&format!("zookeeper://{}", proxy.hosts())).await;
    let hold = late.hold("/held", b"former", &Access::new(), None).await.unwrap();
    let over = operator.get("/held").await.unwrap().unwrap().version;
    // The code of a request to remove a node.
    proxy.stall_before(|request| request.get(8..12) == Some(&2_i32.to_be_bytes()));
    let releasing = tokio::spawn(hold.release());
    let proxy = tokio::task::spawn_blocking(move || {
        proxy.wait_until_stalled();
        proxy
    });
    let proxy = timeout(LONG, proxy).await.expect("in time").unwrap();
    let successor = operator.hold("/held", b"successor", &Access::new(), Some(over)).await.unwrap();
    let taken = operator.get("/held").await.unwrap().unwrap();
    proxy.fix();
    timeout(LONG, releasing).await.expect("in time").unwrap();
    // Once this is answered, everything that the late client has sent is done.
    late.get("/held").await.unwrap();
    sleep(Duration::from_millis(200)).await;
    assert_eq!(operator.get("/held").await.unwrap().unwrap(), taken);
    successor.release().await;
}
