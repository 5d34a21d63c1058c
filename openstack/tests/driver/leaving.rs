//! What a template says no longer: each property goes back to what a thing has that was never given it, and is then as expected.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use wattle_converge::{Outcome, Sight, What};
use wattle_heat::schema::schema;
use wattle_model::Name;
use wattle_openstack::Method;
use wattle_openstack::driver::kinds;
use wattle_openstack::session::Call;

use super::cases::Base;
use super::jobs::{Desk, Jobs, value};
use super::stage::{LEASE, Stage};

/// A property that leaves, or a key of one that is a map: what else there is, with it and without it, and what the service's answer
/// has then. `None` is for what stays as it is.
struct Leaves {
    kind: &'static str,
    property: &'static str,
    base: Value,
    given: Value,
    rest: Value,
    path: &'static str,
    key: &'static str,
    becomes: Option<Value>,
}

fn leaves(
    (kind, path): (&'static str, &'static str),
    base: &Value,
    property: &'static str,
    given: Value,
    becomes: impl Into<Option<Value>>,
) -> Leaves {
    let (base, rest, becomes) = (base.clone(), Value::Null, becomes.into());
    Leaves { kind, property, base, given, rest, path, key: property, becomes }
}

impl Leaves {
    /// Under another key of the service.
    fn at(self, key: &'static str) -> Self {
        Self { key, ..self }
    }

    /// This is still given of the property.
    fn but(self, rest: Value) -> Self {
        Self { rest, ..self }
    }
}

const NET: (&str, &str) = ("OS::Neutron::Net", "network/networks");
const SUBNET: (&str, &str) = ("OS::Neutron::Subnet", "network/subnets");
const ROUTER: (&str, &str) = ("OS::Neutron::Router", "network/routers");
const GROUP: (&str, &str) = ("OS::Neutron::SecurityGroup", "network/security-groups");
const PORT: (&str, &str) = ("OS::Neutron::Port", "network/ports");
const FLOATING: (&str, &str) = ("OS::Neutron::FloatingIP", "network/floatingips");
const VOLUME: (&str, &str) = ("OS::Cinder::Volume", "block-storage/volumes");
const SERVER: (&str, &str) = ("OS::Nova::Server", "compute/servers");

