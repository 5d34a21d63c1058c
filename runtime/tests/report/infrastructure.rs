//! The displayed form of rows.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use wattle::model::Name;
use wattle_agent_core::time::Time as Stamp;
use wattle_converge::{Act, Id, Intent, Row, RowFailure, Stage, Thing, Time};
use wattle_runtime::deploy::{Known, MadeByHeat, Planned, Through};
use wattle_runtime::report::{How, Infrastructure, Pace};

const GENERATION: u64 = 3;
const SERVER: &str = "OS::Nova::Server";

pub(crate) fn row(number: u64, name: &str) -> Row {
    Row {
        id: Id { term: 1, number },
        name: name.into(),
        kind: SERVER.into(),
        made: GENERATION,
        fixed: "".into(),
        free: None,
        varying: BTreeMap::new(),
        requires: BTreeSet::new(),
        edition: Id::default(),
        shown: BTreeSet::new(),
        given: BTreeSet::new(),
        holds: BTreeSet::new(),
        turns: BTreeSet::new(),
        drains: false,
        adopted: false,
        stage: Stage::Sound,
        thing: Some(Thing { phys: format!("id-{number}").into(), attributes: BTreeMap::new() }),
        failed: None,
        intent: None,
        until: None,
        drift: None,
        since: Time::from_millis(1_700_000_000_000),
    }
}

fn doing(number: u64, name: &str, act: Act) -> Row {
    Row { intent: Some(Intent { act, not_after: Time::default() }), ..row(number, name) }
}

fn failed(number: u64, name: &str, generation: u64, stage: Stage, cause: &str) -> Row {
    let failure = RowFailure { generation, deleting: false, needs: None, cause: cause.into() };
    Row { stage, failed: Some(failure), thing: None, ..row(number, name) }
}

fn planned(names: &[(&str, &str)]) -> Vec<Planned> {
    let planned = |(name, after): &(&str, &str)| Planned {
        name: (*name).into(),
        kind: Some(SERVER.into()),
        after: after.split_whitespace().map(Name::from).collect(),
    };
    names.iter().map(planned).collect()
}

pub(crate) fn known(planned: impl Into<Option<Vec<Planned>>>, rows: Vec<Row>) -> Known {
    Known {
        stack: "shop".into(),
        through: Through::Wattle,
        number: GENERATION,
        planned: planned.into(),
        rows,
        is_reached: false,
        is_settled: false,
        is_led: true,
        roots: Vec::new(),
        servers: BTreeMap::new(),
    }
}

/// A server that Heat finished when the rows of the tests were created.
pub(crate) fn made_by_heat(phys: &str) -> MadeByHeat {
    MadeByHeat { phys: phys.into(), since: Some(row(1, "web").since) }
}

/// The report about all resources.
fn reported(known: &Known) -> Vec<String> {
    let shown = Infrastructure::of(known);
    shown.resources.iter().map(|resource| format!("{} {}", resource.key, resource.how.sentence())).collect()
}

#[test]
fn what_is_wrong_comes_first_then_what_goes_on_and_at_last_what_is_there() {
    let names =
        [("app10", "net"), ("app2", "net"), ("db", "net"), ("ip", "web"), ("net", ""), ("new", "net"), ("web", "db")];
    let rows = vec![
        row(1, "net"),
        failed(2, "db", GENERATION, Stage::Gone, "no valid host\u{1b}[2J\nwas found"),
        doing(3, "app10", Act::Create),
        doing(4, "app2", Act::Delete),
        doing(
            5,
            "app2",
            Act::Update {
                free: "".into(),
                varying: BTreeMap::new(),
                requires: BTreeSet::new(),
                shown: BTreeSet::new(),
                holds: BTreeSet::new(),
                given: BTreeSet::new(),
            },
        ),
        Row { drift: Some("its flavor is m1.tiny".into()), ..row(6, "former") },
        Row { drift: Some("it is paused".into()), ..row(7, "new") },
    ];
    let known = known(planned(&names), rows);
    assert_eq!(
        reported(&known),
        [
            r"db failed: no valid host\u{1b}[2J\nwas found",
            "new is not as it was deployed: it is paused",
            "app2 is being changed",
            "app10 is being created",
            "app2 (1-4) is being deleted",
            "ip waits for web",
            "web waits for db",
            "former is to be deleted",
            "net is there",
        ]
    );
    let shown = Infrastructure::of(&known);
    assert_eq!(
        shown.headline(),
        "1 of 7 resources there, 3 under way, 2 to be created, 1 to be deleted, 1 not as deployed, 1 failed"
    );
    assert!(
        shown.in_one_line().ends_with(r"1 failed: db (no valid host\u{1b}[2J\nwas found)"),
        "{}",
        shown.in_one_line()
    );
    let net = shown.resources.last().unwrap();
    assert_eq!((net.id.as_deref(), net.server.as_deref()), (Some("id-1"), Some("net")));
    assert_eq!(net.since, Some(Stamp::EPOCH + Duration::from_secs(1_700_000_000)));
}

