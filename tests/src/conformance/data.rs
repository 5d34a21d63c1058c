//! The data of nodes.

use wattle_runtime::store::{MAX_DATA, StoreError};

use super::{Fixture, Place, create, data, delete, refused};

pub(super) async fn missing_node(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    assert_eq!(place.store.get(&place.at("none")).await.unwrap(), None);
    assert_eq!(place.store.get(&place.at("none/below")).await.unwrap(), None);
    assert_eq!(place.store.children(&place.at("none")).await.unwrap(), [""; 0]);
}

pub(super) async fn set_and_get(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let path = place.make("node", b"first").await;
    let first = place.store.get(&path).await.unwrap().unwrap();
    assert_eq!((&*first.data, first.version.count), (&b"first"[..], 0));
    let every_byte: Vec<u8> = (0..=255).collect();
    let mut before = first.version;
    for (count, content) in [&b""[..], b"\0", "…größer als 日本 🦀".as_bytes(), &every_byte, b""].iter().enumerate()
    {
        let version = place.store.set(&path, content, None).await.unwrap();
        let node = place.store.get(&path).await.unwrap().unwrap();
        assert_eq!((&*node.data, node.version), (*content, version));
        assert_eq!(usize::try_from(version.count).unwrap(), count + 1);
        assert!(version.transaction > before.transaction);
        before = version;
    }
}

pub(super) async fn set_of_a_missing_node(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let path = place.at("none");
    refused!(place.store.set(&path, b"x", None), Missing, path);
    assert_eq!(place.store.get(&path).await.unwrap(), None);
}

pub(super) async fn conditional_set(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let path = place.make("node", b"0").await;
    let first = place.store.get(&path).await.unwrap().unwrap().version;
    let second = place.store.set(&path, b"1", Some(first)).await.unwrap();
    refused!(place.store.set(&path, b"2", Some(first)), Conflict, path);
    assert_eq!(data(&place.store, &path).await.unwrap(), b"1");
    // Setting the same data again is a change all the same.
    let third = place.store.set(&path, b"1", Some(second)).await.unwrap();
    refused!(place.store.set(&path, b"2", Some(second)), Conflict, path);
    place.store.set(&path, b"2", Some(third)).await.unwrap();

    // Of many concurrent attempts, one succeeds.
    let seen = place.store.get(&path).await.unwrap().unwrap().version;
    let tries = (0..50).map(|n| {
        let (store, path) = (&place.store, &path);
        async move { store.set(path, format!("{n}").as_bytes(), Some(seen)).await }
    });
    let outcomes = futures_util::future::join_all(tries).await;
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    assert!(outcomes.iter().all(|o| matches!(o, Ok(_) | Err(StoreError::Conflict { .. }))));
}

pub(super) async fn largest_data(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let largest: Vec<u8> = (0..MAX_DATA).map(|n| u8::try_from(n % 251).unwrap()).collect();
    let larger = vec![0; MAX_DATA + 1];
    let path = place.make("set", b"").await;
    place.store.set(&path, &largest, None).await.unwrap();
    assert!(data(&place.store, &path).await.unwrap() == largest);
    match place.store.set(&path, &larger, None).await {
        Err(StoreError::TooLarge { path: at, bytes }) => assert_eq!((at, bytes), (path.clone(), MAX_DATA + 1)),
        other => panic!("{other:?}"),
    }
    assert!(data(&place.store, &path).await.unwrap() == largest);

    let made = place.make("made", &largest).await;
    assert!(data(&place.store, &made).await.unwrap() == largest);
    let path = place.at("larger");
    refused!(place.store.apply(vec![create(&path, &larger)]), TooLarge, path);
    assert_eq!(place.store.get(&path).await.unwrap(), None);
    // The connection is still usable.
    place.store.set(&made, b"small", None).await.unwrap();
}

pub(super) async fn children(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let names = ["a", "a!", "a-b", "a0", "ab", "b", "B", "ä", "10", "9"];
    let mut ops: Vec<_> = names.iter().map(|name| create(&place.at(name), b"")).collect();
    ops.extend(["a/deep", "a/deep/deeper", "b/!", "b/~"].map(|name| create(&place.at(name), b"")));
    place.store.apply(ops).await.unwrap();
    let mut sorted = names.to_vec();
    sorted.sort_unstable();
    assert_eq!(place.store.children(&place.root).await.unwrap(), sorted);
    assert_eq!(place.store.children(&place.at("a")).await.unwrap(), ["deep"]);
    assert_eq!(place.store.children(&place.at("b")).await.unwrap(), ["!", "~"]);
    assert_eq!(place.store.children(&place.at("a!")).await.unwrap(), [""; 0]);
    refused!(place.store.apply(vec![delete(&place.at("b"))]), NotEmpty, place.at("b"));
}

pub(super) async fn odd_names(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let long = "n".repeat(1000);
    let odd = ["...", ".hidden", "a b", " ", "ü", "日本", "a\\b", "\"", "'", "%2F", "a:b", "*", "#2", "-", &long];
    for (n, name) in odd.iter().enumerate() {
        let path = place.make(name, name.as_bytes()).await;
        let below = place.make(&format!("{name}/below"), b"").await;
        assert_eq!(data(&place.store, &path).await.unwrap(), name.as_bytes(), "{name}");
        place.store.set(&below, name.as_bytes(), None).await.unwrap();
        assert_eq!(place.store.children(&path).await.unwrap(), ["below"], "{name}");
        assert_eq!(place.store.children(&place.root).await.unwrap().len(), n + 1);
    }
    for name in odd {
        let path = place.at(name);
        place.store.apply(vec![delete(&format!("{path}/below")), delete(&path)]).await.unwrap();
    }
    assert_eq!(place.store.children(&place.root).await.unwrap(), [""; 0]);
}

pub(super) async fn illegal_paths(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    for name in ["", "a//b", "a/", ".", "..", "a/../b", "line\nbreak", "nul\0", "\u{7f}", "\u{fffd}", "\u{1f980}"] {
        let path = place.at(name);
        refused!(place.store.get(&path), Illegal, path);
        refused!(place.store.changed(&path, None), Illegal, path);
        refused!(place.store.set(&path, b"", None), Illegal, path);
        refused!(place.store.children(&path), Illegal, path);
        refused!(place.store.apply(vec![create(&path, b"")]), Illegal, path);
        refused!(place.store.apply(vec![delete(&path)]), Illegal, path);
        refused!(place.store.protect(&[(path.clone(), super::Access::new())], &[]), Illegal, path);
        refused!(place.store.hold(&path, b"", &super::Access::new(), None), Illegal, path);
    }
    refused!(place.store.get("relative"), Illegal, "relative");
    refused!(place.store.get("/"), Illegal, "/");
    refused!(place.store.get(""), Illegal, "");
}
