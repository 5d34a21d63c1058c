//! Rights.

use std::sync::Arc;

use futures_util::FutureExt as _;
use wattle_runtime::store::{Access, Op, Rights, Store, StoreError};

use super::{Fixture, Place, assert_denied, create, create_for, data, delete, for_operator, refused, set, someone};

pub(super) async fn read_denied(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let (reader, writer) = (someone("reader"), someone("writer"));
    let access = Access::new().grant(&reader.principal(), Rights::READ).grant(&writer.principal(), Rights::WRITE);
    let path = place.make_for("node", b"0", access).await;
    let secret = place.make("node/secret", b"0").await;
    let seen = place.store.get(&path).await.unwrap().unwrap();

    let reads = fixture.login(&[reader]).await;
    assert_eq!(reads.get(&path).await.unwrap().unwrap(), seen);
    assert_eq!(reads.children(&path).await.unwrap(), ["secret"]);
    assert_eq!(reads.changed(&path, None).await.unwrap().unwrap(), seen);
    assert_denied(reads.get(&secret).await, "read", &secret);

    let writing = fixture.login(&[writer]).await;
    assert_denied(writing.get(&path).await, "read", &path);
    assert_denied(writing.children(&path).await, "read", &path);
    assert_denied(writing.changed(&path, Some(seen.version)).await, "read", &path);
    writing.set(&path, b"1", None).await.unwrap();
    assert_eq!(data(&reads, &path).await.unwrap(), b"1");

    // A client without rights sees nothing, but that a node is missing is no secret.
    let stranger = fixture.login(&[someone("stranger")]).await;
    assert_denied(stranger.get(&path).await, "read", &path);
    assert_denied(stranger.changed(&path, None).await, "read", &path);
    assert_denied(stranger.get(&place.root).await, "read", &place.root);
    assert_eq!(stranger.get(&place.at("none")).await.unwrap(), None);
    // Nor does a client without any login, or with the right name and the wrong password.
    let nobody = fixture.login(&[]).await;
    assert_denied(nobody.get(&path).await, "read", &path);
    let mut liar = someone("reader");
    liar.password.push('!');
    assert_denied(fixture.login(&[liar]).await.get(&path).await, "read", &path);
}

pub(super) async fn write_denied(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let (reader, writer) = (someone("reader"), someone("writer"));
    let access = Access::new().grant(&reader.principal(), Rights::READ).grant(&writer.principal(), Rights::WRITE);
    let path = place.make_for("node", b"0", access).await;
    let other = place.make("other", b"0").await;
    let reads = fixture.login(&[reader]).await;
    let seen = reads.get(&path).await.unwrap().unwrap().version;
    assert_denied(reads.set(&path, b"1", None).await, "write", &path);
    assert_denied(reads.set(&path, b"1", Some(seen)).await, "write", &path);
    let writing = fixture.login(&[writer]).await;
    let version = writing.set(&path, b"1", Some(seen)).await.unwrap();
    refused!(writing.set(&path, b"2", Some(seen)), Conflict, path);
    // A request of several changes is refused as a whole.
    assert_denied(writing.apply(vec![set(&path, b"2"), set(&other, b"2")]).await, "write", &other);
    assert_eq!(reads.get(&path).await.unwrap().unwrap().version, version);
    // Without the right, the condition is not checked.
    assert_denied(reads.set(&path, b"3", Some(seen)).await, "write", &path);
}

pub(super) async fn create_denied(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let maker = someone("maker");
    let may = Access::new().grant(&maker.principal(), Rights { create: true, ..Rights::default() });
    let folder = place.make_for("folder", b"", may).await;
    let (allowed, denied) = (format!("{folder}/new"), place.at("new"));
    let store = fixture.login(std::slice::from_ref(&maker)).await;
    assert_denied(store.apply(vec![create(&denied, b"")]).await, "create", &denied);
    let access = for_operator(fixture).grant(&maker.principal(), Rights::READ);
    store.apply(vec![create_for(&allowed, b"0", access)]).await.unwrap();
    assert_eq!(data(&store, &allowed).await.unwrap(), b"0");
    // The right to create is neither one to write, nor to remove, nor to list.
    assert_denied(store.set(&allowed, b"1", None).await, "write", &allowed);
    assert_denied(store.apply(vec![delete(&allowed)]).await, "delete", &allowed);
    assert_denied(store.children(&folder).await, "read", &folder);
    // It is not inherited.
    let below = format!("{allowed}/below");
    assert_denied(store.apply(vec![create(&below, b"")]).await, "create", &below);
    // The operator has all rights to others' nodes.
    place.store.set(&allowed, b"2", None).await.unwrap();
    place.store.apply(vec![delete(&allowed)]).await.unwrap();
}

pub(super) async fn delete_denied(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let remover = someone("remover");
    let may = Access::new().grant(&remover.principal(), Rights { delete: true, ..Rights::default() });
    let folder = place.make_for("folder", b"", may).await;
    let inside = place.make("folder/inside", b"").await;
    let store = fixture.login(&[remover]).await;
    assert_denied(store.apply(vec![delete(&folder)]).await, "delete", &folder);
    store.apply(vec![delete(&inside)]).await.unwrap();
    assert_denied(store.apply(vec![create(&inside, b"")]).await, "create", &inside);
}

