//! A ZooKeeper that is killed, or loses members, while agents wait, run and publish.

use std::thread::sleep;
use std::time::Duration;

use wattle_tests::skip::everything;
use wattle_tests::zookeeper::ZooKeeper;

use crate::ends::hold_once;
use crate::play::Play;
use crate::stack::Stack;

/// `a` ends its recipe while something is broken, `b` and `c` wait for it; the recipe of `d` ends afterwards.
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
    // Everyone is there again.
    stack.until("all agents are there", || stack.picture().servers.values().all(|server| server.alive.is_some()));
}

#[test]
fn killed_for_five_seconds() {
    killed_for(Duration::from_secs(5));
}

#[test]
fn killed_for_longer_than_a_session() {
    if everything("agents while ZooKeeper is away for longer than a session") {
        killed_for(Duration::from_secs(20));
    }
}

#[test]
fn killed_with_an_agent() {
    let zookeeper = ZooKeeper::start(1);
    let mut stack = Stack::at(&zookeeper.address(), "both", play());
    stack.start_all();
    come_to_the_middle(&stack);
    zookeeper.kill(1);
    // What is finished is only in the journal; its agent comes again before the data space does.
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

/// Loses a member chosen by `lost`, goes on without it, and goes on when it is there again.
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
