//! Requests that are lost, late, repeated and temporarily refused: in the end there is one thing.

use std::time::Duration;

use serde_json::json;
use wattle_cloud::Doing;
use wattle_converge::{Id, Outcome, Sight, What};
use wattle_openstack::Method;

use super::cases::Case;
use super::jobs::{Desk, Jobs, value};
use super::life::all;
use super::stage::{GRACE, LEASE, Stage};

/// The method of the request that creates the case's thing.
fn method(case: &Case) -> Method {
    match case.kind {
        "OS::Neutron::RouterInterface" | "OS::Neutron::FloatingIPAssociation" | "OS::Nova::FloatingIPAssociation" => {
            Method::Put
        }
        _ => Method::Post,
    }
}

/// Creates it as the engine does: after a lost response, looks for the mark when the lease is over, and starts a new
/// row if nothing is found. Returns the row that has it, and its name.
fn make(stage: &Stage, case: &Case, before: &[Id]) -> (Id, String) {
    let mut row = stage.row();
    let mut what = What::Create { properties: value(&case.properties) };
    for _ in 0..20 {
        match stage.carry_out(row, case.kind, None, &what) {
            Outcome::Done(Some(thing)) => return (row, thing.phys.to_string()),
            Outcome::Unknown => {
                stage.pass(LEASE + GRACE);
                what = What::Look;
            }
            Outcome::Absent => {
                // A half-made thing is deleted, like anything without a row.
                row = stage.row();
                sweep(stage, case, row, before);
                what = What::Create { properties: value(&case.properties) };
            }
            outcome => panic!("{}: {outcome:?}", case.kind),
        }
    }
    panic!("{} is never made", case.kind)
}

/// Removes the deployment's things that are not `row`'s.
fn sweep(stage: &Stage, case: &Case, row: Id, before: &[Id]) {
    for seen in stage.list(case.kind, &Desk::default()) {
        if seen.row != row && !before.contains(&seen.row) {
            let gone = stage.carry_out(seen.row, case.kind, Some(&seen.phys), &What::Delete);
            assert_eq!(gone, Outcome::Done(None), "{}", case.kind);
        }
    }
}

fn rows(stage: &Stage, kind: &str) -> Vec<Id> {
    stage.list(kind, &Desk::default()).iter().map(|seen| seen.row).collect()
}

fn one_comes_of(doing: &Doing) {
    let stage = Stage::new();
    for case in all(&stage) {
        let before = rows(&stage, case.kind);
        stage.befall(method(&case), case.made_by, 1, doing.clone());
        let (row, phys) = make(&stage, &case, &before);
        stage.pass(LEASE + GRACE);
        sweep(&stage, &case, row, &before);
        let after = rows(&stage, case.kind);
        assert_eq!(after.len(), before.len() + 1, "{} {doing:?}", case.kind);
        let desk = Desk::expects(row, &case.properties).knows(row, case.kind, &phys);
        let sight = stage.sight(row, case.kind, &desk);
        assert!(matches!(sight, Some(Sight::Ready(_))), "{} {doing:?}: {sight:?}", case.kind);
        assert_eq!(stage.carry_out(row, case.kind, Some(&phys), &What::Delete), Outcome::Done(None), "{}", case.kind);
        assert_eq!(rows(&stage, case.kind), before, "{} {doing:?}", case.kind);
    }
}

#[test]
fn one_comes_of_a_request_that_is_lost() {
    one_comes_of(&Doing::Lost);
}

#[test]
fn one_comes_of_a_request_whose_answer_is_lost() {
    one_comes_of(&Doing::Unanswered);
}

#[test]
fn one_comes_of_a_request_that_is_late() {
    one_comes_of(&Doing::Late(Duration::from_secs(100)));
}

#[test]
fn who_makes_something_asks_once() {
    let stage = Stage::new();
    for case in all(&stage).iter().filter(|case| method(case) == Method::Post) {
        for doing in [Doing::Lost, Doing::Refused(500, None), Doing::Refused(504, None)] {
            let row = stage.row();
            stage.befall(Method::Post, case.made_by, 1, doing);
            stage.asked();
            assert_eq!(stage.create(row, case.kind, &case.properties), Outcome::Unknown, "{}", case.kind);
            let posts = |asked: Vec<String>| {
                asked.iter().filter(|asked| asked.starts_with("POST") && asked.contains(case.made_by)).count()
            };
            assert_eq!(posts(stage.asked()), 1, "{}", case.kind);
            stage.pass(LEASE + GRACE);
            stage.once(row, case.kind, None, What::Look);
            assert_eq!(posts(stage.asked()), 0, "{}: who looks makes nothing", case.kind);
            stage.carry_out(row, case.kind, None, &What::Delete);
        }
    }
}

/// With everything that takes further requests: tags, rules, metadata.
#[test]
fn what_was_made_without_an_answer_is_found_at_once() {
    let stage = Stage::new();
    for case in all(&stage).iter().filter(|case| method(case) == Method::Post) {
        let row = stage.row();
        stage.befall(Method::Post, case.made_by, 1, Doing::Unanswered);
        stage.asked();
        let start = wattle_openstack::Transport::now(&*stage.near);
        let outcome = stage.create(row, case.kind, &case.properties);
        assert!(matches!(outcome, Outcome::Done(Some(_)) | Outcome::Accepted(_)), "{}: {outcome:?}", case.kind);
        let took = wattle_openstack::Transport::now(&*stage.near).duration_since(start).expect("time passes");
        assert!(took < Duration::from_secs(2), "{}: {took:?}", case.kind);
        let made = |asked: &String| asked.starts_with("POST") && asked.ends_with(case.made_by);
        assert!(stage.asked().iter().filter(|asked| made(asked)).count() <= 1, "{}", case.kind);
        let thing = stage.made(row, case.kind, &case.properties);
        let desk = Desk::expects(row, &case.properties).knows(row, case.kind, &thing.phys);
        assert_eq!(stage.sight(row, case.kind, &desk), Some(Sight::Ready(thing.clone())), "{}", case.kind);
        stage.carry_out(row, case.kind, Some(&thing.phys), &What::Delete);
    }
}

