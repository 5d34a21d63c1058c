//! Networks in CIDR notation as values: from parameters and constants to components, between components, and to properties.

use std::net::Ipv4Addr;

use wattle::author::Blueprint;
use wattle::check::{Limits, Severity, check};
use wattle::prelude::*;
use wattle::testing::{Given, Outputs, Trial};

/// Routes one network to another.
#[component(recipe = "tests/recipes/anything.sh")]
pub struct Router {
    /// Whose packets it takes.
    #[input]
    inside: Cidr,
    /// The same by IPv6.
    #[input(default = "fd00::/64")]
    beside: Cidr,

    /// What it leads to.
    #[output(dynamic)]
    outside: Cidr,
}

/// Chosen when the stack is deployed.
#[derive(Parameters)]
pub struct Settings {
    /// The network within.
    #[parameter(default = "10.0.0.0/24", constraint = "net_cidr", max_length = 18)]
    inside: Parameter<Cidr>,
}

/// A chain of routers.
#[blueprint]
pub fn routed(t: &mut Topology, p: Settings) -> Exports {
    t.require("private networks", p.inside.starts_with("10."));
    t.require("not all of it", p.inside.is_not("10.0.0.0/8"));
    t.add("subnet", RawResource::new("OS::Neutron::Subnet").property("cidr", p.inside));
    let server = t.add("server", RawResource::new("OS::Nova::Server"));
    let first = t.on(server).run("first", Router::new().inside(p.inside).beside("fd01::/64"));
    let second = t.on(server).run("second", Router::new().inside(first.outside));
    let third = t.on(server).run("third", Router::new().inside(text!("10.{}.0.0/16", 9)).beside(second.outside));
    t.require("as long a prefix", second.outside.ends_with("/24"));
    Exports::new().entry("outside", third.outside).entry("said", text!("{} and {}", p.inside, third.outside))
}

fn next(network: Cidr) -> Cidr {
    let IpAddr::V4(address) = network.address() else { panic!("IPv4: {network}") };
    let [a, b, ..] = address.octets();
    Cidr::new(Ipv4Addr::new(a, b + 1, 0, 0), network.prefix()).expect("the same prefix")
}

#[test]
fn networks_go_from_writers_to_readers() {
    let trial = Trial::of(routed).fake(|it: Given<Router>| Outputs::<Router> { outside: next(it.inside) });
    let run = trial.run();
    run.succeeded();
    let inputs = |name: &str| run.component(name).inputs::<Router>();
    assert_eq!(inputs("server/first").beside, "fd01::/64".parse().expect("a network"));
    assert_eq!(inputs("server/second").inside.to_string(), "10.1.0.0/24");
    assert_eq!(inputs("server/second").beside.to_string(), "fd00::/64");
    assert_eq!(inputs("server/third").beside.to_string(), "10.2.0.0/24");
    assert_eq!(run.export::<Cidr>("outside").to_string(), "10.10.0.0/16");
    assert_eq!(run.export::<String>("said"), "10.0.0.0/24 and 10.10.0.0/16");
}

#[test]
fn files_know_them_by_their_word() {
    let model = routed.model(Default::default());
    assert!(!wattle::check::has_errors(&check(&model, &Limits::default())));
    let written = serde_json::to_value(&model).expect("JSON");
    assert_eq!(written["parameters"]["inside"]["ty"], "cidr");
    assert_eq!(serde_json::from_value::<wattle::model::Model>(written).expect("a model"), model);
}

#[test]
fn text_that_is_no_network_is_found() {
    let wrong = |value: &str| {
        let mut t = Topology::new("demo");
        let server = t.add("server", RawResource::new("OS::Nova::Server"));
        let router = t.on(server).run("router", Router::new().inside(value));
        let found = check(&t.finish(Exports::new().entry("outside", router.outside)), &Limits::default());
        found
            .iter()
            .filter(|found| found.severity == Severity::Error)
            .map(|found| format!("{} {}", found.code, found.message))
            .collect::<Vec<_>>()
    };
    assert_eq!(wrong("10.0.0.7/24"), [""; 0]);
    assert_eq!(
        wrong("10.0.0.0"),
        ["W0108 the input `inside` of `server/router` cannot take this value: `10.0.0.0` is not a network in CIDR \
             notation"]
    );
    assert_eq!(wrong("10.0.0.0/33").len(), 1);
}
