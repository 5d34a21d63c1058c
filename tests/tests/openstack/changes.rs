//! What `plan` says of each kind of change, and what Heat and the services then do: a thing that is the same keeps its id, one that is
//! changed has an event and keeps it, one that is replaced has another, and Nova says itself what it has done to a server.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};
use wattle::plan::{Action, State, plan};
use wattle_runtime::openstack::TemplateSource;
use wattle_tests::openstack::{RealHeat, RealStack, is_there};

/// One of each of the core types.
fn base() -> Value {
    let reference = |name: &str| json!({ "get_resource": name });
    json!({
        "net": { "type": "OS::Neutron::Net", "properties": { "name": "changes", "tags": ["one"] } },
        "other_net": { "type": "OS::Neutron::Net", "properties": { "name": "changes-other" } },
        "subnet": { "type": "OS::Neutron::Subnet", "properties": { "network": reference("net"), "cidr": "10.60.0.0/24" } },
        "other_subnet": { "type": "OS::Neutron::Subnet", "properties": { "network": reference("other_net"), "cidr": "10.61.0.0/24" } },
        "spare_subnet": { "type": "OS::Neutron::Subnet", "properties": { "network": reference("other_net"), "cidr": "10.62.0.0/24" } },
        "router": { "type": "OS::Neutron::Router", "properties": { "external_gateway_info": { "network": "public" } } },
        "uplink": { "type": "OS::Neutron::RouterInterface",
                    "properties": { "router": reference("router"), "subnet": reference("subnet") } },
        "other_uplink": { "type": "OS::Neutron::RouterInterface",
                          "properties": { "router": reference("router"), "subnet": reference("other_subnet") } },
        "fence": { "type": "OS::Neutron::SecurityGroup", "properties": { "rules": [{ "protocol": "icmp" }] } },
        "port": { "type": "OS::Neutron::Port", "depends_on": ["subnet"],
                  "properties": { "network": reference("net"), "security_groups": [reference("fence")] } },
        "spare": { "type": "OS::Neutron::Port", "depends_on": ["subnet"], "properties": { "network": reference("net") } },
        "address": { "type": "OS::Neutron::FloatingIP", "depends_on": ["uplink"],
                     "properties": { "floating_network": "public", "port_id": reference("port") } },
        "key": { "type": "OS::Nova::KeyPair", "properties": { "name": "changes", "public_key": KEYS[0] } },
        "group": { "type": "OS::Nova::ServerGroup", "properties": { "policies": ["soft-anti-affinity"] } },
        "server": { "type": "OS::Nova::Server", "properties": {
            "name": "changes", "image": "debian-12", "flavor": "m1.tiny", "networks": [{ "port": reference("port") }],
            "key_name": reference("key"), "metadata": { "tier": "web" }, "scheduler_hints": { "group": reference("group") },
            "user_data_format": "RAW", "user_data": "#!/bin/sh\ntrue\n", "tags": ["one"],
        } },
        "disk": { "type": "OS::Cinder::Volume", "properties": { "name": "changes", "size": 2, "metadata": { "tier": "web" } } },
        "spare_disk": { "type": "OS::Cinder::Volume", "properties": { "size": 1 } },
        "attachment": { "type": "OS::Cinder::VolumeAttachment",
                        "properties": { "instance_uuid": reference("server"), "volume_id": reference("disk") } },
    })
}

const KEYS: [&str; 2] = [
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTEx ann@example",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIy bob@example",
];

