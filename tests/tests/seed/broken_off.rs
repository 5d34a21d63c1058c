//! Interrupted applications of seeds, and their repetition.

use std::collections::BTreeMap;
use std::sync::Arc;

use wattle::lower::Seed;
use wattle_runtime::seed::{Options, Rotation, apply, delete, rotatable, rotate, rotate_top};
use wattle_runtime::space::Space;
use wattle_runtime::store::{Access, Op, Store};
use wattle_tests::seeds::{Watch, essence, nodes, seed};

use super::{exporter, importer, memory, options_for, three_tier};

pub(super) fn assert_same<T: PartialEq + std::fmt::Debug>(
    found: &BTreeMap<String, T>,
    expected: &BTreeMap<String, T>,
    changes: usize,
) {
    for path in found.keys().chain(expected.keys()) {
        let (found, expected) = (found.get(path), expected.get(path));
        assert_eq!(found, expected, "`{path}`, broken off after {changes} changes");
    }
}

/// Applies `last` after `first`, interrupted at every change, repeats it, and compares the result with an uninterrupted
/// application.
async fn broken_off(first: &[&Seed], last: &Seed) {
    let mut all = first.to_vec();
    all.push(last);
    let options = options_for(&all);
    let prepared = async || {
        let store = Watch::over(memory());
        for seed in first {
            apply(&(Arc::clone(&store) as Arc<dyn Store>), seed, &options).await.expect("applies");
        }
        store
    };
    let whole = prepared().await;
    let plain: Arc<dyn Store> = Arc::clone(&whole) as _;
    let applied = apply(&plain, last, &options).await.expect("applies");
    let (expected, rights) = (essence(&plain).await, whole.guard.accesses());
    for changes in 0.. {
        let watched = prepared().await;
        let store: Arc<dyn Store> = Arc::clone(&watched) as _;
        watched.guard.fail_after(changes);
        let broken = apply(&store, last, &options).await;
        watched.guard.fix();
        if broken.is_ok() {
            assert!(changes > 5, "nothing was broken off");
            break;
        }
        let revision = Space::new(Arc::clone(&store), &last.stack)
            .desired_revision()
            .await
            .expect("reads")
            .map(|goal| goal.revision);
        assert!(revision.unwrap_or(0) < applied.revision || changes > 5, "{changes}: told before it is there");
        let fixed = apply(&store, last, &options).await.expect("applies");
        assert!((applied.revision..=applied.revision + 1).contains(&fixed.revision), "{changes}: {}", fixed.revision);
        assert_same(&essence(&store).await, &expected, changes);
        assert_same(&watched.guard.accesses(), &rights, changes);
        let same = apply(&store, last, &options).await.expect("applies");
        assert!(same.revision == fixed.revision && same.changes.is_empty(), "{changes}");
    }
}

#[tokio::test]
async fn broken_off_anywhere_and_repeated_it_is_as_if_it_had_not_been() {
    let [small, large] = [1, 3].map(|apps| seed(&three_tier(apps)));
    broken_off(&[], &small).await;
    broken_off(&[&small], &large).await;
    broken_off(&[&large], &small).await;
}

#[tokio::test]
async fn broken_off_imports_are_completed_as_well() {
    let [one, other] = [&["a"][..], &["b", "a"]].map(|parts| seed(&exporter(parts)));
    let readers: [&[(&str, &[&str])]; 3] =
        [&[("x", &["text"]), ("y", &["joined"])], &[("x", &["joined"])], &[("z", &[])]];
    let [both, some, none] = readers.map(|readers| seed(&importer(readers)));
    broken_off(&[&one], &both).await;
    broken_off(&[&one, &both], &some).await;
    broken_off(&[&one, &both], &none).await;
    broken_off(&[&one, &both], &other).await;
}

