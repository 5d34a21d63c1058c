//! Neutron's further rules for creating, changing and removing resources.

use std::net::IpAddr;

use serde_json::{Value, json};

use super::addresses::Block;
use super::table::ApiResource;
use super::{Neutron, Thing, table};
use crate::reply::Refusal;
use crate::world::Common;

impl Neutron {
    /// Fills in what a request for a new thing omits, or refuses the request.
    pub(super) fn making(
        &mut self,
        common: &mut Common,
        kind: &ApiResource,
        value: &mut Value,
        said: &Value,
    ) -> Result<(), Refusal> {
        match kind.key {
            "subnets" => self.making_subnet(value, said),
            "ports" => self.making_port(common, value),
            "routers" => self.gateway(value),
            "floatingips" => self.making_floating(value),
            "security_group_rules" => self.making_rule(value),
            _ => Ok(()),
        }
    }

    /// Creates the accompanying resources of a new one.
    pub(super) fn made(&mut self, common: &mut Common, kind: &ApiResource, id: &str) {
        match kind.key {
            "security_groups" => {
                for ethertype in ["IPv4", "IPv6"] {
                    let body = json!({ "security_group_id": id, "direction": "egress", "ethertype": ethertype });
                    let rules = table::of("security-group-rules").expect("INVARIANT: one of the table's kinds");
                    let _ = self.make(common, rules, &body);
                }
            }
            "security_group_rules" => {
                let rule = self.things[id].value.clone();
                let group = text(&rule, "security_group_id").to_owned();
                let mut rules =
                    self.things[&group].value["security_group_rules"].as_array().cloned().unwrap_or_default();
                rules.push(rule);
                self.set(&group, "security_group_rules", rules.into());
            }
            "subnets" => {
                let network = text(&self.things[id].value, "network_id").to_owned();
                let mut subnets = self.things[&network].value["subnets"].as_array().cloned().unwrap_or_default();
                subnets.push(id.into());
                self.set(&network, "subnets", subnets.into());
            }
            _ => {}
        }
    }

    pub(super) fn changing(
        &mut self,
        kind: &ApiResource,
        id: &str,
        value: &mut Value,
        said: &Value,
    ) -> Result<(), Refusal> {
        match kind.key {
            "ports" => {
                if said.get("fixed_ips").is_some() {
                    value["fixed_ips"] = self.addresses(value, Some(id))?;
                }
                pairs_with_mac(value);
                self.groups(value)?;
                can_be_open(value, said)?;
                value["status"] = if text(value, "device_id").is_empty() { "DOWN" } else { "ACTIVE" }.into();
                Ok(())
            }
            "subnets" => gateway_beside_pools(value),
            "routers" => self.gateway(value),
            "floatingips" => self.making_floating(value),
            _ => Ok(()),
        }
    }

