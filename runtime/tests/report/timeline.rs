//! Critical paths, compared to generated schedules.

use std::sync::Arc;

use proptest::prelude::*;
use wattle::model::{IndexMap, Order};
use wattle_agent_core::time::Time;

use wattle_runtime::report::{Hop, StackSnapshot, Standing, critical_path};
use wattle_runtime::space::{
    DesiredRevision, Did, Failure, FailureKind, Revision, ServerPlan, State, Status, Step, Waiting,
};

fn at(second: u64) -> Time {
    Time::from_secs(second)
}

fn waited(what: &str, since: u64, until: u64) -> Step {
    Step { since: at(since), until: at(until), did: Did::Waited { what: what.into(), input: Some("in".into()) } }
}

fn ran(since: u64, until: u64) -> Step {
    Step { since: at(since), until: at(until), did: Did::Ran }
}

fn status(state: State, since: u64, past: Vec<Step>) -> Status {
    Status { revision: 1, space: None, since: at(since), deadline: None, state, past }
}

fn snapshot(components: Vec<(String, Status)>) -> StackSnapshot {
    let desired = DesiredRevision {
        revision: 1,
        space: None,
        digest: String::new(),
        applying: None,
        operator: None,
        ..DesiredRevision::default()
    };
    let mut snapshot = StackSnapshot {
        stack: "s".into(),
        desired: Some(desired),
        servers: IndexMap::default(),
        admission: Default::default(),
    };
    let revision = Revision { space: None, number: 1 };
    let plan = ServerPlan { retired: false, ..ServerPlan::retired(&revision, Order::Dataflow, None) };
    for (path, status) in components {
        let (server, name) = path.rsplit_once('/').unwrap();
        let standing = snapshot.servers.entry(server.into()).or_insert_with(|| Standing {
            alive: None,
            plan: Some(Arc::new(plan.clone())),
            troubles: Vec::new(),
            leaving: Vec::new(),
            finishing: Vec::new(),
            is_behind: false,
            was_heard: false,
            components: IndexMap::default(),
        });
        standing.components.insert(name.into(), Some(status));
    }
    snapshot
}

/// Each hop as `COMPONENT<AWAITED SINCE/RAN..UNTIL`.
fn reported(components: &[(&str, Status)], now: u64) -> Vec<String> {
    let snapshot = snapshot(components.iter().map(|(path, status)| ((*path).to_owned(), status.clone())).collect());
    let second = |time: Time| time.as_secs();
    let hop = |hop: &Hop| {
        let awaited = hop.awaited.as_ref().map(|what| format!("<{what}")).unwrap_or_default();
        let ran = hop.ran.map(|ran| format!("/{}", second(ran))).unwrap_or_default();
        let open = if hop.open { "+" } else { "" };
        format!("{}{awaited} {}{ran}..{}{open}", hop.component, second(hop.since), second(hop.until))
    };
    critical_path(&snapshot, at(now)).iter().map(hop).collect()
}

fn failure() -> Failure {
    let message = String::new();
    Failure {
        component: "a/x".into(),
        kind: FailureKind::Recipe,
        message,
        log: Vec::new(),
        at: at(0),
        through: Vec::new(),
    }
}

#[test]
fn the_wait_that_ended_last_leads_to_the_hop_before() {
    let stack = [
        ("a/slow", status(State::Done, 10, vec![ran(0, 10)])),
        ("b/fast", status(State::Done, 3, vec![ran(0, 3)])),
        ("c/both", status(State::Done, 15, vec![waited("b/fast/x", 0, 3), waited("a/slow/x", 0, 10), ran(11, 15)])),
    ];
    assert_eq!(reported(&stack, 99), ["a/slow 0/0..10", "c/both<a/slow/x 10/11..15"]);
}

#[test]
fn what_came_only_after_its_inputs_were_there_waited_for_nothing() {
    let stack = [
        ("a/x", status(State::Done, 3, vec![ran(0, 3)])),
        ("b/late", status(State::Done, 30, vec![waited("a/x/out", 20, 21), ran(21, 30)])),
    ];
    assert_eq!(reported(&stack, 99), ["b/late 20/21..30"]);
}

#[test]
fn an_output_that_was_published_early_ends_its_hop() {
    let stack = [
        ("a/x", status(State::Done, 50, vec![ran(0, 50)])),
        ("b/y", status(State::Done, 60, vec![waited("a/x/early", 1, 5), ran(5, 60)])),
    ];
    assert_eq!(reported(&stack, 99), ["a/x 0/0..5", "b/y<a/x/early 5/5..60"]);
}

