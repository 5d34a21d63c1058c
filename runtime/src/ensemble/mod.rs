//! A three-member ZooKeeper ensemble on a cloud, for operators who have no data space yet.
//!
//! Its members have no agents, for those would need a data space: each member's user data is the recipe of the
//! catalog's part `zookeeper` with all its inputs, including a key and a certificate. So there are two templates: one
//! with the addresses, for which certificates are then made, and one with the servers.

mod recipe;
#[cfg(test)]
mod tests;

use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

pub use recipe::user_data;

/// The name of the ensemble's stack.
pub const STACK: &str = "wattle-space";

/// The number of members: the smallest of which one may be lost.
pub const MEMBERS: usize = 3;

/// The port on which members serve clients.
pub const PORT: u16 = 2281;

/// The ports for traffic between members.
const PEERS: [u16; 2] = [2888, 3888];

/// The address range of a dedicated network.
const CIDR: &str = "10.87.0.0/24";

/// The ground that an ensemble runs on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ground {
    /// The image, by name or id: Debian 12, or one with its packages.
    pub image: String,
    /// The flavor, by name or id.
    pub flavor: String,
    /// The network.
    pub network: Network,
    /// The key pair of the servers' administrator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_name: Option<String>,
}

/// How clients reach the members.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Network {
    /// On this network, which operators and servers can reach.
    There(String),
    /// By floating IPs of this external network, in front of a dedicated network.
    Floating(String),
}

/// A member whose addresses are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its address on its network, on which it listens, and at which the others reach it.
    pub address: IpAddr,
    /// The address for clients, if it is a different one.
    pub floating: Option<IpAddr>,
}

impl Member {
    /// Returns the address for clients.
    pub fn public(&self) -> IpAddr {
        self.floating.unwrap_or(self.address)
    }
}

/// Returns the name of a member's port.
pub fn port(number: usize) -> String {
    format!("port{number}")
}

/// Returns the name of a member's floating IP.
pub fn floating(number: usize) -> String {
    format!("address{number}")
}

/// Returns the template of an ensemble: its addresses, and the servers whose user data is known.
pub fn template(ground: &Ground, user_data: &[String]) -> String {
    let mut resources = Map::new();
    let get = |name: &str| json!({ "get_resource": name });
    let mut add = |name: String, ty: &str, properties: Value, after: &[&str]| {
        let mut resource = json!({ "type": ty, "properties": properties });
        if !after.is_empty() {
            resource["depends_on"] = json!(after);
        }
        resources.insert(name, resource);
    };
    let (network, after): (Value, &[&str]) = match &ground.network {
        Network::There(network) => (json!(network), &[]),
        Network::Floating(external) => {
            add("net".into(), "OS::Neutron::Net", json!({}), &[]);
            add("subnet".into(), "OS::Neutron::Subnet", json!({ "network": get("net"), "cidr": CIDR }), &[]);
            let gateway = json!({ "external_gateway_info": { "network": external } });
            add("router".into(), "OS::Neutron::Router", gateway, &[]);
            let uplink = json!({ "router": get("router"), "subnet": get("subnet") });
            add("uplink".into(), "OS::Neutron::RouterInterface", uplink, &[]);
            (get("net"), &["subnet"])
        }
    };
    let opened = |port: u16| json!({ "protocol": "tcp", "port_range_min": port, "port_range_max": port });
    let among = |port: u16| {
        let mut rule = opened(port);
        rule["remote_mode"] = json!("remote_group_id");
        rule
    };
    let rules: Vec<Value> = [opened(PORT)].into_iter().chain(PEERS.map(among)).collect();
    let group = json!({ "description": "Members of wattle's data space", "rules": rules });
    add("members".into(), "OS::Neutron::SecurityGroup", group, &[]);
    add("apart".into(), "OS::Nova::ServerGroup", json!({ "policies": ["soft-anti-affinity"] }), &[]);
    for number in 1..=MEMBERS {
        let properties = json!({ "network": network, "security_groups": [get("members")] });
        add(port(number), "OS::Neutron::Port", properties, after);
        if let Network::Floating(external) = &ground.network {
            let properties = json!({ "floating_network": external, "port_id": get(&port(number)) });
            add(floating(number), "OS::Neutron::FloatingIP", properties, &["uplink"]);
        }
    }
    for (number, script) in (1..).zip(user_data) {
        let mut properties = json!({
            "image": ground.image,
            "flavor": ground.flavor,
            "networks": [{ "port": get(&port(number)) }],
            "scheduler_hints": { "group": get("apart") },
            "user_data_format": "RAW",
            "user_data": script,
        });
        if let Some(key) = &ground.key_name {
            properties["key_name"] = json!(key);
        }
        add(format!("zookeeper{number}"), "OS::Nova::Server", properties, &[]);
    }
    json!({ "heat_template_version": "2021-04-16", "resources": resources }).to_string()
}

/// Returns the ensemble's address for clients: `HOST:PORT,HOST:PORT,HOST:PORT`.
pub fn hosts(members: &[Member]) -> String {
    let hosts = members.iter().map(|member| std::net::SocketAddr::new(member.public(), PORT).to_string());
    hosts.collect::<Vec<_>>().join(",")
}