    /// Removes a thing, together with its dependents.
    pub(super) fn remove(&mut self, kind: &'static ApiResource, id: &str) -> Result<(), Refusal> {
        match kind.key {
            "networks" => {
                let ports: Vec<_> = self
                    .every("ports")
                    .filter(|port| text(port, "network_id") == id)
                    .map(|port| text(port, "id"))
                    .collect();
                if !ports.is_empty() {
                    return Err(Refusal::conflict(format!(
                        "Unable to complete operation on network {id}. There are one or more ports still in use on the network, id for these ports is: {}.",
                        ports.join(",")
                    )));
                }
                self.things.retain(|_, thing| thing.kind.key != "subnets" || text(&thing.value, "network_id") != id);
            }
            "subnets" => {
                let is_on =
                    |port: &&Value| port["fixed_ips"].as_array().into_iter().flatten().any(|ip| ip["subnet_id"] == *id);
                if self.every("ports").any(|port| is_on(&port)) {
                    return Err(Refusal::conflict(format!(
                        "Unable to complete operation on subnet {id}: One or more ports have an IP allocation from this subnet."
                    )));
                }
                let network = text(&self.things[id].value, "network_id").to_owned();
                if let Some(network) = self.things.get_mut(&network)
                    && let Some(subnets) = network.value["subnets"].as_array_mut()
                {
                    subnets.retain(|subnet| subnet != id);
                }
            }
            "ports" => {
                let owner = text(&self.things[id].value, "device_owner");
                if owner.starts_with("network:router") {
                    return Err(Refusal::conflict(format!(
                        "Port {id} cannot be deleted directly via the port API: has device owner {owner}."
                    )));
                }
                self.release(id);
            }
            "routers" if self.every("ports").any(|port| text(port, "device_id") == id) => {
                return Err(Refusal::conflict(format!("Router {id} still has ports")));
            }
            "security_groups" => {
                let has =
                    |port: &Value| port["security_groups"].as_array().into_iter().flatten().any(|group| group == id);
                if self.every("ports").any(has) {
                    return Err(Refusal::conflict(format!("Security Group {id} in use.")));
                }
                self.things.retain(|_, thing| {
                    thing.kind.key != "security_group_rules" || text(&thing.value, "security_group_id") != id
                });
            }
            "security_group_rules" => {
                let group = text(&self.things[id].value, "security_group_id").to_owned();
                if let Some(group) = self.things.get_mut(&group)
                    && let Some(rules) = group.value["security_group_rules"].as_array_mut()
                {
                    rules.retain(|rule| rule["id"] != *id);
                }
            }
            _ => {}
        }
        self.things.shift_remove(id);
        Ok(())
    }

    /// Dissociates floating IPs from a port that is removed.
    pub(super) fn release(&mut self, port: &str) {
        for Thing { value, .. } in self.things.values_mut().filter(|thing| thing.kind.key == "floatingips") {
            if value["port_id"] == *port {
                for key in ["port_id", "fixed_ip_address", "router_id"] {
                    value[key] = Value::Null;
                }
                value["status"] = "DOWN".into();
            }
        }
    }

    fn making_subnet(&mut self, value: &mut Value, said: &Value) -> Result<(), Refusal> {
        let network = text(value, "network_id").to_owned();
        self.get("networks", &network)?;
        let cidr = text(value, "cidr").to_owned();
        let invalid = |what: String| Refusal::bad(format!("Invalid input for operation: {what}."));
        let block = Block::of(&cidr).ok_or_else(|| {
            Refusal::bad(format!("Invalid input for cidr. Reason: '{cidr}' is not a valid IP subnet."))
        })?;
        let version = if block.is_six() { 6 } else { 4 };
        if value["ip_version"] != version {
            return Err(invalid(format!("ip_version {} does not match the CIDR {cidr}", value["ip_version"])));
        }
        let others = self.every("subnets").filter(|subnet| text(subnet, "network_id") == network);
        for other in others {
            if Block::of(text(other, "cidr")).is_some_and(|other| other.overlaps(block)) {
                let id = text(other, "id");
                return Err(invalid(format!(
                    "Requested subnet with cidr: {cidr} for network: {network} overlaps with another subnet. Overlapping subnet: {id}"
                )));
            }
        }
        if said.get("gateway_ip").is_none() {
            value["gateway_ip"] = block.gateway().into();
        }
        let gateway: Option<IpAddr> = value["gateway_ip"].as_str().and_then(|gateway| gateway.parse().ok());
        if value["allocation_pools"].as_array().is_none_or(Vec::is_empty) {
            let pools = block.pools(gateway).into_iter();
            value["allocation_pools"] = pools.map(|(start, end)| json!({ "start": start, "end": end })).collect();
        }
        gateway_beside_pools(value)
    }

    fn making_port(&mut self, common: &mut Common, value: &mut Value) -> Result<(), Refusal> {
        let network = text(value, "network_id").to_owned();
        self.get("networks", &network)?;
        if value["mac_address"].is_null() {
            value["mac_address"] = common.ids.mac().into();
        }
        pairs_with_mac(value);
        value["fixed_ips"] = self.addresses(value, None)?;
        if value["security_groups"].is_null() {
            value["security_groups"] =
                if value["port_security_enabled"] == false { json!([]) } else { json!([self.default_group(common)]) };
        }
        self.groups(value)?;
        can_be_open(value, value)?;
        if !text(value, "device_id").is_empty() {
            value["status"] = "ACTIVE".into();
        }
        Ok(())
    }

