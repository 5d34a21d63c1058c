use wattle_model::{Name, Order};

use crate::content::{Content, Written};
use crate::failure::{Failure, FailureKind};
use crate::layout::Layout;
use crate::machine::{Action, Awaited, Desired, Event, Ticket};
use crate::node::{Node, Version};
use crate::revision::Revision;
use crate::server_plan::ServerPlan;
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
    // Contents of an older revision, of an older data space, and of one from before data spaces had names.
    assert_eq!(read.answered(node(written(&revision(Some("b"), 1), "x"), 2)), waits(2));
    assert_eq!(read.answered(node(written(&revision(Some("a"), 2), "x"), 3)), waits(3));
    assert_eq!(read.answered(node(written(&revision(None, 2), "x"), 4)), waits(4));
    assert_eq!(read.answered(node(written(&ours, "x"), 5)), Step::Over(Ok(Content::Value("x".into()))));
    for newer in [revision(Some("b"), 3), revision(Some("c"), 1)] {
        let refused = Refused::Superseded { ours: ours.clone(), newer: newer.clone() };
        assert_eq!(read.answered(node(written(&newer, "x"), 6)), Step::Over(Err(refused)));
    }
    let unknown = Refused::Unknown { stack: "shop".into(), entry: "db/pg/url".into() };
    assert_eq!(read.answered(Answer::Node(None)), Step::Over(Err(unknown)));
}

#[test]
fn an_entry_is_written_once_in_a_revision() {
    let (ours, content) = (revision(None, 2), Content::Value("ours".into()));
    let data = written(&ours, "ours");
    let mut write = Write::new(&layout(), &"db/pg/url".into(), &ours, &content, Some((version(1), None)));
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
    let seen = |content, version, before| Step::Over(Ok(Peeked { content, version, before }));
    assert_eq!(peek.answered(node(Vec::new(), 1)), seen(None, Some(version(1)), None));
    let before = Written::new(&revision(None, 1), Content::Value("x".into()));
    assert_eq!(peek.answered(node(before.to_bytes(), 2)), seen(None, Some(version(2)), Some(before)));
    assert_eq!(peek.answered(node(written(&ours, "x"), 3)), seen(Some(Content::Value("x".into())), None, None));
    assert_eq!(peek.answered(node(written(&revision(None, 3), "x"), 4)), seen(None, None, None));
}

fn failure() -> Content {
    let (component, message) = ("db/pg".into(), "no".to_owned());
    let (kind, log, at, through) = (FailureKind::Recipe, Vec::new(), Time::EPOCH, Vec::new());
    Content::Failure(Failure { component, kind, message, log, at, through })
}

#[test]
fn a_failure_keeps_the_value_that_was_there() {
    let good = Written::new(&revision(None, 1), Content::Value("x".into()));
    let kept =
        |number| Written { before: Some(Box::new(good.clone())), ..Written::new(&revision(None, number), failure()) };
    let writes = |number, former: &Written, is_known: bool| {
        let ours = revision(None, number);
        let known = is_known.then(|| (version(7), Some(former.clone())));
        let mut write = Write::new(&layout(), &"db/pg/url".into(), &ours, &failure(), known);
        match write.begin() {
            Op::Get(_) => write.answered(node(former.to_bytes(), 7)),
            op => Step::Ask(op),
        }
    };
    let set = |number| Step::Ask(Op::Set(ENTRY.to_owned(), kept(number).to_bytes(), version(7)));
    for is_known in [true, false] {
        assert_eq!(writes(2, &good, is_known), set(2));
        // Several failures in a row keep the last value.
        assert_eq!(writes(3, &kept(2), is_known), set(3));
    }
    // A value does not need the previous one.
    let value = Written::new(&revision(None, 4), Content::Value("y".into()));
    assert_eq!(value.clone().in_the_place_of(Some(kept(3))), value);
}

#[test]
fn a_value_that_has_no_room_beside_the_failure_goes() {
    let large = "x".repeat(wattle_model::values::MAX_DATA - 120);
    let good = Written::new(&revision(None, 1), Content::Value(large.into()));
    let failed = Written::new(&revision(None, 2), failure()).in_the_place_of(Some(good));
    assert_eq!(failed.before, None);
}

