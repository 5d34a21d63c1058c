//! Properties that are no longer given.

use std::time::Duration;

use wattle_converge::Outcome;

use super::desk::{Desk, Wish};

#[test]
fn who_changes_a_thing_is_told_what_is_not_said_of_it_any_more() {
    let left = |desk: &Desk| desk.begun[0].left.iter().map(ToString::to_string).collect::<Vec<_>>();
    let with = |words: &'static str| Wish::default().with("A", "", words, &[]);
    let mut desk = Desk::new();
    desk.want(with("one two"));
    assert_eq!(left(&desk), [""; 0]);
    desk.all_done();
    desk.want(with("one three"));
    assert_eq!(left(&desk), ["words.two"]);
    // It is unknown whether that was done.
    desk.answer(Outcome::Unknown);
    desk.another_leader();
    desk.pass(Duration::from_mins(3));
    assert_eq!((desk.jobs(), left(&desk)), (vec!["update A".to_owned()], vec!["words.two".to_owned()]));
    desk.want(with(""));
    desk.answer(Outcome::Unknown);
    desk.pass(Duration::from_mins(3));
    assert_eq!(left(&desk), ["words", "words.one", "words.three", "words.two"]);
    desk.answer(Outcome::Refused("no".into()));
    desk.want(with("two"));
    assert_eq!(left(&desk), ["words.one", "words.three"]);
    desk.all_done();
    desk.want(with("two four"));
    assert_eq!(left(&desk), [""; 0]);
}
