//! Two operators who apply at once, one of whom is delayed in the middle.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use futures_util::future::{FutureExt as _, LocalBoxFuture};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use wattle::author::{Exports, Topology};
use wattle::lower::Seed;
use wattle::model::Model;
use wattle::prelude::*;
use wattle_runtime::seed::{Applied, Options, SeedError, apply, delete, diff};
use wattle_runtime::space::Space;
use wattle_runtime::store::{Access, Address, Op, Store, StoreError};
use wattle_tests::proxy::Proxy;
use wattle_tests::random::Anything;
use wattle_tests::seeds::{Watch, essence, seed};
use wattle_tests::stores::{Asked, Guard, Guarded};
use wattle_tests::zookeeper::ZooKeeper;

use super::broken_off::assert_same;
use super::{exporter, importer, memory, options_for, server, three_tier};

/// Delays one change, or one request of any kind if it delays `reads`, and all concurrent ones until it is released.
/// Fails after some more.
#[derive(Debug)]
struct Pause {
    reads: bool,
    left: AtomicUsize,
    more: AtomicUsize,
    reached: Semaphore,
    may_go_on: Semaphore,
}

impl Pause {
    /// Before the change with this number.
    fn before(changes: usize) -> Self {
        Self {
            reads: false,
            left: changes.into(),
            more: usize::MAX.into(),
            reached: Semaphore::new(0),
            may_go_on: Semaphore::new(0),
        }
    }
}

#[async_trait]
impl Guard for Pause {
    async fn before(&self, asked: &Asked<'_>) -> Result<(), StoreError> {
        if !self.reads && !matches!(asked, Asked::Op(_) | Asked::Protect(..)) {
            return Ok(());
        }
        let left = self.left.fetch_sub(1, Ordering::SeqCst);
        if left == 0 {
            self.reached.add_permits(1);
            let _ = self.may_go_on.acquire().await;
        }
        // Below 0, the counter has wrapped around.
        let is_after = left == 0 || left > usize::MAX / 2;
        let goes_on =
            !is_after || self.more.try_update(Ordering::SeqCst, Ordering::SeqCst, |more| more.checked_sub(1)).is_ok();
        goes_on.then_some(()).ok_or_else(|| StoreError::Missing { path: "broken off".to_owned() })
    }
}

/// Applies `late` after `first`, and pauses before each of its changes in turn while `other` is applied. Returns the
/// number of changes.
async fn overtaken(first: &Seed, late: &Seed, other: &Seed, options: &Options) -> usize {
    let mut refused = 0;
    for changes in 0.. {
        let store = Watch::over(memory());
        let plain: Arc<dyn Store> = Arc::clone(&store) as _;
        apply(&plain, first, options).await.expect("applies");
        let Some((slow, applying)) = held_up(&plain, late, options, changes).await else { break };
        apply(&plain, other, options).await.expect("overtakes");
        let (expected, rights) = (essence(&plain).await, store.guard.accesses());
        slow.guard.may_go_on.add_permits(1);
        match applying.await {
            Err(SeedError::Busy { .. }) => refused += 1,
            other => panic!("{changes}: {other:?}"),
        }
        assert_same(&essence(&plain).await, &expected, changes);
        assert_same(&store.guard.accesses(), &rights, changes);
    }
    refused
}

type Applying = LocalBoxFuture<'static, Result<Applied, SeedError>>;

/// Applies a seed, and pauses it after this many changes. Returns `None` if it makes no more changes.
async fn held_up(
    store: &Arc<dyn Store>,
    seed: &Seed,
    options: &Options,
    changes: usize,
) -> Option<(Arc<Guarded<Pause>>, Applying)> {
    let slow = Guarded::new(Arc::clone(store), Pause::before(changes));
    let slowly: Arc<dyn Store> = Arc::clone(&slow) as _;
    let (seed, options) = (seed.clone(), options.clone());
    let mut applying = async move { apply(&slowly, &seed, &options).await }.boxed_local();
    tokio::select! {
        applied = &mut applying => {
            applied.expect("applies, held up by nobody");
            return None;
        }
        reached = slow.guard.reached.acquire() => drop(reached),
    }
    Some((slow, applying))
}

