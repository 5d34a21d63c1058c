//! Complete lists, resources in use, and deletion.

use wattle_openstack::Method::{Delete, Get, Put};

use super::{COMPUTE, IMAGES, NETWORK, Step, VOLUMES, step};

pub(super) const STEPS: &[Step] = &[
    step("list all networks", NETWORK, Get, "/networks"),
    step("list networks by name", NETWORK, Get, "/networks?name=<unique>"),
    step("list all subnets", NETWORK, Get, "/subnets"),
    step("list subnets by description", NETWORK, Get, "/subnets?description=<unique>"),
    step("list all routers", NETWORK, Get, "/routers"),
    step("list routers by description", NETWORK, Get, "/routers?description=<unique>"),
    step("list all security groups", NETWORK, Get, "/security-groups"),
    step("list security groups by name", NETWORK, Get, "/security-groups?name=<unique>-b"),
    step("list security groups by description", NETWORK, Get, "/security-groups?description=<unique>"),
    step("list all ports", NETWORK, Get, "/ports"),
    step("list ports by description", NETWORK, Get, "/ports?description=<unique>"),
    step("list all floating IPs", NETWORK, Get, "/floatingips"),
    step("list floating IPs by description", NETWORK, Get, "/floatingips?description=<unique>"),
    step("list all images", IMAGES, Get, "/images"),
    Step { version: Some("2.26"), ..step("list all servers", COMPUTE, Get, "/servers/detail") },
    Step { version: Some("2.2"), ..step("list all key pairs", COMPUTE, Get, "/os-keypairs") },
    step("list all server groups", COMPUTE, Get, "/os-server-groups"),
    step("list all volumes", VOLUMES, Get, "/volumes/detail"),
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
    step("delete a port without port security", NETWORK, Delete, "/ports/<open>"),
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
