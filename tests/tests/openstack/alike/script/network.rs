//! Existing resources, and networks.

use wattle_openstack::Method::{Delete, Get, Post, Put};

use super::{COMPUTE, IMAGES, NETWORK, Step, VOLUMES, step};

pub(super) const STEPS: &[Step] = &[
    Step {
        keeps: &[("outside", "/networks/0/id")],
        ..step("networks outside", NETWORK, Get, "/networks?router:external=true")
    },
    Step { keeps: &[("image", "/images/0/id")], ..step("images", IMAGES, Get, "/images?name=debian-12") },
    Step {
        keeps: &[("flavor", "/flavors/0/id"), ("larger", "/flavors/1/id")],
        ..step("flavors", COMPUTE, Get, "/flavors/detail")
    },
    step("zones", COMPUTE, Get, "/os-availability-zone"),
    step("list flavors", COMPUTE, Get, "/flavors"),
    step("show a flavor", COMPUTE, Get, "/flavors/<flavor>"),
    step("Nova's limits", COMPUTE, Get, "/limits"),
    step("Cinder's limits", VOLUMES, Get, "/limits"),
    step("the default type of volumes", VOLUMES, Get, "/types/default"),
    Step {
        body: r#"{"network": {"name": "<unique>", "description": "<unique>"}}"#,
        keeps: &[("net", "/network/id"), ("project", "/network/tenant_id")],
        ..step("create a network", NETWORK, Post, "/networks")
    },
    step("show a network", NETWORK, Get, "/networks/<net>"),
    Step {
        body: r#"{"network": {"name": "<unique>-b", "admin_state_up": true}}"#,
        ..step("change a network", NETWORK, Put, "/networks/<net>")
    },
    step("list networks by description", NETWORK, Get, "/networks?description=<unique>"),
    step("Neutron's quotas", NETWORK, Get, "/quotas/<project>/details"),
    Step { body: r#"{"tags": ["<unique>", "b"]}"#, ..step("tag a network", NETWORK, Put, "/networks/<net>/tags") },
    Step {
        body: r#"{"network": {"colour": "red"}}"#,
        ..step("a network with a property that there is not", NETWORK, Post, "/networks")
    },
    step("show a network that is not there", NETWORK, Get, "/networks/00000000-0000-0000-0000-000000000000"),
    Step {
        body: r#"{"subnet": {"network_id": "<net>", "ip_version": 4, "cidr": "10.9.0.0/24", "description": "<unique>"}}"#,
        keeps: &[("subnet", "/subnet/id")],
        ..step("create a subnet", NETWORK, Post, "/subnets")
    },
    Step {
        body: r#"{"subnet": {"network_id": "<net>", "ip_version": 4, "cidr": "10.9.0.0/25"}}"#,
        ..step("create one that overlaps", NETWORK, Post, "/subnets")
    },
    Step {
        body: r#"{"subnet": {"dns_nameservers": ["10.9.0.9"]}}"#,
        ..step("change a subnet", NETWORK, Put, "/subnets/<subnet>")
    },
    Step {
        body: r#"{"subnet": {"gateway_ip": "10.9.0.20"}}"#,
        ..step("a gateway among the addresses of the pool", NETWORK, Put, "/subnets/<subnet>")
    },
    Step { body: r#"{"tags": ["<unique>"]}"#, ..step("tag a subnet", NETWORK, Put, "/subnets/<subnet>/tags") },
    step("list subnets by network", NETWORK, Get, "/subnets?network_id=<net>&fields=id"),
    step("show a subnet", NETWORK, Get, "/subnets/<subnet>"),
    Step {
        body: r#"{"router": {"name": "<unique>", "external_gateway_info": {"network_id": "<outside>"}}}"#,
        keeps: &[("router", "/router/id")],
        ..step("create a router", NETWORK, Post, "/routers")
    },
    Step {
        body: r#"{"subnet_id": "<subnet>"}"#,
        ..step("add an interface", NETWORK, Put, "/routers/<router>/add_router_interface")
    },
    Step {
        body: r#"{"subnet_id": "<subnet>"}"#,
        ..step("add it once more", NETWORK, Put, "/routers/<router>/add_router_interface")
    },
    step("delete a router in use", NETWORK, Delete, "/routers/<router>"),
    step("show a router", NETWORK, Get, "/routers/<router>"),
    Step {
        body: r#"{"router": {"name": "<unique>-b", "external_gateway_info": {}}}"#,
        ..step("take a router's gateway away", NETWORK, Put, "/routers/<router>")
    },
    Step {
        body: r#"{"router": {"external_gateway_info": {"network_id": "<outside>"}}}"#,
        ..step("give it back", NETWORK, Put, "/routers/<router>")
    },
    Step { body: r#"{"tags": ["<unique>"]}"#, ..step("tag a router", NETWORK, Put, "/routers/<router>/tags") },
    Step {
        body: r#"{"security_group": {"name": "<unique>", "description": "<unique>"}}"#,
        keeps: &[("group", "/security_group/id")],
        ..step("create a security group", NETWORK, Post, "/security-groups")
    },
    Step {
        body: r#"{"security_group_rule": {"security_group_id": "<group>", "direction": "ingress", "protocol": "tcp", "port_range_min": 80, "port_range_max": 80}}"#,
        ..step("create a rule", NETWORK, Post, "/security-group-rules")
    },
    Step {
        body: r#"{"security_group_rule": {"security_group_id": "<group>", "direction": "ingress", "protocol": "tcp", "port_range_min": 80, "port_range_max": 80}}"#,
        ..step("create the same rule", NETWORK, Post, "/security-group-rules")
    },
    step("show a security group", NETWORK, Get, "/security-groups/<group>"),
    Step {
        body: r#"{"security_group": {"name": "<unique>-b", "description": "<unique>"}}"#,
        ..step("change a security group", NETWORK, Put, "/security-groups/<group>")
    },
    Step {
        body: r#"{"security_group_rules": [{"security_group_id": "<group>", "direction": "ingress", "protocol": "tcp", "port_range_min": 81, "port_range_max": 81}, {"security_group_id": "<group>", "direction": "ingress", "protocol": "udp", "port_range_min": 81, "port_range_max": 81}]}"#,
        keeps: &[("rule", "/security_group_rules/0/id")],
        ..step("create two rules", NETWORK, Post, "/security-group-rules")
    },
    step("delete a rule", NETWORK, Delete, "/security-group-rules/<rule>"),
    step("delete a rule that is gone", NETWORK, Delete, "/security-group-rules/<rule>"),
    Step {
        body: r#"{"tags": ["<unique>"]}"#,
        ..step("tag a security group", NETWORK, Put, "/security-groups/<group>/tags")
    },
    step("the default security group", NETWORK, Get, "/security-groups?name=default&tenant_id=<project>&fields=id"),
    Step {
        body: r#"{"port": {"network_id": "<net>", "security_groups": ["<group>"], "fixed_ips": [{"subnet_id": "<subnet>"}], "description": "<unique>"}}"#,
        keeps: &[("port", "/port/id"), ("address", "/port/fixed_ips/0/ip_address")],
        ..step("create a port", NETWORK, Post, "/ports")
    },
    Step { body: r#"{"tags": ["<unique>"]}"#, ..step("tag a port", NETWORK, Put, "/ports/<port>/tags") },
    step("list ports by tag", NETWORK, Get, "/ports?tags=<unique>"),
    step("show a port", NETWORK, Get, "/ports/<port>"),
    Step { body: "", ..step("put one tag on a port", NETWORK, Put, "/ports/<port>/tags/<unique>-b") },
    step("take one tag from a port", NETWORK, Delete, "/ports/<port>/tags/<unique>-b"),
    step("take it once more", NETWORK, Delete, "/ports/<port>/tags/<unique>-b"),
    Step {
        body: r#"{"port": {"port_security_enabled": false}}"#,
        ..step("a port with groups and without port security", NETWORK, Put, "/ports/<port>")
    },
    Step {
        body: r#"{"port": {"network_id": "<net>", "port_security_enabled": false, "security_groups": [], "description": "<unique>"}}"#,
        keeps: &[("open", "/port/id")],
        ..step("create a port without port security", NETWORK, Post, "/ports")
    },
    Step {
        body: r#"{"port": {"security_groups": ["<group>"]}}"#,
        ..step("groups without port security", NETWORK, Put, "/ports/<open>")
    },
    Step {
        body: r#"{"port": {"allowed_address_pairs": [{"ip_address": "10.9.0.200"}]}}"#,
        ..step("other addresses without port security", NETWORK, Put, "/ports/<open>")
    },
    Step {
        body: r#"{"port": {"network_id": "<net>", "fixed_ips": [{"subnet_id": "<subnet>", "ip_address": "<address>"}]}}"#,
        ..step("create one with its address", NETWORK, Post, "/ports")
    },
    Step {
        body: r#"{"port": {"name": "<unique>", "admin_state_up": true}}"#,
        ..step("change a port", NETWORK, Put, "/ports/<port>")
    },
    Step {
        body: r#"{"floatingip": {"floating_network_id": "<outside>", "description": "<unique>"}}"#,
        keeps: &[("floating", "/floatingip/id")],
        ..step("create a floating IP", NETWORK, Post, "/floatingips")
    },
    Step {
        body: r#"{"floatingip": {"port_id": "<port>"}}"#,
        ..step("bind a floating IP", NETWORK, Put, "/floatingips/<floating>")
    },
    step("list floating IPs of a port", NETWORK, Get, "/floatingips?port_id=<port>"),
    step("show a floating IP", NETWORK, Get, "/floatingips/<floating>"),
    Step {
        body: r#"{"tags": ["<unique>"]}"#,
        ..step("tag a floating IP", NETWORK, Put, "/floatingips/<floating>/tags")
    },
    step("list floating IPs by tag", NETWORK, Get, "/floatingips?tags=<unique>"),
    step("put one tag on a floating IP", NETWORK, Put, "/floatingips/<floating>/tags/<unique>-b"),
    step("take one tag from a floating IP", NETWORK, Delete, "/floatingips/<floating>/tags/<unique>-b"),
];
