//! The allocation of addresses to ports.

use std::collections::HashSet;
use std::net::IpAddr;

use serde_json::{Value, json};

use super::Neutron;
use super::addresses::{Block, unused};
use super::rules::text;
use crate::reply::Refusal;

impl Neutron {
    /// The addresses of a port: the requested ones; by default, one of each IP version.
    pub(super) fn addresses(&self, port: &Value, own: Option<&str>) -> Result<Value, Refusal> {
        let network = text(port, "network_id");
        let subnets: Vec<&Value> =
            self.every("subnets").filter(|subnet| text(subnet, "network_id") == network).collect();
        let taken: Vec<&str> = self
            .every("ports")
            .filter(|port| text(port, "network_id") == network && Some(text(port, "id")) != own)
            .flat_map(|port| port["fixed_ips"].as_array().into_iter().flatten())
            .map(|ip| text(ip, "ip_address"))
            .collect();
        let asked = if let Value::Array(asked) = &port["fixed_ips"] {
            asked.clone()
        } else {
            let first = |version: u64| subnets.iter().find(|subnet| subnet["ip_version"] == version);
            [first(4), first(6)].into_iter().flatten().map(|subnet| json!({ "subnet_id": subnet["id"] })).collect()
        };
        let mut found: Vec<Value> = Vec::new();
        for asked in &asked {
            let address = asked["ip_address"].as_str();
            let parsed: Option<IpAddr> = address.and_then(|address| address.parse().ok());
            let subnet = match asked["subnet_id"].as_str() {
                Some(id) => subnets.iter().find(|subnet| text(subnet, "id") == id),
                None => subnets.iter().find(|subnet| {
                    parsed.is_some_and(|ip| Block::of(text(subnet, "cidr")).is_some_and(|block| block.has(ip)))
                }),
            };
            let Some(subnet) = subnet else {
                let wanted = asked["subnet_id"].as_str().or(address).unwrap_or_default();
                return Err(Refusal::bad(format!(
                    "Invalid input for operation: no subnet of the network {network} has `{wanted}`."
                )));
            };
            let is_taken =
                |address: &str| taken.contains(&address) || found.iter().any(|ip| text(ip, "ip_address") == address);
            let address = match address {
                Some(address) if is_taken(address) => {
                    let subnet = text(subnet, "id");
                    return Err(Refusal::conflict(format!(
                        "IP address {address} already allocated in subnet {subnet}"
                    )));
                }
                Some(address)
                    if parsed.is_none_or(|ip| !Block::of(text(subnet, "cidr")).is_some_and(|block| block.has(ip))) =>
                {
                    return Err(Refusal::bad(format!(
                        "IP address {address} is not a valid IP for the specified subnet."
                    )));
                }
                Some(address) => address.to_owned(),
                None => self.free_address(subnet, is_taken).ok_or_else(|| {
                    Refusal::conflict(format!("No more IP addresses available on network {network}."))
                })?,
            };
            found.push(json!({ "subnet_id": subnet["id"], "ip_address": address }));
        }
        Ok(found.into())
    }

    /// A free address in the subnet, or in the range for all machines.
    pub(super) fn free_address(&self, subnet: &Value, is_taken: impl Fn(&str) -> bool) -> Option<String> {
        let Some((first, last)) = self.machines.filter(|_| subnet["ip_version"] != 6) else {
            let mut pools = subnet["allocation_pools"].as_array().into_iter().flatten();
            return pools.find_map(|pool| unused((text(pool, "start"), text(pool, "end")), &is_taken));
        };
        let ports = self.every("ports").flat_map(|port| port["fixed_ips"].as_array().into_iter().flatten());
        let ports = ports.map(|ip| text(ip, "ip_address"));
        let floating = self.every("floatingips").map(|floating| text(floating, "floating_ip_address"));
        let all: HashSet<&str> = ports.chain(floating).collect();
        // Addresses that end in 0 or 255 could be mistaken for something else.
        let is_odd = |address: &str| address.ends_with(".0") || address.ends_with(".255");
        let pool = (&*first.to_string(), &*last.to_string());
        unused(pool, |address| is_odd(address) || all.contains(address) || is_taken(address))
    }
}
