//! Neutron's types. Source: Networking API v2.0, and Heat's classes for the meaning of properties.
//!
//! `table` contains those that `plain` handles. Interfaces of routers and associations of floating IPs are not things in Neutron,
//! so they have files of their own.

mod association;
pub(super) mod interface;
mod table;

use std::time::Duration;

use serde_json::Value;

use super::json::{given, given_text, items, text};
use super::plain::FLOATING;
use super::resource_type::{ResourceType, words};

pub(super) use table::PORTS;

const PATIENCE: Duration = Duration::from_mins(10);

/// The defaults that all types share, without the name and the driver.
const BASE: ResourceType = ResourceType {
    name: "",
    service: "network",
    also: |_| Vec::new(),
    fixed: &[],
    stays: &[],
    shows: &[],
    exclusive: |_| Vec::new(),
    turns: |_| Vec::new(),
    patience: PATIENCE,
    drains: false,
    driver: &table::NET,
    takes: |_| false,
    beyond: |_| None,
};

pub(super) const KINDS: &[ResourceType] = &[
    ResourceType { name: "OS::Neutron::Net", driver: &table::NET, takes: |name| table::NET.takes(name), ..BASE },
    ResourceType {
        name: "OS::Neutron::Subnet",
        fixed: &["segment"],
        exclusive: range,
        driver: &table::SUBNET,
        takes: |name| table::SUBNET.takes(name),
        ..BASE
    },
    ResourceType {
        name: "OS::Neutron::Router",
        fixed: &["availability_zone_hints"],
        driver: &table::ROUTER,
        takes: |name| table::ROUTER.takes(name),
        ..BASE
    },
    ResourceType {
        name: "OS::Neutron::RouterInterface",
        exclusive: |properties| match (interface::subnet(properties), interface::port(properties)) {
            (Some(subnet), _) => vec![format!("the gateway of the subnet {subnet}")],
            (None, Some(port)) => vec![words::port(port)],
            (None, None) => Vec::new(),
        },
        driver: &interface::Interface,
        takes: interface::takes,
        ..BASE
    },
    ResourceType {
        name: "OS::Neutron::SecurityGroup",
        driver: &table::GROUP,
        takes: |name| table::GROUP.takes(name),
        ..BASE
    },
    ResourceType {
        name: "OS::Neutron::Port",
        fixed: &["propagate_uplink_status"],
        stays: &["fixed_ips", "no_fixed_ips"],
        exclusive: addresses,
        driver: &table::PORT,
        takes: |name| table::PORT.takes(name),
        ..BASE
    },
    ResourceType {
        name: "OS::Neutron::FloatingIP",
        fixed: &["dns_domain", "dns_name"],
        stays: &["fixed_ip_address"],
        shows: &["OS::Neutron::Port"],
        exclusive: floating,
        driver: &table::FLOATING_IP,
        takes: |name| table::FLOATING_IP.takes(name),
        ..BASE
    },
    ResourceType {
        name: "OS::Neutron::FloatingIPAssociation",
        stays: &["fixed_ip_address"],
        exclusive: |properties| {
            let port = given_text(properties, "port_id").map(|port| of_port(port, properties));
            port.into_iter().chain(given_text(properties, "floatingip_id").map(floating_ip)).collect()
        },
        driver: &association::TO_PORT,
        takes: |name| matches!(name, "floatingip_id" | "port_id" | "fixed_ip_address"),
        ..BASE
    },
    ResourceType {
        name: "OS::Nova::FloatingIPAssociation",
        exclusive: |properties| {
            let server = given_text(properties, "server_id").map(|server| format!("{FLOATING}the server {server}"));
            server.into_iter().chain(given_text(properties, "floating_ip").map(floating_ip)).collect()
        },
        driver: &association::TO_SERVER,
        takes: |name| matches!(name, "server_id" | "floating_ip"),
        ..BASE
    },
];

/// The network as a template names it. Addresses are exclusive within a network only.
fn network(properties: &Value) -> &str {
    given_text(properties, "network").or_else(|| given_text(properties, "network_id")).unwrap_or_default()
}

fn range(properties: &Value) -> Vec<String> {
    let cidr = given_text(properties, "cidr");
    cidr.map(|cidr| format!("the range {cidr} on {}", network(properties))).into_iter().collect()
}

fn addresses(properties: &Value) -> Vec<String> {
    let network = network(properties);
    let fixed = given(properties, "fixed_ips").map(items).unwrap_or_default();
    let fixed = fixed.iter().map(|ip| text(ip, "ip_address")).filter(|address| !address.is_empty());
    let hardware = given_text(properties, "mac_address");
    let hardware = hardware.map(|mac| format!("the hardware address {} on {network}", mac.to_lowercase()));
    fixed.map(|address| words::address(address, network)).chain(hardware).collect()
}

fn floating(properties: &Value) -> Vec<String> {
    let address = given_text(properties, "floating_ip_address").map(|address| {
        let network =
            given_text(properties, "floating_network").or_else(|| given_text(properties, "floating_network_id"));
        words::address(address, network.unwrap_or_default())
    });
    let port = given_text(properties, "port_id").map(|port| of_port(port, properties));
    address.into_iter().chain(port).collect()
}

/// An address of a port can have only one floating IP.
fn of_port(port: &str, properties: &Value) -> String {
    let address =
        given_text(properties, "fixed_ip_address").map_or_else(String::new, |address| format!(" at {address}"));
    format!("{FLOATING}the port {port}{address}")
}

/// A floating IP can have only one port.
fn floating_ip(id: &str) -> String {
    format!("the port of the floating IP {id}")
}