fn of_neutron(stage: &Stage, base: &Base) -> Vec<Leaves> {
    let nothing = json!({});
    let policy = json!("0123456789abcdef0123456789abcdef");
    let range = json!({ "network": base.net, "cidr": "10.66.0.0/24" });
    let port = json!({ "network": base.net });
    let default = stage.get("network", "/security-groups?name=default")["security_groups"][0]["id"].clone();
    let public = stage.get("network", "/networks?name=public")["networks"][0]["id"].clone();
    let pair = json!([{ "ip_address": "10.1.0.200", "mac_address": "fa:16:3e:00:00:77" }]);
    vec![
        leaves(NET, &nothing, "admin_state_up", json!(false), json!(true)),
        leaves(NET, &nothing, "shared", json!(true), json!(false)),
        leaves(NET, &nothing, "port_security_enabled", json!(false), json!(true)),
        leaves(NET, &nothing, "dns_domain", json!("shop.example."), json!("")),
        leaves(NET, &nothing, "qos_policy", policy.clone(), Value::Null).at("qos_policy_id"),
        leaves(NET, &nothing, "tags", json!(["one"]), json!([])),
        leaves(NET, &nothing, "value_specs", json!({ "mtu": 1400 }), None).at("mtu"),
        leaves(NET, &nothing, "value_specs", json!({ "description": "of the shop" }), json!("")).at("description"),
        leaves(SUBNET, &range, "dns_nameservers", json!(["9.9.9.9"]), json!([])),
        leaves(SUBNET, &range, "enable_dhcp", json!(false), json!(true)),
        leaves(
            SUBNET,
            &range,
            "host_routes",
            json!([{ "destination": "10.9.0.0/16", "nexthop": "10.66.0.9" }]),
            json!([]),
        ),
        leaves(SUBNET, &range, "gateway_ip", json!("10.66.0.254"), json!("10.66.0.1")),
        leaves(SUBNET, &range, "gateway_ip", json!(""), json!("10.66.0.1")),
        leaves(
            SUBNET,
            &range,
            "allocation_pools",
            json!([{ "start": "10.66.0.10", "end": "10.66.0.20" }]),
            json!([{ "start": "10.66.0.2", "end": "10.66.0.254" }]),
        ),
        leaves(SUBNET, &range, "tags", json!(["one"]), json!([])),
        leaves(ROUTER, &nothing, "admin_state_up", json!(false), json!(true)),
        leaves(ROUTER, &nothing, "tags", json!(["one"]), json!([])),
        leaves(ROUTER, &nothing, "external_gateway_info", json!({ "network": "public" }), Value::Null),
        leaves(
            ROUTER,
            &nothing,
            "external_gateway_info",
            json!({ "network": "public", "enable_snat": false }),
            json!({ "network_id": public, "enable_snat": true }),
        )
        .but(json!({ "network": "public" })),
        leaves(GROUP, &nothing, "description", json!("of the shop"), json!("")),
        leaves(GROUP, &nothing, "stateful", json!(false), json!(true)),
        leaves(
            GROUP,
            &nothing,
            "rules",
            json!([{ "protocol": "tcp", "port_range_min": 22, "port_range_max": 22 }]),
            json!(2),
        )
        .at("security_group_rules"),
        leaves(GROUP, &nothing, "rules", json!([{ "direction": "egress", "protocol": "udp" }]), json!(2))
            .at("security_group_rules"),
        leaves(PORT, &port, "admin_state_up", json!(false), json!(true)),
        leaves(PORT, &port, "qos_policy", policy, Value::Null).at("qos_policy_id"),
        leaves(PORT, &port, "security_groups", json!([base.group]), json!([default])),
        leaves(PORT, &port, "security_groups", json!([]), json!([default])),
        leaves(
            PORT,
            &json!({ "network": base.net, "security_groups": [] }),
            "port_security_enabled",
            json!(false),
            json!(true),
        ),
        leaves(PORT, &port, "allowed_address_pairs", json!([{ "ip_address": "10.1.0.200" }]), json!([])),
        leaves(PORT, &port, "allowed_address_pairs", pair, json!("own")).but(json!([{ "ip_address": "10.1.0.200" }])),
        leaves(PORT, &port, "binding:vnic_type", json!("direct"), json!("normal")),
        leaves(PORT, &port, "dns_name", json!("web"), json!("")),
        leaves(PORT, &port, "device_id", json!("machine-one"), json!("")),
        leaves(PORT, &port, "device_owner", json!("machines:one"), json!("")),
        leaves(PORT, &port, "tags", json!(["one"]), json!([])),
        leaves(PORT, &port, "no_fixed_ips", json!(true), None).at("fixed_ips"),
        leaves(PORT, &port, "fixed_ips", json!([{ "ip_address": "10.1.0.222" }]), None),
        leaves(FLOATING, &json!({ "floating_network": "public" }), "port_id", json!(base.ports[0]), Value::Null),
        leaves(
            FLOATING,
            &json!({ "floating_network": "public", "port_id": base.wide_port }),
            "fixed_ip_address",
            json!("10.1.0.210"),
            None,
        ),
    ]
}

fn of_the_others(base: &Base) -> Vec<Leaves> {
    let volume = json!({ "size": 1 });
    let server = json!({ "flavor": "m1.small", "image": "debian-12", "networks": [{ "network": base.net }] });
    vec![
        leaves(VOLUME, &volume, "description", json!("of the shop"), json!("")),
        leaves(VOLUME, &volume, "metadata", json!({ "tier": "db" }), json!({})),
        leaves(VOLUME, &volume, "metadata", json!({ "tier": "db", "rack": "3" }), json!({ "rack": "3" }))
            .but(json!({ "rack": "3" })),
        leaves(VOLUME, &volume, "volume_type", json!("fast"), json!("__DEFAULT__")),
        leaves(SERVER, &server, "metadata", json!({ "tier": "web" }), json!({})),
        leaves(SERVER, &server, "tags", json!(["front"]), json!([])),
    ]
}

