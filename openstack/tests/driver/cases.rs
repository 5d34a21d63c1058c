//! One resource of each type: its initial properties, its changes, and its attributes.

use serde_json::{Value, json};

use super::jobs::{Jobs, KEY};

/// One resource of a type.
pub(crate) struct Case {
    pub(crate) kind: &'static str,
    pub(crate) properties: Value,
    /// Properties that can be changed, with their new values.
    pub(crate) changes: Vec<(&'static str, Value)>,
    /// Attributes that are read.
    pub(crate) attributes: &'static [&'static str],
    /// A part of the path of the one request that may create a duplicate.
    pub(crate) made_by: &'static str,
}

/// What other resources need: ids of a network with a subnet, of resources on it, and of servers.
pub(crate) struct Base {
    pub(crate) net: String,
    pub(crate) subnet: String,
    pub(crate) router: String,
    pub(crate) ports: Vec<String>,
    pub(crate) group: String,
    pub(crate) servers: Vec<String>,
    pub(crate) volumes: Vec<String>,
    /// Two unassociated floating IPs.
    pub(crate) floating: [String; 2],
    /// A port with the addresses 10.1.0.210 and 10.1.0.211.
    pub(crate) wide_port: String,
    /// A QoS policy.
    pub(crate) policy: String,
}

impl Base {
    /// Creates it.
    pub(crate) fn new(stage: &impl Jobs) -> Self {
        let net = stage.some("OS::Neutron::Net", &json!({ "name": "base" }));
        let cidr = |cidr: &str| json!({ "network": net, "cidr": cidr });
        // A real Neutron chooses any address of the pool: keep those of the cases out of it.
        let mut apart = cidr("10.1.0.0/24");
        apart["allocation_pools"] = json!([{ "start": "10.1.0.120", "end": "10.1.0.190" }]);
        let subnet = stage.some("OS::Neutron::Subnet", &apart);
        let router = stage.some("OS::Neutron::Router", &json!({ "external_gateway_info": { "network": "public" } }));
        stage.some("OS::Neutron::RouterInterface", &json!({ "router": router, "subnet": subnet }));
        let port = || stage.some("OS::Neutron::Port", &json!({ "network": net }));
        let ports = vec![port(), port(), port()];
        let server = || {
            let properties = json!({ "flavor": "m1.small", "image": "debian-12", "networks": [{ "network": net }] });
            stage.some("OS::Nova::Server", &properties)
        };
        let volume = || stage.some("OS::Cinder::Volume", &json!({ "size": 1 }));
        let floating = || stage.some("OS::Neutron::FloatingIP", &json!({ "floating_network": "public" }));
        Self {
            policy: stage.policy(),
            group: stage.some("OS::Neutron::SecurityGroup", &json!({})),
            floating: [floating(), floating()],
            wide_port: stage.some(
                "OS::Neutron::Port",
                &json!({ "network": net, "fixed_ips": [{ "ip_address": "10.1.0.210" }, { "ip_address": "10.1.0.211" }] }),
            ),
            servers: vec![server(), server()],
            volumes: vec![volume(), volume()],
            ports,
            net,
            subnet,
            router,
        }
    }
}

/// One resource of each type.
pub(crate) fn cases(base: &Base) -> Vec<Case> {
    let mut cases = neutron(base);
    cases.extend(addresses(base));
    cases.extend(ties(base));
    cases.extend(nova(base));
    cases.push(Case {
        kind: "OS::Cinder::Volume",
        properties: json!({ "name": "data", "size": 2, "description": "of the shop", "metadata": { "tier": "db" }, "image": "debian-12" }),
        changes: vec![
            ("name", json!("more-data")),
            ("size", json!(5)),
            ("description", json!("of the café")),
            ("metadata", json!({ "tier": "web", "rack": 3 })),
            ("volume_type", json!("fast")),
        ],
        attributes: &["size", "status", "display_name", "display_description", "metadata_values", "availability_zone"],
        made_by: "/volumes",
    });
    cases
}

