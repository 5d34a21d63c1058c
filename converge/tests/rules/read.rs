//! Things whose attributes show values of others: they are read again once one of these was changed.

use wattle_converge::{Outcome, Sight};

use super::desk::{Desk, Wish};

/// A view whose attributes show values of a port.
fn view(free: &'static str) -> Wish {
    Wish::default().with("port", "", free, &[]).with("view", "", "", &["port"])
}

/// A desk at which both exist, and the port has been changed since.
fn changed() -> Desk {
    let mut desk = Desk::new();
    desk.want(view("one"));
    desk.all_done();
    desk.want(view("two"));
    assert_eq!(desk.jobs(), ["update port"]);
    desk.done();
    assert_eq!(desk.jobs(), ["read view"]);
    desk
}

#[test]
fn it_is_read_once() {
    let mut desk = changed();
    assert!(!desk.state.is_done(), "what reads it would get old values");
    desk.done();
    assert_eq!((desk.jobs(), desk.roots()), (vec![], vec![]));
    desk.want(view("two"));
    assert_eq!(desk.jobs(), [""; 0]);
    // A corrected value may have been read in between.
    desk.see("port", |thing| Sight::Changed(thing.clone(), "its address differs".into()));
    desk.want(view("two"));
    desk.done();
    assert_eq!(desk.jobs(), ["read view"]);
}

#[test]
fn a_change_of_its_own_reads_it_too() {
    let mut desk = Desk::new();
    desk.want(view("one"));
    desk.all_done();
    desk.want(Wish::default().with("port", "", "two", &[]).with("view", "", "another", &["port"]));
    desk.done();
    assert_eq!(desk.jobs(), ["update view"]);
    desk.done();
    assert_eq!((desk.jobs(), desk.roots()), (vec![], vec![]));
}

#[test]
fn until_it_is_read_the_desired_state_is_not_reached() {
    let mut desk = changed();
    desk.answer(Outcome::Refused("you may not read it".into()));
    assert_eq!((desk.jobs(), desk.roots()), (vec![], vec!["`view` failed: you may not read it".to_owned()]));
    assert_eq!(desk.things().len(), 2, "it is as good as it was");
    // The next leader knows that it has to be read, also for the next desired state.
    desk.another_leader();
    desk.want(view("two"));
    assert_eq!(desk.jobs(), ["read view"]);
    desk.another_leader();
    desk.pass(std::time::Duration::from_secs(151));
    assert_eq!(desk.jobs(), ["read view"]);
    desk.answer(Outcome::Accepted(None));
    desk.see("view", |thing| Sight::Ready(thing.clone()));
    assert_eq!((desk.jobs(), desk.roots()), (vec![], vec![]));
}

#[test]
fn what_is_gone_is_made_again() {
    let mut desk = changed();
    desk.answer(Outcome::Absent);
    assert_eq!(desk.jobs(), ["create view"]);
}
