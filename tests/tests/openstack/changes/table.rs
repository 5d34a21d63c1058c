//! The changes of each core type, and the properties that are not tested.

use serde_json::{Value, json};
use wattle::plan::Action;

/// One resource of each core type.
pub(crate) fn base() -> Value {
    let reference = |name: &str| json!({ "get_resource": name });
    json!({
        "net": { "type": "OS::Neutron::Net", "properties": { "name": "changes", "tags": ["one"] } },
        "other_net": { "type": "OS::Neutron::Net", "properties": { "name": "changes-other" } },
        "subnet": { "type": "OS::Neutron::Subnet", "properties": {
            "network": reference("net"), "cidr": "10.60.0.0/24",
            // Neutron chooses any address of the pool, so a requested one must be outside it.
            "allocation_pools": [{ "start": "10.60.0.120", "end": "10.60.0.190" }],
        } },
        "other_subnet": { "type": "OS::Neutron::Subnet", "properties": { "network": reference("other_net"), "cidr": "10.61.0.0/24" } },
        "spare_subnet": { "type": "OS::Neutron::Subnet", "properties": {
            "network": reference("other_net"), "cidr": "10.62.0.0/24",
            // A gateway cannot be in a pool.
            "allocation_pools": [{ "start": "10.62.0.10", "end": "10.62.0.200" }],
        } },
        "range": { "type": "OS::Neutron::Subnet", "properties": { "network": reference("other_net"), "cidr": "10.66.0.0/24" } },
        "router": { "type": "OS::Neutron::Router", "properties": { "external_gateway_info": { "network": "public" } } },
        "uplink": { "type": "OS::Neutron::RouterInterface",
                    "properties": { "router": reference("router"), "subnet": reference("subnet") } },
        "other_uplink": { "type": "OS::Neutron::RouterInterface",
                          "properties": { "router": reference("router"), "subnet": reference("other_subnet") } },
        "fence": { "type": "OS::Neutron::SecurityGroup", "properties": { "rules": [{ "protocol": "icmp" }] } },
        "port": { "type": "OS::Neutron::Port", "depends_on": ["subnet"],
                  "properties": { "network": reference("net"), "security_groups": [reference("fence")],
                                  "fixed_ips": [{ "subnet": reference("subnet"), "ip_address": "10.60.0.60" }] } },
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
        "spare_router": { "type": "OS::Neutron::Router", "properties": {} },
        "loose_fence": { "type": "OS::Neutron::SecurityGroup", "properties": {} },
        "rule": { "type": "OS::Neutron::SecurityGroupRule", "properties": {
            "security_group": reference("loose_fence"), "port_range_min": 80, "port_range_max": 90,
        } },
        "near": { "type": "OS::Neutron::Port", "properties": {
            "network": reference("net"), "fixed_ips": [{ "subnet": reference("subnet"), "ip_address": "10.60.0.52" }],
        } },
        "far": { "type": "OS::Neutron::Port", "depends_on": ["subnet"], "properties": { "network": reference("net") } },
        "loose": { "type": "OS::Neutron::FloatingIP", "properties": { "floating_network": "public" } },
        "other_loose": { "type": "OS::Neutron::FloatingIP", "properties": { "floating_network": "public" } },
        "joined": { "type": "OS::Neutron::FloatingIPAssociation", "depends_on": ["uplink"],
                    "properties": { "floatingip_id": reference("loose"), "port_id": reference("near") } },
        "spare_key": { "type": "OS::Nova::KeyPair", "properties": { "name": "changes-spare", "public_key": KEYS[1] } },
        "plain": { "type": "OS::Nova::Server", "depends_on": ["subnet"], "properties": {
            "image": "debian-12", "flavor": "m1.tiny", "networks": [{ "network": reference("net") }], "user_data_format": "RAW",
        } },
        "other_plain": { "type": "OS::Nova::Server", "depends_on": ["subnet"], "properties": {
            "image": "debian-12", "flavor": "m1.tiny", "networks": [{ "network": reference("net") }], "user_data_format": "RAW",
        } },
        "called": { "type": "OS::Neutron::FloatingIP", "properties": { "floating_network": "public" } },
        "hung": { "type": "OS::Nova::FloatingIPAssociation", "depends_on": ["uplink"],
                  "properties": { "floating_ip": reference("called"), "server_id": reference("plain") } },
        "attachment": { "type": "OS::Cinder::VolumeAttachment",
                        "properties": { "instance_uuid": reference("server"), "volume_id": reference("disk") } },
    })
}

