//! The rules one by one, where a scenario cannot express them: failures, exclusiveness, time, drift.

#![allow(clippy::unwrap_used, reason = "a test with functions of its own")]

mod adopted;
mod deadline;
mod desk;
mod leaders;
mod left;
mod read;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use desk::{Desk, Wish};
use wattle_converge::{Desire, Event, Id, Notice, OnFailure, Outcome, Refusal, Sight, Thing, Time};

fn pair(fixed: &'static str) -> Wish {
    Wish::default().with("A", fixed, "", &[]).with("B", "", "", &["A"])
}

#[test]
fn what_failed_is_tried_again_for_the_next_desired_state_and_not_before() {
    let mut desk = Desk::new();
    desk.want(pair("one").with("C", "", "", &[]));
    assert_eq!(desk.jobs(), ["create A", "create C"]);
    desk.answer(Outcome::Refused("quota exceeded".into()));
    desk.done();
    assert_eq!(desk.jobs(), [""; 0], "B waits for A, and C is made");
    assert_eq!(desk.roots(), ["`A` failed: quota exceeded"]);
    desk.pass(Duration::from_hours(5));
    desk.another_leader();
    assert_eq!(desk.jobs(), [""; 0]);
    desk.want(pair("one").with("C", "", "", &[]));
    assert_eq!(desk.jobs(), ["create A"]);
    desk.all_done();
    assert!(desk.state.is_done());
    assert_eq!(desk.rows.len(), 3, "nothing is left of the failure");
}

#[test]
fn a_failure_goes_back_to_what_was_reached_where_that_is_asked_for() {
    let mut desk = Desk::new();
    desk.want(pair("one"));
    desk.all_done();
    let was = desk.things();
    desk.tell(Event::Desire(Desire { on_failure: OnFailure::Rollback, ..Desire::new(Arc::new(pair("two"))) }));
    desk.done();
    assert_eq!(desk.jobs(), ["update B"]);
    desk.answer(Outcome::Refused("no".into()));
    desk.all_done();
    assert_eq!((desk.things(), desk.roots()), (was, vec![]));
}

#[test]
fn what_breaks_while_it_is_changed_is_kept_until_another_one_stands_for_it() {
    let mut desk = Desk::new();
    desk.want(Wish::default().with("volume", "", "10 GB", &[]));
    desk.all_done();
    desk.want(Wish::default().with("volume", "", "20 GB", &[]));
    desk.answer(Outcome::Broken("error_extending".into()));
    assert_eq!((desk.jobs(), desk.roots()), (vec![], vec!["`volume` failed: error_extending".to_owned()]));
    assert_eq!(desk.things().len(), 1);
    desk.want(Wish::default().with("volume", "", "20 GB", &[]));
    assert_eq!(desk.jobs(), ["create volume"]);
    desk.done();
    assert_eq!(desk.jobs(), ["delete volume"]);
}