#[tokio::test]
async fn who_was_overtaken_writes_nothing_any_more() {
    let [first, small, large] = [2, 1, 3].map(|apps| seed(&three_tier(apps)));
    let options = options_for(&[&large, &first, &small]);
    for (late, other) in [(&large, &small), (&small, &large)] {
        let refused = overtaken(&first, late, other, &options).await;
        assert!(refused > 20, "held up {refused} times");
    }
}

/// ZooKeeper compares version counters, and the counter of a node that is removed and created again starts over.
#[tokio::test]
async fn who_began_before_a_stack_was_made_anew_writes_nothing_of_it() {
    let zookeeper = ZooKeeper::start(1);
    let address: Address = zookeeper.address().parse().expect("an address");
    let [first, small, large] = [2, 1, 3].map(|apps| seed(&three_tier(apps)));
    let options = options_for(&[&large, &first, &small]);
    let store = address.connect(&[options.key.login()]).await.expect("connects");
    let count = async || {
        store.get("/wattle/three_tier/revision").await.expect("reads").expect("a desired revision").version.count
    };
    let mut refused = 0;
    for changes in (0..).step_by(4) {
        delete(&store, &first.stack, &options.key, false).await.expect("deletes");
        apply(&store, &first, &options).await.expect("applies");
        let Some((slow, applying)) = held_up(&store, &large, &options, changes).await else { break };
        let before = count().await;
        delete(&store, &first.stack, &options.key, false).await.expect("deletes");
        apply(&store, &first, &options).await.expect("applies again");
        while count().await < before {
            // Another application has begun, and is interrupted, so that the node of the desired revision has the same
            // version as before.
            let broken = Watch::over(Arc::clone(&store));
            broken.guard.fail_after(1);
            let broken: Arc<dyn Store> = broken;
            apply(&broken, &small, &options).await.expect_err("is broken off");
        }
        assert_eq!(count().await, before, "{changes}");
        let expected = essence(&store).await;
        slow.guard.may_go_on.add_permits(1);
        match applying.await {
            Err(SeedError::Busy { .. }) => refused += 1,
            other => panic!("{changes}: {other:?}"),
        }
        assert_same(&essence(&store).await, &expected, changes);
    }
    assert!(refused > 5, "held up {refused} times");
}

/// An interrupted application cannot be distinguished from a slow one, so the next application ends its turn before
/// reading the state.
#[tokio::test]
async fn what_a_slow_one_writes_is_not_written_behind_the_next_one_s_back() {
    // The plan of the server that the other one reads is valid for the second seed, but not for the first.
    let [first, other, next] = [("a", "a"), ("b", "a"), ("a", "b")].map(|(back, front)| seed(&pair(back, front)));
    let options = options_for(&[&first]);
    let (mut overtook, mut changes) = (0, 0);
    'all: for before in 1.. {
        for more in 1..12 {
            let plain = memory();
            apply(&plain, &first, &options).await.expect("applies");
            let Some((slow, slowly)) = held_up(&plain, &other, &options, before).await else { break 'all };
            let (quick, quickly) = held_up(&plain, &next, &options, 0).await.expect("it changes something");
            slow.guard.more.store(more, Ordering::SeqCst);
            slow.guard.may_go_on.add_permits(1);
            let slowly = slowly.await;
            quick.guard.may_go_on.add_permits(1);
            match (slowly, quickly.await) {
                (_, Err(SeedError::Busy { .. })) => {}
                (_, Ok(applied)) => {
                    overtook += 1;
                    agree(&plain, &next, applied.revision).await;
                }
                (slowly, quickly) => panic!("{before}, {more}: {slowly:?}, {quickly:?}"),
            }
            changes = before;
        }
    }
    assert!(overtook > 20, "{overtook} of {changes}");
}

/// A server that reads from another one. Each has a constant.
fn pair(back: &str, front: &str) -> Model {
    let mut t = Topology::new("pair");
    let host = server(&mut t, "back");
    let read = t.on(host).run("part", Anything::new().texts([back])).text;
    let host = server(&mut t, "front");
    t.on(host).run("part", Anything::new().texts([text!("{read}, {front}")]));
    t.finish(Exports::new())
}