/// A type that others refer to, without changes of its own.
pub(crate) const POLICY: &str = "OS::Neutron::QoSPolicy";

/// The same, plus resources that only an administrator may create.
pub(crate) fn base_of_administrator() -> Value {
    let mut base = base();
    base["bandwidth"] = json!({ "type": POLICY, "properties": {} });
    base["lent_net"] = json!({ "type": "OS::Neutron::Net", "properties": {} });
    base["lent_subnet"] = json!({ "type": "OS::Neutron::Subnet", "properties": {
        "network": { "get_resource": "lent_net" }, "cidr": "10.64.0.0/24",
    } });
    base
}

const KEYS: [&str; 2] = [
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTEx ann@example",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIy bob@example",
];

/// A change of one property: the resource, the property, another value, and the action on the resource.
pub(crate) type Change = (&'static str, &'static str, Value, Action);

/// The rows that `WATTLE_CHANGE` selects by `RESOURCE.PROPERTY`, or all of them without it.
pub(crate) fn chosen(rows: Vec<Change>) -> Vec<Change> {
    let chosen = std::env::var("WATTLE_CHANGE").unwrap_or_default();
    let is_chosen =
        |row: &Change| chosen.is_empty() || chosen.split(',').any(|chosen| chosen == format!("{}.{}", row.0, row.1));
    let rows: Vec<Change> = rows.into_iter().filter(is_chosen).collect();
    assert!(!rows.is_empty(), "there is no row `{chosen}`");
    rows
}

/// The changes, in order.
pub(crate) fn changes() -> Vec<Change> {
    let mut changes = of_neutron();
    changes.extend(of_the_others());
    changes
}

