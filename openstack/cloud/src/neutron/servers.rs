//! Nova's requests to Neutron on behalf of servers.

use serde_json::{Map, Value, json};

use super::rules::text;
use super::{Neutron, table};
use crate::nova::Joined;
use crate::reply::Refusal;
use crate::world::Common;

impl Neutron {
    /// The ports of a server.
    pub(crate) fn ports_of(&self, server: &str) -> impl Iterator<Item = &Value> {
        self.every("ports").filter(move |port| text(port, "device_id") == server)
    }

    /// How a server is connected to its networks.
    pub(crate) fn joined(&self, server: &str) -> Vec<Joined> {
        let of_port = |port: &Value| {
            let fixed = port["fixed_ips"].as_array().into_iter().flatten();
            let floating = self.every("floatingips").filter(|floating| floating["port_id"] == port["id"]);
            let known = |value: &Value, key: &str| text(value, key).to_owned();
            Joined {
                id: known(port, "id"),
                network: known(port, "network_id"),
                mac: known(port, "mac_address"),
                addresses: fixed.map(|ip| known(ip, "ip_address")).collect(),
                floating: floating
                    .map(|of| (known(of, "floating_ip_address"), known(of, "fixed_ip_address")))
                    .collect(),
            }
        };
        self.ports_of(server).map(of_port).collect()
    }

    /// The networks used by default for servers that specify none.
    pub(crate) fn internal(&self) -> Vec<String> {
        let internal = self.every("networks").filter(|network| network["router:external"] != true);
        internal.map(|network| text(network, "id").to_owned()).collect()
    }

    /// A server's addresses by the names of its networks, as Nova shows them.
    pub(crate) fn addresses_of(&self, server: &str) -> Value {
        let mut addresses = Map::new();
        for port in self.ports_of(server) {
            let network =
                self.get("networks", text(port, "network_id")).map(|network| text(network, "name")).unwrap_or_default();
            let listed = addresses.entry(network).or_insert_with(|| json!([]));
            let fixed = port["fixed_ips"].as_array().into_iter().flatten().map(|ip| (text(ip, "ip_address"), "fixed"));
            let floating = self.every("floatingips").filter(|floating| floating["port_id"] == port["id"]);
            let floating = floating.map(|floating| (text(floating, "floating_ip_address"), "floating"));
            for (address, kind) in fixed.chain(floating) {
                let version = if address.contains(':') { 6 } else { 4 };
                let shown = json!({ "addr": address, "version": version, "OS-EXT-IPS:type": kind, "OS-EXT-IPS-MAC:mac_addr": port["mac_address"] });
                if let Some(listed) = listed.as_array_mut() {
                    listed.push(shown);
                }
            }
        }
        addresses.into()
    }

    /// Binds a port to a server.
    pub(crate) fn bind(&mut self, port: &str, server: &str) -> Result<(), Refusal> {
        let held = self.get("ports", port).map_err(|_| Refusal::bad(format!("Port id {port} could not be found.")))?;
        if !text(held, "device_id").is_empty() {
            return Err(Refusal::conflict(format!("Port {port} is still in use.")));
        }
        self.set(port, "device_id", server.into());
        self.set(port, "device_owner", "compute:nova".into());
        self.set(port, "status", "ACTIVE".into());
        Ok(())
    }

    /// Unbinds a port from a server.
    pub(crate) fn unbind(&mut self, port: &str, server: &str) -> Result<(), Refusal> {
        let held = self.get("ports", port)?;
        if text(held, "device_id") != server {
            return Err(Refusal::missing(format!("Port id {port} could not be found.")));
        }
        self.free(port);
        Ok(())
    }

    fn free(&mut self, port: &str) {
        for (key, value) in [("device_id", ""), ("device_owner", ""), ("status", "DOWN")] {
            self.set(port, key, value.into());
        }
    }

    /// Creates a port on a network for a server.
    pub(crate) fn port_for(
        &mut self,
        common: &mut Common,
        server: &str,
        wanted: &Value,
        groups: &Value,
    ) -> Result<String, Refusal> {
        let network = text(wanted, "uuid");
        self.get("networks", network).map_err(|_| Refusal::bad(format!("Network {network} could not be found.")))?;
        let mut body = json!({ "network_id": network, "device_id": server, "device_owner": "compute:nova" });
        if let Some(address) = wanted["fixed_ip"].as_str() {
            body["fixed_ips"] = json!([{ "ip_address": address }]);
        }
        let mut named = Vec::new();
        for group in groups.as_array().into_iter().flatten().filter(|group| group["name"] != "default") {
            named.push(self.group(text(group, "name"))?);
        }
        if !named.is_empty() {
            body["security_groups"] = named.into();
        }
        let kind = table::of("ports").expect("INVARIANT: one of the table's kinds");
        let port = self.make(common, kind, &body)?;
        Ok(text(&port, "id").to_owned())
    }

    /// A security group by its name or id.
    fn group(&self, name: &str) -> Result<String, Refusal> {
        let found =
            self.every("security-groups").find(|group| text(group, "name") == name || text(group, "id") == name);
        found
            .map(|group| text(group, "id").to_owned())
            .ok_or_else(|| Refusal::bad(format!("Security group {name} not found.")))
    }

    /// Adds all ports of a server to a group, or removes them from it.
    pub(crate) fn regroup(&mut self, server: &str, name: &str, adds: bool) -> Result<(), Refusal> {
        let group = self.group(name)?;
        let ports: Vec<(String, Value)> =
            self.ports_of(server).map(|port| (text(port, "id").to_owned(), port["security_groups"].clone())).collect();
        for (port, groups) in ports {
            let mut groups = groups.as_array().cloned().unwrap_or_default();
            groups.retain(|known| *known != group);
            if adds {
                groups.push(group.as_str().into());
            }
            self.set(&port, "security_groups", groups.into());
        }
        Ok(())
    }

    /// Handles the deletion of a server: deletes the ports that Nova created for it, and unbinds the others.
    pub(crate) fn leave(&mut self, server: &str, own: &[String]) {
        let ports: Vec<String> = self.ports_of(server).map(|port| text(port, "id").to_owned()).collect();
        for port in ports {
            if own.contains(&port) {
                self.release(&port);
                self.things.shift_remove(&port);
            } else {
                self.free(&port);
            }
        }
    }
}
