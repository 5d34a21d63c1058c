//! Maps properties to Neutron's keys.

use super::super::find::Sort;
use super::super::plain::{Column, Form, Plain, Quirk, back, fixed, free};
use super::super::work::Collection;

const fn collection(path: &'static str, key: &'static str) -> Collection {
    Collection { service: "network", path, key, version: None }
}

static NETS: Collection = collection("/networks", "networks");
static SUBNETS: Collection = collection("/subnets", "subnets");
static ROUTERS: Collection = collection("/routers", "routers");
static GROUPS: Collection = collection("/security-groups", "security_groups");
pub(in crate::driver) static PORTS: Collection = collection("/ports", "ports");
pub(super) static FLOATING_IPS: Collection = collection("/floatingips", "floatingips");

const ADMIN_STATE: Column = back("admin_state_up", Form::Same, "true");
const TENANT: Column = fixed("tenant_id", "tenant_id", Form::Same);
const QOS: Column = Column { default: Some("null"), ..free("qos_policy", "qos_policy_id", Form::Id(Sort::Policy)) };

pub(super) static NET: Plain = Plain {
    collection: &NETS,
    one: "network",
    columns: &[
        ADMIN_STATE,
        TENANT,
        QOS,
        back("shared", Form::Same, "false"),
        free("port_security_enabled", "port_security_enabled", Form::Same),
        back("dns_domain", Form::Same, "\"\""),
        fixed("availability_zone_hints", "availability_zone_hints", Form::Filled),
    ],
    described: false,
    tagged: true,
    attributes: &[
        ("status", "status"),
        ("name", "name"),
        ("subnets", "subnets"),
        ("admin_state_up", "admin_state_up"),
        ("tenant_id", "tenant_id"),
        ("port_security_enabled", "port_security_enabled"),
        ("mtu", "mtu"),
        ("qos_policy_id", "qos_policy_id"),
        ("l2_adjacency", "l2_adjacency"),
    ],
    quirk: Quirk::None,
};

pub(super) static SUBNET: Plain = Plain {
    collection: &SUBNETS,
    one: "subnet",
    columns: &[
        TENANT,
        fixed("network", "network_id", Form::Id(Sort::Network)),
        fixed("subnetpool", "subnetpool_id", Form::Id(Sort::SubnetPool)),
        fixed("prefixlen", "prefixlen", Form::Same),
        fixed("cidr", "cidr", Form::Filled),
        fixed("ip_version", "ip_version", Form::Same),
        fixed("ipv6_ra_mode", "ipv6_ra_mode", Form::Filled),
        fixed("ipv6_address_mode", "ipv6_address_mode", Form::Filled),
        fixed("segment", "segment_id", Form::Filled),
        back("dns_nameservers", Form::Ordered, "[]"),
        back("enable_dhcp", Form::Same, "true"),
        back("host_routes", Form::Same, "[]"),
        free("gateway_ip", "gateway_ip", Form::Gateway),
        free("allocation_pools", "allocation_pools", Form::Filled),
    ],
    described: false,
    tagged: true,
    attributes: &[
        ("name", "name"),
        ("network_id", "network_id"),
        ("tenant_id", "tenant_id"),
        ("allocation_pools", "allocation_pools"),
        ("gateway_ip", "gateway_ip"),
        ("host_routes", "host_routes"),
        ("ip_version", "ip_version"),
        ("cidr", "cidr"),
        ("dns_nameservers", "dns_nameservers"),
        ("enable_dhcp", "enable_dhcp"),
    ],
    quirk: Quirk::Subnet,
};

pub(super) static ROUTER: Plain = Plain {
    collection: &ROUTERS,
    one: "router",
    columns: &[
        ADMIN_STATE,
        TENANT,
        back("external_gateway_info", Form::Nested, "null"),
        fixed("distributed", "distributed", Form::Same),
        fixed("ha", "ha", Form::Same),
        fixed("availability_zone_hints", "availability_zone_hints", Form::Filled),
    ],
    described: false,
    tagged: true,
    attributes: &[
        ("status", "status"),
        ("external_gateway_info", "external_gateway_info"),
        ("name", "name"),
        ("admin_state_up", "admin_state_up"),
        ("tenant_id", "tenant_id"),
    ],
    quirk: Quirk::None,
};

pub(super) static GROUP: Plain = Plain {
    collection: &GROUPS,
    one: "security_group",
    columns: &[back("stateful", Form::Same, "true")],
    described: true,
    tagged: false,
    attributes: &[],
    quirk: Quirk::Group,
};

pub(super) static PORT: Plain = Plain {
    collection: &PORTS,
    one: "port",
    columns: &[
        ADMIN_STATE,
        QOS,
        fixed("network", "network_id", Form::Id(Sort::Network)),
        fixed("mac_address", "mac_address", Form::Filled),
        fixed("propagate_uplink_status", "propagate_uplink_status", Form::Same),
        free("fixed_ips", "fixed_ips", Form::Nested),
        free("no_fixed_ips", "fixed_ips", Form::NoAddress),
        free("security_groups", "security_groups", Form::Ids(Sort::Group)),
        free("port_security_enabled", "port_security_enabled", Form::Same),
        free("device_id", "device_id", Form::Filled),
        free("device_owner", "device_owner", Form::Filled),
        back("allowed_address_pairs", Form::Same, "[]"),
        back("binding:vnic_type", Form::Same, "\"normal\""),
        back("dns_name", Form::Same, "\"\""),
    ],
    described: false,
    tagged: true,
    attributes: &[
        ("admin_state_up", "admin_state_up"),
        ("device_id", "device_id"),
        ("device_owner", "device_owner"),
        ("fixed_ips", "fixed_ips"),
        ("mac_address", "mac_address"),
        ("name", "name"),
        ("network_id", "network_id"),
        ("security_groups", "security_groups"),
        ("status", "status"),
        ("tenant_id", "tenant_id"),
        ("allowed_address_pairs", "allowed_address_pairs"),
        ("port_security_enabled", "port_security_enabled"),
        ("qos_policy_id", "qos_policy_id"),
        ("dns_assignment", "dns_assignment"),
        ("propagate_uplink_status", "propagate_uplink_status"),
    ],
    quirk: Quirk::Port,
};

pub(super) static FLOATING_IP: Plain = Plain {
    collection: &FLOATING_IPS,
    one: "floatingip",
    columns: &[
        fixed("floating_network", "floating_network_id", Form::Id(Sort::Network)),
        fixed("floating_subnet", "subnet_id", Form::Id(Sort::Subnet)),
        fixed("floating_ip_address", "floating_ip_address", Form::Filled),
        fixed("dns_name", "dns_name", Form::Filled),
        fixed("dns_domain", "dns_domain", Form::Filled),
        Column { default: Some("null"), ..free("port_id", "port_id", Form::Id(Sort::Port)) },
        free("fixed_ip_address", "fixed_ip_address", Form::Filled),
    ],
    described: false,
    tagged: false,
    attributes: &[
        ("router_id", "router_id"),
        ("tenant_id", "tenant_id"),
        ("floating_network_id", "floating_network_id"),
        ("fixed_ip_address", "fixed_ip_address"),
        ("floating_ip_address", "floating_ip_address"),
        ("port_id", "port_id"),
    ],
    quirk: Quirk::Floating,
};