    /// The default security group of ports. It is created when first needed.
    fn default_group(&mut self, common: &mut Common) -> String {
        let known = self
            .every("security-groups")
            .find(|group| text(group, "name") == "default")
            .map(|group| text(group, "id").to_owned());
        known.unwrap_or_else(|| {
            let kind = table::of("security-groups").expect("INVARIANT: one of the table's kinds");
            let body = json!({ "name": "default", "description": "Default security group" });
            let group = self.make(common, kind, &body).expect("INVARIANT: a group can be made");
            text(&group, "id").to_owned()
        })
    }

    fn groups(&self, port: &Value) -> Result<(), Refusal> {
        for group in port["security_groups"].as_array().into_iter().flatten() {
            self.get("security-groups", group.as_str().unwrap_or_default())?;
        }
        Ok(())
    }

    fn making_rule(&self, value: &mut Value) -> Result<(), Refusal> {
        let group = text(value, "security_group_id");
        self.get("security-groups", group)?;
        if !matches!(text(value, "direction"), "ingress" | "egress") {
            return Err(Refusal::bad("Invalid input for direction. Reason: it has to be ingress or egress."));
        }
        let twin = self.every("security-group-rules").find(|rule| SAME.iter().all(|key| rule[key] == value[key]));
        if let Some(twin) = twin {
            return Err(Refusal::conflict(format!(
                "Security group rule already exists. Rule id is {}.",
                text(twin, "id")
            )));
        }
        Ok(())
    }
}

/// The keys by which two rules of a security group are duplicates.
const SAME: [&str; 8] = [
    "security_group_id",
    "direction",
    "ethertype",
    "protocol",
    "port_range_min",
    "port_range_max",
    "remote_ip_prefix",
    "remote_group_id",
];

/// A text of a thing; empty if it has none.
pub(super) fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

/// Gives each allowed address pair the port's MAC address, unless it has its own.
fn pairs_with_mac(port: &mut Value) {
    let own = port["mac_address"].clone();
    for pair in port["allowed_address_pairs"].as_array_mut().into_iter().flatten() {
        if pair["mac_address"].is_null() {
            pair["mac_address"] = own.clone();
        }
    }
}

/// Refuses settings that require port security on a port without it. `said` is the body of the request.
fn can_be_open(port: &Value, said: &Value) -> Result<(), Refusal> {
    if port["port_security_enabled"] != false {
        return Ok(());
    }
    let has = |value: &Value, key: &str| value[key].as_array().is_some_and(|items| !items.is_empty());
    if has(said, "security_groups") {
        return Err(Refusal::bad(
            "Port security must be enabled and port must have an IP address in order to use security groups.",
        ));
    }
    if has(port, "security_groups") {
        return Err(Refusal::conflict(
            "Port has security group associated. Cannot disable port security or IP address until security group is removed.",
        ));
    }
    if has(port, "allowed_address_pairs") {
        return Err(Refusal::conflict(
            "Port Security must be enabled in order to have allowed address pairs on a port.",
        ));
    }
    Ok(())
}

/// Refuses allocation pools that contain the gateway's address.
fn gateway_beside_pools(subnet: &Value) -> Result<(), Refusal> {
    let Some(gateway) = subnet["gateway_ip"].as_str() else { return Ok(()) };
    let address = |text: &Value| text.as_str().and_then(|text| text.parse::<IpAddr>().ok());
    for pool in subnet["allocation_pools"].as_array().into_iter().flatten() {
        let (start, end) = (address(&pool["start"]), address(&pool["end"]));
        if address(&subnet["gateway_ip"]).is_some_and(|gateway| start <= Some(gateway) && Some(gateway) <= end) {
            let (start, end) = (text(pool, "start"), text(pool, "end"));
            return Err(Refusal::conflict(format!(
                "Gateway ip {gateway} conflicts with allocation pool {start}-{end}."
            )));
        }
    }
    Ok(())
}