/// Asserts that each plan expects the current state of the servers that it reads from.
async fn agree(store: &Arc<dyn Store>, seed: &Seed, revision: u64) {
    let space = Space::new(Arc::clone(store), &seed.stack);
    assert_eq!(space.desired_revision().await.expect("reads").map(|desired| desired.revision), Some(revision));
    for server in seed.servers.keys() {
        let plan = space.plan(server).await.expect("reads").expect("a plan");
        for writer in plan.writers.keys() {
            let there = space.plan(writer).await.expect("reads").expect("a plan");
            assert_eq!(there.of(), plan.expects(writer), "`{server}` reads from `{writer}`");
        }
    }
}

/// Two operators find nodes that no operator has announced, and both remove them.
#[tokio::test]
async fn who_was_overtaken_removes_nothing_that_was_made_since() {
    let [late, other] = [1, 2].map(|apps| seed(&three_tier(apps)));
    let options = options_for(&[&other, &late]);
    for changes in 0.. {
        let plain = memory();
        for below in ["", "/three_tier", "/three_tier/entries", "/three_tier/entries/left"] {
            let left = Op::Create { path: format!("/wattle{below}"), data: Vec::new(), access: Access::new() };
            plain.apply(vec![left]).await.expect("makes");
        }
        let Some((slow, applying)) = held_up(&plain, &late, &options, changes).await else {
            assert!(changes > 20, "held up {changes} times");
            break;
        };
        apply(&plain, &other, &options).await.expect("overtakes");
        let expected = essence(&plain).await;
        assert!(!expected.keys().any(|path| path.ends_with("/left")), "it is removed");
        slow.guard.may_go_on.add_permits(1);
        match applying.await {
            Err(SeedError::Busy { .. }) => {}
            other => panic!("{changes}: {other:?}"),
        }
        assert_same(&essence(&plain).await, &expected, changes);
    }
}

