//! What a new leader finds after a former one.

use std::sync::Arc;
use std::time::Duration;

use wattle_converge::{Desire, Event, OnFailure, Outcome};

use crate::desk::{Desk, Wish};

#[test]
fn whoever_ends_in_good_order_is_not_waited_for() {
    let mut desk = Desk::new();
    desk.pass(Duration::from_hours(1));
    desk.want(Wish::default().with("A", "", "one", &[]).with("B", "", "", &[]).with("C", "", "", &[]));
    desk.answer(Outcome::Accepted(Some("A1".into())));
    desk.answer(Outcome::Later(Duration::from_secs(5)));
    // The state of C is unknown.
    desk.answer(Outcome::Unknown);
    desk.leave();
    desk.another_leader();
    assert_eq!(desk.jobs(), ["look A", "look B"]);
    desk.done();
    desk.answer(Outcome::Absent);
    assert_eq!(desk.jobs(), ["create B"]);
    desk.done();
    desk.pass(Duration::from_secs(151));
    assert_eq!(desk.jobs(), ["look C"]);
    desk.done();
    assert!(desk.state.is_done());
    // A change and a deletion that the cloud is carrying out are requested once more.
    desk.want(Wish::default().with("A", "", "two", &[]));
    assert_eq!(desk.jobs(), ["update A"]);
    desk.answer(Outcome::Accepted(Some("A1".into())));
    desk.leave();
    desk.another_leader();
    assert_eq!(desk.jobs(), ["update A"]);
}

#[test]
fn whoever_begins_nothing_says_nothing_of_the_desired_state_and_does_not_go_back() {
    let mut desk = Desk::new();
    desk.want(Wish::default().with("A", "", "one", &[]));
    desk.all_done();
    let wish = Wish::default().with("A", "", "two", &[]).with("B", "", "", &["A"]);
    desk.tell(Event::Desire(Desire { on_failure: OnFailure::Rollback, ..Desire::new(Arc::new(wish)) }));
    desk.state.begin_at_once(0);
    desk.said.clear();
    desk.done();
    let generation = |desk: &Desk| desk.state.desired().map(|desired| desired.generation);
    assert_eq!((desk.jobs().len(), desk.said.len(), generation(&desk)), (0, 0, Some(2)));
    desk.leave();
    desk.another_leader_with(0);
    assert_eq!((desk.jobs().len(), desk.said.len(), generation(&desk)), (0, 0, Some(2)));
    desk.state.begin_at_once(1);
    desk.tell(Event::Tick);
    assert_eq!(desk.jobs(), ["create B"]);
}
