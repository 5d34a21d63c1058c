use wattle_model::Name;

use crate::content::{Content, Written};
use crate::failure::{Failure, Kind};
use crate::layout::Layout;
use crate::node::{Node, Version};
use crate::record::RevisionId;
use crate::revision::Revision;
use crate::status::{State, Status};
use crate::time::Time;

use super::*;

fn revision(space: Option<&str>, number: u64) -> Revision {
    Revision { space: space.map(Name::from), number }
}

fn version(transaction: i64) -> Version {
    Version { transaction, count: 0 }
}

fn node(data: Vec<u8>, transaction: i64) -> Answer {
    Answer::Node(Some(Node { data, version: version(transaction) }))
}

fn written(of: &Revision, value: &str) -> Vec<u8> {
    Written::new(of, Content::Value(value.into())).to_bytes()
}

fn layout() -> Layout {
    Layout::new("shop")
}

const ENTRY: &str = "/wattle/shop/entries/db/pg/url";

#[test]
fn an_entry_is_waited_for_until_it_is_of_the_revision() {
    let ours = revision(Some("b"), 2);
    let mut read = Entry::wait(&layout(), &"db/pg/url".into(), &ours);
    assert_eq!(read.begin(), Op::Get(ENTRY.to_owned()));
    let waits = |transaction| Step::Ask(Op::Changed(ENTRY.to_owned(), Some(version(transaction))));
    assert_eq!(read.answered(node(Vec::new(), 1)), waits(1));
    // Of an older revision, of an older data space, and of one of before they had names.
    assert_eq!(read.answered(node(written(&revision(Some("b"), 1), "x"), 2)), waits(2));
    assert_eq!(read.answered(node(written(&revision(Some("a"), 2), "x"), 3)), waits(3));
    assert_eq!(read.answered(node(written(&revision(None, 2), "x"), 4)), waits(4));
    assert_eq!(read.answered(node(written(&ours, "x"), 5)), Step::Over(Ok(Content::Value("x".into()))));
    for newer in [revision(Some("b"), 3), revision(Some("c"), 1)] {
        let refused = Refused::Superseded { ours: ours.clone(), newer: newer.clone() };
        assert_eq!(read.answered(node(written(&newer, "x"), 6)), Step::Over(Err(refused)));
    }
    assert_eq!(read.answered(Answer::Node(None)), Step::Over(Err(Refused::Unknown("db/pg/url".to_owned()))));
}

#[test]
fn an_entry_is_written_once_in_a_revision() {
    let (ours, content) = (revision(None, 2), Content::Value("ours".into()));
    let data = written(&ours, "ours");
    let mut write = Write::new(&layout(), &"db/pg/url".into(), &ours, &content, Some(version(1)));
    let set = |transaction| Op::Set(ENTRY.to_owned(), data.clone(), version(transaction));
    assert_eq!(write.begin(), set(1));
    assert_eq!(write.answered(Answer::Conflict), Step::Ask(Op::Get(ENTRY.to_owned())));
    assert_eq!(write.answered(node(written(&revision(None, 1), "x"), 7)), Step::Ask(set(7)));
    assert_eq!(write.answered(Answer::Conflict), Step::Ask(Op::Get(ENTRY.to_owned())));
    let there = Some(Content::Value("theirs".into()));
    assert_eq!(write.answered(node(written(&ours, "theirs"), 8)), Step::Over(Ok(there)));
    let newer = revision(Some("a"), 1);
    let refused = Refused::Superseded { ours: ours.clone(), newer: newer.clone() };
    assert_eq!(write.answered(node(written(&newer, "x"), 8)), Step::Over(Err(refused)));
    assert_eq!(write.answered(Answer::Set(version(9))), Step::Over(Ok(None)));
}

#[test]
fn what_belongs_to_a_newer_revision_is_not_known_as_free_to_be_written() {
    let ours = revision(None, 2);
    let mut peek = Peek::new(&layout(), &"db/pg/url".into(), &ours);
    let seen = |content, version| Step::Over(Ok(Peeked { content, version }));
    assert_eq!(peek.answered(node(Vec::new(), 1)), seen(None, Some(version(1))));
    assert_eq!(peek.answered(node(written(&revision(None, 1), "x"), 2)), seen(None, Some(version(2))));
    assert_eq!(peek.answered(node(written(&ours, "x"), 3)), seen(Some(Content::Value("x".into())), None));
    assert_eq!(peek.answered(node(written(&revision(None, 3), "x"), 4)), seen(None, None));
}

