//! Servers and what belongs to them. Source: Compute API v2.1.
//!
//! `servers` creates and shows them, `actions` implements actions on them, `attachments` their ports and volumes, and
//! `beside` key pairs, server groups and flavors. `hosts` decides where servers run, and `history` records their
//! actions.

mod actions;
mod attachments;
mod beside;
mod history;
mod hosts;
mod servers;

use indexmap::IndexMap;
use serde_json::{Value, json};
use wattle_openstack::Method;

use crate::cinder::Cinder;
use crate::glance::Glance;
use crate::listing;
use crate::neutron::Neutron;
use crate::reply::{Answer, Refusal, empty, json};
use crate::world::{Asked, Common};
use servers::Server;

pub(crate) use hosts::{Host, ROOM};

/// An existing server, with the data passed to its guest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Booted {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// How many times its disk has been created.
    pub disk: u32,
    /// How many times a start or reboot was requested.
    pub boots: u32,
    /// Its user data as sent, in base64.
    pub user_data: Option<String>,
    /// Its metadata, by key.
    pub metadata: Vec<(String, String)>,
    /// Its ports.
    pub ports: Vec<Joined>,
}

impl Booted {
    /// Its fixed addresses.
    pub fn addresses(&self) -> impl Iterator<Item = &str> {
        self.ports.iter().flat_map(|port| &port.addresses).map(String::as_str)
    }
}

/// A port that connects a server to a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined {
    /// Its id.
    pub id: String,
    /// The network's id.
    pub network: String,
    /// Its MAC address.
    pub mac: String,
    /// Its fixed addresses.
    pub addresses: Vec<String>,
    /// Floating IPs, each with the fixed address that it maps to.
    pub floating: Vec<(String, String)>,
}

#[derive(Debug)]
pub(crate) struct Nova {
    servers: IndexMap<String, Server>,
    keypairs: IndexMap<String, Value>,
    groups: IndexMap<String, Value>,
    flavors: Vec<Value>,
    hosts: Vec<Host>,
}

/// The other services that Nova uses.
struct Others<'w> {
    neutron: &'w mut Neutron,
    cinder: &'w mut Cinder,
    glance: &'w Glance,
}

impl Nova {
    /// Creates the state of the cloud with this number.
    pub(crate) fn new(number: u64) -> Self {
        Self {
            servers: IndexMap::new(),
            keypairs: IndexMap::new(),
            groups: IndexMap::new(),
            flavors: beside::flavors(),
            hosts: hosts::hosts(number),
        }
    }

    pub(crate) fn answer(
        &mut self,
        common: &mut Common,
        neutron: &mut Neutron,
        cinder: &mut Cinder,
        glance: &Glance,
        asked: &Asked<'_>,
    ) -> Answer {
        let mut others = Others { neutron, cinder, glance };
        let parts = asked.route.parts();
        match (asked.method, parts.as_slice()) {
            (_, ["servers", rest @ ..]) => self.of_servers(common, &mut others, asked, rest),
            (Method::Get, ["flavors"] | ["flavors", "detail"]) => {
                let flavors =
                    self.flavors.iter().filter(|flavor| listing::is_asked_for(flavor, asked.route)).cloned().collect();
                Ok(json(200, &listing::page("flavors", flavors, asked.route, asked.url, common.setting.page)?))
            }
            (Method::Get, ["flavors", id]) => match self.flavors.iter().find(|flavor| flavor["id"] == **id) {
                Some(flavor) => Ok(json(200, &json!({ "flavor": flavor }))),
                None => Err(Refusal::missing(format!("Flavor {id} could not be found."))),
            },
            (_, ["os-keypairs", rest @ ..]) => self.of_keypairs(common, asked, rest),
            (_, ["os-server-groups", rest @ ..]) => self.of_groups(common, asked, rest),
            (Method::Get, ["limits"]) => {
                let absolute = json!({
                    "maxTotalInstances": common.most(), "totalInstancesUsed": self.servers.len(),
                    "maxTotalCores": -1, "totalCoresUsed": 0, "maxTotalRAMSize": -1, "totalRAMUsed": 0,
                    "maxServerGroups": -1, "totalServerGroupsUsed": self.groups.len(),
                });
                Ok(json(200, &json!({ "limits": { "rate": [], "absolute": absolute } })))
            }
            (Method::Get, ["os-availability-zone"]) => self.zones(common, false),
            (Method::Get, ["os-availability-zone", "detail"]) => self.zones(common, true),
            (_, parts) => self.of_administrators(common, asked, parts),
        }
    }

    fn of_servers(
        &mut self,
        common: &mut Common,
        others: &mut Others<'_>,
        asked: &Asked<'_>,
        parts: &[&str],
    ) -> Answer {
        let action = history::action(asked, parts);
        if let (Some(action), [id, ..], true) = (&action, parts, common.fails) {
            self.server(id)?.note(common, action, true);
            return Ok(empty(202));
        }
        let answer = self.of_server(common, others, asked, parts)?;
        if let (Some(action), [id, ..]) = (action, parts)
            && let Some(server) = self.servers.get_mut(*id)
        {
            server.note(common, &action, false);
        }
        Ok(answer)
    }