fn neutron(base: &Base) -> Vec<Case> {
    vec![
        Case {
            kind: "OS::Neutron::Net",
            properties: json!({ "name": "net", "tags": ["one"], "availability_zone_hints": ["nova"] }),
            changes: vec![
                ("name", json!("other")),
                ("tags", json!(["two", "three"])),
                ("admin_state_up", json!(false)),
                ("shared", json!(true)),
                ("port_security_enabled", json!(false)),
                ("dns_domain", json!("shop.example.")),
                ("qos_policy", json!(base.policy)),
                ("value_specs", json!({ "mtu": 1400 })),
            ],
            attributes: &["name", "status", "subnets", "mtu", "admin_state_up", "tenant_id"],
            made_by: "/networks",
        },
        Case {
            kind: "OS::Neutron::Subnet",
            properties: json!({ "network": base.net, "cidr": "10.2.0.0/24", "name": "subnet", "allocation_pools": [{ "start": "10.2.0.2", "end": "10.2.0.200" }] }),
            changes: vec![
                ("name", json!("other")),
                ("dns_nameservers", json!(["9.9.9.9", "1.1.1.1"])),
                ("enable_dhcp", json!(false)),
                ("host_routes", json!([{ "destination": "10.9.0.0/16", "nexthop": "10.2.0.9" }])),
                ("gateway_ip", json!("10.2.0.254")),
                ("allocation_pools", json!([{ "start": "10.2.0.10", "end": "10.2.0.20" }])),
                ("tags", json!(["front"])),
            ],
            attributes: &["name", "network_id", "cidr", "gateway_ip", "allocation_pools", "ip_version", "enable_dhcp"],
            made_by: "/subnets",
        },
        Case {
            kind: "OS::Neutron::Router",
            properties: json!({ "name": "router" }),
            changes: vec![
                ("name", json!("other")),
                ("admin_state_up", json!(false)),
                ("external_gateway_info", json!({ "network": "public" })),
                ("external_gateway_info", json!({ "network": "public", "enable_snat": false })),
                ("tags", json!(["edge"])),
            ],
            attributes: &["name", "status", "admin_state_up", "tenant_id"],
            made_by: "/routers",
        },
        Case {
            kind: "OS::Neutron::SecurityGroup",
            properties: json!({ "name": "group", "description": "of the shop", "rules": [
                { "protocol": "tcp", "port_range_min": 22, "port_range_max": 22, "remote_ip_prefix": "10.0.0.0/8" },
                { "remote_mode": "remote_group_id" },
            ] }),
            changes: vec![
                ("name", json!("other")),
                ("description", json!("of the café")),
                ("stateful", json!(false)),
                ("rules", json!([{ "protocol": "tcp", "port_range_min": 80, "port_range_max": 80 }])),
                (
                    "rules",
                    json!([{ "direction": "egress", "protocol": "udp", "ethertype": "IPv6", "description": "names" }]),
                ),
                ("rules", json!([])),
            ],
            attributes: &[],
            made_by: "/security-groups",
        },
    ]
}

/// Ports, and floating IPs that lead to them.
fn addresses(base: &Base) -> Vec<Case> {
    vec![
        Case {
            kind: "OS::Neutron::Port",
            properties: json!({ "name": "port", "network": base.net, "tags": ["one"], "security_groups": [], "fixed_ips": [{ "subnet": base.subnet, "ip_address": "10.1.0.77" }] }),
            changes: vec![
                ("name", json!("other")),
                ("admin_state_up", json!(false)),
                ("security_groups", json!([base.group])),
                ("allowed_address_pairs", json!([{ "ip_address": "10.1.0.200" }])),
                ("binding:vnic_type", json!("direct")),
                ("dns_name", json!("web")),
                ("tags", json!([])),
                ("port_security_enabled", json!(false)),
                ("qos_policy", json!(base.policy)),
                ("fixed_ips", json!([{ "subnet": base.subnet, "ip_address": "10.1.0.78" }])),
            ],
            attributes: &["fixed_ips", "mac_address", "name", "network_id", "status", "security_groups", "device_id"],
            made_by: "/ports",
        },
        Case {
            kind: "OS::Neutron::Port",
            properties: json!({ "network": base.net, "device_id": "machine-one", "device_owner": "machines:one" }),
            changes: vec![
                ("device_id", json!("machine-two")),
                ("device_owner", json!("machines:two")),
                ("no_fixed_ips", json!(true)),
            ],
            attributes: &["device_id", "device_owner"],
            made_by: "/ports",
        },
        Case {
            kind: "OS::Neutron::FloatingIP",
            properties: json!({ "floating_network": "public", "port_id": base.ports[0] }),
            changes: vec![("port_id", json!(base.ports[1]))],
            attributes: &["floating_ip_address", "fixed_ip_address", "port_id", "router_id", "floating_network_id"],
            made_by: "/floatingips",
        },
        Case {
            kind: "OS::Neutron::FloatingIP",
            properties: json!({ "floating_network": "public", "port_id": base.wide_port, "fixed_ip_address": "10.1.0.210" }),
            changes: vec![("fixed_ip_address", json!("10.1.0.211"))],
            attributes: &[],
            made_by: "/floatingips",
        },
    ]
}

