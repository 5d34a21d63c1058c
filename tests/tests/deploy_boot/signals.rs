//! Wait conditions: a deployment waits for the signals of a component, without Heat.

use serde::Deserialize;
use wattle::author::Blueprint as _;
use wattle::prelude::*;
use wattle_catalog::heat::{WaitCondition, WaitConditionHandle};
use wattle_catalog::{neutron, nova};
use wattle_openstack::Method;
use wattle_tests::running::eventually;

use crate::site::Site;

/// Waits at a door, and signals the result.
#[component(recipe = "recipes/signal.sh", deadline = "5m")]
pub struct Doorman {
    /// What it says; with `fail`, it signals a failure.
    #[input]
    word: String,
    /// The command that sends a signal.
    #[input]
    curl_cli: String,

    /// What it has said.
    #[output]
    said: String,
}

/// Settings of the inn.
#[derive(Default, Deserialize)]
pub(crate) struct Word {
    word: String,
}

/// A server that signals twice, and one that is created only after that.
#[blueprint]
pub(crate) fn inn(t: &mut Topology, (): (), Word { word }: Word) {
    let net = t.add("net", neutron::Net::new());
    t.add("subnet", neutron::Subnet::new(net).cidr("10.0.0.0/24"));
    let handle = t.add("handle", WaitConditionHandle::new());
    let open = t.add("open", WaitCondition::new(handle, 300).count(2));
    let server = || nova::Server::new().image("debian-12").flavor("m1.small").network(net);
    let door = t.add("door", server());
    t.on(door).run("doorman", Doorman::new().word(word).curl_cli(handle.curl_cli()));
    t.add("guest", server().metadata([("heard", open.data())]));
}

fn model(word: &str) -> wattle::model::Model {
    inn.model(Word { word: word.into() })
}

/// Opens the door on the current server.
fn open(site: &Site) {
    std::fs::write(site.home(&site.server("door")).join("state/door"), "").expect("writes");
}

#[test]
fn what_waits_for_a_signal_is_made_after_it() {
    let mut site = Site::new(&model("hello"));
    let mut deploy = site.start(&["deploy", ".", "--yes"]);
    let servers = || {
        let servers = site.ask(Method::Get, "/servers/detail", None);
        servers["servers"].as_array().expect("servers").clone()
    };
    eventually("the doorman waits", || {
        servers().iter().any(|server| server["status"] == "ACTIVE") && site.said(&site.server("door")).len() == 1
    });
    assert_eq!(servers().len(), 1, "nothing was signalled yet\n{}", deploy.said());
    open(&site);
    assert_eq!(deploy.ended(), Some(0), "{}\n-- cloud\n{}", deploy.said(), site.cloud.said());
    let guest =
        servers().into_iter().find(|server| server["name"].as_str().is_some_and(|name| name.ends_with("-guest")));
    let heard = &guest.expect("a guest")["metadata"]["heard"];
    assert_eq!(heard, r#"{"inn":"open","1":{"word":"hello"}}"#, "{}", deploy.said());

    // Signals persist: a later deployment does not wait for them, even if a recipe runs again.
    site.stage.emit(&model("bye"));
    let ran = site.run(&["deploy", ".", "--yes"]);
    assert!(!ran.err.contains("open created"), "{ran}");
    assert_eq!(site.said(&site.server("door")), ["hello", "bye"]);
    site.run(&["destroy", "--yes"]);
    eventually("no agent runs any more", || site.agents() == 0);
    assert_eq!(site.cloud.interrupt(), Some(0), "{}", site.cloud.said());
}

#[test]
fn a_failure_that_is_signalled_fails_the_deployment_until_its_recipe_runs_again() {
    let mut site = Site::new(&model("fail"));
    let mut deploy = site.start(&["deploy", ".", "--yes"]);
    eventually("the doorman waits", || {
        deploy.said().contains("door created") && site.said(&site.server("door")).len() == 1
    });
    open(&site);
    assert_eq!(deploy.ended(), Some(1), "{}", deploy.said());
    let said = deploy.said();
    assert!(said.contains("open failed: there is no room"), "{said}");
    assert!(said.contains("is not as it should be"), "{said}");

    // Repeating the deployment does not help, but correcting the recipe does.
    let ran = site.try_to_run(&["deploy", ".", "--yes"]);
    assert!(ran.code == Some(1) && ran.err.contains("open failed: there is no room"), "{ran}");
    site.stage.emit(&model("hello"));
    site.run(&["deploy", ".", "--yes", "--infrastructure-only"]);
    site.server("guest");
    assert_eq!(site.said(&site.server("door")), ["fail", "hello"]);
    assert_eq!(site.cloud.interrupt(), Some(0), "{}", site.cloud.said());
}