/// A thing that appears a little later is waited for, too, until the lease ends.
#[test]
fn what_is_made_a_little_later_is_found_soon() {
    let stage = Stage::new();
    let (row, kind) = (stage.row(), "OS::Neutron::Net");
    let properties = json!({ "tags": ["one"] });
    stage.befall(Method::Post, "/networks", 1, Doing::Late(Duration::from_secs(5)));
    let outcome = stage.create(row, kind, &properties);
    assert!(matches!(outcome, Outcome::Done(Some(_))), "{outcome:?}");
    // If the thing appears only after the lease, a read finds it and leaves the rest to the next job.
    let row = stage.row();
    stage.befall(Method::Post, "/networks", 1, Doing::Unanswered);
    let what = What::Create { properties: value(&properties) };
    assert!(matches!(stage.once_until(Duration::ZERO, row, kind, None, what), Outcome::Done(Some(_))));
}

#[test]
fn a_busy_service_is_asked_again_and_nothing_is_made_twice() {
    let stage = Stage::new();
    for case in all(&stage) {
        for doing in [Doing::Refused(409, None), Doing::Refused(429, Some(2)), Doing::Refused(503, None)] {
            let before = rows(&stage, case.kind);
            let row = stage.row();
            stage.befall(method(&case), case.made_by, 1, doing);
            let phys = stage.made(row, case.kind, &case.properties).phys;
            assert_eq!(rows(&stage, case.kind).len(), before.len() + 1, "{}", case.kind);
            assert_eq!(stage.carry_out(row, case.kind, Some(&phys), &What::Delete), Outcome::Done(None));
        }
    }
}

#[test]
fn a_service_that_stays_busy_is_left_alone_when_the_time_is_over() {
    let stage = Stage::new();
    for case in all(&stage) {
        let row = stage.row();
        let began = stage.near.world().servers().len();
        stage.befall(method(&case), case.made_by, 100, Doing::Refused(503, Some(7)));
        let start = wattle_openstack::Transport::now(&*stage.near);
        let outcome = stage.create(row, case.kind, &case.properties);
        assert!(matches!(outcome, Outcome::Later(_)), "{}: {outcome:?}", case.kind);
        let took = wattle_openstack::Transport::now(&*stage.near).duration_since(start).expect("time passes");
        assert!(took <= LEASE, "{}: {took:?}", case.kind);
        assert_eq!(stage.sight(row, case.kind, &Desk::default()), None, "{}", case.kind);
        assert_eq!(stage.near.world().servers().len(), began);
        // Later requests are not refused.
        for _ in 0..100 {
            stage.befall(method(&case), "/nowhere", 1, Doing::Lost);
        }
        while matches!(stage.create(row, case.kind, &case.properties), Outcome::Later(_)) {
            stage.pass(Duration::from_secs(3));
        }
        stage.pass(Duration::from_secs(5));
        stage.carry_out(row, case.kind, None, &What::Delete);
    }
}

#[test]
fn nothing_is_begun_when_the_lease_is_over() {
    let stage = Stage::new();
    let kind = "OS::Neutron::Net";
    let row = stage.row();
    stage.pass(LEASE);
    stage.asked();
    let what = What::Create { properties: value(&json!({})) };
    assert!(matches!(stage.once_until(Duration::ZERO, row, kind, None, what.clone()), Outcome::Done(_)), "in time");
    assert_eq!(stage.carry_out(row, kind, None, &What::Delete), Outcome::Done(None));
    // Each pause advances the clock of the transport: the read is in time, the creation is not.
    stage.befall(Method::Get, "/networks", 1, Doing::Refused(503, Some(30)));
    stage.asked();
    let outcome = stage.once_until(Duration::from_secs(20), row, kind, None, what);
    assert!(matches!(outcome, Outcome::Later(_)), "{outcome:?}");
    assert!(stage.asked().iter().all(|asked| !asked.starts_with("POST")), "nothing is made");
}

#[test]
fn what_is_half_made_is_finished_by_whoever_knows_how_and_else_is_nobodys() {
    let stage = Stage::new();
    let kind = "OS::Neutron::SecurityGroup";
    let properties = json!({ "rules": [{ "protocol": "tcp", "port_range_min": 22, "port_range_max": 22 }] });
    let row = stage.row();
    stage.befall(Method::Post, "/security-group-rules", 1, Doing::Unanswered);
    assert!(matches!(stage.create(row, kind, &properties), Outcome::Later(_)));
    assert!(matches!(stage.sight(row, kind, &Desk::default()), Some(Sight::Busy(_))), "it is there");
    assert_eq!(stage.once(row, kind, None, What::Look), Outcome::Absent, "nobody knows what it lacks");
    let thing = stage.made(row, kind, &properties);
    let desk = Desk::expects(row, &properties);
    assert_eq!(stage.sight(row, kind, &desk), Some(Sight::Ready(thing)));
    let group = stage.get("network", "/security-groups?description=wattle:shop:1-2")["security_groups"][0].clone();
    let rules = group["security_group_rules"].as_array().expect("rules").len();
    assert_eq!(rules, 3, "the one that is given and two for what goes out: {group}");
}