/// What the service's answer has at a key, without what is only ours.
fn shown(stage: &Stage, leaves: &Leaves, id: &str) -> Value {
    let (service, collection) = leaves.path.split_once('/').expect("a service");
    let service =
        ["network", "block-storage", "compute"].into_iter().find(|known| *known == service).expect("a service");
    let item = stage.get(service, &format!("/{collection}/{id}"));
    let item = item.as_object().and_then(|map| map.values().next()).expect("one").clone();
    let is_ours = |text: &str| text.starts_with("wattle");
    match (&item[leaves.key], leaves.key) {
        (Value::Array(rules), "security_group_rules") => rules.len().into(),
        (Value::Array(tags), "tags") => {
            tags.iter().filter(|tag| !is_ours(tag.as_str().unwrap_or_default())).cloned().collect()
        }
        (Value::Object(map), "metadata") => {
            map.iter().filter(|(key, _)| !is_ours(key)).map(|(key, value)| (key.clone(), value.clone())).collect()
        }
        (Value::Object(map), "external_gateway_info") => {
            ["network_id", "enable_snat"].into_iter().map(|key| (key.to_owned(), map[key].clone())).collect()
        }
        (Value::Array(pairs), "allowed_address_pairs") if !pairs.is_empty() => {
            if pairs[0]["mac_address"] == item["mac_address"] { "own".into() } else { pairs[0]["mac_address"].clone() }
        }
        (Value::String(text), "description") => text.split("wattle").next().unwrap_or_default().trim().into(),
        (value, _) => value.clone(),
    }
}

fn goes_back(stage: &Stage, leaves: &Leaves) {
    let Leaves { kind, property, base, given, rest, becomes, .. } = leaves;
    let (row, mut with, mut without) = (stage.row(), base.clone(), base.clone());
    with[*property] = given.clone();
    if !rest.is_null() {
        without[*property] = rest.clone();
    }
    let thing = stage.made(row, kind, &with);
    let before = shown(stage, leaves, &thing.phys);
    let keys = given.as_object().into_iter().flatten().map(|(key, _)| key).filter(|key| rest.get(key).is_none());
    let mut left: BTreeSet<Name> = keys.map(|key| format!("{property}.{key}").into()).collect();
    if rest.is_null() {
        left.insert((*property).into());
    }
    let what = What::Update { properties: value(&without) };
    let mut noted = thing.attributes.clone();
    let mut done = None;
    for _ in 0..50 {
        stage.left.replace(left.clone());
        match stage.once_noted(row, kind, Some(&thing.phys), what.clone(), &noted) {
            Outcome::Later(after) => stage.pass(after),
            Outcome::Accepted(_) => stage.pass(LEASE),
            Outcome::Done(Some(thing)) => {
                done = Some(thing);
                break;
            }
            outcome => panic!("{kind} `{property}`: {outcome:?}"),
        }
    }
    noted = done.unwrap_or_else(|| panic!("{kind} `{property}` is never done")).attributes;
    let after = shown(stage, leaves, &thing.phys);
    match becomes {
        None => assert_eq!(after, before, "{kind} `{property}` stays"),
        Some(becomes) => assert_eq!(after, *becomes, "{kind} `{property}`, which was {before}"),
    }
    // From then on it is as it was deployed.
    let desk = Desk::expects(row, &without).knows(row, kind, &thing.phys).noted(&noted);
    match stage.sight(row, kind, &desk) {
        Some(Sight::Ready(_)) => {}
        sight => panic!("{kind} without `{property}`: {sight:?}"),
    }
    let gone = stage.carry_out(row, kind, Some(&thing.phys), &What::Delete);
    assert_eq!(gone, Outcome::Done(None), "{kind} `{property}`");
    stage.pass(Duration::from_secs(5));
}

