//! Resources without Rust types: their properties are checked if Heat's types are known, their references and names
//! always.

use wattle::author::item;
use wattle::check::{Limits, check};
use wattle::lower::{Options, lower};
use wattle::model::Model;
use wattle::prelude::*;
use wattle_catalog::{neutron, raw};
use wattle_tests::oracle::Oracle;

use super::refusal;

/// The diagnostics of the blueprint `build`, by code.
fn codes(build: impl FnOnce(&mut Topology)) -> Vec<String> {
    let mut t = Topology::new("demo");
    build(&mut t);
    check(&t.finish(Exports::new()), &Limits::default()).iter().map(|diagnostic| diagnostic.code.to_string()).collect()
}

fn wrong_server() -> RawResource {
    RawResource::new("OS::Nova::Server").property("flavour", "m1.small").property("name", [1])
}

const OF_A_WRONG_SERVER: [&str; 3] = ["W0401", "W0402", "W0403"];

#[test]
fn a_type_of_heat_s_is_judged_without_a_typed_resource_of_it() {
    let mut found = codes(|t| {
        t.add("server", raw("OS::Nova::Server").property("flavour", "m1.small").property("name", [1]));
    });
    found.sort();
    assert_eq!(found, OF_A_WRONG_SERVER);
}

#[test]
fn a_raw_resource_is_judged_beside_whatever_the_catalog_has() {
    for first in [true, false] {
        let mut found = codes(|t| {
            if first {
                t.add("server", wrong_server());
            }
            t.add("net", neutron::Net::new());
            if !first {
                t.add("server", wrong_server());
            }
        });
        found.sort();
        assert_eq!(found, OF_A_WRONG_SERVER);
    }
    // Without a catalog, the type is not known.
    let found = codes(|t| {
        t.add("server", wrong_server());
    });
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn attributes_of_a_type_of_heat_s_are_judged() {
    let found = codes(|t| {
        let net = t.add("net", raw("OS::Neutron::Net"));
        t.add("value", raw("Our::Value").property("of", net.attribute::<String>("sahre")));
    });
    assert_eq!(found, ["W0404"]);
}

/// A type of a specific cloud accepts any property and has any attribute.
#[test]
fn a_type_of_one_s_own_is_judged_for_names_and_references() {
    let own = || RawResource::new("Our::Thing").property("anything", [("at", 1)]);
    assert!(
        codes(|t| {
            t.add("net", neutron::Net::new());
            let first = t.add("first", own());
            t.add("second", own().property("first", first).property("colour", first.attribute::<String>("colour")));
        })
        .is_empty()
    );

    let twice = codes(|t| {
        t.add("thing", own());
        t.add("thing", own());
    });
    let illegal = codes(|t| {
        t.add("a/thing", own());
    });
    let foreign = codes(|t| {
        let elsewhere = Topology::new("other").add("net", neutron::Net::new());
        t.add("thing", own().property("net", elsewhere));
    });
    let set_twice = codes(|t| {
        t.add("thing", own().property("net", "a").property("net", "b"));
    });
    assert_eq!([twice, illegal, foreign, set_twice].concat(), ["W0201", "W0202", "W0301", "W0406"]);
}

/// A raw resource's handle can be used in place of a typed one, and vice versa; the real Heat accepts both.
#[test]
fn raw_and_typed_resources_refer_to_each_other() {
    let mut t = Topology::new("demo");
    let net = t.add("net", raw("OS::Neutron::Net").property("name", "backbone"));
    let subnet = t.add("subnet", neutron::Subnet::new(net).cidr("10.0.0.0/24"));
    let port = t.add(
        "port",
        raw("OS::Neutron::Port")
            .property("network", net)
            .property("fixed_ips", [[("subnet", item(subnet)), ("ip_address", item("10.0.0.7"))]]),
    );
    let address = port.attribute::<String>("mac_address");
    t.add("value", raw("OS::Heat::Value").property("value", address));
    let model: Model = t.finish(Exports::new());
    assert_eq!(check(&model, &Limits::default()).len(), 0);

    let template = serde_json::to_value(&lower(&model, &Options::default()).template).expect("JSON");
    let resources = &template["resources"];
    assert_eq!(resources["subnet"]["properties"]["network"]["get_resource"], "net");
    assert_eq!(resources["port"]["properties"]["fixed_ips"][0]["subnet"]["get_resource"], "subnet");
    assert_eq!(resources["value"]["properties"]["value"]["get_attr"], serde_json::json!(["port", "mac_address"]));
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(refusal(&mut Oracle::start(), &model, folder.path()), None);
}
