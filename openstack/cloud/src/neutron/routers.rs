//! Routers, their interfaces, and the floating IPs that go through them.

use serde_json::{Value, json};

use super::rules::text;
use super::{Neutron, table};
use crate::reply::Refusal;
use crate::world::Common;

impl Neutron {
    /// Sets the router's external gateway.
    pub(super) fn gateway(&self, router: &mut Value) -> Result<(), Refusal> {
        let Some(network) = router["external_gateway_info"]["network_id"].as_str().map(str::to_owned) else {
            return Ok(());
        };
        let network = self.get("networks", &network)?;
        if network["router:external"] != true {
            let id = text(network, "id");
            return Err(Refusal::bad(format!("Bad router request: Network {id} is not an external network.")));
        }
        let gateway = &mut router["external_gateway_info"];
        if gateway["enable_snat"].is_null() {
            gateway["enable_snat"] = true.into();
        }
        Ok(())
    }

    /// Connects a router to a subnet, through an existing port or a new one.
    pub(super) fn connect(&mut self, common: &mut Common, router: &str, body: &Value) -> Result<Value, Refusal> {
        let (port, subnet) = match (body["port_id"].as_str(), body["subnet_id"].as_str()) {
            (Some(port), None) => {
                let held = self.get("ports", port)?;
                let by = text(held, "device_id");
                if !by.is_empty() {
                    return Err(Refusal::conflict(format!(
                        "Unable to complete operation on port {port} for network {}. Port already has an attached device {by}.",
                        text(held, "network_id")
                    )));
                }
                (port.to_owned(), text(&held["fixed_ips"][0], "subnet_id").to_owned())
            }
            (None, Some(id)) => {
                let subnet = self.get("subnets", id)?.clone();
                if self.interface(router, id).is_some() {
                    return Err(Refusal::bad(format!("Bad router request: Router already has a port on subnet {id}.")));
                }
                let Some(gateway) = subnet["gateway_ip"].as_str() else {
                    return Err(Refusal::bad(
                        "Bad router request: Subnet for router interface must have a gateway IP.",
                    ));
                };
                let ports = table::of("ports").expect("INVARIANT: one of the table's kinds");
                let body = json!({ "network_id": subnet["network_id"], "fixed_ips": [{ "subnet_id": id, "ip_address": gateway }], "security_groups": [] });
                (text(&self.make(common, ports, &body)?, "id").to_owned(), id.to_owned())
            }
            _ => return Err(Refusal::bad("Bad router request: Either subnet_id or port_id must be specified.")),
        };
        self.set(&port, "device_id", router.into());
        self.set(&port, "device_owner", "network:router_interface".into());
        self.set(&port, "status", "ACTIVE".into());
        Ok(said(router, &port, &subnet, &common.project))
    }

    pub(super) fn disconnect(&mut self, router: &str, body: &Value) -> Result<Value, Refusal> {
        let port = match (body["port_id"].as_str(), body["subnet_id"].as_str()) {
            (Some(port), _) => self.get("ports", port).ok().filter(|port| text(port, "device_id") == router),
            (None, Some(subnet)) => self.interface(router, subnet),
            (None, None) => {
                return Err(Refusal::bad("Bad router request: Either subnet_id or port_id must be specified."));
            }
        };
        let Some(port) = port else {
            return Err(Refusal::missing(format!(
                "Router {router} does not have an interface with such a subnet or port"
            )));
        };
        let subnet = text(&port["fixed_ips"][0], "subnet_id").to_owned();
        let is_used = |floating: &Value| {
            text(floating, "router_id") == router
                && self
                    .get("ports", text(floating, "port_id"))
                    .is_ok_and(|port| text(&port["fixed_ips"][0], "subnet_id") == subnet)
        };
        if self.every("floatingips").any(is_used) {
            return Err(Refusal::conflict(format!(
                "Router interface for subnet {subnet} on router {router} cannot be deleted, as it is required by one or more floating IPs."
            )));
        }
        let (id, project) = (text(port, "id").to_owned(), text(port, "project_id").to_owned());
        self.things.shift_remove(&id);
        Ok(said(router, &id, &subnet, &project))
    }

    fn interface(&self, router: &str, subnet: &str) -> Option<&Value> {
        self.every("ports")
            .find(|port| text(port, "device_id") == router && text(&port["fixed_ips"][0], "subnet_id") == subnet)
    }

    /// Gives a floating IP its own address, and the router by which it reaches its port.
    pub(super) fn making_floating(&mut self, value: &mut Value) -> Result<(), Refusal> {
        let id = text(value, "floating_network_id").to_owned();
        let network = self.get("networks", &id)?;
        if network["router:external"] != true {
            return Err(Refusal::bad(format!("Bad floatingip request: Network {id} is not a valid external network.")));
        }
        if value["floating_ip_address"].is_null() {
            let taken: Vec<&str> =
                self.every("floatingips").map(|floating| text(floating, "floating_ip_address")).collect();
            let subnet = self.every("subnets").find(|subnet| text(subnet, "network_id") == id);
            let free = subnet.and_then(|subnet| self.free_address(subnet, |address| taken.contains(&address)));
            let free =
                free.ok_or_else(|| Refusal::conflict(format!("No more IP addresses available on network {id}.")))?;
            value["floating_ip_address"] = free.into();
        }
        let Some(port) = value["port_id"].as_str().map(str::to_owned) else {
            for key in ["fixed_ip_address", "router_id", "port_id"] {
                value[key] = Value::Null;
            }
            value["status"] = "DOWN".into();
            return Ok(());
        };
        let port = self.get("ports", &port)?;
        let subnet = text(&port["fixed_ips"][0], "subnet_id");
        let router = self.every("routers").find(|router| {
            text(&router["external_gateway_info"], "network_id") == id
                && self.interface(text(router, "id"), subnet).is_some()
        });
        let Some(router) = router else {
            return Err(Refusal::missing(format!(
                "External network {id} is not reachable from subnet {subnet}.  Therefore, cannot associate Port {} with a Floating IP.",
                text(port, "id")
            )));
        };
        if value["fixed_ip_address"].is_null() {
            value["fixed_ip_address"] = port["fixed_ips"][0]["ip_address"].clone();
        }
        value["router_id"] = router["id"].clone();
        value["status"] = "ACTIVE".into();
        Ok(())
    }
}

fn said(router: &str, port: &str, subnet: &str, project: &str) -> Value {
    json!({ "id": router, "tenant_id": project, "project_id": project, "port_id": port, "subnet_id": subnet, "subnet_ids": [subnet], "network_id": Value::Null, "tags": [] })
}