pub(super) async fn logins_add_up(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let (one, two) = (someone("one"), someone("two"));
    let first = place.make_for("first", b"1", Access::new().grant(&one.principal(), Rights::READ)).await;
    let second = place.make_for("second", b"2", Access::new().grant(&two.principal(), Rights::READ)).await;
    let mixed = Access::new().grant(&one.principal(), Rights::READ).grant(&two.principal(), Rights::WRITE);
    let both = place.make_for("both", b"", mixed).await;
    let store = fixture.login(&[one, two]).await;
    assert_eq!(data(&store, &first).await.unwrap(), b"1");
    assert_eq!(data(&store, &second).await.unwrap(), b"2");
    store.set(&both, b"3", None).await.unwrap();
    assert_eq!(data(&store, &both).await.unwrap(), b"3");
}

async fn give(store: &Arc<dyn Store>, path: &str, access: Access) -> Result<(), StoreError> {
    store.protect(&[(path.to_owned(), access)], &[]).await
}

pub(super) async fn protect(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let (one, two) = (someone("one"), someone("two"));
    let path = place.make_for("node", b"0", Access::new().grant(&one.principal(), Rights::READ)).await;
    let (first, second) =
        (fixture.login(std::slice::from_ref(&one)).await, fixture.login(std::slice::from_ref(&two)).await);
    let seen = first.get(&path).await.unwrap().unwrap();
    assert_denied(second.get(&path).await, "read", &path);
    // A grant replaces the previous one.
    give(&place.store, &path, Access::new().grant(&two.principal(), Rights::READ)).await.unwrap();
    assert_denied(first.get(&path).await, "read", &path);
    // The data and its version stay.
    assert_eq!(second.get(&path).await.unwrap().unwrap(), seen);
    give(&place.store, &path, Access::new()).await.unwrap();
    assert_denied(second.get(&path).await, "read", &path);
    assert_eq!(place.store.get(&path).await.unwrap().unwrap(), seen);
}

pub(super) async fn protect_refused(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    // A missing node needs none.
    give(&place.store, &place.at("none"), Access::new()).await.unwrap();
    let one = someone("one");
    let all = Rights { read: true, write: true, create: true, delete: true };
    let path = place.make_for("node", b"0", Access::new().grant(&one.principal(), all)).await;
    let store = fixture.login(&[one]).await;
    assert_denied(give(&store, &path, Access::new()).await, "protect", &path);
    assert_eq!(data(&store, &path).await.unwrap(), b"0");
}

pub(super) async fn protect_on_conditions(fixture: &dyn Fixture) {
    const MANY: usize = 600;
    let place = Place::new(fixture).await;
    let one = someone("one");
    let (turn, mark, none) = (place.make("turn", b"0").await, place.make("mark", b"").await, place.at("none"));
    let version = async |path: &str| place.store.get(path).await.unwrap().unwrap().version;
    let (first, marked) = (version(&turn).await, version(&mark).await);
    let check = |path: &str, expected| Op::Check { path: path.to_owned(), expected };
    let paths: Vec<String> = (0..MANY).map(|n| place.at(&format!("node{n}"))).collect();
    place.store.apply(paths.iter().map(|path| create(path, b"")).collect()).await.unwrap();
    let all = |access: &Access| paths.iter().map(|path| (path.clone(), access.clone())).collect::<Vec<_>>();
    let (open, closed) = (Access::new().grant(&one.principal(), Rights::READ), Access::new());
    let reader = fixture.login(&[one]).await;

    place.store.protect(&all(&open), &[check(&turn, first), check(&mark, marked)]).await.unwrap();
    for path in &paths {
        assert_eq!(data(&reader, path).await.unwrap(), b"");
    }
    refused!(place.store.protect(&all(&closed), &[check(&turn, first), check(&none, marked)]), Missing, none);
    place.store.set(&turn, b"1", Some(first)).await.unwrap();
    refused!(place.store.protect(&all(&closed), &[check(&turn, first), check(&mark, marked)]), Conflict, turn);
    for path in &paths {
        assert_eq!(data(&reader, path).await.unwrap(), b"");
    }
}

pub(super) async fn rights_are_checked_at_the_change(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let one = someone("one");
    let path = place.make_for("node", b"0", Access::new().grant(&one.principal(), Rights::READ)).await;
    let store = fixture.login(&[one]).await;
    let seen = store.get(&path).await.unwrap().map(|node| node.version);
    let mut waiting = store.changed(&path, seen);
    assert!((&mut waiting).now_or_never().is_none());
    give(&place.store, &path, Access::new()).await.unwrap();
    place.store.set(&path, b"1", None).await.unwrap();
    assert_denied(waiting.await, "read", &path);
    // Nor does a client see the creation of a node for which it waited.
    let path = place.at("later");
    let mut waiting = store.changed(&path, None);
    assert!((&mut waiting).now_or_never().is_none());
    place.make("later", b"0").await;
    assert_denied(waiting.await, "read", &path);
}
