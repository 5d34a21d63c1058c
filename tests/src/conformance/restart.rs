//! Stores that become unavailable and return.

use futures_util::FutureExt as _;
use futures_util::future::join_all;
use wattle_runtime::store::{Access, Rights};

use super::{Fixture, Place, a_while, assert_denied, create, data, delete, someone, until};

pub(super) async fn all_is_kept(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let one = someone("one");
    let access = Access::new().grant(&one.principal(), Rights::READ);
    let path = place.make_for("node", "größer".as_bytes(), access.clone()).await;
    let below = place.make("node/below", b"").await;
    let gone = place.make("gone", b"").await;
    let large = place.make("large", &vec![7; 900_000]).await;
    let protected = place.make("protected", b"0").await;
    place.store.protect(&[(protected.clone(), access)], &[]).await.unwrap();
    place.store.apply(vec![delete(&gone)]).await.unwrap();
    place.store.set(&below, b"1", None).await.unwrap();
    let mut before = Vec::new();
    for path in [&path, &below, &gone, &large, &protected] {
        before.push(place.store.get(path).await.unwrap());
    }
    for _ in 0..2 {
        if !fixture.restart().await {
            return;
        }
        let store = fixture.operator().await;
        for (path, before) in [&path, &below, &gone, &large, &protected].into_iter().zip(&before) {
            assert_eq!(store.get(path).await.unwrap(), *before, "{path}");
            assert_eq!(place.store.get(path).await.unwrap(), *before, "{path}");
        }
        assert_eq!(store.children(&place.root).await.unwrap(), ["large", "node", "protected"]);
        let reader = fixture.login(std::slice::from_ref(&one)).await;
        assert_eq!(data(&reader, &path).await.unwrap(), "größer".as_bytes());
        assert_eq!(data(&reader, &protected).await.unwrap(), b"0");
        assert_denied(reader.get(&below).await, "read", &below);
    }
    // Earlier versions are still valid, and later ones are newer.
    let seen = before[1].as_ref().unwrap().version;
    let next = place.store.set(&below, b"2", Some(seen)).await.unwrap();
    assert!(next.transaction > seen.transaction);
}

pub(super) async fn waits_outlast_a_restart(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let paths: Vec<_> = (0..200).map(|n| place.at(&format!("{n}"))).collect();
    place.store.apply(paths.iter().map(|path| create(path, b"0")).collect()).await.unwrap();
    let reader = fixture.operator().await;
    let seen = join_all(paths.iter().map(|path| reader.get(path))).await;
    let seen: Vec<_> = seen.into_iter().map(|node| node.unwrap().map(|node| node.version)).collect();
    let mut waiting: Vec<_> = paths.iter().zip(&seen).map(|(path, seen)| reader.changed(path, *seen)).collect();
    for wait in &mut waiting {
        assert!(wait.now_or_never().is_none());
    }
    if !fixture.restart().await {
        return;
    }
    let writer = fixture.operator().await;
    for path in &paths {
        writer.set(path, b"1", None).await.unwrap();
    }
    for node in join_all(waiting).await {
        assert_eq!(node.unwrap().unwrap().data, b"1");
    }
}

pub(super) async fn waits_outlast_a_cut(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let (path, later) = (place.make("node", b"0").await, place.at("later"));
    let reader = fixture.operator().await;
    let seen = reader.get(&path).await.unwrap().map(|node| node.version);
    let mut waiting = (reader.changed(&path, seen), reader.changed(&later, None));
    for _ in 0..3 {
        assert!((&mut waiting.0).now_or_never().is_none());
        assert!((&mut waiting.1).now_or_never().is_none());
        if !fixture.cut().await {
            return;
        }
        a_while().await;
    }
    place.store.set(&path, b"1", None).await.unwrap();
    place.make("later", b"2").await;
    assert_eq!(waiting.0.await.unwrap().unwrap().data, b"1");
    assert_eq!(waiting.1.await.unwrap().unwrap().data, b"2");
}

pub(super) async fn requests_outlast_a_restart(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let path = place.make("node", b"0").await;
    let working = async {
        for n in 0..200u32 {
            let content = n.to_string();
            let version = place.store.set(&path, content.as_bytes(), None).await.unwrap();
            let node = place.store.get(&path).await.unwrap().unwrap();
            assert_eq!((&*node.data, node.version), (content.as_bytes(), version));
            assert_eq!(place.store.children(&place.root).await.unwrap(), ["node"]);
            tokio::task::yield_now().await;
        }
    };
    let (restarted, ()) = tokio::join!(fixture.restart(), working);
    let _ = restarted;
    assert_eq!(data(&place.store, &path).await.unwrap(), b"199");
}

/// Cuts the connections again and again during `work`.
async fn meanwhile_cutting(fixture: &dyn Fixture, work: impl Future<Output = ()>) {
    let cutting = async {
        while fixture.cut().await {
            tokio::time::sleep(std::time::Duration::from_millis(15)).await;
        }
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = cutting => {}
        () = work => {}
    }
}

pub(super) async fn own_write_is_no_conflict(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let path = place.make("node", b"").await;
    let mut version = place.store.get(&path).await.unwrap().unwrap().version;
    let work = async {
        for n in 1..=300 {
            let next = place.store.set(&path, format!("{n}").as_bytes(), Some(version)).await.unwrap();
            assert_eq!(next.count, n);
            version = next;
        }
    };
    meanwhile_cutting(fixture, work).await;
    until(&place.store, &path, Some(b"300")).await;
}

pub(super) async fn own_creation_is_no_conflict(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let work = async {
        for n in 0..100 {
            let path = place.at(&n.to_string());
            place.store.apply(vec![create(&path, n.to_string().as_bytes())]).await.unwrap();
            if n % 2 == 1 {
                place.store.apply(vec![delete(&path)]).await.unwrap();
            }
        }
    };
    meanwhile_cutting(fixture, work).await;
    assert_eq!(place.store.children(&place.root).await.unwrap().len(), 50);
}
