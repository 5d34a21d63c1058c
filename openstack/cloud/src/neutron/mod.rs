//! Networks and their resources. Source: Networking API v2.0.
//!
//! [`table`] lists the attributes of each kind of resource. `rules` implements Neutron's other effects when a resource
//! is created, changed or removed.

mod addresses;
mod allocation;
mod routers;
mod rules;
mod servers;
mod table;

use std::net::Ipv4Addr;

use indexmap::IndexMap;
use serde_json::{Map, Value, json};
use wattle_openstack::Method;

use crate::listing;
use crate::reply::{Answer, Refusal, empty, json};
use crate::world::{Asked, Common};
use table::ApiResource;

#[derive(Debug, Default)]
pub(crate) struct Neutron {
    /// All things by their ids, in the order of their creation.
    things: IndexMap<String, Thing>,
    /// The range from which ports and floating IPs get their addresses; `None` for addresses of their subnets.
    machines: Option<(Ipv4Addr, Ipv4Addr)>,
}

#[derive(Clone, Debug)]
struct Thing {
    kind: &'static ApiResource,
    value: Value,
}

impl Neutron {
    pub(crate) fn new(common: &mut Common) -> Self {
        let mut neutron = Self { machines: common.setting.addresses, ..Self::default() };
        let mut make = |kind: &str, body: Value| {
            let kind = table::of(kind).expect("INVARIANT: one of the table's kinds");
            let made = neutron.make(common, kind, &body).expect("INVARIANT: what a cloud begins with can be made");
            made["id"].clone()
        };
        let private = make("networks", json!({ "name": "private" }));
        make(
            "subnets",
            json!({ "name": "private-subnet", "network_id": private, "ip_version": 4, "cidr": "10.79.0.0/24" }),
        );
        let public = make("networks", json!({ "name": "public", "router:external": true }));
        make(
            "subnets",
            json!({ "name": "public-subnet", "network_id": public, "ip_version": 4, "cidr": "10.78.0.0/24", "enable_dhcp": false }),
        );
        neutron
    }

    pub(crate) fn answer(&mut self, common: &mut Common, asked: &Asked<'_>) -> Answer {
        let parts = asked.route.parts();
        let Some((&"v2.0", parts)) = parts.split_first() else { return Err(nowhere()) };
        let Some((collection, parts)) = parts.split_first() else { return Err(nowhere()) };
        if *collection == "quotas" {
            return self.quotas(common, asked, parts);
        }
        let kind = table::of(collection).ok_or_else(nowhere)?;
        let one = |value: &Value, status: u16| json(status, &json!({ kind.one: value }));
        match (asked.method, parts) {
            (Method::Get, []) => {
                let listed =
                    self.all(kind).filter(|value| listing::is_asked_for(value, asked.route)).cloned().collect();
                Ok(json(200, &listing::page(kind.key, listed, asked.route, asked.url, common.setting.page)?))
            }
            (Method::Get, [id]) => Ok(one(self.find(kind, id)?, 200)),
            (Method::Post, []) if asked.body[kind.key].is_array() => self.make_all(common, kind, asked.body),
            (Method::Post, []) => Ok(one(&self.make(common, kind, &asked.body[kind.one])?, 201)),
            (Method::Put, [id]) => Ok(one(&self.change(common, kind, id, &asked.body[kind.one])?, 200)),
            (Method::Delete, [id]) => {
                self.find(kind, id)?;
                self.remove(kind, id)?;
                Ok(empty(204))
            }
            (Method::Put, [id, action @ ("add_router_interface" | "remove_router_interface")])
                if kind.key == "routers" =>
            {
                self.find(kind, id)?;
                let said = if action.starts_with("add") {
                    self.connect(common, id, asked.body)?
                } else {
                    self.disconnect(id, asked.body)?
                };
                Ok(json(200, &said))
            }
            (_, [id, "tags", tag @ ..]) => self.tag(kind, id, tag, asked),
            _ => Err(nowhere()),
        }
    }