    fn of_server(&mut self, common: &mut Common, others: &mut Others<'_>, asked: &Asked<'_>, parts: &[&str]) -> Answer {
        match (asked.method, parts) {
            (Method::Get, [] | ["detail"]) => {
                let listed = self.servers.values().filter(|server| server.status() != "SOFT_DELETED");
                let all = listed.map(|server| server.shown(others.neutron, asked.version));
                let listed: Vec<Value> = all.filter(|server| listing::is_asked_for(server, asked.route)).collect();
                let listed = if parts.is_empty() { listed.iter().map(brief).collect() } else { listed };
                Ok(json(200, &listing::page("servers", listed, asked.route, asked.url, common.setting.page)?))
            }
            (Method::Post, []) => {
                let server = self.make(common, others, asked)?;
                Ok(json(202, &json!({ "server": server })))
            }
            (Method::Get, [id]) => {
                Ok(json(200, &json!({ "server": self.server(id)?.shown(others.neutron, asked.version) })))
            }
            (Method::Put, [id]) => {
                let server = self.server(id)?;
                for (key, value) in asked.body["server"].as_object().into_iter().flatten() {
                    if !matches!(key.as_str(), "name" | "description" | "accessIPv4" | "accessIPv6" | "hostname") {
                        return Err(unknown(key));
                    }
                    server.value[key] = value.clone();
                }
                Ok(json(200, &json!({ "server": server.shown(others.neutron, asked.version) })))
            }
            (Method::Delete, [id]) => {
                let at = common.now + common.setting.takes;
                let server = self.server(id)?;
                if common.setting.restores {
                    server.keep();
                } else {
                    server.go(at);
                }
                Ok(empty(204))
            }
            (Method::Post, [id, "action"]) => self.act(common, others, id, asked),
            (_, [id, "metadata", rest @ ..]) => {
                let server = self.server(id)?;
                match (asked.method, rest) {
                    (Method::Get, []) => {}
                    (Method::Put, []) => server.value["metadata"] = asked.body["metadata"].clone(),
                    (Method::Post, []) => {
                        for (key, value) in asked.body["metadata"].as_object().into_iter().flatten() {
                            server.value["metadata"][key] = value.clone();
                        }
                    }
                    (Method::Delete, [key]) => {
                        server.value["metadata"].as_object_mut().and_then(|metadata| metadata.shift_remove(*key));
                        return Ok(empty(204));
                    }
                    _ => return Err(Refusal::new(405, "Method Not Allowed")),
                }
                Ok(json(200, &json!({ "metadata": server.value["metadata"] })))
            }
            (_, [id, "tags", rest @ ..]) => self.tag(id, asked, rest),
            (Method::Get, [id, "os-instance-actions"]) => {
                Ok(json(200, &json!({ "instanceActions": self.server(id)?.actions() })))
            }
            (_, [id, "os-interface", rest @ ..]) => self.of_ports(common, others, id, asked, rest),
            (_, [id, "os-volume_attachments", rest @ ..]) => self.of_volumes(common, others, id, asked, rest),
            _ => Err(Refusal::missing("The resource could not be found.")),
        }
    }

    fn tag(&mut self, id: &str, asked: &Asked<'_>, tag: &[&str]) -> Answer {
        if asked.version < (2, 26) {
            return Err(Refusal::missing("The resource could not be found."));
        }
        let server = self.server(id)?;
        match (asked.method, tag) {
            (Method::Get, []) => Ok(json(200, &json!({ "tags": server.value["tags"] }))),
            (Method::Put, []) => {
                server.value["tags"] = asked.body["tags"].clone();
                Ok(json(200, &json!({ "tags": server.value["tags"] })))
            }
            (Method::Put, [tag]) => {
                if let Some(tags) = server.value["tags"].as_array_mut()
                    && !tags.iter().any(|known| known == tag)
                {
                    tags.push((*tag).into());
                }
                Ok(empty(201))
            }
            (Method::Delete, [tag]) => {
                if let Some(tags) = server.value["tags"].as_array_mut() {
                    tags.retain(|known| known != tag);
                }
                Ok(empty(204))
            }
            _ => Err(Refusal::new(405, "Method Not Allowed")),
        }
    }

    fn server(&mut self, id: &str) -> Result<&mut Server, Refusal> {
        self.servers.get_mut(id).ok_or_else(|| Refusal::missing(format!("Instance {id} could not be found.")))
    }

    /// Applies the changes of state that are due.
    pub(crate) fn pass(&mut self, common: &Common, neutron: &mut Neutron, cinder: &mut Cinder) {
        for server in self.servers.values_mut() {
            server.pass(common);
        }
        let gone: Vec<String> =
            self.servers.iter().filter(|(_, server)| server.is_gone()).map(|(id, _)| id.clone()).collect();
        for id in gone {
            if let Some(server) = self.servers.shift_remove(&id) {
                server.leave(neutron, cinder);
            }
            for group in self.groups.values_mut() {
                if let Some(members) = group["members"].as_array_mut() {
                    members.retain(|member| *member != id);
                }
            }
        }
    }

    pub(crate) fn booted(&self, neutron: &Neutron) -> Vec<Booted> {
        self.servers.values().filter_map(|server| server.booted(neutron)).collect()
    }

    pub(crate) fn has(&self, id: &str) -> bool {
        self.servers.contains_key(id)
    }

    pub(crate) fn vanish(&mut self, collection: &str, id: &str, neutron: &mut Neutron, cinder: &mut Cinder) {
        match collection {
            "servers" => {
                if let Some(server) = self.servers.shift_remove(id) {
                    server.leave(neutron, cinder);
                }
            }
            "os-keypairs" => drop(self.keypairs.shift_remove(id)),
            "os-server-groups" => drop(self.groups.shift_remove(id)),
            _ => {}
        }
    }
}

/// A server as it appears in a list without details.
fn brief(server: &Value) -> Value {
    json!({ "id": server["id"], "name": server["name"], "links": server["links"] })
}

fn unknown(key: &str) -> Refusal {
    Refusal::bad(format!("Additional properties are not allowed ('{key}' was unexpected)"))
}