/// A change of one property: the resource, the property, another value, and what becomes of the resource.
fn changes() -> Vec<(&'static str, &'static str, Value, Action)> {
    use Action::{Rebuild, Refused, Replace, Update};
    let reference = |name: &str| json!({ "get_resource": name });
    vec![
        ("net", "name", json!("changes-more"), Update),
        ("net", "tags", json!(["two"]), Update),
        ("net", "admin_state_up", json!(false), Update),
        ("net", "port_security_enabled", json!(false), Update),
        ("net", "dns_domain", json!("shop.example."), Update),
        ("spare_subnet", "cidr", json!("10.63.0.0/24"), Replace),
        ("spare_subnet", "network", reference("net"), Replace),
        ("subnet", "dns_nameservers", json!(["9.9.9.9"]), Update),
        ("subnet", "enable_dhcp", json!(false), Update),
        ("subnet", "host_routes", json!([{ "destination": "10.9.0.0/16", "nexthop": "10.60.0.9" }]), Update),
        ("subnet", "tags", json!(["one"]), Update),
        ("subnet", "allocation_pools", json!([{ "start": "10.60.0.2", "end": "10.60.0.200" }]), Update),
        ("router", "name", json!("changes"), Update),
        ("router", "tags", json!(["one"]), Update),
        ("router", "admin_state_up", json!(false), Update),
        ("other_uplink", "subnet", reference("spare_subnet"), Replace),
        ("fence", "name", json!("changes"), Update),
        ("fence", "rules", json!([{ "protocol": "tcp", "port_range_min": 80, "port_range_max": 80 }]), Update),
        ("fence", "description", json!("of the shop"), Update),
        ("spare", "name", json!("changes"), Update),
        ("spare", "admin_state_up", json!(false), Update),
        ("spare", "dns_name", json!("web"), Update),
        ("spare", "allowed_address_pairs", json!([{ "ip_address": "10.60.0.200" }]), Update),
        ("spare", "binding:vnic_type", json!("direct"), Update),
        ("spare", "port_security_enabled", json!(true), Update),
        ("spare", "tags", json!(["one"]), Update),
        ("spare", "fixed_ips", json!([{ "subnet": reference("subnet"), "ip_address": "10.60.0.99" }]), Update),
        ("spare", "security_groups", json!([reference("fence")]), Update),
        ("spare", "network", reference("other_net"), Replace),
        ("spare", "mac_address", json!("fa:16:3e:00:00:99"), Replace),
        ("address", "port_id", reference("spare"), Update),
        ("group", "policies", json!(["soft-affinity"]), Replace),
        ("server", "name", json!("changes-more"), Update),
        ("server", "metadata", json!({ "tier": "db" }), Update),
        ("server", "tags", json!(["two"]), Update),
        ("server", "flavor", json!("m1.small"), Update),
        ("server", "image", json!("debian-13"), Rebuild),
        ("server", "networks", json!([{ "port": reference("port") }, { "port": reference("spare") }]), Update),
        ("server", "user_data", json!("#!/bin/sh\nfalse\n"), Replace),
        ("server", "config_drive", json!(true), Replace),
        ("disk", "name", json!("changes-more"), Update),
        ("disk", "metadata", json!({ "tier": "db" }), Update),
        ("spare_disk", "description", json!("spare"), Update),
        ("spare_disk", "size", json!(3), Update),
        ("attachment", "volume_id", reference("spare_disk"), Update),
        ("disk", "size", json!(1), Refused),
        // The last one, because Heat then has no key any more: the plan says so.
        ("key", "public_key", json!(KEYS[1]), Replace),
    ]
}

fn template(resources: &Value) -> Value {
    json!({ "heat_template_version": "2021-04-16", "resources": resources })
}

fn source(template: &Value) -> TemplateSource {
    TemplateSource {
        template: "template.yaml".into(),
        files: [("template.yaml".to_owned(), template.to_string())].into_iter().collect(),
        stack: "changes".into(),
        ..TemplateSource::default()
    }
}

/// What is seen of a stack from outside.
struct Looked {
    ids: BTreeMap<String, String>,
    events: BTreeMap<(String, String), usize>,
    rebuilt: usize,
}

impl Looked {
    fn at(heat: &RealHeat, stack: &RealStack<'_>) -> Self {
        let ids = stack.ids();
        let done = heat.ask("compute", &format!("/servers/{}/os-instance-actions", ids["server"]));
        let done = done["instanceActions"].as_array().expect("a list").clone();
        let rebuilt = done.iter().filter(|action| action["action"] == "rebuild").count();
        Self { ids, events: stack.events(), rebuilt }
    }

