//! Key pairs, server groups and flavors.

use serde_json::{Value, json};
use wattle_openstack::Method;

use super::{Nova, unknown};
use crate::listing;
use crate::reply::{Answer, Refusal, empty, json};
use crate::world::{Asked, Common};

/// The available flavors: name, processors, memory in MiB, disk in GiB.
pub(super) fn flavors() -> Vec<Value> {
    let all = [
        ("1", "m1.tiny", 1, 512, 1),
        ("2", "m1.small", 1, 2_048, 20),
        ("3", "m1.medium", 2, 4_096, 40),
        ("4", "m1.large", 4, 8_192, 80),
    ];
    let one = |(id, name, vcpus, ram, disk)| {
        json!({ "id": id, "name": name, "vcpus": vcpus, "ram": ram, "disk": disk, "swap": "", "OS-FLV-EXT-DATA:ephemeral": 0, "rxtx_factor": 1.0,
            "os-flavor-access:is_public": true, "OS-FLV-DISABLED:disabled": false, "extra_specs": {}, "links": [] })
    };
    all.map(one).into()
}

impl Nova {
    pub(super) fn of_keypairs(&mut self, common: &Common, asked: &Asked<'_>, parts: &[&str]) -> Answer {
        match (asked.method, parts) {
            (Method::Get, []) => {
                let all: Vec<Value> = self.keypairs.values().map(|key| json!({ "keypair": key })).collect();
                Ok(json(200, &json!({ "keypairs": all })))
            }
            (Method::Get, [name]) => match self.keypairs.get(*name) {
                Some(key) => Ok(json(200, &json!({ "keypair": key }))),
                None => Err(Refusal::missing(format!("Keypair {name} not found for user {}", common.setting.user))),
            },
            (Method::Post, []) => {
                let given = &asked.body["keypair"];
                let name = given["name"].as_str().unwrap_or_default();
                if name.is_empty() {
                    return Err(Refusal::bad("Invalid input for field/attribute name."));
                }
                if self.keypairs.contains_key(name) {
                    return Err(Refusal::conflict(format!("Key pair '{name}' already exists.")));
                }
                let Some(public) = given["public_key"].as_str() else {
                    return Err(Refusal::bad("Keypair data is invalid: a public key is needed from version 2.92 on"));
                };
                let kind = given["type"].as_str().unwrap_or("ssh");
                let key = json!({ "name": name, "public_key": public, "type": kind, "fingerprint": "00:00", "user_id": common.setting.user });
                self.keypairs.insert(name.to_owned(), key.clone());
                Ok(json(if asked.version >= (2, 2) { 201 } else { 200 }, &json!({ "keypair": key })))
            }
            (Method::Delete, [name]) => match self.keypairs.shift_remove(*name) {
                Some(_) => Ok(empty(if asked.version >= (2, 2) { 204 } else { 202 })),
                None => Err(Refusal::missing(format!("Keypair {name} not found for user {}", common.setting.user))),
            },
            _ => Err(Refusal::new(405, "Method Not Allowed")),
        }
    }

    pub(super) fn of_groups(&mut self, common: &mut Common, asked: &Asked<'_>, parts: &[&str]) -> Answer {
        let missing = |id: &str| Refusal::missing(format!("Instance group {id} could not be found."));
        match (asked.method, parts) {
            (Method::Get, []) => {
                let all = self.groups.values().cloned().collect();
                Ok(json(200, &listing::page("server_groups", all, asked.route, asked.url, common.setting.page)?))
            }
            (Method::Get, [id]) => {
                Ok(json(200, &json!({ "server_group": self.groups.get(*id).ok_or_else(|| missing(id))? })))
            }
            (Method::Post, []) => {
                let given = &asked.body["server_group"];
                let policy = match (given["policy"].as_str(), given["policies"][0].as_str()) {
                    (Some(policy), _) if asked.version >= (2, 64) => policy,
                    (Some(_), _) => return Err(unknown("policy")),
                    (None, Some(policy)) if asked.version < (2, 64) => policy,
                    _ => {
                        return Err(Refusal::bad(
                            "Invalid input for field/attribute server_group. 'policy' is a required property",
                        ));
                    }
                };
                if !["affinity", "anti-affinity", "soft-affinity", "soft-anti-affinity"].contains(&policy) {
                    return Err(Refusal::bad(format!("Invalid input for field/attribute policy. Value: {policy}.")));
                }
                let id = common.ids.uuid();
                let mut group = json!({ "id": id, "name": given["name"], "members": [], "project_id": common.project, "user_id": common.setting.user });
                if asked.version >= (2, 64) {
                    group["policy"] = policy.into();
                    group["rules"] = given.get("rules").cloned().unwrap_or_else(|| json!({}));
                } else {
                    group["policies"] = json!([policy]);
                    group["metadata"] = json!({});
                }
                self.groups.insert(id, group.clone());
                Ok(json(200, &json!({ "server_group": group })))
            }
            (Method::Delete, [id]) => match self.groups.shift_remove(*id) {
                Some(_) => Ok(empty(204)),
                None => Err(missing(id)),
            },
            _ => Err(Refusal::new(405, "Method Not Allowed")),
        }
    }

    /// Adds a new server to the group in its scheduler hints.
    pub(super) fn become_member(&mut self, body: &Value, server: &str) -> Result<(), Refusal> {
        let hints = body.get("os:scheduler_hints").or_else(|| body.get("OS-SCH-HNT:scheduler_hints"));
        let Some(group) = hints.and_then(|hints| hints["group"].as_str()) else { return Ok(()) };
        let Some(group) = self.groups.get_mut(group) else {
            return Err(Refusal::bad(format!("Instance group {group} could not be found.")));
        };
        if let Some(members) = group["members"].as_array_mut() {
            members.push(server.into());
        }
        Ok(())
    }
}
