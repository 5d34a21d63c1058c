//! A private network, and access from outside.

use serde_json::json;
use wattle::author::Blueprint as _;
use wattle::lower::lower;
use wattle::prelude::*;
use wattle_catalog::neutron::{Rule, SecurityGroup};
use wattle_catalog::nova;
use wattle_catalog::parts::network::PublicPort;
use wattle_tests::oracle;

use crate::stage::{Judges, heat_takes, network};

/// A server that can be reached from outside.
#[blueprint]
pub(crate) fn reachable(t: &mut Topology) -> Exports {
    let network = network(t);
    let access = t.add("access", SecurityGroup::new().rule(Rule::tcp(80)));
    let front = t.add("front", PublicPort { network, access: vec![access] });
    t.add("web", nova::Server::new().image("debian-12").flavor("m1.small").port(front.port));
    Exports::new().entry("inside", front.address).entry("outside", front.floating)
}

pub(crate) fn heat(judges: &mut Judges) {
    let (_, answer) = heat_takes(judges, &reachable.model(Default::default()));
    let requires = |name: &str| answer["graph"][name].as_array().expect("a list").clone();
    // The address can be reached only through the router.
    assert!(requires("front.address").contains(&json!("inside.router")), "{answer:#}");
    assert!(requires("front.address").contains(&json!("inside.uplink")), "{answer:#}");
    assert!(requires("web").contains(&json!("front.port")), "{answer:#}");
}

#[test]
fn heat_creates_it() {
    let lowered = lower(&reachable.model(Default::default()), &Default::default());
    let folder = tempfile::tempdir().expect("a temporary folder");
    let template = oracle::write(&lowered, folder.path(), false);
    let answer = oracle::create(&[&folder.path().join("environment.yaml")], &[], &template);
    assert_eq!(answer["status"], "CREATE_COMPLETE", "{answer:#}");
}
