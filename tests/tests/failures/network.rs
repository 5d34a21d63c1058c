//! A server that is disconnected, and reconnects.

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::Duration;

use wattle_runtime::space::Content;
use wattle_tests::command::wattle;
use wattle_tests::proxy::Proxy;
use wattle_tests::skip::{everything, is_root, skipped};
use wattle_tests::zookeeper::ZooKeeper;

use crate::ends::hold_once;
use crate::play::Play;
use crate::stack::Stack;

/// `a` is disconnected while its recipe runs and `b` waits for it; `c` has a value for `a` meanwhile.
fn play() -> Play {
    Play::of(&[
        "a/first say",
        "a/during gate < a/first",
        "c/meanwhile gate",
        "a/last say < c/meanwhile",
        "b/waits say < a/during",
        "c/last say < a/last",
    ])
}

fn cut_off(stack: &Stack, cut: impl Fn(), fix: impl Fn(), time: Duration) {
    for component in ["a/during", "c/meanwhile"] {
        stack.until(component, || stack.is_running(component));
    }
    stack.until("b/waits", || stack.is_waiting("b/waits"));
    cut();
    stack.open("a/during");
    stack.open("c/meanwhile");
    stack.until("the others go on", || stack.is_done("c/meanwhile"));
    stack.until("the recipe ends", || stack.counted("ended", "a/during") == 1);
    sleep(time);
    assert!(!stack.is_done("a/during") && stack.is_waiting("b/waits"), "it is not cut off");
    fix();
    stack.settle();
    hold_once(stack, None);
    stack.until("its agent is there", || stack.snapshot().servers["a"].alive.is_some());
    assert!(matches!(stack.entry("c/last/said"), Some(Content::Value(_))));
}

#[test]
fn connections_break() {
    let zookeeper = ZooKeeper::start(1);
    let proxy = Proxy::before(zookeeper.hosts());
    let mut stack = Stack::at(&zookeeper.address(), "cut", play());
    stack.identify("a", &format!("zookeeper://{}", proxy.hosts()));
    stack.start_all();
    cut_off(&stack, || proxy.cut(), || proxy.fix(), Duration::from_secs(2));
}

/// Runs `ip`; returns whether it succeeded.
fn ip(arguments: &[&str]) -> bool {
    let status = Command::new("ip").args(arguments).stdin(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// A network namespace with a link to this one.
struct Place {
    name: String,
    /// The end of the link here.
    outside: String,
    /// The addresses of this end and of the other one.
    addresses: [String; 2],
}

impl Place {
    fn new() -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let (process, number) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        // The name contains the process, because `lab` removes namespaces whose process is gone.
        let name = format!("wl{process}f{number}");
        if !is_root() || !ip(&["netns", "add", &name]) {
            skipped("a server in a network namespace that is cut off", "it needs root, iproute2 and namespaces");
            return None;
        }
        // Addresses for benchmarks (RFC 2544), which no other network uses.
        let network = process.wrapping_mul(2).wrapping_add(number);
        let (high, low) = (network / 64 % 256, network % 64 * 4);
        let addresses = [1, 2].map(|last| format!("198.18.{high}.{}", low + last));
        let place = Self { outside: format!("wl{process}v{number}"), name, addresses };
        let (name, outside) = (&*place.name, &*place.outside);
        let [here, there] = place.addresses.each_ref().map(|address| format!("{address}/30"));
        for arguments in [
            &["link", "add", outside, "type", "veth", "peer", "name", "eth0", "netns", name][..],
            &["addr", "add", &here, "dev", outside],
            &["link", "set", outside, "up"],
            &["-n", name, "addr", "add", &there, "dev", "eth0"],
            &["-n", name, "link", "set", "eth0", "up"],
            &["-n", name, "link", "set", "lo", "up"],
        ] {
            assert!(ip(arguments), "ip {arguments:?}");
        }
        Some(place)
    }

    fn cable(&self, state: &str) {
        assert!(ip(&["-n", &self.name, "link", "set", "eth0", state]));
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        ip(&["link", "del", &self.outside]);
        ip(&["netns", "del", &self.name]);
    }
}

fn pulled_for(time: Duration) {
    let Some(place) = Place::new() else { return };
    let [here, _] = &place.addresses;
    let zookeeper = ZooKeeper::start_with(1, |command, _| {
        command.env("ZK_ADDRESS", here);
    });
    let mut stack = Stack::at(&format!("{}?insecure", zookeeper.address()), "pulled", play());
    let mut agent = Command::new("ip");
    agent.args(["netns", "exec", &place.name]).arg(wattle());
    stack.start_by("a", agent);
    stack.start("b");
    stack.start("c");
    cut_off(&stack, || place.cable("down"), || place.cable("up"), time);
}

#[test]
fn a_cable_is_pulled() {
    pulled_for(Duration::from_secs(3));
}

#[test]
fn a_cable_is_pulled_for_longer_than_a_session() {
    if everything("a server that is cut off for longer than a session") {
        pulled_for(Duration::from_secs(20));
    }
}
