//! Components that left the model are torn down, and the status reports the progress.

use std::fs;

use serde::Deserialize;
use wattle::author::Blueprint as _;
use wattle::model::Model;
use wattle::prelude::*;
use wattle_catalog::{neutron, nova};
use wattle_tests::running::{Stage, eventually};

/// Stays until it is torn down, for which the door must be open.
#[component(recipe = "recipes/stay.sh", teardown = "recipes/leave.sh")]
pub struct Guest {
    /// What it is called.
    #[input]
    word: String,
}

/// Which guests are there, besides the host of the house.
#[derive(Deserialize)]
#[serde(default)]
pub struct Guests {
    house: bool,
    hut: bool,
}

impl Default for Guests {
    fn default() -> Self {
        Self { house: true, hut: true }
    }
}

/// Two servers, which remain without components.
#[blueprint]
pub fn party(t: &mut Topology, (): (), guests: Guests) -> Exports {
    let net = t.add("net", neutron::Net::new());
    t.add("subnet", neutron::Subnet::new(net).cidr("10.0.0.0/24"));
    let server = || nova::Server::new().image("debian-12").flavor("m1.small").network(net);
    let house = t.add("house", server());
    t.on(house).run("host", Guest::new().word("host"));
    if guests.house {
        t.on(house).run("guest", Guest::new().word("guest"));
    }
    let hut = t.add("hut", server());
    if guests.hut {
        t.on(hut).run("lodger", Guest::new().word("lodger"));
    }
    Exports::new()
}

fn model(house: bool, hut: bool) -> Model {
    party.model(Guests { house, hut })
}

fn open_door(stage: &Stage, server: &str) {
    fs::write(stage.path().join(".wattle/servers").join(server).join("state/door"), "").expect("writes");
}

#[test]
fn a_teardown_that_fails_is_reported_and_tried_again() {
    let stage = Stage::new(&model(true, true));
    let up = stage.run(&["up", "-d", "--until-done"]);
    assert_eq!(up.code, Some(0), "{up}");

    // Both teardowns fail: on a server that keeps software, and on one that keeps none.
    stage.emit(&model(false, false));
    let left = stage.run(&["up", "--until-done"]);
    assert_eq!(left.code, Some(1), "{left}");
    assert!(left.out.contains("party: 2 teardowns have failed"), "{left}");
    assert!(left.out.contains("bye-bye says guest") && left.out.contains("bye-bye says lodger"), "{left}");
    let why = stage.ask(&["status", "--why"]);
    assert_eq!(why.code, Some(1), "{why}");
    for line in [
        "✗ house/guest has left the model, and its teardown has failed: the recipe ended with exit code 3",
        "✗ hut/lodger has left the model, and its teardown has failed: the recipe ended with exit code 3",
        "1 of 1 component done, 2 not torn down",
    ] {
        assert!(why.out.contains(line), "{line}: {why}");
    }
    assert!(!why.out.contains("everything is done"), "{why}");
    let same = stage.run(&["up", "--until-done"]);
    assert_eq!(same.code, Some(1), "unchanged, and still there: {same}");

    open_door(&stage, "hut");
    let again = stage.run(&["up", "--again"]);
    assert_eq!(again.code, Some(1), "{again}");
    assert!(again.out.contains("party: a teardown has failed"), "{again}");
    assert_eq!(stage.said("hut"), ["lodger comes", "lodger goes"]);
    eventually("the agent of the hut ends", || stage.processes("servers/hut/identity.json").is_empty());

    open_door(&stage, "house");
    let again = stage.run(&["up", "--again"]);
    assert_eq!(again.code, Some(0), "{again}");
    assert_eq!(stage.said("house"), ["host comes", "guest comes", "guest goes"]);
    let why = stage.ask(&["status", "--why"]);
    assert_eq!(why.code, Some(0), "{why}");
    assert!(why.out.contains("everything is done"), "{why}");
}

#[test]
fn what_leaves_is_waited_for() {
    let stage = Stage::new(&model(false, true));
    assert_eq!(stage.run(&["up", "-d", "--until-done"]).code, Some(0));
    open_door(&stage, "hut");
    stage.emit(&model(false, false));
    let left = stage.run(&["up", "--until-done"]);
    assert_eq!(left.code, Some(0), "{left}");
    assert_eq!(stage.said("hut"), ["lodger comes", "lodger goes"]);
    assert!(left.err.contains("hut/lodger has left the model, and is torn down"), "{left}");
}