#[test]
fn another_stack_goes_on_with_the_value_that_a_failure_keeps() {
    let good = Written::new(&revision(None, 1), Content::Value("x".into()));
    let failed = Written::new(&revision(None, 2), failure()).in_the_place_of(Some(good));
    let (stack, entry) = (Name::from("shop"), Name::from("db/pg/url"));
    let action = Action::Read(Ticket(1), Awaited::Foreign(stack, entry.clone()), revision(None, 1));
    let mut versions = Versions::default();
    let mut task = Task::of(&action, &Layout::new("site"), &mut versions).unwrap();
    task.begin();
    let Step::Over(Event::Read(_, Ok(came))) = task.answered(node(failed.to_bytes(), 1), &mut versions) else {
        panic!("there is a value")
    };
    assert_eq!(came, Content::Value("x".into()));
    // Within its own stack it has failed.
    let mut own = Entry::wait(&layout(), &entry, &revision(None, 2));
    assert_eq!(own.answered(node(failed.to_bytes(), 1)), Step::Over(Ok(failure())));
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
    let reported = |state| node(status(&ours, state).to_bytes(), 1);
    assert_eq!(ended.answered(node(status(&revision(None, 1), State::Done).to_bytes(), 1)), waits);
    assert_eq!(ended.answered(reported(State::Running)), waits);
    assert_eq!(ended.answered(reported(State::Done)), Step::Over(Ok(None)));
    let (component, message) = ("db/pg".into(), "no".to_owned());
    let (kind, log, at, through) = (FailureKind::Wait, Vec::new(), Time::EPOCH, Vec::new());
    let failure = Failure { component, kind, message, log, at, through };
    assert_eq!(ended.answered(reported(State::Failed(failure.clone()))), Step::Over(Ok(Some(failure))));
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

const DESIRED: &str = "/wattle/shop/revision";
const PLAN: &str = "/wattle/shop/servers/db/plan";

fn desired(of: &Revision, transaction: i64) -> Answer {
    let space = of.space.as_ref().map_or(String::new(), |space| format!("\"space\":\"{space}\","));
    node(format!("{{{space}\"revision\":{},\"digest\":\"x\",\"applying\":9}}", of.number).into_bytes(), transaction)
}

fn plan(of: &Revision, order: Order) -> ServerPlan {
    ServerPlan::retired(of, order, None)
}

fn planned(of: &Revision, transaction: i64) -> Answer {
    node(serde_json::to_vec(&plan(of, Order::Declared)).unwrap(), transaction)
}

fn waits_for(path: &str, transaction: Option<i64>) -> Step<Result<Desired, Refused>> {
    Step::Ask(Op::Changed(path.to_owned(), transaction.map(version)))
}

fn gives(of: &Revision) -> Step<Result<Desired, Refused>> {
    Step::Over(Ok(Desired { plan: plan(of, Order::Declared).into(), digest: "x".to_owned() }))
}

/// Follows until it has received a plan.
fn following(of: &Revision) -> Follow {
    let mut follow = Follow::new(&layout(), "db");
    assert_eq!(follow.begin(), Op::Get(DESIRED.to_owned()));
    assert_eq!(follow.answered(desired(of, 1)), waits_for(PLAN, None));
    assert_eq!(follow.answered(planned(of, 2)), gives(of));
    assert_eq!(follow.begin(), Op::Changed(PLAN.to_owned(), Some(version(2))));
    follow
}

#[test]
fn a_plan_is_followed_once_the_desired_revision_has_come_to_it() {
    let of = |number| revision(Some("b"), number);
    let mut follow = Follow::new(&layout(), "db");
    assert_eq!(follow.begin(), Op::Get(DESIRED.to_owned()));
    assert_eq!(follow.answered(Answer::Node(None)), waits_for(DESIRED, None));
    assert_eq!(follow.answered(desired(&of(0), 1)), waits_for(DESIRED, Some(1)));
    assert_eq!(follow.answered(desired(&of(1), 2)), waits_for(PLAN, None));
    assert_eq!(follow.answered(planned(&of(1), 3)), gives(&of(1)));
    // The plan stays in revisions 2 to 6, which its agent is not notified of. In the seventh it changes.
    assert_eq!(follow.begin(), Op::Changed(PLAN.to_owned(), Some(version(3))));
    assert_eq!(follow.answered(planned(&of(7), 9)), waits_for(DESIRED, Some(2)));
    assert_eq!(follow.answered(desired(&of(6), 8)), waits_for(DESIRED, Some(8)));
    assert_eq!(follow.answered(desired(&of(7), 10)), gives(&of(7)));
    assert_eq!(follow.begin(), Op::Changed(PLAN.to_owned(), Some(version(9))));
}

#[test]
fn a_plan_that_was_never_to_be_reached_is_not_begun() {
    let of = |number| revision(Some("b"), number);
    let mut follow = following(&of(1));
    // The `seed apply` that wrote it was interrupted, and the next revision has another plan.
    assert_eq!(follow.answered(planned(&of(2), 3)), waits_for(DESIRED, Some(1)));
    assert_eq!(follow.answered(desired(&of(3), 6)), Step::Ask(Op::Get(PLAN.to_owned())));
    assert_eq!(follow.answered(planned(&of(3), 5)), gives(&of(3)));
    // Or it has the same plan, which then stays although it never counted before.
    let mut follow = following(&of(1));
    assert_eq!(follow.answered(planned(&of(2), 3)), waits_for(DESIRED, Some(1)));
    assert_eq!(follow.answered(desired(&of(3), 6)), Step::Ask(Op::Get(PLAN.to_owned())));
    assert_eq!(follow.answered(planned(&of(2), 3)), gives(&of(2)));
    // An agent that starts in between waits as well.
    let mut follow = Follow::new(&layout(), "db");
    follow.begin();
    assert_eq!(follow.answered(desired(&of(1), 1)), waits_for(PLAN, None));
    assert_eq!(follow.answered(planned(&of(2), 3)), waits_for(DESIRED, Some(1)));
}

#[test]
fn a_data_space_that_was_made_anew_is_followed_whatever_its_numbers() {
    let (old, new) = (revision(Some("b"), 5), revision(Some("c"), 1));
    let mut follow = following(&old);
    assert_eq!(follow.answered(Answer::Node(None)), waits_for(PLAN, None));
    assert_eq!(follow.answered(planned(&new, 11)), waits_for(DESIRED, Some(1)));
    assert_eq!(follow.answered(desired(&revision(Some("c"), 0), 10)), waits_for(DESIRED, Some(10)));
    assert_eq!(follow.answered(desired(&new, 12)), gives(&new));
    // Also if the clock says that the new data space is older.
    let mut follow = following(&old);
    let new = revision(Some("a"), 1);
    assert_eq!(follow.answered(planned(&new, 11)), waits_for(DESIRED, Some(1)));
    assert_eq!(follow.answered(desired(&new, 12)), gives(&new));
    // Or the remains of the old one were read first.
    let mut follow = following(&old);
    assert_eq!(follow.answered(planned(&revision(Some("b"), 6), 3)), waits_for(DESIRED, Some(1)));
    assert_eq!(follow.answered(desired(&new, 12)), Step::Ask(Op::Get(PLAN.to_owned())));
    assert_eq!(follow.answered(planned(&new, 11)), gives(&new));
    // A data space from before they had names differs if it asks for something else.
    let nameless = revision(None, 5);
    let mut follow = following(&nameless);
    assert_eq!(follow.answered(planned(&nameless, 3)), waits_for(PLAN, Some(3)));
    let other = plan(&nameless, Order::Dataflow);
    let given = Step::Over(Ok(Desired { plan: other.clone().into(), digest: "x".to_owned() }));
    assert_eq!(follow.answered(node(serde_json::to_vec(&other).unwrap(), 4)), given);
}

#[test]
fn a_plan_that_makes_no_sense_is_reported_once() {
    let of = |number| revision(Some("b"), number);
    let mut follow = following(&of(1));
    let torn = follow.answered(node(b"{".to_vec(), 3));
    assert!(matches!(torn, Step::Over(Err(Refused::Malformed { path, .. })) if path == PLAN));
    assert_eq!(follow.begin(), Op::Changed(PLAN.to_owned(), Some(version(3))));
    // It becomes valid with a desired revision that was not read yet.
    assert_eq!(follow.answered(planned(&of(2), 4)), waits_for(DESIRED, Some(1)));
    assert_eq!(follow.answered(desired(&of(2), 5)), gives(&of(2)));
}