#[tokio::test]
async fn broken_off_anywhere_and_repeated_another_operators_key_is_as_if_it_had_not_been() {
    let [seed, small] = [3, 1].map(|apps| seed(&three_tier(apps)));
    let mut options = options_for(&[&seed]);
    options.admission = true;
    let next = options.key.next();
    let keys = Rotation { former: &options.key, next: &next };
    // In this case, a server has left the model, too.
    let prepared = async || {
        let store = Watch::over(memory());
        for seed in [&seed, &small] {
            apply(&(Arc::clone(&store) as Arc<dyn Store>), seed, &options).await.expect("applies");
        }
        store
    };
    let whole = prepared().await;
    let plain: Arc<dyn Store> = Arc::clone(&whole) as _;
    let before = nodes(&plain).await;
    let revision = rotate(&plain, "three_tier", keys).await.expect("rotates");
    let (expected, rights) = (essence(&plain).await, whole.guard.accesses());
    let (former, authority) = (options.key.signer().authority(), next.signer().authority());
    let mut signed = 0;
    rotate_top(&plain, keys).await.expect("the node above all stacks, too");
    for (path, data) in nodes(&plain).await {
        assert!(former.verify(&path, &data).is_err(), "{path} is the former key's");
        let was_signed = before.get(&path).is_some_and(|before| former.verify(&path, before).is_ok());
        assert!(!was_signed || authority.verify(&path, &data).is_ok(), "{path}");
        signed += usize::from(was_signed);
    }
    assert!(signed > 10, "{signed}");
    for changes in 0.. {
        let watched = prepared().await;
        let store: Arc<dyn Store> = Arc::clone(&watched) as _;
        watched.guard.fail_after(changes);
        let broken = rotate(&store, "three_tier", keys).await;
        watched.guard.fix();
        if broken.is_ok() {
            assert!(changes > 20, "nothing was broken off");
            break;
        }
        let fixed = rotate(&store, "three_tier", keys).await.expect("rotates");
        assert!((revision..=revision + 1).contains(&fixed), "{changes}: {fixed}");
        assert_same(&essence(&store).await, &expected, changes);
        assert_same(&watched.guard.accesses(), &rights, changes);
        let changed = Options { key: next.clone(), ..options.clone() };
        apply(&store, &small, &changed).await.expect("applies with the new key");
        apply(&store, &small, &options).await.expect_err("the former key signs nothing");
    }
}

#[tokio::test]
async fn another_operators_key_leaves_what_stacks_read_of_each_other() {
    let [exporting, importing] = [seed(&exporter(&["a"])), seed(&importer(&[("x", &["text"]), ("y", &["joined"])]))];
    let mut options = options_for(&[&exporting, &importing]);
    options.admission = true;
    let next = options.key.next();
    let keys = Rotation { former: &options.key, next: &next };
    let watched = Watch::over(memory());
    let store: Arc<dyn Store> = Arc::clone(&watched) as _;
    for seed in [&exporting, &importing] {
        apply(&store, seed, &options).await.expect("applies");
    }
    let rights = |accesses: BTreeMap<String, Access>| {
        let entries = accesses.into_iter().filter(|(path, _)| path.contains("/entries/"));
        entries.collect::<BTreeMap<_, _>>()
    };
    let before = rights(watched.guard.accesses());
    let former = options.key.signer().authority();
    for stack in rotatable(&store, keys).await.expect("they are whole") {
        rotate(&store, &stack, keys).await.expect("rotates");
    }
    rotate_top(&store, keys).await.expect("the node above all stacks, too");
    assert_same(&rights(watched.guard.accesses()), &before, 0);
    for (path, data) in nodes(&store).await {
        assert!(former.verify(&path, &data).is_err(), "{path} is the former key's");
    }
    let options = Options { key: next.clone(), ..options };
    for seed in [&exporting, &importing] {
        let applied = apply(&store, seed, &options).await.expect("applies with the new key");
        assert!(applied.changes.warnings.is_empty(), "{:?}", applied.changes.warnings);
    }
    assert_same(&rights(watched.guard.accesses()), &before, 1);
}

#[tokio::test]
async fn a_stack_goes_as_a_whole_but_not_while_agents_act_for_it() {
    let (memory, seed) = (memory(), seed(&three_tier(2)));
    let options = options_for(&[&seed]);
    for changes in 0.. {
        let watched = Watch::over(Arc::clone(&memory));
        let store: Arc<dyn Store> = Arc::clone(&watched) as _;
        apply(&store, &seed, &options).await.expect("applies after whatever was broken off");
        watched.guard.fail_after(changes);
        if delete(&store, "three_tier", &options.key, false).await.is_ok() {
            assert!(changes > 20, "nothing was broken off");
            break;
        }
        watched.guard.fix();
        if changes % 2 == 0 {
            // The remains are removed, or applied again.
            delete(&store, "three_tier", &options.key, false).await.expect("deletes");
            assert_eq!(nodes(&store).await.len(), 1, "{changes}");
        }
    }
    apply(&memory, &seed, &options).await.expect("applies");
    let hold =
        memory.hold("/wattle/three_tier/agents/db/alive", b"{}", &Default::default(), None).await.expect("holds");
    let refused = delete(&memory, "three_tier", &options.key, false).await.expect_err("an agent is there");
    assert_eq!(
        refused.to_string(),
        "agents still act for `db` of `three_tier`: delete the stack in Heat first, or use `--force`"
    );
    assert!(delete(&memory, "three_tier", &options.key, true).await.expect("deletes"));
    drop(hold);
}

