//! Changes behind the back of a deployment with a minimal template.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use wattle_converge::{Outcome, Sight, Thing, What};
use wattle_openstack::Method;
use wattle_openstack::session::Call;

use super::cases::Base;
use super::jobs::{Desk, Jobs, value};

/// A thing whose template gives only what is required.
struct Bare<'s, S> {
    stage: &'s S,
    kind: &'static str,
    properties: Value,
    row: wattle_converge::Id,
    thing: Thing,
}

impl<'s, S: Jobs> Bare<'s, S> {
    fn new(stage: &'s S, kind: &'static str, properties: Value) -> Self {
        let row = stage.row();
        let thing = stage.made(row, kind, &properties);
        Self { stage, kind, properties, row, thing }
    }

    fn differs(&self) -> Option<String> {
        let desk = Desk::expects(self.row, &self.properties).knows(self.row, self.kind, &self.thing.phys);
        match self.stage.sight(self.row, self.kind, &desk.noted(&self.thing.attributes)) {
            Some(Sight::Changed(_, how)) => Some(how.to_string()),
            Some(Sight::Ready(_)) => None,
            sight => panic!("{}: {sight:?}", self.kind),
        }
    }

    /// Asserts that no change is reported.
    fn is_as_it_was(&self, after: &str) {
        assert_eq!(self.differs(), None, "{} after {after}", self.kind);
    }

    /// Asserts that a change of `property` is detected and reverted.
    fn has_drifted(&mut self, property: &str) {
        let how = self.differs().unwrap_or_else(|| panic!("{}: no drift of `{property}`", self.kind));
        assert!(how.contains(&format!("`{property}`")), "{} `{property}`: {how}", self.kind);
        let what = What::Update { properties: value(&self.properties) };
        let noted = self.thing.attributes.clone();
        match self.stage.carry_out_noted(self.row, self.kind, Some(&self.thing.phys), &what, &noted) {
            Outcome::Done(Some(thing)) => self.thing = thing,
            outcome => panic!("{} `{property}`: {outcome:?}", self.kind),
        }
        self.is_as_it_was(property);
    }

    /// Changes it by hand.
    fn put(&self, service: &'static str, one: &str, property: &str, body: &Value) {
        let path = format!("/{one}s/{}", self.thing.phys).replace("security_group", "security-group");
        let one = one.replace('-', "_");
        let call = Call::new(service, Method::Put, path).body(json!({ one: body }));
        println!("{} `{property}`", self.kind);
        self.stage.answer(call);
    }

    fn post(&self, service: &'static str, path: &str, body: Value) {
        let path = path.replace("ID", &self.thing.phys);
        self.stage.answer(Call::new(service, Method::Post, path).body(body));
        self.stage.pass(Duration::from_secs(10));
    }

    /// Waits until a service shows this value.
    fn becomes(&self, service: &'static str, path: &str, pointer: &str, value: &str) {
        let path = path.replace("ID", &self.thing.phys);
        for _ in 0..300 {
            if self.stage.get(service, &path).pointer(pointer).and_then(Value::as_str) == Some(value) {
                return;
            }
            self.stage.pass(Duration::from_secs(1));
        }
        panic!("{path} never shows {value} at {pointer}");
    }
}

fn all_of<S: Jobs>(bare: &mut Bare<'_, S>, one: &str, changes: &[(&str, Value)]) {
    for (property, body) in changes.iter().filter(|(property, _)| bare.stage.has(bare.kind, property)) {
        bare.is_as_it_was("nothing");
        bare.put("network", one, property, body);
        bare.has_drifted(property);
    }
}

