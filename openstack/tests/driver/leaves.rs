//! Properties that a template no longer gives: each reverts to the value of a thing that never had it, and then matches
//! the expectation.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use wattle_converge::{Outcome, Sight, What};
use wattle_model::Name;

use super::cases::Base;
use super::jobs::{Desk, Jobs, value};

/// A property that is dropped, or a key of one that is a map: the other properties with and without it, and the
/// resulting value in the service's response. `None` means that it keeps its value.
pub(crate) struct Leaves {
    pub(crate) kind: &'static str,
    pub(crate) property: &'static str,
    base: Value,
    given: Value,
    rest: Value,
    path: &'static str,
    key: &'static str,
    pub(crate) becomes: Option<Value>,
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

    /// The part of the property that is still given.
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

fn of_neutron(stage: &impl Jobs, base: &Base) -> Vec<Leaves> {
    let nothing = json!({});
    let policy = json!(stage.policy());
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

/// The value at a key of the service's response, without our own additions.
fn shown(stage: &impl Jobs, leaves: &Leaves, id: &str) -> Value {
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

fn goes_back(stage: &impl Jobs, leaves: &Leaves) {
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
        match stage.once_left(row, kind, Some(&thing.phys), what.clone(), &noted, &left) {
            Outcome::Later(after) => stage.pass(after),
            Outcome::Accepted(_) => stage.pass(Duration::from_mins(1)),
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
    // From then on it matches the deployment.
    let desk = Desk::expects(row, &without).knows(row, kind, &thing.phys).noted(&noted);
    match stage.sight(row, kind, &desk) {
        Some(Sight::Ready(_)) => {}
        sight => panic!("{kind} without `{property}`: {sight:?}"),
    }
    let gone = stage.carry_out(row, kind, Some(&thing.phys), &What::Delete);
    assert_eq!(gone, Outcome::Done(None), "{kind} `{property}`");
    stage.pass(Duration::from_secs(5));
}

/// Drops each property of each type, and returns them.
pub(crate) fn leaves_and_goes_back(stage: &impl Jobs) -> Vec<Leaves> {
    let base = Base::new(stage);
    let mut all: Vec<Leaves> = of_neutron(stage, &base).into_iter().chain(of_the_others(&base)).collect();
    all.retain(|leaves| {
        let mut parts =
            leaves.given.as_object().into_iter().flatten().map(|(key, _)| format!("{}.{key}", leaves.property));
        stage.has(leaves.kind, leaves.property) && parts.all(|part| stage.has(leaves.kind, &part))
    });
    for leaves in &all {
        goes_back(stage, leaves);
    }
    all
}
