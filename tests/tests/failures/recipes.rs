//! Faulty recipes, and a server that never boots: all dependents learn the reason.

use std::thread;
use std::time::Duration;

use wattle_agent_core::time::Time;
use wattle_runtime::report::{Cause, roots};
use wattle_runtime::space::{FailureKind, State};
use wattle_tests::zookeeper::ZooKeeper;

use crate::ends::{Root, hold_once, started};
use crate::play::Play;
use crate::stack::Stack;

const LIMITS: [&str; 4] = ["--deadline", "4s", "--wait", "30s"];

/// The maximum delay of the report of a failure.
const LATE: Duration = Duration::from_secs(5);

fn case(act: &str) -> Play {
    Play::of(&[
        "a/before say",
        &format!("a/culprit {act} < a/before"),
        "a/after say",
        "b/near say < a/culprit",
        "b/next say",
        "c/far say < b/near",
        "c/last say",
        "d/apart say < a/before",
    ])
}

fn fails(mut stack: Stack, root: &Root) {
    stack.start_all();
    stack.settle();
    hold_once(&stack, Some(root));

    let State::Failed(failure) = stack.status("a/culprit").unwrap().state else { panic!("it has failed") };
    let limit = Duration::from_secs(if root.kind == FailureKind::Deadline { 4 } else { 0 });
    let took = failure.at.duration_since(started(&stack, "a/culprit"));
    assert!(limit <= took && took <= limit + LATE, "{took:?}");
    on_time(&stack, failure.at, &["a/culprit", "a/after", "b/near", "b/next", "c/far", "c/last"]);

    let snapshot = stack.snapshot();
    let roots = roots(&snapshot);
    let [only] = &roots[..] else { panic!("{roots:?}") };
    assert!(matches!(&only.cause, Cause::Failed(failure) if &*failure.component == "a/culprit"), "{only:?}");
    assert_eq!(only.holds, ["a/after", "b/near", "b/next", "c/far", "c/last"].map(Into::into));
    let why = stack.why();
    let sentence = format!("✗ a/culprit has failed: {}", failure.message);
    assert!(why.contains(&sentence), "{why}");
    root.log.iter().for_each(|line| assert!(why.contains(&format!("│ {line}\n")), "{why}"));
    assert!(why.contains("a/after, b/near, b/next, c/far and c/last are blocked by it"), "{why}");
}

/// Asserts that these components learned of the failure soon after it.
fn on_time(stack: &Stack, failed: Time, components: &[&str]) {
    for component in components {
        let late = stack.status(component).unwrap().since.duration_since(failed);
        assert!(late <= LATE, "{component}: {late:?}");
    }
}

fn cases() -> Vec<(&'static str, Root)> {
    let root = |kind, message, log: &[&'static str]| Root { component: "a/culprit", kind, message, log: log.to_vec() };
    vec![
        ("fail", root(FailureKind::Recipe, "exit code 3", &["culprit begins to fail", "this cannot be done"])),
        (
            "hang",
            root(FailureKind::Deadline, "still ran after 4 s", &["culprit begins to hang", "this takes its time"]),
        ),
        ("mistype", root(FailureKind::Type, "output `count`", &["culprit begins to mistype"])),
        ("swell", root(FailureKind::Size, "1000000", &["culprit begins to swell"])),
        ("forget", root(FailureKind::Unwritten, "without writing its output `said`", &["culprit begins to forget"])),
    ]
}

fn all(make: impl Fn(&str) -> Stack + Sync) {
    thread::scope(|scope| {
        for (act, root) in cases() {
            let stack = make(act);
            scope.spawn(move || fails(stack, &root));
        }
    });
}

#[test]
fn on_zookeeper() {
    let zookeeper = ZooKeeper::start(1);
    all(|act| Stack::at(&zookeeper.address(), act, case(act)).limits(&LIMITS));
}

#[test]
fn on_the_embedded_store() {
    all(|act| Stack::embedded(case(act)).limits(&LIMITS));
}

/// Runs a stack whose server `a` never boots.
fn never_boots(stack: Stack) {
    let mut stack = stack.limits(&["--wait", "3s"]);
    for server in ["b", "c", "d"] {
        stack.start(server);
    }
    let ended = ["b/near", "b/next", "c/far", "c/last", "d/apart"];
    let has_failed =
        |component: &&str| matches!(stack.status(component), Some(status) if matches!(status.state, State::Failed(_)));
    stack.until("everyone gives up", || ended.iter().all(has_failed));

    let failure = |component: &str| match stack.status(component).unwrap() {
        status if status.revision == 1 => match status.state {
            State::Failed(failure) => failure,
            other => panic!("{component}: {other:?}"),
        },
        status => panic!("{component}: {status:?}"),
    };
    for (component, root) in
        [("b/near", "b/near"), ("b/next", "b/near"), ("c/far", "b/near"), ("c/last", "b/near"), ("d/apart", "d/apart")]
    {
        let failure = failure(component);
        assert_eq!((&*failure.component, failure.kind), (root, FailureKind::Wait), "{component}: {failure:?}");
        assert!(failure.message.contains("never started: no agent of server `a` has come up"), "{failure:?}");
        assert!(failure.message.contains("waited 3 s since"), "{failure:?}");
        let since: Time = failure.message.split(' ').nth(4).unwrap().parse().unwrap();
        // Times in messages have no fractions.
        let waited = failure.at.duration_since(since);
        assert!(waited <= Duration::from_secs(4) + LATE, "{waited:?}");
        on_time(&stack, failure.at, &[component]);
    }
    let roots = roots(&stack.snapshot());
    let booted = roots
        .iter()
        .find(|root| matches!(&root.cause, Cause::NoAgent { server, was_there: false } if &**server == "a"));
    assert!(booted.is_some(), "{roots:?}");
    let why = stack.why();
    assert!(why.contains("a has never started: no agent of it has come up"), "{why}");
    assert!(why.contains("✗ b/near has failed: waited 3 s"), "{why}");
}

#[test]
fn a_producer_never_boots() {
    let zookeeper = ZooKeeper::start(1);
    never_boots(Stack::at(&zookeeper.address(), "zookeeper", case("say")));
    never_boots(Stack::embedded(case("say")));
}