/// An operator without an answer to its announcement looks it up, but another one may have announced the same revision.
#[tokio::test]
async fn what_another_one_has_announced_is_not_one_s_own() {
    let announces: fn(&[u8]) -> bool = |asked| asked.windows(12).any(|bytes| bytes == br#""applying":2"#);
    let zookeeper = ZooKeeper::start(1);
    let proxy = Arc::new(Proxy::before(zookeeper.hosts()));
    let [first, late, other] = [2, 1, 3].map(|apps| seed(&three_tier(apps)));
    let options = options_for(&[&other, &first, &late]);
    let connect = async |hosts: &str| {
        let address: Address = format!("zookeeper://{hosts}").parse().expect("an address");
        address.connect(&[options.key.login()]).await.expect("connects")
    };
    let (store, far) = (connect(zookeeper.hosts()).await, connect(&proxy.hosts()).await);
    apply(&store, &first, &options).await.expect("applies");

    proxy.stall_before(announces);
    let meanwhile = async {
        let stalled = Arc::clone(&proxy);
        spawn_blocking(move || stalled.wait_until_stalled()).await.expect("it stalls");
        // The other operator has announced the revision, and done nothing else.
        let held = held_up(&store, &other, &options, 2).await.expect("it does more");
        proxy.cut();
        proxy.fix();
        held
    };
    let (late, (slow, applying)) = tokio::join!(apply(&far, &late, &options), meanwhile);
    assert!(matches!(late, Err(SeedError::Busy { .. })), "{late:?}");
    slow.guard.may_go_on.add_permits(1);
    assert_eq!(applying.await.expect("applies").revision, 2);
}

#[tokio::test]
async fn a_data_space_that_is_made_later_sorts_behind_whatever_the_clock_says() {
    let (store, seed) = (memory(), seed(&three_tier(1)));
    let options = options_for(&[&seed]);
    let space = async || {
        apply(&store, &seed, &options).await.expect("applies");
        let desired = Space::new(Arc::clone(&store), &seed.stack)
            .desired_revision()
            .await
            .expect("reads")
            .expect("a desired revision");
        desired.space.expect("a name")
    };
    let first = space().await;
    // An operator with a clock far ahead has created a data space, which was then deleted.
    delete(&store, &seed.stack, &options.key, false).await.expect("deletes");
    let ahead = br#"{"space":"2999-12-31T23:59:59.999999999Z-ffffffff"}"#;
    let signed = options.key.signer().sign("/wattle", ahead);
    store.set("/wattle", &signed, None).await.expect("sets");
    let second = space().await;
    assert!(&*second > "2999-12-31T23:59:59.999999999Z-ffffffff" && second > first, "{second}");
    delete(&store, &seed.stack, &options.key, false).await.expect("deletes");
    let third = space().await;
    assert!(third > second, "{third} after {second}");
}

#[tokio::test]
async fn who_was_overtaken_changes_nothing_of_other_stacks() {
    let [one, other] = [&["a"][..], &["b", "a"]].map(|parts| seed(&exporter(parts)));
    let readers: [&[(&str, &[&str])]; 2] = [&[("x", &["text"]), ("y", &["joined"])], &[("x", &["joined"])]];
    let [both, some] = readers.map(|readers| seed(&importer(readers)));
    let options = options_for(&[&one, &other, &both, &some]);
    for (late, between) in [(&both, &some), (&some, &both)] {
        for changes in 0.. {
            let store = Watch::over(memory());
            let plain: Arc<dyn Store> = Arc::clone(&store) as _;
            for seed in [&one, late, between] {
                apply(&plain, seed, &options).await.expect("applies");
            }
            let Some((slow, applying)) = held_up(&plain, late, &options, changes).await else {
                assert!(changes > 10, "held up {changes} times");
                break;
            };
            let again = Options { again: true, ..options.clone() };
            apply(&plain, between, &again).await.expect("overtakes");
            let (expected, rights) = (essence(&plain).await, store.guard.accesses());
            slow.guard.may_go_on.add_permits(1);
            match applying.await {
                Err(SeedError::Busy { .. }) => {}
                other => panic!("{changes}: {other:?}"),
            }
            assert_same(&essence(&plain).await, &expected, changes);
            assert_same(&store.guard.accesses(), &rights, changes);
        }
    }
}

#[tokio::test]
async fn who_was_overtaken_deletes_nothing_any_more() {
    let [first, small] = [2, 1].map(|apps| seed(&three_tier(apps)));
    let options = options_for(&[&first, &small]);
    for changes in 1.. {
        let plain = memory();
        apply(&plain, &first, &options).await.expect("applies");
        let slow = Guarded::new(Arc::clone(&plain), Pause::before(changes));
        let slowly: Arc<dyn Store> = Arc::clone(&slow) as _;
        let mut late = Box::pin(delete(&slowly, &first.stack, &options.key, false));
        tokio::select! {
            deleted = &mut late => {
                deleted.expect("deletes, held up by nobody");
                assert!(changes > 20, "held up {changes} times");
                break;
            }
            reached = slow.guard.reached.acquire() => drop(reached),
        }
        apply(&plain, &small, &options).await.expect("overtakes");
        let expected = essence(&plain).await;
        slow.guard.may_go_on.add_permits(1);
        match late.await {
            Err(SeedError::Busy { .. }) => {}
            other => panic!("{changes}: {other:?}"),
        }
        assert_same(&essence(&plain).await, &expected, changes);
    }
}

/// A read that overlaps another operator's writes sees two revisions. That is not tampering.
#[tokio::test]
async fn who_was_overtaken_while_reading_suspects_nobody() {
    let [first, small, large] = [2, 1, 3].map(|apps| seed(&three_tier(apps)));
    let options = options_for(&[&large, &first, &small]);
    let mut overtaken = 0;
    for step in 0.. {
        let plain = memory();
        apply(&plain, &first, &options).await.expect("applies");
        let slow = Guarded::new(Arc::clone(&plain), Pause { reads: true, ..Pause::before(step) });
        let slowly: Arc<dyn Store> = Arc::clone(&slow) as _;
        let mut late = Box::pin(diff(&slowly, &large, &options));
        tokio::select! {
            compared = &mut late => {
                assert!(compared.expect("compares, held up by nobody").tampered.is_empty());
                break;
            }
            reached = slow.guard.reached.acquire() => drop(reached),
        }
        apply(&plain, &small, &options).await.expect("overtakes");
        slow.guard.may_go_on.add_permits(1);
        match late.await {
            Err(SeedError::Busy { .. }) => overtaken += 1,
            Ok(changes) => assert!(changes.tampered.is_empty(), "{step}: {:?}", changes.tampered),
            Err(error) => panic!("{step}: {error:?}"),
        }
    }
    assert!(overtaken > 3, "overtaken {overtaken} times");
}
