//! Waiting for a node to change.

use futures_util::FutureExt as _;
use futures_util::future::join_all;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use wattle_runtime::store::Version;

use super::{Fixture, Place, a_while, create, data, delete, set};

pub(super) async fn changed_at_once(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let path = place.make("node", b"0").await;
    let first = place.store.get(&path).await.unwrap().unwrap();
    assert_eq!(place.store.changed(&path, None).await.unwrap(), Some(first.clone()));
    place.store.set(&path, b"1", None).await.unwrap();
    let second = place.store.changed(&path, Some(first.version)).await.unwrap().unwrap();
    assert_eq!(second.data, b"1");
    // A foreign version also differs from the present one.
    let other = Version { transaction: second.version.transaction + 1_000_000, count: 7 };
    assert_eq!(place.store.changed(&path, Some(other)).await.unwrap(), Some(second.clone()));
    assert_eq!(place.store.changed(&place.at("none"), Some(second.version)).await.unwrap(), None);
}

pub(super) async fn changed_waits(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let path = place.make("node", b"0").await;
    let neighbour = place.make("node2", b"0").await;
    let seen = place.store.get(&path).await.unwrap().unwrap().version;
    let mut waiting = place.store.changed(&path, Some(seen));
    assert!((&mut waiting).now_or_never().is_none());
    // Not notified: changes of other nodes, reads, and changes below it.
    place.store.set(&neighbour, b"1", None).await.unwrap();
    place.store.get(&path).await.unwrap();
    place.make("node/below", b"").await;
    a_while().await;
    assert!((&mut waiting).now_or_never().is_none());
    let version = place.store.set(&path, b"1", None).await.unwrap();
    let node = waiting.await.unwrap().unwrap();
    assert_eq!((&*node.data, node.version), (&b"1"[..], version));
}

pub(super) async fn changed_by_creation(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let path = place.at("node");
    let mut waiting = place.store.changed(&path, None);
    assert!((&mut waiting).now_or_never().is_none());
    a_while().await;
    assert!((&mut waiting).now_or_never().is_none());
    place.make("node", b"0").await;
    assert_eq!(waiting.await.unwrap().unwrap().data, b"0");
    // Even if the parent does not exist.
    let deep = place.at("deep/deeper");
    let mut waiting = place.store.changed(&deep, None);
    assert!((&mut waiting).now_or_never().is_none());
    place.store.apply(vec![create(&place.at("deep"), b""), create(&deep, b"1")]).await.unwrap();
    assert_eq!(waiting.await.unwrap().unwrap().data, b"1");
}

pub(super) async fn changed_by_deletion(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let path = place.make("node", b"0").await;
    let seen = place.store.get(&path).await.unwrap().unwrap().version;
    let mut waiting = place.store.changed(&path, Some(seen));
    assert!((&mut waiting).now_or_never().is_none());
    a_while().await;
    place.store.apply(vec![delete(&path)]).await.unwrap();
    assert_eq!(waiting.await.unwrap(), None);
}

pub(super) async fn changed_by_making_anew(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let path = place.make("node", b"0").await;
    let seen = place.store.get(&path).await.unwrap().unwrap().version;
    let waiting = place.store.changed(&path, Some(seen));
    // With the same data, so that only the version differs.
    place.store.apply(vec![delete(&path), create(&path, b"0")]).await.unwrap();
    let node = waiting.await.unwrap().unwrap();
    assert_eq!(node.version.count, 0);
    assert_ne!(node.version, seen);
}

pub(super) async fn last_change(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let path = place.make("node", b"0").await;
    let (reader, last) = (fixture.operator().await, 300);
    let reads = async {
        let mut seen = None;
        loop {
            let node = reader.changed(&path, seen).await.unwrap().unwrap();
            assert_ne!(Some(node.version), seen);
            if node.data == format!("{last}").as_bytes() {
                break;
            }
            seen = Some(node.version);
        }
    };
    let writes = async {
        for n in 1..=last {
            place.store.set(&path, format!("{n}").as_bytes(), None).await.unwrap();
        }
    };
    tokio::join!(reads, writes);
}

pub(super) async fn changed_through_another_connection(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let path = place.make("node", b"0").await;
    let (reader, writer) = (fixture.operator().await, fixture.operator().await);
    let mut seen = reader.changed(&path, None).await.unwrap().map(|node| node.version);
    for n in 0..100u8 {
        let content = [n];
        let (node, version) = tokio::join!(reader.changed(&path, seen), writer.set(&path, &content, None));
        let node = node.unwrap().unwrap();
        assert_eq!((&*node.data, node.version), (&content[..], version.unwrap()));
        seen = Some(node.version);
    }
}

pub(super) async fn waits_given_up(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let path = place.make("node", b"0").await;
    let seen = place.store.get(&path).await.unwrap().map(|node| node.version);
    for _ in 0..20 {
        let mut waiting: Vec<_> = (0..500).map(|_| place.store.changed(&path, seen)).collect();
        for wait in &mut waiting {
            assert!(wait.now_or_never().is_none());
        }
        drop(waiting);
    }
    // All methods, even before they were ever polled.
    for _ in 0..100 {
        drop(place.store.get(&path));
        assert!(place.store.set(&place.at("none"), b"", None).now_or_never().is_none_or(|set| set.is_err()));
        let _ = place.store.children(&path).now_or_never();
    }
    let kept = place.store.changed(&path, seen);
    place.store.set(&path, b"1", None).await.unwrap();
    assert_eq!(kept.await.unwrap().unwrap().data, b"1");
}

pub(super) async fn many_nodes_watched(fixture: &dyn Fixture) {
    const MANY: usize = 10_000;
    let place = Place::new(fixture).await;
    let paths: Vec<_> = (0..MANY).map(|n| place.at(&format!("node{n}"))).collect();
    place.store.apply(paths.iter().map(|path| create(path, b"")).collect()).await.unwrap();
    let reader = fixture.operator().await;
    let mut waiting = FuturesUnordered::new();
    for path in &paths {
        let reader = &reader;
        waiting.push(async move {
            let mut node = reader.get(path).await.unwrap().unwrap();
            while node.data.is_empty() {
                node = reader.changed(path, Some(node.version)).await.unwrap().unwrap();
            }
            assert_eq!(node.data, path.as_bytes());
        });
    }
    let wrote = async {
        a_while().await;
        place.store.apply(paths.iter().map(|path| set(path, path.as_bytes())).collect()).await.unwrap();
    };
    let read = async {
        let mut read = 0;
        while waiting.next().await.is_some() {
            read += 1;
        }
        read
    };
    let ((), read) = tokio::join!(wrote, read);
    assert_eq!(read, MANY);
}

pub(super) async fn one_node_read_by_many(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let path = place.make("node", b"0").await;
    let seen = place.store.get(&path).await.unwrap().map(|node| node.version);
    let readers = join_all((0..10).map(|_| fixture.operator())).await;
    let waiting = (0..5_000).map(|n| readers[n % readers.len()].changed(&path, seen));
    let wrote = async {
        a_while().await;
        place.store.set(&path, b"1", None).await.unwrap();
    };
    let (nodes, ()) = tokio::join!(join_all(waiting), wrote);
    assert!(nodes.into_iter().all(|node| node.unwrap().unwrap().data == b"1"));
    assert_eq!(data(&place.store, &path).await.unwrap(), b"1");
}
