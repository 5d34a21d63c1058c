//! What is asked of both clouds, in this order: all that the drivers ask, and what services refuse.

use wattle_openstack::Method;
use wattle_openstack::Method::{Delete, Get, Post, Put};

/// One request.
pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) service: &'static str,
    pub(crate) method: Method,
    /// `<NAME>` stands for what an earlier answer has said.
    pub(crate) path: &'static str,
    /// As JSON; nothing if it is empty.
    pub(crate) body: &'static str,
    /// The smaller version of the API.
    pub(crate) version: Option<&'static str>,
    /// What is kept of the answer: under a name, from a place in it.
    pub(crate) keeps: &'static [(&'static str, &'static str)],
    /// It is asked until the answer has this text at this place, or its status is this number.
    pub(crate) until: Option<(&'static str, &'static str)>,
}

const fn step(name: &'static str, service: &'static str, method: Method, path: &'static str) -> Step {
    Step { name, service, method, path, body: "", version: None, keeps: &[], until: None }
}

const NETWORK: &str = "network";
const COMPUTE: &str = "compute";
const VOLUMES: &str = "block-storage";
const IMAGES: &str = "image";

pub(crate) const STEPS: &[Step] = &[
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
    Step {
        body: r#"{"network": {"name": "<unique>", "description": "<unique>"}}"#,
        keeps: &[("net", "/network/id")],
        ..step("create a network", NETWORK, Post, "/networks")
    },
    step("show a network", NETWORK, Get, "/networks/<net>"),
    Step {
        body: r#"{"network": {"name": "<unique>-b", "admin_state_up": true}}"#,
        ..step("change a network", NETWORK, Put, "/networks/<net>")
    },
    step("list networks by description", NETWORK, Get, "/networks?description=<unique>"),
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
        body: r#"{"port": {"network_id": "<net>", "security_groups": ["<group>"], "fixed_ips": [{"subnet_id": "<subnet>"}], "description": "<unique>"}}"#,
        keeps: &[("port", "/port/id"), ("address", "/port/fixed_ips/0/ip_address")],
        ..step("create a port", NETWORK, Post, "/ports")
    },
    Step { body: r#"{"tags": ["<unique>"]}"#, ..step("tag a port", NETWORK, Put, "/ports/<port>/tags") },
    step("list ports by tag", NETWORK, Get, "/ports?tags=<unique>"),
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
    Step {
        body: r#"{"server_group": {"name": "<unique>", "policy": "anti-affinity"}}"#,
        version: Some("2.64"),
        keeps: &[("servers", "/server_group/id")],
        ..step("create a server group", COMPUTE, Post, "/os-server-groups")
    },
    Step { version: Some("2.64"), ..step("show a server group", COMPUTE, Get, "/os-server-groups/<servers>") },
    Step {
        body: r#"{"keypair": {"name": "<unique>", "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA7Nz6V6J7P9Q1M7C1kqk1i0E0m6WxV3m6k9m0m6WxV3 a"}}"#,
        ..step("create a key pair", COMPUTE, Post, "/os-keypairs")
    },
    Step {
        body: r#"{"keypair": {"name": "<unique>", "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA7Nz6V6J7P9Q1M7C1kqk1i0E0m6WxV3m6k9m0m6WxV3 a"}}"#,
        ..step("create one of its name", COMPUTE, Post, "/os-keypairs")
    },
    step("show a key pair", COMPUTE, Get, "/os-keypairs/<unique>"),
    Step {
        body: r#"{"server": {"name": "<unique>", "flavorRef": "<flavor>", "networks": [{"port": "<port>"}]}}"#,
        version: Some("2.52"),
        ..step("create a server without an image", COMPUTE, Post, "/servers")
    },
    Step {
        body: r#"{"server": {"name": "<unique>", "imageRef": "<image>", "flavorRef": "none", "networks": [{"port": "<port>"}]}}"#,
        version: Some("2.52"),
        ..step("create a server of a flavor that there is not", COMPUTE, Post, "/servers")
    },
    Step {
        body: r#"{"server": {"name": "<unique>", "imageRef": "<image>", "flavorRef": "<flavor>", "key_name": "<unique>", "networks": [{"port": "<port>"}], "tags": ["<unique>"], "metadata": {"a": "b"}}, "os:scheduler_hints": {"group": "<servers>"}}"#,
        version: Some("2.52"),
        keeps: &[("server", "/server/id")],
        ..step("create a server", COMPUTE, Post, "/servers")
    },
    Step {
        version: Some("2.26"),
        until: Some(("/server/status", "ACTIVE")),
        ..step("show a server", COMPUTE, Get, "/servers/<server>")
    },
    Step { version: Some("2.26"), ..step("list servers by tag", COMPUTE, Get, "/servers/detail?tags=<unique>") },
    step("list a server's interfaces", COMPUTE, Get, "/servers/<server>/os-interface"),
    step("list a server's ports", NETWORK, Get, "/ports?device_id=<server>"),
    Step {
        body: r#"{"server": {"name": "<unique>-b"}}"#,
        version: Some("2.26"),
        ..step("rename a server", COMPUTE, Put, "/servers/<server>")
    },
    Step {
        body: r#"{"resize": {"flavorRef": "<larger>"}}"#,
        ..step("resize a server", COMPUTE, Post, "/servers/<server>/action")
    },
    Step {
        version: Some("2.26"),
        until: Some(("/server/status", "VERIFY_RESIZE")),
        ..step("wait for the resized server", COMPUTE, Get, "/servers/<server>")
    },
    Step { body: r#"{"confirmResize": null}"#, ..step("confirm", COMPUTE, Post, "/servers/<server>/action") },
    Step {
        version: Some("2.26"),
        until: Some(("/server/status", "ACTIVE")),
        ..step("wait for the confirmed server", COMPUTE, Get, "/servers/<server>")
    },
    Step { body: r#"{"confirmResize": null}"#, ..step("confirm once more", COMPUTE, Post, "/servers/<server>/action") },
    Step { body: r#"{"os-stop": null}"#, ..step("stop a server", COMPUTE, Post, "/servers/<server>/action") },
    Step {
        version: Some("2.26"),
        until: Some(("/server/status", "SHUTOFF")),
        ..step("wait for the stopped server", COMPUTE, Get, "/servers/<server>")
    },
    Step { body: r#"{"os-start": null}"#, ..step("start a server", COMPUTE, Post, "/servers/<server>/action") },
    Step {
        version: Some("2.26"),
        until: Some(("/server/status", "ACTIVE")),
        ..step("wait for the started server", COMPUTE, Get, "/servers/<server>")
    },
    Step { body: r#"{"metadata": {"c": "d"}}"#, ..step("change metadata", COMPUTE, Put, "/servers/<server>/metadata") },
    Step {
        body: r#"{"volume": {"size": 1, "name": "<unique>", "metadata": {"mark": "<unique>"}}}"#,
        keeps: &[("volume", "/volume/id")],
        ..step("create a volume", VOLUMES, Post, "/volumes")
    },
    Step {
        until: Some(("/volume/status", "available")),
        ..step("wait for the volume", VOLUMES, Get, "/volumes/<volume>")
    },
    step("list volumes", VOLUMES, Get, "/volumes/detail?name=<unique>"),
    Step {
        body: r#"{"os-extend": {"new_size": 2}}"#,
        version: Some("3.42"),
        ..step("extend a volume", VOLUMES, Post, "/volumes/<volume>/action")
    },
    Step {
        until: Some(("/volume/status", "available")),
        ..step("wait for the extended volume", VOLUMES, Get, "/volumes/<volume>")
    },
    Step {
        body: r#"{"os-extend": {"new_size": 1}}"#,
        version: Some("3.42"),
        ..step("shrink a volume", VOLUMES, Post, "/volumes/<volume>/action")
    },
    Step {
        body: r#"{"volumeAttachment": {"volumeId": "<volume>"}}"#,
        ..step("attach a volume", COMPUTE, Post, "/servers/<server>/os-volume_attachments")
    },
    Step {
        until: Some(("/volume/status", "in-use")),
        ..step("wait for the attached volume", VOLUMES, Get, "/volumes/<volume>")
    },
    step("list attachments", COMPUTE, Get, "/servers/<server>/os-volume_attachments"),
    step("delete a volume in use", VOLUMES, Delete, "/volumes/<volume>"),
    step("detach a volume", COMPUTE, Delete, "/servers/<server>/os-volume_attachments/<volume>"),
    Step {
        until: Some(("/volume/status", "available")),
        ..step("wait for the detached volume", VOLUMES, Get, "/volumes/<volume>")
    },
    step("delete a volume", VOLUMES, Delete, "/volumes/<volume>"),
    step("delete a network in use", NETWORK, Delete, "/networks/<net>"),
    step("delete a group in use", NETWORK, Delete, "/security-groups/<group>"),
    step("delete a server", COMPUTE, Delete, "/servers/<server>"),
    Step {
        version: Some("2.26"),
        until: Some(("/status", "404")),
        ..step("wait until it is gone", COMPUTE, Get, "/servers/<server>")
    },
    step("delete it once more", COMPUTE, Delete, "/servers/<server>"),
    step("delete a server group", COMPUTE, Delete, "/os-server-groups/<servers>"),
    step("delete a key pair", COMPUTE, Delete, "/os-keypairs/<unique>"),
    step("delete a floating IP", NETWORK, Delete, "/floatingips/<floating>"),
    step("delete a port", NETWORK, Delete, "/ports/<port>"),
    step("delete a port that is gone", NETWORK, Delete, "/ports/<port>"),
    Step {
        body: r#"{"subnet_id": "<subnet>"}"#,
        ..step("remove an interface", NETWORK, Put, "/routers/<router>/remove_router_interface")
    },
    Step {
        body: r#"{"subnet_id": "<subnet>"}"#,
        ..step("remove it once more", NETWORK, Put, "/routers/<router>/remove_router_interface")
    },
    step("delete a router", NETWORK, Delete, "/routers/<router>"),
    step("delete a security group", NETWORK, Delete, "/security-groups/<group>"),
    step("delete a subnet", NETWORK, Delete, "/subnets/<subnet>"),
    step("delete a network", NETWORK, Delete, "/networks/<net>"),
];
