//! Servers that are killed, paused or not running yet, while a hundred readers and a writer continue.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{sleep, timeout};
use wattle_runtime::store::{Access, Store};
use wattle_tests::zookeeper::ZooKeeper;

use super::{LONG, all, connect, create, nodes, wait_for_all};

/// A hundred readers and a writer of conditional changes, during `disturb`.
async fn read_and_write(store: &Arc<dyn Store>, writer: &Arc<dyn Store>, disturb: impl Future<Output = ()>) {
    let paths = nodes(&**writer, "/work", 100).await;
    let waiting = wait_for_all(store, &paths);
    writer.apply(vec![create("/work/count", "0")]).await.unwrap();
    let counting = async {
        let mut version = writer.get("/work/count").await.unwrap().unwrap().version;
        for (number, path) in (1..).zip(&paths) {
            writer.set(path, path.as_bytes(), None).await.unwrap();
            let next = writer.set("/work/count", number.to_string().as_bytes(), Some(version)).await.unwrap();
            assert_eq!(next.count, number, "each is written once");
            version = next;
            // Write slowly, so that the disturbance happens during the writes.
            sleep(Duration::from_millis(20)).await;
        }
    };
    let ((), ()) = timeout(LONG, async { tokio::join!(disturb, counting) }).await.expect("nothing hangs");
    assert_eq!(all(waiting).await, paths.into_iter().collect(), "nothing is lost");
    assert_eq!(writer.get("/work/count").await.unwrap().unwrap().data, b"100");
}

/// Runs slow operations on the servers, concurrently with everything else.
async fn aside(zookeeper: &Arc<ZooKeeper>, act: impl FnOnce(&ZooKeeper) + Send + 'static) {
    let zookeeper = Arc::clone(zookeeper);
    tokio::task::spawn_blocking(move || act(&zookeeper)).await.unwrap();
}

async fn killed_for(time: Duration) {
    let zookeeper = Arc::new(ZooKeeper::start(1));
    let (reader, writer) = (connect(&zookeeper.address()).await, connect(&zookeeper.address()).await);
    let hold = writer.hold("/held", b"here", &Access::new(), None).await.unwrap();
    let disturb = async {
        sleep(Duration::from_millis(300)).await;
        aside(&zookeeper, |zookeeper| zookeeper.kill(1)).await;
        sleep(time).await;
        aside(&zookeeper, |zookeeper| zookeeper.up(1)).await;
    };
    read_and_write(&reader, &writer, disturb).await;
    let again = async {
        let mut node = reader.get("/held").await.unwrap();
        while node.as_ref().is_none_or(|node| node.data != b"here") {
            node = reader.changed("/held", node.map(|node| node.version)).await.unwrap();
        }
    };
    timeout(LONG, again).await.expect("it is held again");
    drop(hold);
}

#[tokio::test]
async fn killed_for_five_seconds() {
    killed_for(Duration::from_secs(5)).await;
}

#[tokio::test]
async fn killed_for_longer_than_a_session() {
    if !wattle_tests::skip::everything("killed_for_longer_than_a_session") {
        return;
    }
    killed_for(Duration::from_secs(20)).await;
}

#[tokio::test]
async fn one_member_of_three_is_lost_and_another_one_after_it_came_back() {
    let zookeeper = Arc::new(ZooKeeper::start(3));
    let (reader, writer) = (connect(&zookeeper.address()).await, connect(&zookeeper.address()).await);
    let disturb = async {
        for _ in 0..2 {
            sleep(Duration::from_millis(300)).await;
            let leader = zookeeper.leader();
            aside(&zookeeper, move |zookeeper| zookeeper.kill(leader)).await;
            sleep(Duration::from_secs(1)).await;
            aside(&zookeeper, move |zookeeper| zookeeper.up(leader)).await;
        }
    };
    read_and_write(&reader, &writer, disturb).await;
}

#[tokio::test]
async fn one_who_comes_first_waits_for_the_server() {
    let zookeeper = Arc::new(ZooKeeper::start(1));
    zookeeper.kill(1);
    let address = zookeeper.address();
    let connecting = tokio::spawn(async move { connect(&address).await });
    sleep(Duration::from_millis(500)).await;
    assert!(!connecting.is_finished());
    aside(&zookeeper, |zookeeper| zookeeper.up(1)).await;
    let store = timeout(LONG, connecting).await.expect("in time").unwrap();
    assert_eq!(store.get("/none").await.unwrap(), None);
}