/// A stack with some nodes but without a desired revision.
#[tokio::test]
async fn what_no_operator_has_announced_is_removed_however_often_that_is_broken_off() {
    let seed = seed(&three_tier(1));
    let options = options_for(&[&seed]);
    let plain: Arc<dyn Store> = memory();
    apply(&plain, &seed, &options).await.expect("applies");
    let expected = essence(&plain).await;
    for changes in 0.. {
        let watched = Watch::over(memory());
        let store: Arc<dyn Store> = Arc::clone(&watched) as _;
        for below in ["", "/three_tier", "/three_tier/other", "/three_tier/entries", "/three_tier/entries/a"] {
            let left = Op::Create { path: format!("/wattle{below}"), data: Vec::new(), access: Access::new() };
            store.apply(vec![left]).await.expect("makes");
        }
        for below in ["b", "b/c", "b/c/d", "b/c/d/e"] {
            let path = format!("/wattle/three_tier/entries/a/{below}");
            let left = Op::Create { path, data: Vec::new(), access: Access::new() };
            store.apply(vec![left]).await.expect("makes");
        }
        watched.guard.fail_after(changes);
        let broken = apply(&store, &seed, &options).await;
        watched.guard.fix();
        apply(&store, &seed, &options).await.expect("applies");
        assert_same(&essence(&store).await, &expected, changes);
        if broken.is_ok() {
            assert!(changes > 20, "nothing was broken off");
            break;
        }
    }
}

#[tokio::test]
async fn a_stack_is_restored_also_while_it_is_being_written() {
    let [small, large] = [1, 3].map(|apps| seed(&three_tier(apps)));
    let options = options_for(&[&small, &large]);
    let plain: Arc<dyn Store> = memory();
    apply(&plain, &large, &options).await.expect("applies");
    let expected = essence(&plain).await;
    let restoring = Options { restore: true, ..options.clone() };
    for changes in 0.. {
        let watched = Watch::over(memory());
        let store: Arc<dyn Store> = Arc::clone(&watched) as _;
        apply(&store, &small, &options).await.expect("applies");
        watched.guard.fail_after(changes);
        let broken = apply(&store, &large, &options).await;
        watched.guard.fix();
        apply(&store, &large, &restoring).await.expect("restores");
        assert_same(&essence(&store).await, &expected, changes);
        if broken.is_ok() {
            assert!(changes > 20, "nothing was broken off");
            break;
        }
    }
}

/// In the interrupted application, only the end is missing. Then an interrupted removal follows.
#[tokio::test]
async fn what_was_removed_in_part_is_applied_whole() {
    let [small, large] = [1, 3].map(|apps| seed(&three_tier(apps)));
    let options = options_for(&[&small, &large]);
    let prepared = async |left: usize| {
        let watched = Watch::over(memory());
        let store: Arc<dyn Store> = Arc::clone(&watched) as _;
        apply(&store, &large, &options).await.expect("applies");
        watched.guard.fail_after(left);
        let is_whole = apply(&store, &small, &options).await.is_ok();
        watched.guard.fix();
        (watched, store, is_whole)
    };
    let plain: Arc<dyn Store> = memory();
    apply(&plain, &small, &options).await.expect("applies");
    let expected = essence(&plain).await;
    let mut all = 0;
    while !prepared(all).await.2 {
        all += 1;
    }
    for changes in 0.. {
        let (watched, store, _) = prepared(all - 1).await;
        watched.guard.fail_after(changes);
        let is_gone = delete(&store, "three_tier", &options.key, false).await.is_ok();
        watched.guard.fix();
        apply(&store, &small, &options).await.expect("applies");
        // There may also be remains of servers that have left.
        let mut found = essence(&store).await;
        found.retain(|path, _| expected.contains_key(path));
        assert_same(&found, &expected, changes);
        if is_gone {
            assert!(changes > 20, "nothing was broken off");
            break;
        }
    }
}
