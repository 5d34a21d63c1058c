//! Nodes that exist as long as someone holds them.

use std::sync::Arc;

use futures_util::FutureExt as _;
use wattle_runtime::store::{Access, Address, Login, Rights, Store, Version};

use super::process::{Other, orphaned, task};
use super::{Fixture, Place, a_while, assert_denied, create, data, delete, for_operator, refused, someone, until};

pub(super) async fn held_until_dropped(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let one = someone("one");
    let path = place.at("held");
    let access = Access::new().grant(&one.principal(), Rights::READ);
    let hold = place.store.hold(&path, b"0", &access, None).await.unwrap();
    assert_eq!(data(&place.store, &path).await.unwrap(), b"0");
    let reads = fixture.login(&[one]).await;
    assert_eq!(data(&reads, &path).await.unwrap(), b"0");
    assert_eq!(place.store.children(&place.root).await.unwrap(), ["held"]);
    // Nobody can create anything below it.
    let below = format!("{path}/below");
    assert_denied(place.store.apply(vec![create(&below, b"")]).await, "create", &below);
    drop(hold);
    until(&reads, &path, None).await;
}

/// The version of the node at `path`, which exists.
async fn version(store: &Arc<dyn Store>, path: &str) -> Version {
    store.get(path).await.unwrap().expect("it is there").version
}

pub(super) async fn held_by_one_alone(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let path = place.at("held");
    let other = fixture.operator().await;
    let mut hold = place.store.hold(&path, b"0", &Access::new(), None).await.unwrap();
    let first = version(&other, &path).await;
    refused!(other.hold(&path, b"1", &Access::new(), None), Conflict, path);
    refused!(place.store.hold(&path, b"1", &Access::new(), None), Conflict, path);
    let former = Version { transaction: first.transaction - 1, ..first };
    refused!(other.hold(&path, b"1", &Access::new(), Some(former)), Conflict, path);
    a_while().await;
    assert!(hold.lost().now_or_never().is_none());
    assert_eq!(version(&other, &path).await, first);
    hold.release().await;
    until(&other, &path, None).await;
    // A removed node is not in the way.
    let hold = other.hold(&path, b"1", &Access::new(), Some(first)).await.unwrap();
    until(&place.store, &path, Some(b"1")).await;
    drop(hold);
}

pub(super) async fn hold_lost_to_another(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let path = place.at("held");
    let other = fixture.operator().await;
    let mut first = place.store.hold(&path, b"0", &Access::new(), None).await.unwrap();
    let over = version(&other, &path).await;
    // Another holder takes the place, and keeps it when the first one ends.
    let mut second = other.hold(&path, b"1", &Access::new(), Some(over)).await.unwrap();
    assert_eq!(other.changed(&path, Some(over)).await.unwrap().unwrap().data, b"1");
    first.lost().await;
    first.lost().await;
    first.release().await;
    a_while().await;
    assert_eq!(data(&place.store, &path).await.unwrap(), b"1");
    assert!(second.lost().now_or_never().is_none());
    second.release().await;
    until(&place.store, &path, None).await;
    let third = place.store.hold(&path, b"2", &Access::new(), None).await.unwrap();
    until(&other, &path, Some(b"2")).await;
    drop(third);
    until(&place.store, &path, None).await;
}

pub(super) async fn held_again_after_it_was_removed(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let path = place.at("held");
    let other = fixture.operator().await;
    let mut hold = place.store.hold(&path, b"0", &Access::new(), None).await.unwrap();
    for _ in 0..3 {
        let removed = version(&other, &path).await;
        other.apply(vec![delete(&path)]).await.unwrap();
        while other.get(&path).await.unwrap().is_none_or(|node| node.version == removed) {
            a_while().await;
        }
    }
    assert!(hold.lost().now_or_never().is_none());
    drop(hold);
    until(&other, &path, None).await;
}

pub(super) async fn hold_lost_with_its_parent(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let parent = place.make("parent", b"").await;
    let path = format!("{parent}/held");
    let mut hold = place.store.hold(&path, b"0", &Access::new(), None).await.unwrap();
    place.store.apply(vec![delete(&path), delete(&parent)]).await.unwrap();
    hold.lost().await;
    hold.release().await;
}

pub(super) async fn released_when_it_says_so(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let path = place.at("held");
    let other = fixture.operator().await;
    for _ in 0..5 {
        let hold = place.store.hold(&path, b"0", &Access::new(), None).await.unwrap();
        hold.release().await;
        assert_eq!(other.get(&path).await.unwrap(), None);
    }
}