    /// The limit of each kind; for `details`, together with the usage.
    fn quotas(&self, common: &Common, asked: &Asked<'_>, parts: &[&str]) -> Answer {
        let of = |kind: &'static ApiResource| {
            let most = if kind.key == "ports" { common.most() } else { -1 };
            let quota = json!({ "limit": most, "used": self.all(kind).count(), "reserved": 0 });
            (kind.one.to_owned(), if parts.get(1) == Some(&"details") { quota } else { most.into() })
        };
        match (asked.method, parts) {
            (Method::Get, [_] | [_, "details"]) => {
                let quota: Map<String, Value> = table::TABLE.iter().map(of).collect();
                Ok(json(200, &json!({ "quota": quota })))
            }
            _ => Err(nowhere()),
        }
    }

    /// All things of a kind.
    fn all(&self, kind: &'static ApiResource) -> impl Iterator<Item = &Value> {
        self.things.values().filter(move |thing| std::ptr::eq(thing.kind, kind)).map(|thing| &thing.value)
    }

    /// All things of the kind whose collection has this name.
    fn every(&self, collection: &str) -> impl Iterator<Item = &Value> {
        self.all(table::of(collection).expect("INVARIANT: one of the table's kinds"))
    }

    fn find(&self, kind: &'static ApiResource, id: &str) -> Result<&Value, Refusal> {
        let found = self.things.get(id).filter(|thing| std::ptr::eq(thing.kind, kind));
        found.map(|thing| &thing.value).ok_or_else(|| missing(kind, id))
    }

    /// The resource of this kind and id, if it exists.
    fn get(&self, collection: &str, id: &str) -> Result<&Value, Refusal> {
        self.find(table::of(collection).expect("INVARIANT: one of the table's kinds"), id)
    }

    fn set(&mut self, id: &str, key: &str, value: Value) {
        if let Some(thing) = self.things.get_mut(id) {
            thing.value[key] = value;
        }
    }

    fn make(&mut self, common: &mut Common, kind: &'static ApiResource, body: &Value) -> Result<Value, Refusal> {
        let Some(given) = body.as_object() else {
            return Err(Refusal::bad(format!("Unable to find '{}' in request body", kind.one)));
        };
        if kind.key == "ports" {
            let there = self.every("ports").count();
            common.quota("port", there).map_err(|_| Refusal::conflict("Quota exceeded for resources: ['port']."))?;
        }
        let mut value = Map::new();
        for attribute in kind.attributes {
            let said = given.get(attribute.name);
            match (said, attribute.default) {
                (Some(said), _) => value.insert(attribute.name.into(), said.clone()),
                (None, Some(default)) => {
                    let default = serde_json::from_str(default).expect("INVARIANT: defaults are JSON");
                    value.insert(attribute.name.into(), default)
                }
                (None, None) => {
                    return Err(Refusal::bad(format!(
                        "Failed to parse request. Required attribute '{}' not specified",
                        attribute.name
                    )));
                }
            };
        }
        if let Some(unknown) = given
            .keys()
            .find(|key| !kind.attributes.iter().any(|attribute| attribute.name == *key) && *key != "tenant_id")
        {
            return Err(Refusal::bad(format!("Unrecognized attribute(s) '{unknown}'")));
        }
        let id = common.ids.uuid();
        let (project, stamp) = (common.project.clone(), common.stamp());
        for (key, fact) in [
            ("id", &id),
            ("project_id", &project),
            ("tenant_id", &project),
            ("created_at", &stamp),
            ("updated_at", &stamp),
        ] {
            value.insert(key.into(), fact.as_str().into());
        }
        let mut value = Value::Object(value);
        self.making(common, kind, &mut value, body)?;
        if common.breaks && value.get("status").is_some() {
            value["status"] = "ERROR".into();
        }
        self.things.insert(id.clone(), Thing { kind, value });
        self.made(common, kind, &id);
        Ok(self.things[&id].value.clone())
    }

    /// Creates several things at once: all of them, or none.
    fn make_all(&mut self, common: &mut Common, kind: &'static ApiResource, body: &Value) -> Answer {
        let before = self.things.clone();
        let bodies = body[kind.key].as_array().into_iter().flatten();
        let made: Result<Vec<Value>, Refusal> = bodies.map(|body| self.make(common, kind, body)).collect();
        match made {
            Ok(made) => Ok(json(201, &json!({ kind.key: made }))),
            Err(refusal) => {
                self.things = before;
                Err(refusal)
            }
        }
    }

    fn change(
        &mut self,
        common: &Common,
        kind: &'static ApiResource,
        id: &str,
        body: &Value,
    ) -> Result<Value, Refusal> {
        let mut value = self.find(kind, id)?.clone();
        for (key, said) in body.as_object().into_iter().flatten() {
            match kind.attributes.iter().find(|attribute| attribute.name == key) {
                None => return Err(Refusal::bad(format!("Unrecognized attribute(s) '{key}'"))),
                Some(attribute) if !attribute.changes => {
                    return Err(Refusal::bad(format!("Cannot update read-only attribute {key}")));
                }
                Some(_) => value[key] = said.clone(),
            }
        }
        self.changing(kind, id, &mut value, body)?;
        value["updated_at"] = common.stamp().into();
        self.things[id].value = value.clone();
        Ok(value)
    }

    fn tag(&mut self, kind: &'static ApiResource, id: &str, tag: &[&str], asked: &Asked<'_>) -> Answer {
        self.find(kind, id)?;
        let value = &mut self.things[id].value;
        let mut tags: Vec<Value> = value["tags"].as_array().cloned().unwrap_or_default();
        match (asked.method, tag) {
            (Method::Get, []) => return Ok(json(200, &json!({ "tags": tags }))),
            (Method::Put, []) => {
                value["tags"] = asked.body["tags"].clone();
                return Ok(json(200, &json!({ "tags": value["tags"] })));
            }
            (Method::Put, [tag]) => {
                if !tags.iter().any(|known| known == tag) {
                    tags.push((*tag).into());
                }
            }
            (Method::Delete, [tag]) if !tags.iter().any(|known| known == tag) => {
                return Err(Refusal::missing(format!("Tag {tag} could not be found.")));
            }
            (Method::Delete, [tag]) => tags.retain(|known| known != tag),
            (Method::Delete, []) => tags.clear(),
            _ => return Err(nowhere()),
        }
        value["tags"] = tags.into();
        Ok(if asked.method == Method::Put { empty(201) } else { empty(204) })
    }

    pub(crate) fn vanish(&mut self, collection: &str, id: &str) {
        if self.things.get(id).is_some_and(|thing| thing.kind.key == collection || thing.kind.path == collection) {
            self.things.shift_remove(id);
        }
    }
}

fn missing(kind: &ApiResource, id: &str) -> Refusal {
    Refusal::missing(format!("{} {id} could not be found.", kind.called))
}

fn nowhere() -> Refusal {
    Refusal::missing("The resource could not be found.")
}