#[test]
fn what_goes_on_ends_now() {
    let waits = |what: &str, since| {
        State::Waiting(vec![Waiting { what: what.into(), input: None, revision: None, since: at(since) }])
    };
    let stack = [
        ("a/x", status(State::Running, 4, vec![waited("z/server/address", 0, 4)])),
        ("b/y", status(waits("a/x", 1), 1, Vec::new())),
        ("c/z", status(State::Done, 2, vec![ran(0, 2)])),
    ];
    assert_eq!(reported(&stack, 20), ["a/x 0/4..20+"]);
    let stack = [("b/y", status(waits("other:shop/web/url", 1), 1, Vec::new()))];
    assert_eq!(reported(&stack, 20), ["b/y 1..20+"]);
}

#[test]
fn a_failure_that_is_passed_on_is_a_hop_without_a_run() {
    let failed = || State::Failed(failure());
    let stack =
        [("a/x", status(failed(), 7, vec![ran(0, 7)])), ("b/y", status(failed(), 8, vec![waited("a/x/out", 0, 8)]))];
    assert_eq!(reported(&stack, 99), ["a/x 0/0..7", "b/y<a/x/out 7..8"]);
}

#[test]
fn what_was_found_unchanged_is_on_no_path() {
    let stack = [
        ("a/x", status(State::Done, 50, Vec::new())),
        ("b/y", status(State::Done, 9, vec![waited("a/x/out", 0, 5), ran(5, 9)])),
    ];
    assert_eq!(reported(&stack, 99), ["b/y 0/5..9"]);
}

#[test]
fn clocks_that_disagree_make_no_circle() {
    let stack = [
        ("a/x", status(State::Done, 9, vec![waited("b/y/out", 0, 8), ran(8, 9)])),
        ("b/y", status(State::Done, 8, vec![waited("a/x/out", 0, 7), ran(7, 8)])),
    ];
    assert_eq!(reported(&stack, 99), ["b/y 0/7..8", "a/x<b/y/out 8/8..9"]);
}

proptest! {
    /// Components that wait for some of those before them, run for some time each, on agents that start at some time.
    #[test]
    fn every_hop_begins_when_the_one_before_ends_and_nothing_ends_later(
        made in prop::collection::vec((0_u64..20, 1_u64..20, prop::collection::vec(any::<prop::sample::Index>(), 0..4)), 1..40),
    ) {
        let mut ends: Vec<u64> = Vec::new();
        let mut starts: Vec<u64> = Vec::new();
        let mut components = Vec::new();
        for (i, (came, takes, reads)) in made.iter().enumerate() {
            let mut reads: Vec<usize> = if i == 0 { Vec::new() } else { reads.iter().map(|at| at.index(i)).collect() };
            reads.sort_unstable();
            reads.dedup();
            let start = reads.iter().map(|read| ends[*read]).chain([*came]).max().unwrap();
            let waits = reads.iter().filter(|read| ends[**read] > *came);
            let mut past: Vec<Step> = waits.map(|read| waited(&format!("s{read}/c/out"), *came, ends[*read])).collect();
            past.push(ran(start, start + takes));
            starts.push(start);
            ends.push(start + takes);
            components.push((format!("s{i}/c"), status(State::Done, start + takes, past)));
        }
        let hops = critical_path(&snapshot(components), at(1000));
        let index = |hop: &Hop| hop.component[1..hop.component.len() - 2].parse::<usize>().unwrap();
        let last = hops.last().unwrap();
        prop_assert_eq!(last.until, at(*ends.iter().max().unwrap()));
        let first = &hops[0];
        prop_assert_eq!(first.since, at(made[index(first)].0));
        prop_assert_eq!(&first.awaited, &None);
        for pair in hops.windows(2) {
            let (before, after) = (index(&pair[0]), index(&pair[1]));
            prop_assert_eq!(pair[0].until, pair[1].since);
            // A component that began exactly when another one ended was blocked by that one.
            prop_assert_eq!(starts[after], ends[before]);
            prop_assert_eq!(pair[1].awaited.as_deref(), Some(&*format!("s{before}/c/out")));
        }
        // Nothing blocked the first.
        prop_assert_eq!(starts[index(first)], made[index(first)].0);
    }
}
