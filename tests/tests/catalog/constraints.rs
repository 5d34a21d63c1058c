//! wattle's and Heat's verdicts on values of properties, for each kind of constraint.

use wattle::model::Value;
use wattle::prelude::*;
use wattle_tests::oracle::Oracle;

use super::refusal;

/// A property, further properties that its resource needs, the constraint, and the values to check.
struct Trial {
    ty: &'static str,
    property: &'static str,
    given: &'static [(&'static str, &'static str)],
    constraint: &'static str,
    values: Vec<Value>,
}

fn trial(
    ty: &'static str,
    property: &'static str,
    given: &'static [(&'static str, &'static str)],
    constraint: &'static str,
    values: impl IntoIterator<Item = impl Into<Value>>,
) -> Trial {
    Trial { ty, property, given, constraint, values: values.into_iter().map(Into::into).collect() }
}

fn list(items: &[&str]) -> Value {
    Value::List(items.iter().map(|item| (*item).into()).collect())
}

fn values() -> Vec<Trial> {
    const STRING: &str = "OS::Heat::RandomString";
    const KEY: &[(&str, &str)] = &[("public_key", "ssh-ed25519 AAAA")];
    const IMAGE: &[(&str, &str)] =
        &[("location", "http://x/"), ("container_format", "bare"), ("disk_format", "raw"), ("name", "x")];
    const TAP: &[(&str, &str)] = &[("port", "p"), ("tap_service", "s")];
    let uuid = "0f0e0d0c-0b0a-0908-0706-050403020100";
    vec![
        trial(STRING, "length", &[], "range", [0, 1, 512, 513, -1]),
        trial(STRING, "length", &[], "range", ["0", "1", " 512 ", "513", "1_0", "ten"]),
        trial("OS::Nova::Quota", "cores", &[("project", "p")], "range", [-2, -1, 0, i64::from(u32::MAX)]),
        trial("OS::Octavia::Quota", "pool", &[("project", "p")], "range", [-1.0, -1.5, -0.5, 2.5]),
        trial("OS::Heat::Delay", "min_wait", &[], "range", [-0.1, 0.0, 0.1]),
        trial("OS::Nova::KeyPair", "name", KEY, "length", ["", "a", &"a".repeat(255), &"a".repeat(256)]),
        trial("OS::Nova::KeyPair", "name", KEY, "length", [&*"ä".repeat(255), &"ä".repeat(256)]),
        trial("OS::Neutron::SubnetPool", "prefixes", &[], "length", [list(&[]), list(&["10.0.0.0/8"])]),
        trial("OS::Glance::WebImage", "kernel_id", IMAGE, "pattern", [uuid, &uuid[1..], "", &(uuid.to_owned() + "0")]),
        trial(
            "OS::Glance::WebImage",
            "kernel_id",
            IMAGE,
            "pattern",
            [&*uuid.to_uppercase(), &(uuid.to_owned() + "\n")],
        ),
        trial("OS::Neutron::TaaS::TapFlow", "vlan_filter", TAP, "pattern", ["1", "1,2-3", "1,", "1-2-3", "", "a"]),
        trial("OS::Neutron::Subnet", "ip_version", &[("network", "n"), ("cidr", "10.0.0.0/8")], "allowed", [4, 5]),
        trial("OS::Neutron::Subnet", "ip_version", &[("network", "n"), ("cidr", "10.0.0.0/8")], "allowed", ["4", "5"]),
        trial("OS::Nova::ServerGroup", "policies", &[], "allowed", [list(&["affinity"]), list(&["affinity", "near"])]),
        trial(
            "OS::Nova::KeyPair",
            "type",
            &[("name", "k"), ("public_key", "k")],
            "allowed",
            ["ssh", "SSH", "x509", ""],
        ),
    ]
}