/// Neutron's things are unchanged.
pub(crate) fn neutron_s_things<S: Jobs>(stage: &S) {
    let base = Base::new(stage);
    let name = || ("name", json!({ "name": "other" }));
    let up = || ("admin_state_up", json!({ "admin_state_up": false }));
    let mut net = Bare::new(stage, "OS::Neutron::Net", json!({}));
    all_of(
        &mut net,
        "network",
        &[
            name(),
            up(),
            ("shared", json!({ "shared": true })),
            ("port_security_enabled", json!({ "port_security_enabled": false })),
            ("dns_domain", json!({ "dns_domain": "shop.example." })),
            ("qos_policy", json!({ "qos_policy_id": base.policy })),
        ],
    );
    let of_net = json!({ "network": net.thing.phys.to_string(), "cidr": "10.77.0.0/24" });
    let mut subnet = Bare::new(stage, "OS::Neutron::Subnet", of_net);
    all_of(
        &mut subnet,
        "subnet",
        &[
            name(),
            ("dns_nameservers", json!({ "dns_nameservers": ["9.9.9.9"] })),
            ("enable_dhcp", json!({ "enable_dhcp": false })),
            ("host_routes", json!({ "host_routes": [{ "destination": "10.9.0.0/16", "nexthop": "10.77.0.9" }] })),
            ("gateway_ip", json!({ "gateway_ip": null })),
            ("allocation_pools", json!({ "allocation_pools": [{ "start": "10.77.0.10", "end": "10.77.0.20" }] })),
        ],
    );
    let mut router = Bare::new(stage, "OS::Neutron::Router", json!({}));
    let way = json!({ "external_gateway_info": { "network_id": network(stage, "public") } });
    all_of(&mut router, "router", &[name(), up(), ("external_gateway_info", way)]);
    let way = json!({ "external_gateway_info": { "network": "public" } });
    let mut router = Bare::new(stage, "OS::Neutron::Router", way);
    let plain = json!({ "external_gateway_info": { "network_id": network(stage, "public"), "enable_snat": false } });
    if stage.has(router.kind, "external_gateway_info.enable_snat") {
        all_of(&mut router, "router", &[("external_gateway_info", plain)]);
    }
    let mut group = Bare::new(stage, "OS::Neutron::SecurityGroup", json!({}));
    let stateful = ("stateful", json!({ "stateful": false }));
    all_of(&mut group, "security_group", &[name(), stateful]);
    let id = group.thing.phys.to_string();
    let rule = json!({ "security_group_id": id, "direction": "ingress", "ethertype": "IPv4", "protocol": "tcp" });
    group.post("network", "/security-group-rules", json!({ "security_group_rule": rule }));
    group.has_drifted("rules");
    let mut port = Bare::new(stage, "OS::Neutron::Port", json!({ "network": base.net }));
    all_of(
        &mut port,
        "port",
        &[
            name(),
            up(),
            ("security_groups", json!({ "security_groups": [id] })),
            ("allowed_address_pairs", json!({ "allowed_address_pairs": [{ "ip_address": "10.1.0.200" }] })),
            ("binding:vnic_type", json!({ "binding:vnic_type": "direct" })),
            ("dns_name", json!({ "dns_name": "web" })),
            ("fixed_ips", json!({ "fixed_ips": [{ "subnet_id": base.subnet, "ip_address": "10.1.0.111" }] })),
            ("security_groups", json!({ "security_groups": [], "port_security_enabled": false })),
        ],
    );
    let mut floating = Bare::new(stage, "OS::Neutron::FloatingIP", json!({ "floating_network": "public" }));
    all_of(&mut floating, "floatingip", &[("port_id", json!({ "port_id": base.ports[1] }))]);
}

fn network(stage: &impl Jobs, name: &str) -> Value {
    stage.get("network", &format!("/networks?name={name}"))["networks"][0]["id"].clone()
}

/// Servers and volumes are unchanged.
pub(crate) fn servers_and_volumes<S: Jobs>(stage: &S) {
    let base = Base::new(stage);
    let networks = json!([{ "network": base.net }]);
    let properties = json!({ "flavor": "m1.small", "image": "debian-12", "networks": networks });
    let mut server = Bare::new(stage, "OS::Nova::Server", properties);
    server.is_as_it_was("nothing");
    server.put("compute", "server", "name", &json!({ "name": "other" }));
    server.has_drifted("name");
    server.post("compute", "/servers/ID/metadata", json!({ "metadata": { "by": "hand" } }));
    server.has_drifted("metadata");
    server.post("compute", "/servers/ID/os-interface", json!({ "interfaceAttachment": { "net_id": base.net } }));
    server.has_drifted("networks");
    server.post("compute", "/servers/ID/action", json!({ "resize": { "flavorRef": flavor(stage, "m1.medium") } }));
    server.becomes("compute", "/servers/ID", "/server/status", "VERIFY_RESIZE");
    server.post("compute", "/servers/ID/action", json!({ "confirmResize": null }));
    server.becomes("compute", "/servers/ID", "/server/status", "ACTIVE");
    server.has_drifted("flavor");
    let mut volume = Bare::new(stage, "OS::Cinder::Volume", json!({ "size": 1 }));
    volume.is_as_it_was("nothing");
    volume.put("block-storage", "volume", "name", &json!({ "name": "other" }));
    volume.has_drifted("name");
    volume.put("block-storage", "volume", "description", &json!({ "description": "other" }));
    volume.has_drifted("description");
    volume.post("block-storage", "/volumes/ID/metadata", json!({ "metadata": { "by": "hand" } }));
    volume.has_drifted("metadata");
    let retype = json!({ "os-retype": { "new_type": "fast", "migration_policy": "never" } });
    volume.post("block-storage", "/volumes/ID/action", retype);
    volume.becomes("block-storage", "/volumes/ID", "/volume/volume_type", "fast");
    volume.becomes("block-storage", "/volumes/ID", "/volume/status", "available");
    volume.has_drifted("volume_type");
}