#[test]
fn what_a_template_says_no_longer_goes_back_to_what_it_is_without() {
    let stage = Stage::new();
    let base = Base::new(&stage);
    let all: Vec<Leaves> = of_neutron(&stage, &base).into_iter().chain(of_the_others(&base)).collect();
    for leaves in &all {
        let stays = wattle_openstack::driver::kind(leaves.kind).expect("a kind").stays().contains(&leaves.property);
        assert!(stays == leaves.becomes.is_none() || leaves.property == "value_specs", "{}", leaves.property);
        goes_back(&stage, leaves);
    }
    // Whatever can leave has a case. Names have one of their own, and the others cannot be left out, are replaced, or say only how
    // something is done.
    for kind in kinds() {
        let schema = schema(kind.name).expect("one of Heat's");
        for (name, property) in schema.properties.iter().filter(|(_, property)| !property.hidden && property.updatable)
        {
            let is_known = all.iter().any(|leaves| leaves.kind == kind.name && leaves.property == &**name)
                || property.required
                || kind.fixed().contains(&&**name)
                || !kind.takes(name)
                || kind.stays().contains(&&**name)
                || KNOWN.contains(&(kind.name, &**name))
                || matches!(&**name, "name" | "value_specs" | "software_config_transport")
                || name.ends_with("_policy") && &**name != "qos_policy";
            assert!(is_known, "{} `{name}` can leave", kind.name);
        }
    }
}

/// What leaves only together with what is replaced, and what has a case below.
const KNOWN: [(&str, &str); 5] = [
    ("OS::Cinder::VolumeAttachment", "instance_uuid"),
    ("OS::Neutron::FloatingIPAssociation", "port_id"),
    // Without an image a server has other disks.
    ("OS::Nova::Server", "image"),
    ("OS::Nova::Server", "networks"),
    // By `user_data_update_policy`.
    ("OS::Nova::Server", "user_data"),
];

/// As in Heat, what a server was given is taken from it, and Nova chooses. Where it cannot, nothing is taken.
#[test]
fn a_server_whose_networks_are_not_given_any_more_gets_what_nova_chooses() {
    let stage = Stage::new();
    let kind = "OS::Nova::Server";
    let private = stage.get("network", "/networks?name=private")["networks"][0]["id"].clone();
    let port = stage.some("OS::Neutron::Port", &json!({ "network": private }));
    let bare = json!({ "flavor": "m1.small", "image": "debian-12" });
    let mut with = bare.clone();
    with["networks"] = json!([{ "port": port }]);
    let row = stage.row();
    let thing = stage.made(row, kind, &with);
    let other = stage.some("OS::Neutron::Net", &json!({}));
    let what = What::Update { properties: value(&bare) };
    let ports = || {
        let ports = stage.get("network", &format!("/ports?device_id={}", thing.phys))["ports"].clone();
        ports
            .as_array()
            .expect("ports")
            .iter()
            .map(|port| port["id"].as_str().expect("text").to_owned())
            .collect::<Vec<_>>()
    };
    let update = || {
        *stage.left.borrow_mut() = ["networks".into()].into();
        stage.once_noted(row, kind, Some(&thing.phys), what.clone(), &thing.attributes)
    };
    let Outcome::Refused(why) = update() else { panic!("it is not refused") };
    assert!(why.contains("Nova cannot choose among 2 networks: give it `networks`"), "{why}");
    assert_eq!(ports(), [port.as_str()]);
    stage.ask(Call::new("network", Method::Delete, format!("/networks/{other}"))).expect("deleted");
    let done = (0..20).find_map(|_| match update() {
        Outcome::Later(after) => {
            stage.pass(after);
            None
        }
        outcome => Some(outcome),
    });
    let Some(Outcome::Done(Some(after))) = done else { panic!("{done:?}") };
    assert!(ports().len() == 1 && ports() != [port.as_str()], "{:?}", ports());
    let desk = Desk::expects(row, &bare).knows(row, kind, &thing.phys).noted(&after.attributes);
    assert!(matches!(stage.sight(row, kind, &desk), Some(Sight::Ready(_))));
}