pub(super) async fn hold_refused(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let none = place.at("none");
    refused!(place.store.hold(&place.at("none/held"), b"", &Access::new(), None), Missing, none);
    let stranger = fixture.login(&[someone("stranger")]).await;
    let path = place.at("held");
    assert_denied(stranger.hold(&path, b"", &Access::new(), None).await.map(drop), "create", &path);
    // With a server's rights to it, and no others.
    let server = someone("server");
    let rights = Rights { create: true, delete: true, ..Rights::default() };
    place.make_for("server", b"", Access::new().grant(&server.principal(), rights)).await;
    let path = place.at("server/alive");
    let access = for_operator(fixture);
    let writable = access.clone().grant(&server.principal(), Rights::WRITE);
    let store = fixture.login(&[server]).await;
    let unwritable = store.hold(&path, b"0", &access, None).await.unwrap();
    let over = version(&place.store, &path).await;
    assert_denied(store.hold(&path, b"1", &access, Some(over)).await.map(drop), "write", &path);
    unwritable.release().await;
    let first = store.hold(&path, b"0", &writable, None).await.unwrap();
    let over = version(&place.store, &path).await;
    let second = store.hold(&path, b"1", &access, Some(over)).await.unwrap();
    assert_eq!(data(&place.store, &path).await.unwrap(), b"1");
    drop((first, second));
    until(&place.store, &path, None).await;
}

pub(super) async fn hold_outlasts_its_store(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let path = place.at("held");
    let store = fixture.operator().await;
    let hold = store.hold(&path, b"0", &Access::new(), None).await.unwrap();
    drop(store);
    a_while().await;
    assert_eq!(data(&place.store, &path).await.unwrap(), b"0");
    drop(hold);
    until(&place.store, &path, None).await;
}

fn start(fixture: &dyn Fixture, path: &str) -> Option<Other> {
    let Some((address, login)) = fixture.address() else {
        println!("no other process can use this store: left out");
        return None;
    };
    Some(Other::start("another_process", &[&address.to_string(), path, &login.name, &login.password]))
}

/// Holds the node in the other process until that is killed, or its parent has ended. A test binary with conformance tests
/// has this as an ignored test of the same name.
///
/// # Panics
/// If it cannot.
pub async fn another_process() {
    let Some([address, path, name, password]) = task() else { return };
    let address: Address = address.parse().unwrap();
    let login = Login { name, password };
    let store = address.connect(&[login]).await.unwrap();
    let _hold = store.hold(&path, b"another", &Access::new(), None).await.unwrap();
    orphaned().await;
}

pub(super) async fn held_by_a_killed_process(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let path = place.at("held");
    let Some(other) = start(fixture, &path) else { return };
    until(&place.store, &path, Some(b"another")).await;
    other.kill();
    until(&place.store, &path, None).await;
}

pub(super) async fn taken_over_from_a_live_process(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let path = place.at("held");
    let Some(other) = start(fixture, &path) else { return };
    until(&place.store, &path, Some(b"another")).await;
    let over = version(&place.store, &path).await;
    let hold = place.store.hold(&path, b"mine", &Access::new(), Some(over)).await.unwrap();
    assert_eq!(data(&place.store, &path).await.unwrap(), b"mine");
    other.kill();
    a_while().await;
    assert_eq!(data(&place.store, &path).await.unwrap(), b"mine");
    drop(hold);
    until(&place.store, &path, None).await;
}

pub(super) async fn held_over_a_restart(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let (kept, dropped) = (place.at("kept"), place.at("dropped"));
    let reader = fixture.operator().await;
    let hold = place.store.hold(&kept, b"0", &Access::new(), None).await.unwrap();
    let lost = place.store.hold(&dropped, b"0", &Access::new(), None).await.unwrap();
    let restarting = fixture.restart();
    drop(lost);
    if !restarting.await {
        return;
    }
    until(&reader, &kept, Some(b"0")).await;
    until(&reader, &dropped, None).await;
    drop(hold);
    until(&reader, &kept, None).await;
}

pub(super) async fn held_over_a_cut(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let path = place.at("held");
    let reader = fixture.operator().await;
    let hold = place.store.hold(&path, b"0", &Access::new(), None).await.unwrap();
    for _ in 0..5 {
        if !fixture.cut().await {
            return;
        }
        until(&reader, &path, Some(b"0")).await;
    }
    a_while().await;
    until(&reader, &path, Some(b"0")).await;
    drop(hold);
    until(&reader, &path, None).await;
}