fn status(of: &Revision, state: State) -> Status {
    let (revision, space) = (of.number, of.space.clone());
    Status { revision, space, since: Time::EPOCH, deadline: None, state, past: Vec::new() }
}

#[test]
fn a_component_has_ended_when_its_status_says_so_of_the_revision() {
    let (ours, path) = (revision(None, 2), "/wattle/shop/status/db/pg");
    let mut ended = Ended::wait(&layout(), &"db/pg".into(), &ours);
    assert_eq!(ended.begin(), Op::Get(path.to_owned()));
    let waits = Step::Ask(Op::Changed(path.to_owned(), Some(version(1))));
    let told = |state| node(status(&ours, state).to_bytes(), 1);
    assert_eq!(ended.answered(node(status(&revision(None, 1), State::Done).to_bytes(), 1)), waits);
    assert_eq!(ended.answered(told(State::Running)), waits);
    assert_eq!(ended.answered(told(State::Done)), Step::Over(Ok(None)));
    let (component, message) = ("db/pg".into(), "no".to_owned());
    let (kind, log, at, through) = (Kind::Wait, Vec::new(), Time::EPOCH, Vec::new());
    let failure = Failure { component, kind, message, log, at, through };
    assert_eq!(ended.answered(told(State::Failed(failure.clone()))), Step::Over(Ok(Some(failure))));
}

#[test]
fn a_status_overwrites_none_of_a_newer_revision() {
    let ours = revision(Some("a"), 2);
    let running = status(&ours, State::Running);
    let path = "/wattle/shop/status/db/pg";
    let mut say = Say::of_component(&layout(), "db/pg", &running, Some(version(1)));
    let set = |transaction| Op::Set(path.to_owned(), running.to_bytes(), version(transaction));
    assert_eq!(say.begin(), set(1));
    assert_eq!(say.answered(Answer::Conflict), Step::Ask(Op::Get(path.to_owned())));
    assert_eq!(say.answered(node(status(&revision(None, 7), State::Done).to_bytes(), 4)), Step::Ask(set(4)));
    assert_eq!(say.answered(node(running.to_bytes(), 5)), Step::Over(Ok(version(5))));
    let newer = revision(Some("b"), 1);
    let refused = Refused::Superseded { ours: ours.clone(), newer: newer.clone() };
    assert_eq!(say.answered(node(status(&newer, State::Done).to_bytes(), 6)), Step::Over(Err(refused)));
}

#[test]
fn a_goal_of_another_data_space_is_news_whatever_its_number() {
    let goal = |space: Option<&str>, number: u64, digest: &str| {
        let space = space.map_or(String::new(), |space| format!("\"space\":\"{space}\","));
        format!("{{{space}\"revision\":{number},\"digest\":\"{digest}\",\"applying\":9}}").into_bytes()
    };
    let id = |space, number, digest: &str| RevisionId { revision: revision(space, number), digest: digest.to_owned() };
    let seen = id(Some("b"), 3, "x");
    let news = |data: Vec<u8>| {
        let mut newer = Newer::wait(&layout(), Some(seen.clone()));
        match newer.answered(node(data, 1)) {
            Step::Over(Ok((id, _))) => Some(id),
            Step::Ask(Op::Changed(..)) => None,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(news(goal(Some("b"), 3, "x")), None);
    assert_eq!(news(goal(Some("b"), 2, "y")), None);
    assert_eq!(news(goal(Some("b"), 0, "")), None);
    assert_eq!(news(goal(Some("b"), 4, "x")), Some(id(Some("b"), 4, "x")));
    assert_eq!(news(goal(Some("b"), 3, "y")), Some(id(Some("b"), 3, "y")));
    assert_eq!(news(goal(Some("c"), 1, "x")), Some(id(Some("c"), 1, "x")));
    assert_eq!(news(goal(Some("a"), 1, "x")), Some(id(Some("a"), 1, "x")));
    let mut first = Newer::wait(&layout(), None);
    assert_eq!(first.answered(Answer::Node(None)), Step::Ask(Op::Changed("/wattle/shop/revision".to_owned(), None)));
}
