//! Multiple changes at once.

use wattle_runtime::store::{MAX_DATA, Op, StoreError};

use super::{Fixture, Place, create, data, delete, refused, set};

pub(super) async fn apply_in_order(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let (a, b, gone) = (place.at("a"), place.at("a/b"), place.at("gone"));
    let ops = vec![
        create(&a, b"0"),
        create(&b, b"0"),
        set(&b, b"1"),
        create(&gone, b""),
        set(&a, b"1"),
        delete(&gone),
        set(&b, b"2"),
    ];
    place.store.apply(ops).await.unwrap();
    assert_eq!(data(&place.store, &a).await.unwrap(), b"1");
    let node = place.store.get(&b).await.unwrap().unwrap();
    assert_eq!((&*node.data, node.version.count), (&b"2"[..], 2));
    assert_eq!(place.store.get(&gone).await.unwrap(), None);
}

pub(super) async fn apply_all_or_nothing(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let kept = place.make("kept", b"0").await;
    let version = place.store.get(&kept).await.unwrap().unwrap().version;
    let mut waiting = place.store.changed(&kept, Some(version));
    assert!(futures_util::FutureExt::now_or_never(&mut waiting).is_none());
    let (new, missing) = (place.at("new"), place.at("none"));
    let ops =
        vec![create(&new, b""), set(&kept, b"1"), delete(&kept), create(&kept, b"2"), set(&missing, b""), delete(&new)];
    refused!(place.store.apply(ops), Missing, missing);
    assert_eq!(place.store.get(&new).await.unwrap(), None);
    let node = place.store.get(&kept).await.unwrap().unwrap();
    assert_eq!((&*node.data, node.version), (&b"0"[..], version));
    // Changes that did not happen are not reported.
    assert!(futures_util::FutureExt::now_or_never(&mut waiting).is_none());
    place.store.set(&kept, b"3", Some(version)).await.unwrap();
    assert_eq!(waiting.await.unwrap().unwrap().data, b"3");
}

pub(super) async fn apply_refused(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let path = place.make("node", b"0").await;
    let below = place.make("node/below", b"0").await;
    let first = place.store.get(&path).await.unwrap().unwrap().version;
    let second = place.store.set(&path, b"1", None).await.unwrap();
    let none = place.at("none");
    refused!(place.store.apply(vec![create(&path, b"")]), Exists, path);
    refused!(place.store.apply(vec![create(&place.at("none/below"), b"")]), Missing, none);
    refused!(place.store.apply(vec![set(&none, b"")]), Missing, none);
    refused!(place.store.apply(vec![delete(&none)]), Missing, none);
    refused!(place.store.apply(vec![delete(&path)]), NotEmpty, path);
    let conditional = |expected| Op::Set { path: path.clone(), data: b"2".to_vec(), expected: Some(expected) };
    refused!(place.store.apply(vec![set(&below, b"1"), conditional(first)]), Conflict, path);
    assert_eq!(data(&place.store, &below).await.unwrap(), b"0");
    place.store.apply(vec![set(&below, b"1"), conditional(second)]).await.unwrap();
    assert_eq!(data(&place.store, &path).await.unwrap(), b"2");
}

pub(super) async fn apply_on_a_condition(fixture: &dyn Fixture) {
    const MANY: usize = 3_000;
    let place = Place::new(fixture).await;
    let path = place.make("turn", b"0").await;
    let first = place.store.get(&path).await.unwrap().unwrap().version;
    let check = |expected| Op::Check { path: path.clone(), expected };
    let ops = |expected, name: &str| {
        let data = vec![b'x'; 1_000];
        let made = (0..MANY).map(|n| create(&place.at(&format!("{name}{n}")), &data));
        std::iter::once(check(expected)).chain(made).collect::<Vec<_>>()
    };
    place.store.apply(ops(first, "first")).await.unwrap();
    assert_eq!(place.store.children(&place.root).await.unwrap().len(), MANY + 1);
    let second = place.store.set(&path, b"1", None).await.unwrap();
    refused!(place.store.apply(ops(first, "second")), Conflict, path);
    assert_eq!(place.store.children(&place.root).await.unwrap().len(), MANY + 1);
    // The change that ends the condition is in the first request, and no other request is carried out.
    let mut ending = ops(second, "third");
    ending.insert(1, set(&path, b"2"));
    let outcome = place.store.apply(ending).await;
    let there = place.store.children(&place.root).await.unwrap().len();
    match outcome {
        Ok(()) => assert_eq!(there, 2 * MANY + 1, "it was one request"),
        Err(StoreError::Conflict { path: at }) => {
            assert_eq!(at, path);
            assert!((MANY + 2..2 * MANY + 1).contains(&there), "{there} nodes");
        }
        other => panic!("{other:?}"),
    }
    // Several checks are part of every request.
    let (turn, mark) = (place.store.get(&path).await.unwrap().unwrap().version, place.make("mark", b"").await);
    let marked = place.store.get(&mark).await.unwrap().unwrap().version;
    let mut ops = ops(turn, "fourth");
    ops.insert(1, Op::Check { path: mark.clone(), expected: marked });
    place.store.apply(vec![delete(&mark)]).await.unwrap();
    refused!(place.store.apply(ops), Missing, mark);
    let none = place.at("none");
    refused!(
        place.store.apply(vec![Op::Check { path: none.clone(), expected: first }, set(&path, b"3")]),
        Missing,
        none
    );
}

pub(super) async fn apply_nothing(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    place.store.apply(Vec::new()).await.unwrap();
}

pub(super) async fn apply_many(fixture: &dyn Fixture) {
    const MANY: usize = 5_000;
    let place = Place::new(fixture).await;
    let paths: Vec<_> = (0..MANY).map(|n| place.at(&format!("{n}"))).collect();
    place.store.apply(paths.iter().map(|path| create(path, path.as_bytes())).collect()).await.unwrap();
    assert_eq!(place.store.children(&place.root).await.unwrap().len(), MANY);
    assert_eq!(data(&place.store, &paths[MANY - 1]).await.unwrap(), paths[MANY - 1].as_bytes());
    // The error names the failed change, however far back it is, and nothing after it is carried out.
    let mut ops: Vec<_> = paths.iter().map(|path| set(path, b"new")).collect();
    ops.insert(MANY - 1, create(&paths[17], b""));
    match place.store.apply(ops).await {
        Err(StoreError::Exists { path }) => assert_eq!(path, paths[17]),
        other => panic!("{other:?}"),
    }
    assert_eq!(data(&place.store, &paths[MANY - 1]).await.unwrap(), paths[MANY - 1].as_bytes());
    place.store.apply(paths.iter().map(|path| delete(path)).collect()).await.unwrap();
    assert_eq!(place.store.children(&place.root).await.unwrap(), [""; 0]);
}

pub(super) async fn apply_large(fixture: &dyn Fixture) {
    let place = Place::new(fixture).await;
    let mut sizes = vec![MAX_DATA, 0, 1, MAX_DATA, 400_000, 400_000, 400_000, MAX_DATA - 1, 10];
    sizes.extend([3_000; 500]);
    let paths: Vec<_> = (0..sizes.len()).map(|n| place.at(&format!("{n}"))).collect();
    let ops = paths.iter().zip(&sizes).map(|(path, size)| create(path, &vec![b'x'; *size])).collect();
    place.store.apply(ops).await.unwrap();
    for (path, size) in paths.iter().zip(sizes) {
        assert_eq!(data(&place.store, path).await.unwrap().len(), size);
    }
}
