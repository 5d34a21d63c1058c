//! A ZooKeeper that is killed, or loses members, while agents wait, run and publish.

use std::thread::sleep;
use std::time::Duration;

use wattle_runtime::space::{Content, FailureKind, State};
use wattle_tests::skip::everything;
use wattle_tests::zookeeper::ZooKeeper;

use crate::ends::{Root, hold, hold_once};
use crate::play::Play;
use crate::stack::Stack;

/// How long a session survives without a server.
const SESSION: Duration = Duration::from_secs(10);

/// The recipe of `a` ends during the fault, while `b` and `c` wait for it; that of `d` ends afterwards.
fn play() -> Play {
    Play::of(&[
        "a/before say",
        "a/during gate < a/before",
        "b/waits say < a/during",
        "c/waits say < b/waits",
        "d/after gate",
        "d/last say < c/waits",
        "a/last say < d/after",
    ])
}

/// Waits until `a` and `d` run and the others wait.
fn come_to_the_middle(stack: &Stack) {
    for component in ["a/during", "d/after"] {
        stack.until(component, || stack.is_running(component));
    }
    for component in ["b/waits", "c/waits", "d/last", "a/last"] {
        stack.until(component, || stack.is_waiting(component));
    }
}

fn killed_for(time: Duration) {
    let zookeeper = ZooKeeper::start(1);
    let mut stack = Stack::at(&zookeeper.address(), "outage", play());
    stack.start_all();
    come_to_the_middle(&stack);
    zookeeper.kill(1);
    sleep(time / 4);
    stack.open("a/during");
    sleep(time * 3 / 4);
    assert_eq!(stack.counted("ended", "a/during"), 1, "recipes go on");
    zookeeper.up(1);
    stack.until("what ended meanwhile is published", || stack.is_done("c/waits"));
    stack.open("d/after");
    stack.settle();
    hold_once(&stack, None);
    // All agents are connected again, and stay connected when ZooKeeper ends their abandoned sessions.
    let are_there = || stack.snapshot().servers.values().all(|server| server.alive.is_some());
    stack.until("all agents are there", are_there);
    if time > SESSION {
        sleep(SESSION + SESSION / 2);
        assert!(are_there(), "{}", stack.logs());
    }
}

#[test]
fn killed_for_five_seconds() {
    killed_for(Duration::from_secs(5));
}

#[test]
fn killed_for_longer_than_a_session() {
    if everything("agents while ZooKeeper is away for longer than a session") {
        killed_for(2 * SESSION);
    }
}

#[test]
fn killed_with_an_agent() {
    let zookeeper = ZooKeeper::start(1);
    let mut stack = Stack::at(&zookeeper.address(), "both", play());
    stack.start_all();
    come_to_the_middle(&stack);
    zookeeper.kill(1);
    // Only the journal records the end of the run, and the agent restarts before the data space does.
    stack.open("a/during");
    stack.until("the journal has it", || {
        stack.journal("a").iter().any(|(kind, about)| kind == "finished" && about["component"] == "during")
    });
    stack.kill("a");
    stack.start("a");
    sleep(Duration::from_secs(1));
    zookeeper.up(1);
    stack.open("d/after");
    stack.settle();
    hold_once(&stack, None);
}

#[test]
fn what_fails_meanwhile_is_reported_with_its_root() {
    let zookeeper = ZooKeeper::start(1);
    let play = Play::of(&["a/fails gate-fail", "a/after say", "b/waits say < a/fails", "c/waits say < b/waits"]);
    let mut stack = Stack::at(&zookeeper.address(), "meanwhile", play);
    stack.start_all();
    stack.until("a/fails", || stack.is_running("a/fails"));
    stack.until("c/waits", || stack.is_waiting("c/waits"));
    zookeeper.kill(1);
    stack.open("a/fails");
    stack.until("the journal has it", || stack.journal("a").iter().any(|(kind, _)| kind == "failed"));
    // The next agent reads the failure in the journal, and does not retry.
    stack.kill("a");
    stack.start("a");
    sleep(Duration::from_secs(1));
    zookeeper.up(1);
    stack.settle();
    let log = vec!["fails begins to gate-fail", "this cannot be done"];
    hold_once(&stack, Some(&Root { component: "a/fails", kind: FailureKind::Recipe, message: "exit code 3", log }));
}

#[test]
fn a_wait_ends_while_it_is_away() {
    let zookeeper = ZooKeeper::start(1);
    let play = Play::of(&["a/slow gate", "b/waits say < a/slow", "b/after say", "c/waits say < b/waits"]);
    let mut stack = Stack::at(&zookeeper.address(), "wait", play).limits(&["--wait", "6s"]);
    stack.start_all();
    stack.until("a/slow", || stack.is_running("a/slow"));
    stack.until("c/waits", || stack.is_waiting("c/waits"));
    zookeeper.kill(1);
    for server in ["b", "c"] {
        stack.until("they give up", || stack.journal(server).iter().any(|(kind, _)| kind == "failed"));
    }
    zookeeper.up(1);
    stack.open("a/slow");
    stack.settle();
    assert!(stack.is_done("a/slow"));
    for (component, root) in [("b/waits", "b/waits"), ("b/after", "b/waits"), ("c/waits", "c/waits")] {
        let status = stack.status(component).unwrap();
        let State::Failed(failure) = status.state else { panic!("{component}: {status:?}") };
        assert_eq!((&*failure.component, failure.kind), (root, FailureKind::Wait), "{failure:?}");
        assert!(failure.message.contains("the data space does not answer"), "{failure:?}");
        let entry = stack.entry(&format!("{component}/said"));
        assert!(matches!(&entry, Some(Content::Failure(there)) if *there == failure), "{entry:?}");
    }
}

#[test]
fn an_agent_that_is_asked_to_end_is_gone_at_once() {
    let zookeeper = ZooKeeper::start(1);
    let mut stack = Stack::at(&zookeeper.address(), "asked", Play::of(&["a/one say", "a/two gate"]));
    stack.start_all();
    stack.until("a/two", || stack.is_running("a/two"));
    assert!(stack.ask(stack.space.alive("a")).unwrap().is_some());
    stack.end("a");
    assert_eq!(stack.ask(stack.space.alive("a")).unwrap(), None, "{}", stack.logs());
    stack.start("a");
    stack.open("a/two");
    stack.settle();
    hold(&stack, None);
}

/// Kills the member that `lost` chooses; the stack continues without it, and after its return.
fn without(lost: impl Fn(usize) -> usize) {
    let zookeeper = ZooKeeper::start(3);
    let mut stack = Stack::at(&zookeeper.address(), "members", play());
    stack.start_all();
    come_to_the_middle(&stack);
    let member = lost(zookeeper.leader());
    zookeeper.kill(member);
    stack.open("a/during");
    stack.until("what ends is published", || stack.is_done("c/waits"));
    zookeeper.up(member);
    stack.open("d/after");
    stack.settle();
    hold_once(&stack, None);
}

#[test]
fn the_leader_of_three_is_lost() {
    without(|leader| leader);
}

#[test]
fn another_of_three_is_lost() {
    without(|leader| leader % 3 + 1);
}