fn addresses() -> Vec<Trial> {
    vec![
        trial(
            "OS::Neutron::FloatingIP",
            "fixed_ip_address",
            &[("floating_network", "n"), ("port_id", "p")],
            "ip_addr",
            [
                "10.0.0.1",
                "10.0.0.256",
                "10.0.0",
                "010.0.0.1",
                "10.0.0.1/32",
                "10.0.0.1 ",
                "",
                "::1",
                "::ffff:10.0.0.1",
                "1::2::3",
                "fe80::1%eth0",
                "g::1",
                "localhost",
                "167772161",
            ],
        ),
        trial(
            "OS::Neutron::FirewallRule",
            "source_ip_address",
            &[],
            "net_cidr",
            [
                "10.0.0.0/24",
                "10.0.0.1/24",
                "10.0.0.0/33",
                "10.0.0.0/024",
                "10.0.0.0/255.255.255.0",
                "10.0.0.0",
                "10/8",
                "10.0.0.0/",
                "10.0.0.0/-1",
                "10.0.0.0/ 8",
                "",
                "::/0",
                "2001:db8::/32",
                "2001:db8::/129",
                "2001:db8::/ffff::",
                "2001:db8::/::ffff",
                "2001:db8::/ffff::1",
                "0.0.0.0/0",
                "256.0.0.0/8",
                "10.0.0.0/8/8",
                "10.0.0.0/+8",
                "10.0.0.0/2_4",
                "::/+6_4",
                "::/064",
                "::/-0",
                "::/-1",
                "::/_1",
                "::/1__1",
                "::/",
                "::/::",
                "::/x",
                "::ffff:10.0.0.0/100",
                "fe80::1%eth0/64",
            ],
        ),
        trial(
            "OS::Neutron::Port",
            "mac_address",
            &[("network", "n")],
            "mac_addr",
            [
                "fa:16:3e:00:00:01",
                "FA-16-3E-00-00-01",
                "fa:16:3e:0:0:1",
                "fa16.3e00.0001",
                "fa16:3e00:0001",
                "fa163e-000001",
                "fa163e000001",
                "fa163e00001",
                "fa163e0001",
                "fa:16:3e:00:00",
                "fa:16:3e:00:00:0g",
                "fa:16:3e-00:00:01",
                "fa:16:3e:00:00:001",
                "",
                "fa 16 3e 00 00 01",
            ],
        ),
    ]
}

#[test]
fn heat_and_check_agree() {
    let mut oracle = Oracle::start();
    let folder = tempfile::tempdir().expect("a folder");
    let mut kinds = std::collections::BTreeMap::<_, (usize, usize)>::new();
    for Trial { ty, property, given, constraint, values } in values().into_iter().chain(addresses()) {
        for value in values {
            let mut t = Topology::new("demo");
            let raw = given.iter().fold(wattle_catalog::raw(ty), |raw, (name, value)| raw.property(*name, *value));
            t.add("it", raw.property(property, value.clone()));
            let model = t.finish(Exports::new());
            let ours = wattle::check::finds(&model, "W0402");
            let theirs = refusal(&mut oracle, &model, folder.path());
            assert_eq!(ours, theirs.is_some(), "{ty}.{property} = {value:?}: Heat says {theirs:?}");
            let (taken, refused) = kinds.entry(constraint).or_default();
            *(if ours { refused } else { taken }) += 1;
        }
    }
    // Each kind of constraint was satisfied and violated at least once.
    assert_eq!(
        kinds.keys().copied().collect::<Vec<_>>(),
        ["allowed", "ip_addr", "length", "mac_addr", "net_cidr", "pattern", "range"]
    );
    assert!(kinds.values().all(|(taken, refused)| *taken > 0 && *refused > 0), "{kinds:?}");
}

/// Heat has one more kind of constraint, which none of its types uses; the unit tests of `check` cover it.
#[test]
fn no_type_has_a_modulo() {
    let types = include_str!("../../../heat/schemas/resource-types.json");
    assert!(!types.contains("\"modulo\""));
}