fn of_neutron() -> Vec<Change> {
    use Action::{Replace, Update};
    let reference = |name: &str| json!({ "get_resource": name });
    vec![
        ("net", "name", json!("changes-more"), Update),
        ("net", "tags", json!(["two"]), Update),
        ("net", "admin_state_up", json!(false), Update),
        ("net", "port_security_enabled", json!(false), Update),
        ("net", "dns_domain", json!("shop.example."), Update),
        ("net", "value_specs", json!({ "mtu": 1400 }), Update),
        ("range", "cidr", json!("10.63.0.0/24"), Replace),
        ("spare_subnet", "network", reference("net"), Replace),
        ("subnet", "dns_nameservers", json!(["9.9.9.9"]), Update),
        ("subnet", "enable_dhcp", json!(false), Update),
        ("subnet", "host_routes", json!([{ "destination": "10.9.0.0/16", "nexthop": "10.60.0.9" }]), Update),
        ("subnet", "tags", json!(["one"]), Update),
        ("subnet", "allocation_pools", json!([{ "start": "10.60.0.2", "end": "10.60.0.200" }]), Update),
        ("subnet", "name", json!("changes"), Update),
        ("subnet", "value_specs", json!({ "description": "of the shop" }), Update),
        ("spare_subnet", "gateway_ip", json!("10.62.0.254"), Update),
        ("router", "name", json!("changes"), Update),
        ("router", "tags", json!(["one"]), Update),
        ("router", "admin_state_up", json!(false), Update),
        ("router", "value_specs", json!({ "description": "of the shop" }), Update),
        ("spare_router", "external_gateway_info", json!({ "network": "public" }), Update),
        ("other_uplink", "router", reference("spare_router"), Replace),
        ("other_uplink", "subnet", reference("spare_subnet"), Replace),
        ("fence", "name", json!("changes"), Update),
        ("fence", "rules", json!([{ "protocol": "tcp", "port_range_min": 80, "port_range_max": 80 }]), Update),
        ("fence", "description", json!("of the shop"), Update),
        ("loose_fence", "stateful", json!(false), Update),
        ("rule", "security_group", reference("fence"), Replace),
        ("rule", "description", json!("of the shop"), Replace),
        ("rule", "direction", json!("egress"), Replace),
        ("rule", "ethertype", json!("IPv6"), Replace),
        ("rule", "port_range_min", json!(81), Replace),
        ("rule", "port_range_max", json!(91), Replace),
        ("rule", "protocol", json!("udp"), Replace),
        ("rule", "remote_group", reference("fence"), Replace),
        ("rule", "remote_ip_prefix", json!("10.60.0.0/24"), Replace),
        ("spare", "device_id", json!("machine"), Update),
        ("spare", "device_owner", json!("machines:one"), Update),
        ("spare", "value_specs", json!({ "description": "of the shop" }), Update),
        ("spare", "no_fixed_ips", json!(true), Update),
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
        ("loose", "dns_name", json!("web"), Update),
        ("loose", "dns_domain", json!("shop.example."), Update),
        ("loose", "value_specs", json!({ "description": "of the shop" }), Replace),
        ("address", "fixed_ip_address", json!("10.60.0.60"), Update),
        ("joined", "port_id", reference("far"), Update),
        ("joined", "floatingip_id", reference("other_loose"), Update),
        ("joined", "fixed_ip_address", json!("10.60.0.52"), Update),
        ("hung", "server_id", reference("other_plain"), Update),
        ("hung", "floating_ip", reference("other_loose"), Update),
    ]
}

fn of_the_others() -> Vec<Change> {
    use Action::{Rebuild, Refused, Replace, Update};
    let reference = |name: &str| json!({ "get_resource": name });
    vec![
        ("group", "name", json!("changes"), Replace),
        ("group", "policies", json!(["soft-affinity"]), Replace),
        ("server", "name", json!("changes-more"), Update),
        ("server", "metadata", json!({ "tier": "db" }), Update),
        ("server", "tags", json!(["two"]), Update),
        ("server", "flavor", json!("m1.small"), Update),
        ("server", "image", json!("debian-13"), Rebuild),
        ("server", "networks", json!([{ "port": reference("port") }, { "port": reference("spare") }]), Update),
        ("server", "user_data", json!("#!/bin/sh\nfalse\n"), Replace),
        ("server", "config_drive", json!(true), Replace),
        ("server", "admin_pass", json!("Secret-Word-1"), Update),
        ("server", "flavor_update_policy", json!("REPLACE"), Update),
        ("server", "image_update_policy", json!("REPLACE"), Update),
        ("server", "user_data_update_policy", json!("IGNORE"), Update),
        ("server", "software_config_transport", json!("POLL_SERVER_HEAT"), Update),
        ("server", "scheduler_hints", json!({ "hint": "none" }), Replace),
        ("plain", "key_name", reference("spare_key"), Replace),
        ("plain", "availability_zone", json!("nova"), Replace),
        ("plain", "security_groups", json!([reference("loose_fence")]), Replace),
        ("plain", "user_data_format", json!("SOFTWARE_CONFIG"), Replace),
        ("plain", "diskConfig", json!("AUTO"), Replace),
        (
            "plain",
            "block_device_mapping_v2",
            json!([{ "volume_id": reference("spare_disk"), "boot_index": -1, "delete_on_termination": false }]),
            Replace,
        ),
        ("other_plain", "networks", json!([{ "network": reference("other_net") }]), Update),
        ("disk", "name", json!("changes-more"), Update),
        ("disk", "metadata", json!({ "tier": "db" }), Update),
        ("spare_disk", "description", json!("spare"), Update),
        ("spare_disk", "size", json!(3), Update),
        ("spare_disk", "volume_type", json!("fast"), Update),
        ("spare_disk", "read_only", json!(true), Update),
        ("spare_disk", "availability_zone", json!("nova"), Replace),
        ("spare_disk", "scheduler_hints", json!({ "hint": "none" }), Replace),
        ("disk", "source_volid", reference("spare_disk"), Replace),
        ("attachment", "instance_uuid", reference("plain"), Update),
        ("attachment", "mountpoint", json!("/dev/vdc"), Update),
        ("attachment", "volume_id", reference("spare_disk"), Update),
        ("disk", "size", json!(1), Refused),
        ("spare_key", "name", json!("changes-more"), Replace),
        ("spare_key", "type", json!("ssh"), Replace),
        ("spare_key", "save_private_key", json!(true), Replace),
        // This one comes last, because Heat has no key afterwards. The plan reports that.
        ("key", "public_key", json!(KEYS[1]), Replace),
    ]
}

