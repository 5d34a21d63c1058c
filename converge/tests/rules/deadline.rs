//! Deadlines of desired states.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use wattle_converge::{Desire, Event, Outcome, Sight, Thing, Time};

use super::desk::Desk;
use super::pair;

#[test]
fn nothing_is_begun_after_the_deadline_of_a_desired_state() {
    let mut desk = Desk::new();
    desk.tell(Event::Desire(Desire {
        deadline: Some(Time::from_millis(60_000)),
        ..Desire::new(Arc::new(pair("one")))
    }));
    desk.pass(Duration::from_secs(61));
    desk.done();
    assert_eq!((desk.jobs(), desk.roots()), (vec![], vec!["the deadline passed before work on `B` began".to_owned()]));
}

#[test]
fn nothing_is_asked_again_after_the_deadline_and_what_goes_on_is_not_waited_for() {
    let four = || pair("one").with("C", "", "", &[]).with("D", "", "", &[]);
    let mut desk = Desk::new();
    let deadline = Some(Time::from_millis(60_000));
    desk.tell(Event::Desire(Desire { deadline, ..Desire::new(Arc::new(four())) }));
    assert_eq!(desk.jobs(), ["create A", "create C", "create D"]);
    desk.answer(Outcome::Later(Duration::from_secs(50)));
    desk.answer(Outcome::Accepted(Some("C1".into())));
    // This one gets its response only after it.
    desk.pass(Duration::from_secs(51));
    assert_eq!(desk.jobs(), ["create D", "create A"]);
    desk.begun.swap(0, 1);
    desk.answer(Outcome::Later(Duration::from_secs(3)));
    desk.pass(Duration::from_secs(10));
    assert_eq!(desk.jobs(), ["create D"], "nothing is asked again");
    desk.answer(Outcome::Later(Duration::from_secs(3)));
    let no = "failed: the cloud could not do it before the deadline";
    let roots = ["the deadline passed, and `C` is being created".to_owned(), format!("`A` {no}"), format!("`D` {no}")];
    assert_eq!((desk.jobs(), desk.roots()), (vec![], roots.to_vec()));
    assert!(desk.state.is_over_time() && !desk.state.is_quiet());
    // The next desired state has no deadline, and has C created only once.
    desk.want(four());
    desk.all_done();
    desk.now += 1;
    let (mark, at) = (desk.state.rows().find(|row| &*row.name == "C").unwrap().id, Time::from_millis(desk.now));
    let thing = Thing { phys: "C1".into(), attributes: BTreeMap::default() };
    desk.tell(Event::Seen { mark, kind: "thing".into(), at, sight: Sight::Ready(thing) });
    assert!(desk.state.is_done() && desk.things().contains("C1"));
    assert_eq!(desk.rows.len(), 4);
}

/// A later observation reports the same.
#[test]
fn what_the_cloud_was_at_when_the_deadline_passed_was_begun() {
    let mut desk = Desk::new();
    let deadline = Some(Time::from_millis(60_000));
    desk.tell(Event::Desire(Desire { deadline, ..Desire::new(Arc::new(pair("one"))) }));
    desk.answer(Outcome::Accepted(Some("A1".into())));
    desk.pass(Duration::from_mins(1));
    let says = ["the deadline passed, and `A` is being created".to_owned()];
    assert_eq!(desk.roots(), says);
    desk.leave();
    desk.another_leader_with(0);
    desk.pass(Duration::from_mins(2));
    let roots: Vec<String> = desk.state.roots().iter().map(ToString::to_string).collect();
    assert_eq!(roots, says);
}

#[test]
fn what_is_left_to_delete_is_not_waited_for_after_the_deadline_either() {
    let mut desk = Desk::new();
    desk.want(pair("one").with("C", "", "", &[]));
    desk.all_done();
    desk.now = 1_000;
    let deadline = Some(Time::from_millis(60_000));
    desk.tell(Event::Desire(Desire { deadline, ..Desire::new(Arc::new(pair("one"))) }));
    assert_eq!(desk.jobs(), ["delete C"]);
    desk.answer(Outcome::Later(Duration::from_secs(70)));
    desk.pass(Duration::from_mins(1));
    let no = "what is left of `C` could not be deleted: the cloud could not do it before the deadline";
    assert_eq!((desk.jobs(), desk.roots()), (vec![], vec![no.to_owned()]));
    // Later changes are corrected all the same: that desired state was reached.
    assert!(!desk.state.is_over_time());
}