    /// What was done to a resource since.
    fn since(&self, before: &Self, name: &str) -> Action {
        let events = |looked: &Self, status: &str| {
            looked.events.get(&(name.to_owned(), status.to_owned())).copied().unwrap_or_default()
        };
        let is_new = |status: &str| events(self, status) > events(before, status);
        if is_new("UPDATE_FAILED") {
            return Action::Refused;
        }
        match (before.ids.get(name), self.ids.get(name)) {
            (None, Some(_)) => Action::Create,
            (Some(_), None) => Action::Delete,
            // What is called by its name, or by what it joins, is the same by its id, or another one although it stays.
            (Some(_), Some(_)) if is_new("CREATE_COMPLETE") => Action::Replace,
            _ if name == "server" && self.rebuilt > before.rebuilt => Action::Rebuild,
            _ if is_new("UPDATE_COMPLETE") => Action::Update,
            _ => Action::Unchanged,
        }
    }
}

#[test]
fn each_change_is_what_plan_says_on_a_real_openstack() {
    if !is_there("each kind of change, planned and done") {
        return;
    }
    let heat = RealHeat::new();
    let before = template(&base());
    let mut stack = heat.made("changes", &source(&before));
    let (mut table, mut wrong) =
        (String::from("| resource | property | plan | Heat |\n|---|---|---|---|\n"), Vec::new());
    for (name, property, value, expected) in changes() {
        let mut resources = base();
        resources[name]["properties"][property] = value;
        let after = template(&resources);
        // There, and back: what is no more given is another change.
        for (from, to, way) in [(&before, &after, ""), (&after, &before, ", back")] {
            let said = plan(Some(&state(from)), &state(to));
            let planned = said.resources[name].action;
            if way.is_empty() && planned != expected {
                wrong.push(format!("`{property}` of {name}: {expected:?} is right, and planned is {planned:?}"));
            }
            let earlier = Looked::at(&heat, &stack);
            let (status, reason) = stack.update(&source(to));
            let later = Looked::at(&heat, &stack);
            let done = later.since(&earlier, name);
            let _ = writeln!(table, "| {name} | {property}{way} | {planned:?} | {done:?} |");
            for (other, resource) in &said.resources {
                let done = later.since(&earlier, other);
                let is_so = match resource.action {
                    Action::MayUpdate => matches!(done, Action::Unchanged | Action::Update),
                    Action::MayRebuild => matches!(done, Action::Unchanged | Action::Update | Action::Rebuild),
                    Action::MayReplace => matches!(done, Action::Unchanged | Action::Update | Action::Replace),
                    // It was begun before what is refused was.
                    _ if planned == Action::Refused && **other != *name => true,
                    action => action == done,
                };
                if !is_so {
                    let planned = resource.action;
                    wrong.push(format!(
                        "`{property}` of {name}{way}: of {other} the plan says {planned:?}, and done was {done:?}: {status}, {reason}"
                    ));
                }
            }
            if (name, way) == ("key", "") {
                let help = said.resources[name].help.join(" ");
                let is_left = heat.ask("compute", "/os-keypairs")["keypairs"].to_string().contains("\"changes\"");
                assert!(help.contains("nothing is left") && !is_left, "{help}; it is left: {is_left}");
            }
            // What follows is not to suffer from it.
            if status != "UPDATE_COMPLETE" {
                println!("{name}, {property}{way}: {status}, {reason}");
                stack.delete();
                stack = heat.made("changes", &source(&before));
                break;
            }
        }
    }
    println!("{table}");
    stack.delete();
    assert!(wrong.is_empty(), "{table}\n{}", wrong.join("\n"));
}

fn state(template: &Value) -> State {
    let files = [("template.yaml".to_owned(), template.to_string())].into_iter().collect();
    State::new(&files, Default::default(), None).expect("a state")
}
