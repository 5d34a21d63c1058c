//! Nodes that are there for as long as someone holds them.

use wattle_runtime::store::{Access, Address, Login, Rights};

use super::process::{Other, orphaned, task};
use super::{Fixture, Place, a_while, assert_denied, create, data, for_operator, refused, someone, until};

pub(super) async fn held_until_dropped(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let one = someone("one");
    let path = place.at("held");
    let access = Access::new().grant(&one.principal(), Rights::READ);
    let hold = place.store.hold(&path, b"0", &access).await.unwrap();
    assert_eq!(data(&place.store, &path).await.unwrap(), b"0");
    let reads = fixture.login(&[one]).await;
    assert_eq!(data(&reads, &path).await.unwrap(), b"0");
    assert_eq!(place.store.children(&place.root).await.unwrap(), ["held"]);
    // Nobody makes anything below it.
    let below = format!("{path}/below");
    assert_denied(place.store.apply(vec![create(&below, b"")]).await, "create", &below);
    drop(hold);
    until(&reads, &path, None).await;
}

pub(super) async fn held_anew(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let path = place.at("held");
    let other = fixture.operator().await;
    let first = place.store.hold(&path, b"0", &Access::new()).await.unwrap();
    let version = other.get(&path).await.unwrap().map(|node| node.version);
    // Another takes its place, and does not lose it when the first goes.
    let second = other.hold(&path, b"1", &Access::new()).await.unwrap();
    assert_eq!(other.changed(&path, version).await.unwrap().unwrap().data, b"1");
    drop(first);
    a_while().await;
    assert_eq!(data(&place.store, &path).await.unwrap(), b"1");
    drop(second);
    until(&place.store, &path, None).await;
    let third = place.store.hold(&path, b"2", &Access::new()).await.unwrap();
    assert_eq!(data(&other, &path).await.unwrap(), b"2");
    drop(third);
    until(&place.store, &path, None).await;
}

pub(super) async fn hold_refused(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let none = place.at("none");
    refused!(place.store.hold(&place.at("none/held"), b"", &Access::new()), Missing, none);
    let stranger = fixture.login(&[someone("stranger")]).await;
    let path = place.at("held");
    assert_denied(stranger.hold(&path, b"", &Access::new()).await.map(drop), "create", &path);
    // With the rights that a server has for it, and no others.
    let server = someone("server");
    let rights = Rights { create: true, delete: true, ..Rights::default() };
    place.make_for("server", b"", Access::new().grant(&server.principal(), rights)).await;
    let path = place.at("server/alive");
    let store = fixture.login(&[server]).await;
    let access = for_operator(fixture);
    let first = store.hold(&path, b"0", &access).await.unwrap();
    let second = store.hold(&path, b"1", &access).await.unwrap();
    assert_eq!(data(&place.store, &path).await.unwrap(), b"1");
    drop((first, second));
    until(&place.store, &path, None).await;
}

pub(super) async fn hold_outlasts_its_store(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let path = place.at("held");
    let store = fixture.operator().await;
    let hold = store.hold(&path, b"0", &Access::new()).await.unwrap();
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

/// What the other process does: it holds the node until it is killed, or whoever started it is gone. A test binary with
/// conformance tests has this as an ignored test of the same name.
///
/// # Panics
/// When it cannot.
pub async fn another_process() {
    let Some([address, path, name, password]) = task() else { return };
    let address: Address = address.parse().unwrap();
    let login = Login { name, password };
    let store = address.connect(&[login]).await.unwrap();
    let _hold = store.hold(&path, b"another", &Access::new()).await.unwrap();
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
    let hold = place.store.hold(&path, b"mine", &Access::new()).await.unwrap();
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
    let hold = place.store.hold(&kept, b"0", &Access::new()).await.unwrap();
    let lost = place.store.hold(&dropped, b"0", &Access::new()).await.unwrap();
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
    let hold = place.store.hold(&path, b"0", &Access::new()).await.unwrap();
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