fn flavor(stage: &impl Jobs, name: &str) -> Value {
    let flavors = stage.get("compute", "/flavors")["flavors"].clone();
    flavors.as_array().expect("flavors").iter().find(|flavor| flavor["name"] == name).expect("a flavor")["id"].clone()
}

/// Changes that services make by themselves are not reported.
pub(crate) fn what_the_cloud_does<S: Jobs>(stage: &S) {
    let base = Base::new(stage);
    let port = Bare::new(stage, "OS::Neutron::Port", json!({ "network": base.net }));
    let volume = Bare::new(stage, "OS::Cinder::Volume", json!({ "size": 1 }));
    let floating = Bare::new(stage, "OS::Neutron::FloatingIP", json!({ "floating_network": "public" }));
    let nics = json!([{ "port": port.thing.phys.to_string() }]);
    let server =
        stage.some("OS::Nova::Server", &json!({ "flavor": "m1.small", "image": "debian-12", "networks": nics }));
    // Nova names a port after its server.
    port.put("network", "port", "dns_name", &json!({ "dns_name": "shop-web" }));
    port.is_as_it_was("a server has it");
    let id = volume.thing.phys.to_string();
    stage.some("OS::Cinder::VolumeAttachment", &json!({ "instance_uuid": server, "volume_id": id }));
    // Cinder shows administrators the attachment mode.
    volume.post(
        "block-storage",
        "/volumes/ID/metadata",
        json!({ "metadata": { "attached_mode": "rw", "readonly": "False" } }),
    );
    volume.is_as_it_was("a server has it");
    let given = json!({ "floatingip_id": floating.thing.phys.to_string(), "port_id": port.thing.phys.to_string() });
    stage.some("OS::Neutron::FloatingIPAssociation", &given);
    floating.is_as_it_was("an association has it");
    port.is_as_it_was("a floating IP is at it");
    // Hosts assign themselves IPv6 addresses once a network has such a subnet.
    let six = json!({ "network": base.net, "cidr": "2001:db8:1::/64", "ip_version": 6, "ipv6_address_mode": "slaac", "ipv6_ra_mode": "slaac" });
    let six = stage.some("OS::Neutron::Subnet", &six);
    let mut all = port.thing.attributes["fixed_ips"].clone();
    if let wattle_model::Value::List(all) = &mut all {
        all.push(value(&json!({ "subnet_id": six, "ip_address": "2001:db8:1::5054" })));
    }
    port.put("network", "port", "fixed_ips", &json!({ "fixed_ips": serde_json::to_value(&all).expect("JSON") }));
    port.is_as_it_was("a subnet of IPv6 has come");
    // A value that was not recorded may be anything.
    let desk = Desk::expects(port.row, &port.properties).knows(port.row, port.kind, &port.thing.phys);
    let sight = stage.sight(port.row, port.kind, &desk.noted(&BTreeMap::new()));
    assert!(matches!(sight, Some(Sight::Ready(_))), "{sight:?}");
}

/// A name that a template no longer gives reverts to the default: the recorded one was given.
pub(crate) fn a_name_said_no_longer<S: Jobs>(stage: &S) {
    for (kind, more) in [
        ("OS::Neutron::Net", json!({})),
        ("OS::Neutron::SecurityGroup", json!({})),
        (
            "OS::Nova::Server",
            json!({ "flavor": "m1.small", "image": "debian-12", "networks": [{ "allocate_network": "none" }] }),
        ),
        ("OS::Cinder::Volume", json!({ "size": 1 })),
    ] {
        let mut named = more.clone();
        named["name"] = "otto".into();
        let mut thing = Bare::new(stage, kind, named);
        thing.properties = more;
        thing.has_drifted("name");
    }
}