/// Changes that only an administrator may make. The cloud has another `project`.
pub(crate) fn changes_of_administrator(project: &str) -> Vec<Change> {
    use Action::{Replace, Update};
    let policy = json!({ "get_resource": "bandwidth" });
    vec![
        ("net", "shared", json!(true), Update),
        ("net", "qos_policy", policy.clone(), Update),
        ("spare", "qos_policy", policy, Update),
        ("lent_subnet", "tenant_id", json!(project), Replace),
        ("lent_net", "tenant_id", json!(project), Replace),
        ("spare_router", "tenant_id", json!(project), Replace),
        ("other_loose", "floating_ip_address", json!("10.78.0.77"), Replace),
    ]
}

/// Changes that Heat begins and a service then refuses: the resource, the property, and a part of the reason. Heat creates
/// the new resource before it deletes the old one.
pub(crate) const REFUSED_BY_SERVICES: [(&str, &str, &str); 3] = [
    ("lent_subnet", "tenant_id", "overlaps with another subnet"),
    ("other_uplink", "router", "IP address 10.61.0.1 already allocated"),
    ("rule", "description", "Security group rule already exists"),
];

/// Properties that these tests do not change, and why.
pub(crate) const UNTRIED: [(&str, &[&str], &str); 15] = [
    ("OS::Neutron::Net", &["availability_zone_hints", "dhcp_agent_ids"], "Neutron has no agents in the lab"),
    ("OS::Neutron::Subnet", &["segment"], "segments belong to Neutron's agents, and the lab has none"),
    ("OS::Neutron::Subnet", &["subnetpool", "prefixlen"], "they are given instead of a range"),
    (
        "OS::Neutron::Subnet",
        &["ip_version", "ipv6_ra_mode", "ipv6_address_mode"],
        "they must change together with the range",
    ),
    (
        "OS::Neutron::Router",
        &["availability_zone_hints", "l3_agent_ids", "distributed", "ha"],
        "Neutron has no agents in the lab",
    ),
    ("OS::Neutron::RouterInterface", &["port"], "it is given instead of a subnet"),
    ("OS::Neutron::Port", &["propagate_uplink_status"], "Neutron has it only if an extension is enabled"),
    ("OS::Neutron::FloatingIP", &["floating_network", "floating_subnet"], "the lab has only one external network"),
    ("OS::Nova::KeyPair", &["user"], "Heat deletes the deploying user's key instead"),
    ("OS::Nova::ServerGroup", &["rules"], "they must change together with the policy"),
    ("OS::Nova::Server", &["block_device_mapping"], "Heat translates it into its newer version"),
    ("OS::Nova::Server", &["reservation_id"], "it needs a service that the lab lacks"),
    ("OS::Nova::Server", &["personality"], "Nova no longer supports it"),
    ("OS::Nova::Server", &["deployment_swift_data"], "the lab has no Swift"),
    ("OS::Cinder::Volume", &["image", "snapshot_id", "backup_id"], "volumes in the lab hold no data"),
];
