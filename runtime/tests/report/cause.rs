//! Waits and their causes.

use std::sync::Arc;
use std::time::Duration;

use wattle::model::{IndexMap, Name, Order};
use wattle_agent_core::time::Time;

use wattle_runtime::report::{Cause, StackSnapshot, Standing, roots};
use wattle_runtime::space::{
    Alive, DesiredRevision, Failure, FailureKind, Finishing, Revision, ServerPlan, State, Status, Waiting,
};

/// When everything began, and four seconds later.
const TIMES: (Time, u64) = (Time::EPOCH, 4);

fn now() -> Time {
    Time::from_secs(TIMES.1)
}

/// A stack in revision 2, from lines such as `b/app waits a/db/url`; agents act for those servers.
pub(crate) fn snapshot(alive: &[&str], lines: &[&str]) -> StackSnapshot {
    let desired = DesiredRevision {
        revision: 2,
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
    for line in lines {
        let mut words = line.split(' ');
        let (server, component) = words.next().and_then(|path| path.split_once('/')).unwrap();
        let (state, revision) = match words.next().unwrap() {
            "idle" => (None, 2),
            "former" => (Some(State::Done), 1),
            "done" => (Some(State::Done), 2),
            "running" => (Some(State::Running), 2),
            "failed" => (Some(State::Failed(failure(words.next().unwrap()))), 2),
            "waits" => {
                let waits =
                    words.map(|what| Waiting { what: what.into(), input: None, revision: None, since: TIMES.0 });
                (Some(State::Waiting(waits.collect())), 2)
            }
            other => panic!("{other}"),
        };
        let status = state.map(|state| Status {
            revision,
            space: None,
            since: TIMES.0,
            deadline: None,
            state,
            past: Vec::new(),
        });
        let standing = snapshot.servers.entry(server.into()).or_insert_with(|| {
            let agent = Alive {
                since: TIMES.0,
                host: "h".into(),
                pid: 1,
                version: "0".into(),
                agent: None,
                boot: None,
                logs: false,
            };
            let alive = alive.contains(&server).then_some(agent);
            Standing {
                alive,
                plan: None,
                troubles: Vec::new(),
                leaving: Vec::new(),
                finishing: Vec::new(),
                is_behind: false,
                was_heard: false,
                components: IndexMap::default(),
            }
        });
        standing.was_heard |= status.is_some();
        standing.components.insert(component.into(), status);
    }
    snapshot
}

fn failure(component: &str) -> Failure {
    let (kind, message) = (FailureKind::Recipe, "it broke".to_owned());
    Failure { component: component.into(), kind, message, log: Vec::new(), at: TIMES.0, through: Vec::new() }
}

/// Each root as a sentence, with what it blocks.
fn reported(snapshot: &StackSnapshot) -> Vec<String> {
    roots(snapshot).iter().map(|root| format!("{} [{}]", root.cause.sentence(now()), root.holds.join(" "))).collect()
}

#[test]
fn waits_are_followed_to_their_ends() {
    let lines = ["a/db running", "b/app waits a/db/url", "c/web waits b/app/url", "c/last waits c/web"];
    let snapshot = snapshot(&["a", "b", "c"], &lines);
    assert_eq!(reported(&snapshot), ["a/db has been running for 4s [b/app c/web c/last]"]);
    assert!(!roots(&snapshot)[0].cause.is_stuck());
}

#[test]
fn a_run_of_a_former_revision_is_named() {
    let mut snapshot = snapshot(&["a", "b"], &["a/db former", "a/app idle", "b/web waits a/db/url"]);
    let (component, deadline) = (Name::from("a/gone"), Some(TIMES.0 + Duration::from_mins(1)));
    snapshot.servers["a"].finishing = vec![Finishing { component, revision: 1, since: TIMES.0, deadline }];
    let expected = "a still runs a/gone of revision 1, since 4s ago, its deadline in 56s; the newer revision starts \
                    there once that has ended [a/db a/app b/web]";
    assert_eq!(reported(&snapshot), [expected]);
}

#[test]
fn what_waits_for_several_is_held_up_by_each() {
    let lines = ["a/x running", "b/y running", "b/z waits a/x/out b/y/out", "c/w waits b/y/out", "c/v done"];
    let found = reported(&snapshot(&["a", "b", "c"], &lines));
    assert_eq!(found, ["b/y has been running for 4s [b/z c/w]", "a/x has been running for 4s [b/z]"]);
    // Two waits with the same end count once.
    let lines = ["a/x running", "b/y waits a/x/one a/x/two", "b/z waits b/y/out a/x/one"];
    assert_eq!(reported(&snapshot(&["a", "b"], &lines)), ["a/x has been running for 4s [b/y b/z]"]);
}

#[test]
fn failures_come_first_and_are_their_root_s() {
    let lines = ["a/x running", "b/y waits a/x/out", "b/z waits a/x/out", "c/v failed c/v", "c/w failed c/v"];
    let found = reported(&snapshot(&["a", "b", "c"], &lines));
    assert_eq!(found, ["c/v has failed: it broke [c/w]", "a/x has been running for 4s [b/y b/z]"]);
}

#[test]
fn nobody_is_blamed_on_another_ones_word() {
    for state in ["done", "running", "idle", "failed c/other"] {
        let (accused, other) = (format!("c/v {state}"), "c/other done");
        let found = reported(&snapshot(&["b", "c"], &["b/y failed c/v", &accused, other]));
        let expected = "b/y has failed: it reports that c/v has failed, but c/v does not report it: it broke []";
        assert!(found.iter().any(|reported| reported == expected), "{state}: {found:?}");
        assert!(!found.iter().any(|reported| reported.starts_with("c/v has failed: it broke")), "{state}: {found:?}");
    }
    // Components of another stack have no report of their own here.
    let found = reported(&snapshot(&["b"], &["b/y failed shop:c/v"]));
    assert_eq!(found, ["b/y has failed: it reports that shop:c/v of another stack has failed: it broke []"]);
}

#[test]
fn a_circle_is_reported_once_with_all_who_are_in_it() {
    let lines = ["a/x waits b/y/out", "b/y waits c/z", "c/z waits a/x/out", "d/w waits a/x/out"];
    let found = roots(&snapshot(&["a", "b", "c", "d"], &lines));
    let [root] = &found[..] else { panic!("{found:?}") };
    let Cause::Circle { components } = &root.cause else { panic!("{found:?}") };
    let mut components: Vec<&str> = components.iter().map(|name| &**name).collect();
    components.sort_unstable();
    assert_eq!(components, ["a/x", "b/y", "c/z"]);
    assert!(root.cause.is_stuck() && root.holds.iter().any(|held| &**held == "d/w"));
}

#[test]
fn an_agent_that_is_gone_is_told_from_one_that_never_came() {
    let lines = ["a/x waits b/y/out", "b/y idle", "b/z idle", "c/v former", "d/u running"];
    let expected = [
        "b has never started: no agent of it has come up [a/x b/y b/z]",
        "c has stopped: its agent is gone [c/v]",
        "d/u started 4s ago, but the agent of d is gone []",
    ];
    assert_eq!(reported(&snapshot(&["a"], &lines)), expected);
    let waits = ["a/x waits b/y/out", "b/y waits c/z/out", "c/z running"];
    assert_eq!(
        reported(&snapshot(&["a", "c"], &waits)),
        ["b has stopped: its agent is gone [a/x b/y]", "c/z has been running for 4s []"]
    );
}

#[test]
fn what_has_not_begun_is_held_up_by_what_comes_before() {
    let lines = ["a/x done", "a/y running", "a/z idle", "b/v former", "b/w idle"];
    let mut snapshot = snapshot(&["a", "b"], &lines);
    let expected = ["b/v is about to start [b/w]", "a/y has been running for 4s [a/z]"];
    assert_eq!(reported(&snapshot), expected);
    // Without a declared order, nothing comes before.
    let revision = Revision { space: None, number: 2 };
    let plan = ServerPlan { retired: false, ..ServerPlan::retired(&revision, Order::Dataflow, None) };
    snapshot.servers["a"].plan = Some(Arc::new(plan));
    let expected = ["b/v is about to start [b/w]", "a/z is about to start []", "a/y has been running for 4s []"];
    assert_eq!(reported(&snapshot), expected);
}

#[test]
fn waits_for_what_is_no_component_of_the_stack() {
    let lines = ["a/x waits b/server/networks.net.0", "b/y done", "c/z waits d/server/id", "d/v idle"];
    let expected = [
        "d has never started: no agent of it has come up [c/z d/v]",
        "the agent of b has not published its `networks.net.0` yet [a/x]",
    ];
    assert_eq!(reported(&snapshot(&["a", "b", "c"], &lines)), expected);
    let lines = ["a/x waits other:host/part/out"];
    assert_eq!(
        reported(&snapshot(&["a"], &lines)),
        ["other:host/part/out of another stack has been awaited for 4s [a/x]"]
    );
}

#[test]
fn where_all_is_done_nothing_is_the_cause() {
    assert_eq!(roots(&snapshot(&["a"], &["a/x done", "a/y done"])), []);
}