#[test]
fn what_cannot_exist_twice_is_given_up_first_and_taken_back_by_a_rollback() {
    let port = |fixed| Wish::default().with("port", fixed, "", &[]).holding("port", "10.0.0.5");
    let mut desk = Desk::new();
    desk.want(port("one"));
    desk.all_done();
    let was = desk.things();
    desk.want(port("two"));
    assert_eq!(desk.jobs(), [r#"release {"10.0.0.5"} of port"#]);
    desk.done();
    assert_eq!(desk.jobs(), ["create port"]);
    desk.tell(Event::Rollback { to: None });
    assert_eq!(desk.jobs(), ["create port"], "the address counts as held while it is being made");
    desk.done();
    assert_eq!(desk.jobs(), ["delete port"]);
    desk.done();
    assert_eq!(desk.jobs(), ["update port"]);
    desk.done();
    assert_eq!(desk.things(), was);
}

#[test]
fn two_can_exchange_what_cannot_exist_twice() {
    let ports = |one, other| {
        let ports = Wish::default().with("A", "", one, &[]).with("B", "", other, &[]);
        ports.holding("A", one).holding("B", other)
    };
    let mut desk = Desk::new();
    desk.want(ports("x", "y"));
    desk.all_done();
    desk.want(ports("y", "x"));
    desk.all_done();
    assert_eq!(desk.roots(), [""; 0]);
    // If two need the same exclusively, neither gets it, and the report says which waits for which.
    desk.want(ports("y", "y"));
    desk.all_done();
    assert_eq!(desk.roots(), ["`B` waits for `y`, which `A` holds"]);
}

#[test]
fn what_takes_turns_is_made_one_after_the_other_and_then_is_there_at_once() {
    let mut desk = Desk::new();
    let members = || Wish::default().with("member 1", "", "", &[]).with("member 2", "", "", &[]);
    desk.want(members());
    assert_eq!(desk.jobs(), ["create member 1"]);
    // The cloud has accepted the request.
    desk.answer(Outcome::Accepted(Some("1".into())));
    assert_eq!(desk.jobs(), [""; 0]);
    let row = desk.state.rows().next().unwrap();
    let (mark, kind) = (row.id, row.kind.clone());
    desk.now += 1;
    let thing = Thing { phys: "1".into(), attributes: BTreeMap::default() };
    let at = Time::from_millis(desk.now);
    desk.tell(Event::Seen { mark, kind, at, sight: Sight::Ready(thing) });
    assert_eq!(desk.jobs(), ["create member 2"]);
    // A failure does not block the others.
    desk.answer(Outcome::Refused("No valid host was found".into()));
    desk.want(members().with("member 3", "", "", &[]));
    desk.all_done();
    assert_eq!(desk.roots(), [""; 0]);
    assert!(desk.state.is_done());
}

#[test]
fn a_lost_reply_is_looked_for_and_not_asked_again() {
    let mut desk = Desk::new();
    desk.want(Wish::default().with("A", "", "", &[]));
    desk.answer(Outcome::Unknown);
    desk.pass(Duration::from_secs(149));
    assert_eq!(desk.jobs(), [""; 0], "a request may still arrive");
    desk.pass(Duration::from_secs(2));
    assert_eq!(desk.jobs(), ["look A"]);
    desk.answer(Outcome::Absent);
    assert_eq!(desk.jobs(), ["create A"], "under another mark");
    desk.answer(Outcome::Unknown);
    desk.another_leader();
    desk.pass(Duration::from_secs(151));
    assert_eq!(desk.jobs(), ["look A"]);
    desk.done();
    assert!(desk.state.is_done());
}

#[test]
fn nothing_is_under_way_for_ever() {
    let mut desk = Desk::new();
    desk.want(Wish::default().with("A", "", "", &[]));
    desk.answer(Outcome::Accepted(Some("A1".into())));
    desk.pass(Duration::from_mins(6));
    assert_eq!(desk.roots(), ["`A` is being created"]);
    desk.pass(Duration::from_mins(55));
    assert_eq!(desk.jobs(), ["delete A"]);
    desk.done();
    assert_eq!(desk.roots(), ["`A` failed: it was not done in time"]);
    assert_eq!(desk.state.wakes(), None);
}

#[test]
fn what_cannot_be_said_fails_alone() {
    let mut desk = Desk::new();
    desk.want(Wish::default().with("A", "", "", &[]).with("B", "", "never", &["A"]).with("C", "", "", &["A"]));
    desk.all_done();
    assert_eq!(desk.roots(), ["the properties of `B` cannot be computed: its text has no such key"]);
    assert_eq!(desk.rows.len(), 2);
}

#[test]
fn drift_is_put_right_where_that_is_asked_for_and_three_times_an_hour() {
    let mut desk = Desk::new();
    desk.want(pair("one"));
    desk.all_done();
    let changed = |thing: &Thing| Sight::Changed(thing.clone(), "its size differs".into());
    desk.see("A", changed);
    assert_eq!(desk.jobs(), [""; 0]);
    // Requesting the same desired state again retries it, but has no later effect.
    desk.want(pair("one"));
    assert_eq!(desk.jobs(), ["update A"]);
    desk.all_done();
    desk.see("A", changed);
    assert_eq!(desk.jobs(), [""; 0]);
    desk.tell(Event::Desire(Desire { corrects: true, ..Desire::new(Arc::new(pair("one"))) }));
    assert_eq!(desk.jobs(), ["update A"]);
    desk.all_done();
    for _ in 0..3 {
        desk.see("A", changed);
        assert_eq!(desk.jobs(), ["update A"]);
        desk.all_done();
    }
    desk.see("A", changed);
    assert_eq!((desk.jobs(), desk.roots()), (vec![], vec!["`A` is not as it was deployed".to_owned()]));
    desk.pass(Duration::from_hours(1));
    assert_eq!(desk.jobs(), ["update A"]);
    desk.all_done();
    // If something is excluded because it was corrected too often, everything else is corrected.
    desk.see("A", changed);
    desk.see("B", changed);
    desk.all_done();
    desk.want(pair("one"));
    desk.all_done();
    desk.see("A", changed);
    desk.see("B", changed);
    desk.tell(Event::Desire(Desire { leaves: ["A".into()].into(), ..Desire::new(Arc::new(pair("one"))) }));
    assert_eq!(desk.jobs(), ["update B"]);
    desk.all_done();
    desk.tell(Event::Desire(Desire { corrects: true, ..Desire::new(Arc::new(pair("one"))) }));
    desk.all_done();
    // A vanished thing is created again, and its dependents are changed.
    desk.pass(Duration::from_hours(1));
    desk.see("A", |_| Sight::Absent);
    assert_eq!(desk.jobs(), ["create A"]);
    desk.done();
    assert_eq!(desk.jobs(), ["update B"]);
}

#[test]
fn what_a_late_request_made_is_deleted() {
    let mut desk = Desk::new();
    desk.want(pair("one"));
    desk.all_done();
    let late = Thing { phys: "A9".into(), attributes: [].into() };
    let (mark, at) = (Id { term: 1, number: 99 }, Time::from_millis(desk.now));
    desk.tell(Event::Seen { mark, kind: "thing".into(), at, sight: Sight::Ready(late) });
    assert_eq!(desk.jobs(), ["delete 1-99"]);
    assert_eq!(desk.begun[0].phys.as_deref(), Some("A9"));
    desk.done();
    assert_eq!(desk.rows.len(), 2);
}

#[test]
fn software_is_torn_down_before_its_server_goes_or_until_it_takes_too_long() {
    let mut desk = Desk::new();
    let servers = Wish::default().with("server1", "", "", &[]).with("server2", "", "", &[]);
    desk.want(servers);
    desk.all_done();
    desk.tell(Event::Desire(Desire::nothing()));
    assert_eq!(desk.jobs(), ["drain server1", "drain server2"]);
    desk.done();
    assert_eq!(desk.jobs(), ["drain server2", "delete server1"]);
    desk.pass(Duration::from_mins(10));
    assert_eq!(desk.jobs()[2], "delete server2");
}

#[test]
fn what_cannot_be_a_desired_state_is_refused() {
    let mut desk = Desk::new();
    desk.want(Wish::default().with("A", "", "", &["B"]).with("B", "", "", &["A"]));
    desk.want(Wish::default().with("A", "", "", &["Z"]));
    desk.tell(Event::Rollback { to: Some(7) });
    let refusal = |notice: &Notice| match notice {
        Notice::Refused(refusal) => refusal.to_string(),
        other => panic!("it said {other:?}"),
    };
    let refused: Vec<String> = desk.said.iter().map(refusal).collect();
    assert_eq!(
        refused,
        [
            "these depend on each other, so none can be created first: `A` -> `B` -> `A`",
            "`A` depends on `Z`, which is not in the template",
            "there is no completed deployment 7 to go back to",
        ]
    );
    assert!(desk.state.desired().is_none() && desk.rows.is_empty());
    assert_eq!(refused[2], Refusal::NotReached(7).to_string());
}

#[test]
fn what_failed_is_tried_again_once_what_it_refers_to_was_made_anew() {
    let servers = |free| Wish::default().with("net", "", "", &[]).with("port", "", free, &["net"]);
    let mut desk = Desk::new();
    desk.want(servers("one"));
    desk.all_done();
    desk.want(servers("two"));
    assert_eq!(desk.jobs(), ["update port"]);
    // Somebody has deleted the network, which is noticed only afterwards.
    desk.answer(Outcome::Refused("no such network".into()));
    assert_eq!(desk.roots(), ["`port` failed: no such network"]);
    desk.see("net", |_| Sight::Absent);
    assert_eq!(desk.jobs(), ["create net"]);
    desk.done();
    assert_eq!(desk.jobs(), ["update port"]);
    desk.answer(Outcome::Refused("it will not".into()));
    assert_eq!((desk.jobs(), desk.roots()), (vec![], vec!["`port` failed: it will not".to_owned()]));
}