fn ties(base: &Base) -> Vec<Case> {
    vec![
        Case {
            kind: "OS::Neutron::FloatingIPAssociation",
            properties: json!({ "floatingip_id": base.floating[0], "port_id": base.ports[0] }),
            changes: vec![("port_id", json!(base.ports[2])), ("floatingip_id", json!(base.floating[1]))],
            attributes: &[],
            made_by: "/floatingips",
        },
        Case {
            kind: "OS::Neutron::FloatingIPAssociation",
            properties: json!({ "floatingip_id": base.floating[0], "port_id": base.wide_port, "fixed_ip_address": "10.1.0.210" }),
            changes: vec![("fixed_ip_address", json!("10.1.0.211"))],
            attributes: &[],
            made_by: "/floatingips",
        },
        Case {
            kind: "OS::Nova::FloatingIPAssociation",
            properties: json!({ "floating_ip": base.floating[0], "server_id": base.servers[0] }),
            changes: vec![("server_id", json!(base.servers[1])), ("floating_ip", json!(base.floating[1]))],
            attributes: &[],
            made_by: "/floatingips",
        },
        Case {
            kind: "OS::Cinder::VolumeAttachment",
            properties: json!({ "instance_uuid": base.servers[0], "volume_id": base.volumes[0], "mountpoint": "/dev/vdb" }),
            changes: vec![("instance_uuid", json!(base.servers[1])), ("volume_id", json!(base.volumes[1]))],
            attributes: &["reference"],
            made_by: "/os-volume_attachments",
        },
    ]
}

fn nova(base: &Base) -> Vec<Case> {
    vec![
        Case {
            kind: "OS::Nova::Server",
            properties: json!({
                "name": "web", "flavor": "m1.small", "image": "debian-12", "networks": [{ "port": base.ports[0] }], "tags": ["front"],
                "metadata": { "tier": "web", "number": 3 }, "user_data": "#!/bin/sh\necho hi\n", "user_data_format": "RAW", "config_drive": true,
            }),
            changes: vec![
                ("name", json!("other")),
                ("flavor", json!("m1.medium")),
                ("image", json!("debian-13")),
                ("metadata", json!({ "tier": "db" })),
                ("tags", json!(["back"])),
                ("networks", json!([{ "port": base.ports[0] }, { "port": base.ports[1] }])),
                ("networks", json!([{ "network": base.net, "fixed_ip": "10.1.0.99" }])),
            ],
            attributes: &["first_address", "addresses", "networks", "name", "tags", "accessIPv4"],
            made_by: "/servers",
        },
        Case {
            kind: "OS::Nova::ServerGroup",
            properties: json!({ "name": "group", "policies": ["soft-anti-affinity"] }),
            changes: vec![],
            attributes: &[],
            made_by: "/os-server-groups",
        },
        Case {
            kind: "OS::Nova::KeyPair",
            properties: json!({ "name": "ann", "public_key": KEY }),
            changes: vec![],
            attributes: &["public_key", "reference"],
            made_by: "/os-keypairs",
        },
    ]
}
