//! The kinds of things: their attributes, with defaults and whether they can be changed. Source: Networking API v2.0.

/// A kind of thing.
#[derive(Debug)]
pub(super) struct ApiResource {
    /// The collection in a path.
    pub(super) path: &'static str,
    /// The key of a list.
    pub(super) key: &'static str,
    /// The key of a single item.
    pub(super) one: &'static str,
    /// Its name in messages.
    pub(super) called: &'static str,
    /// The attributes accepted at creation.
    pub(super) attributes: &'static [Attribute],
}

/// An attribute accepted at creation.
#[derive(Debug)]
pub(super) struct Attribute {
    pub(super) name: &'static str,
    /// Whether it can be changed afterwards.
    pub(super) changes: bool,
    /// The default as JSON; `None` if the attribute is required.
    pub(super) default: Option<&'static str>,
}

const fn needed(name: &'static str) -> Attribute {
    Attribute { name, changes: false, default: None }
}

const fn fixed(name: &'static str, default: &'static str) -> Attribute {
    Attribute { name, changes: false, default: Some(default) }
}

const fn free(name: &'static str, default: &'static str) -> Attribute {
    Attribute { name, changes: true, default: Some(default) }
}

/// The kind whose collection has this name.
pub(super) fn of(collection: &str) -> Option<&'static ApiResource> {
    TABLE.iter().find(|kind| kind.path == collection)
}

pub(super) static TABLE: [ApiResource; 7] = [
    ApiResource {
        path: "networks",
        key: "networks",
        one: "network",
        called: "Network",
        attributes: &[
            free("name", "\"\""),
            free("description", "\"\""),
            free("admin_state_up", "true"),
            free("shared", "false"),
            free("router:external", "false"),
            free("mtu", "1450"),
            free("port_security_enabled", "true"),
            free("dns_domain", "\"\""),
            free("qos_policy_id", "null"),
            fixed("provider:network_type", "\"vxlan\""),
            fixed("provider:physical_network", "null"),
            fixed("provider:segmentation_id", "null"),
            fixed("vlan_transparent", "null"),
            fixed("availability_zone_hints", "[]"),
            fixed("status", "\"ACTIVE\""),
            fixed("subnets", "[]"),
            fixed("tags", "[]"),
        ],
    },
    ApiResource {
        path: "subnets",
        key: "subnets",
        one: "subnet",
        called: "Subnet",
        attributes: &[
            needed("network_id"),
            needed("ip_version"),
            free("name", "\"\""),
            free("description", "\"\""),
            fixed("cidr", "null"),
            free("gateway_ip", "\"first\""),
            free("enable_dhcp", "true"),
            free("dns_nameservers", "[]"),
            free("host_routes", "[]"),
            free("allocation_pools", "[]"),
            fixed("ipv6_ra_mode", "null"),
            fixed("ipv6_address_mode", "null"),
            fixed("subnetpool_id", "null"),
            fixed("prefixlen", "null"),
            free("segment_id", "null"),
            fixed("tags", "[]"),
        ],
    },
    ApiResource {
        path: "ports",
        key: "ports",
        one: "port",
        called: "Port",
        attributes: &[
            needed("network_id"),
            free("name", "\"\""),
            free("description", "\"\""),
            free("admin_state_up", "true"),
            fixed("mac_address", "null"),
            free("fixed_ips", "null"),
            free("security_groups", "null"),
            free("allowed_address_pairs", "[]"),
            free("device_id", "\"\""),
            free("device_owner", "\"\""),
            free("port_security_enabled", "true"),
            free("binding:vnic_type", "\"normal\""),
            free("binding:host_id", "\"\""),
            free("binding:profile", "{}"),
            free("extra_dhcp_opts", "[]"),
            free("dns_name", "\"\""),
            free("dns_domain", "\"\""),
            free("qos_policy_id", "null"),
            fixed("propagate_uplink_status", "null"),
            fixed("status", "\"DOWN\""),
            fixed("tags", "[]"),
        ],
    },
    ApiResource {
        path: "routers",
        key: "routers",
        one: "router",
        called: "Router",
        attributes: &[
            free("name", "\"\""),
            free("description", "\"\""),
            free("admin_state_up", "true"),
            free("external_gateway_info", "null"),
            free("routes", "[]"),
            free("distributed", "false"),
            fixed("ha", "false"),
            fixed("flavor_id", "null"),
            fixed("availability_zone_hints", "[]"),
            fixed("status", "\"ACTIVE\""),
            fixed("tags", "[]"),
        ],
    },
    ApiResource {
        path: "floatingips",
        key: "floatingips",
        one: "floatingip",
        called: "Floating IP",
        attributes: &[
            needed("floating_network_id"),
            free("description", "\"\""),
            free("port_id", "null"),
            free("fixed_ip_address", "null"),
            fixed("floating_ip_address", "null"),
            fixed("subnet_id", "null"),
            fixed("dns_name", "\"\""),
            fixed("dns_domain", "\"\""),
            free("qos_policy_id", "null"),
            fixed("router_id", "null"),
            fixed("status", "\"DOWN\""),
            fixed("tags", "[]"),
        ],
    },
    ApiResource {
        path: "security-groups",
        key: "security_groups",
        one: "security_group",
        called: "Security group",
        attributes: &[
            free("name", "\"\""),
            free("description", "\"\""),
            free("stateful", "true"),
            fixed("security_group_rules", "[]"),
            fixed("shared", "false"),
            fixed("tags", "[]"),
        ],
    },
    ApiResource {
        path: "security-group-rules",
        key: "security_group_rules",
        one: "security_group_rule",
        called: "Security group rule",
        attributes: &[
            needed("security_group_id"),
            needed("direction"),
            fixed("ethertype", "\"IPv4\""),
            fixed("protocol", "null"),
            fixed("port_range_min", "null"),
            fixed("port_range_max", "null"),
            fixed("remote_ip_prefix", "null"),
            fixed("remote_group_id", "null"),
            fixed("remote_address_group_id", "null"),
            fixed("description", "\"\""),
            fixed("normalized_cidr", "null"),
        ],
    },
];
