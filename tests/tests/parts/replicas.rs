//! Servers on different hosts.

use serde_json::json;
use wattle::author::Blueprint as _;
use wattle::prelude::*;
use wattle_catalog::nova;
use wattle_catalog::parts::replicas::{Replicas, Spread};

use crate::stage::{Judges, heat_takes, network};

/// Three servers that must be on different hosts, and two that should be.
#[blueprint]
pub(crate) fn spread(t: &mut Topology) {
    let inside = network(t);
    let server = |name: &'static str| {
        move |n| {
            nova::Server::new().name(format!("{name}{n}")).image("debian-12").flavor("m1.small").network(inside.net)
        }
    };
    let voters = t.add("voters", Replicas { count: 3, spread: Spread::Always, server: server("voter") });
    assert_eq!(voters.len(), 3);
    t.add("workers", Replicas { count: 2, spread: Spread::IfPossible, server: server("worker") });
}

pub(crate) fn heat(judges: &mut Judges) {
    let (lowered, answer) = heat_takes(judges, &spread.model(Default::default()));
    let template: serde_json::Value =
        serde_json::from_str(&wattle::emit::to_json(&lowered.template).expect("emits")).expect("JSON");
    let property = |name: &str, property: &str| template["resources"][name]["properties"][property].clone();
    assert_eq!(property("voters.spread", "policies"), json!(["anti-affinity"]));
    assert_eq!(property("workers.spread", "policies"), json!(["soft-anti-affinity"]));
    for (module, named, count) in [("voters", "voter", 3), ("workers", "worker", 2)] {
        for n in 1..=count {
            let name = format!("{module}.server{n}");
            assert_eq!(property(&name, "name"), json!(format!("{named}{n}")));
            let requires = answer["graph"][&name].as_array().expect("a list");
            assert!(requires.contains(&json!(format!("{module}.spread"))), "{name}: {requires:?}");
        }
    }
}