#[test]
fn what_another_thing_stands_for_now_is_told_apart() {
    // The new one is being created, and the old one stays until then.
    let replaced =
        known(planned(&[("web", "")]), vec![row(1, "web"), Row { stage: Stage::New, ..doing(2, "web", Act::Create) }]);
    assert_eq!(reported(&replaced), ["web is being created", "web (1-1) is to be deleted"]);
    // It could not be created, and a former state is desired again.
    let back =
        known(planned(&[("web", "")]), vec![row(1, "web"), failed(2, "web", GENERATION - 1, Stage::Failed, "no room")]);
    assert_eq!(reported(&back), ["web (1-2) is to be deleted", "web is there"]);
    // A failure of an earlier generation that has left nothing is retried.
    let again = known(planned(&[("web", "")]), vec![failed(1, "web", GENERATION - 1, Stage::Gone, "no room")]);
    assert_eq!(reported(&again), ["web is to be created"]);
    // A thing that nobody requested.
    let late = known(planned(&[]), vec![Row { stage: Stage::Failed, ..row(1, "web") }]);
    assert_eq!(reported(&late), ["web is to be deleted"]);
    assert_eq!(Infrastructure::of(&late).headline(), "everything is being deleted: 1 to go");
    let stopped = Known { is_led: false, ..late };
    let headline = Infrastructure::of(&stopped).headline();
    assert_eq!(headline, "everything is to be deleted: 1 to go; no command is running, and `wattle deploy` continues");
    assert_eq!(Infrastructure::of(&known(planned(&[]), vec![])).headline(), "nothing is left");
    let stuck = RowFailure { generation: GENERATION, deleting: true, needs: None, cause: "it is in use".into() };
    let stuck = known(planned(&[]), vec![Row { failed: Some(stuck), ..row(1, "web") }]);
    assert_eq!(reported(&stuck), ["web failed: could not be deleted: it is in use"]);
}

#[test]
fn what_vanished_after_it_was_reached_is_missing_and_not_still_to_come() {
    let mut gone = known(planned(&[("web", "")]), vec![]);
    assert_eq!(reported(&gone), ["web is to be created"]);
    (gone.is_reached, gone.is_settled) = (true, true);
    gone.roots =
        vec!["`web` is not as it was deployed".into(), "the properties of `x` cannot be computed: why\n".into()];
    assert_eq!(reported(&gone), ["web is not as it was deployed: it is gone"]);
    // What is said of a resource is not said twice.
    assert_eq!(Infrastructure::of(&gone).notes, [r"the properties of `x` cannot be computed: why\n"]);
}

#[test]
fn without_the_key_what_is_there_is_all_that_there_is() {
    let rows = vec![row(1, "net"), row(2, "web"), doing(3, "web", Act::Delete)];
    let shown = Infrastructure::of(&known(None, rows));
    assert_eq!(shown.headline(), "2 of 2 resources there, 1 under way");
    assert_eq!(Infrastructure::of(&known(None, vec![row(1, "net")])).headline(), "1 of 1 resource there");
}

#[test]
fn whether_it_goes_on_is_reported() {
    let pace = |known: &Known| Infrastructure::of(known).pace;
    let mut one = known(planned(&[("web", "")]), vec![]);
    assert_eq!(pace(&one), Pace::GoesOn);
    one.is_led = false;
    assert_eq!(pace(&one), Pace::Stopped);
    let said = Infrastructure::of(&one).headline();
    assert_eq!(said, "0 of 1 resource there, 1 to be created; no command is running, and `wattle deploy` continues");
    one.is_settled = true;
    assert_eq!(pace(&one), Pace::Over);
}

#[test]
fn of_heat_s_the_servers_are_known() {
    let servers = BTreeMap::from([("part/web".into(), made_by_heat("id-1"))]);
    let mut known = Known { through: Through::Heat, servers, ..known(None, vec![]) };
    assert_eq!(Infrastructure::of(&known).headline(), "Heat creates it, as its stack `shop`, which knows the progress");
    known.is_settled = true;
    let shown = Infrastructure::of(&known);
    assert_eq!(shown.headline(), "Heat creates it, as its stack `shop`");
    assert_eq!(shown.resources[0].server.as_deref(), Some("web"));
    assert_eq!(shown.to_json()["through"], "heat");
}

#[test]
fn it_is_bounded_and_what_is_wrong_is_never_left_out() {
    let names: Vec<(String, Row)> = (0..6_000).map(|n| (format!("r{n}"), row(n, &format!("r{n}")))).collect();
    let mut rows: Vec<Row> = names.iter().map(|(_, row)| row.clone()).collect();
    rows[5_999] = failed(5_999, "r5999", GENERATION, Stage::Gone, &"x".repeat(100_000));
    let wanted = names.iter().map(|(name, _)| (name.as_str(), "")).collect::<Vec<_>>();
    let shown = Infrastructure::of(&known(planned(&wanted), rows));
    assert_eq!((shown.resources.len(), shown.left_out, shown.tally.there), (5_000, 1_000, 5_999));
    assert_eq!(&*shown.resources[0].key, "r5999");
    assert!(shown.resources[0].to_json().to_string().len() < 5_000);
    assert!(matches!(shown.resources[1].how, How::There));
}
