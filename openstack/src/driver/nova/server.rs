//! Finds, reads and deletes servers.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use wattle_converge::Outcome;
use wattle_model::Name;

use super::super::json::{agrees, encoded, items, text};
use super::super::mark::{Mark, is_mark};
use super::super::neutron::PORTS;
use super::super::resource_type::words;
use super::super::stop::Stop;
use super::super::work::{Collection, Work, delete, get, post};
use super::super::{Driver, Found, Lists, Made, State};
use super::{boot, change};
use crate::version::Version;

/// The first version in which servers have tags. Flavors still have an id in it.
pub(super) const READ: Version = Version::new(2, 26);

static SERVERS: Collection =
    Collection { service: "compute", path: "/servers/detail", key: "servers", version: Some(READ) };

/// Servers.
#[derive(Debug)]
pub(super) struct Servers;

/// Whether a property is implemented, or only affects how others are.
pub(super) fn takes(property: &str) -> bool {
    boot::TAKES.contains(&property)
        || matches!(
            property,
            "flavor_update_policy"
                | "image_update_policy"
                | "user_data_update_policy"
                | "user_data_format"
                | "software_config_transport"
        )
}

pub(super) fn path(id: &str) -> String {
    format!("/servers/{}", encoded(id))
}

/// The ports of a server.
pub(super) async fn ports(work: &Work<'_>, id: &str) -> Result<Vec<Value>, Stop> {
    work.listed(get("network", format!("/ports?device_id={}", encoded(id))), "ports").await
}

/// States in which somebody has stopped a server, and the action that starts it again.
pub(super) const STOPPED: [(&str, &str); 7] = [
    ("PAUSED", "unpause"),
    ("RESCUE", "unrescue"),
    ("SHELVED", "unshelve"),
    ("SHELVED_OFFLOADED", "unshelve"),
    ("SHUTOFF", "os-start"),
    ("STOPPED", "os-start"),
    ("SUSPENDED", "resume"),
];

/// The state of a server, from Nova's description.
pub(super) fn state(item: &Value) -> State {
    let status = text(item, "status");
    if !text(item, "OS-EXT-STS:task_state").is_empty() {
        return State::Busy;
    }
    match status {
        "ACTIVE" => State::Ready,
        "ERROR" => {
            let why = text(&item["fault"], "message");
            State::Broken(if why.is_empty() { "Nova says that it is in the state ERROR".into() } else { why.into() })
        }
        _ if STOPPED.iter().any(|(stopped, _)| *stopped == status) => {
            State::Stopped(format!("it does not run: its state is {status}"))
        }
        _ => State::Busy,
    }
}

/// Tags that are not marks.
pub(super) fn foreign_tags(item: &Value) -> Value {
    items(&item["tags"]).iter().filter(|tag| !tag.as_str().is_some_and(is_mark)).cloned().collect::<Vec<_>>().into()
}

/// The port with an address of a server.
fn port_of<'p>(address: &Value, ports: &'p [Value]) -> Option<&'p Value> {
    let mac = &address["OS-EXT-IPS-MAC:mac_addr"];
    ports.iter().find(|port| !mac.is_null() && agrees(mac, &port["mac_address"]))
}

/// A server's addresses in a network according to its ports. Nova keeps a copy, which is updated only later.
fn current(listed: &[Value], ports: &[Value]) -> Vec<Value> {
    let mut current = Vec::new();
    let mut known: Vec<&Value> = Vec::new();
    for address in listed {
        let Some(port) = port_of(address, ports).filter(|_| address["OS-EXT-IPS:type"] != "floating") else {
            current.push(address.clone());
            continue;
        };
        if known.contains(&&port["id"]) {
            continue;
        }
        known.push(&port["id"]);
        for ip in items(&port["fixed_ips"]) {
            let mut now = address.clone();
            now["addr"] = ip["ip_address"].clone();
            now["version"] = if text(ip, "ip_address").contains(':') { 6 } else { 4 }.into();
            current.push(now);
        }
    }
    current
}

#[async_trait]
impl Driver for Servers {
    fn collections(&self) -> Vec<&'static Collection> {
        vec![&SERVERS, &PORTS]
    }

    fn found(&self, lists: &Lists, marks: &Mark) -> Vec<Found> {
        let mut ports: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
        for port in lists.of(&PORTS) {
            ports.entry(text(port, "device_id")).or_default().push(port.clone());
        }
        let seen = |item: &Value| {
            let mut found = Found::new(marks.row_of_tags(&item["tags"]), text(item, "id"), item.clone());
            found.beside = ports.remove(text(item, "id")).unwrap_or_default();
            found
        };
        lists.of(&SERVERS).iter().filter(|item| text(item, "status") != "DELETED").map(seen).collect()
    }

    fn state(&self, found: &Found) -> State {
        state(&found.item)
    }

    fn attributes(&self, found: &Found) -> Map<String, Value> {
        let item = &found.item;
        let mut attributes = Map::new();
        let keys = [
            ("name", "name"),
            ("accessIPv4", "accessIPv4"),
            ("accessIPv6", "accessIPv6"),
            ("instance_name", "OS-EXT-SRV-ATTR:instance_name"),
        ];
        for (attribute, key) in keys {
            attributes.insert(attribute.into(), item[key].clone());
        }
        let (mut addresses, mut networks) = (Map::new(), Map::new());
        let shown: Vec<(&String, Vec<Value>)> = item["addresses"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(network, listed)| (network, current(items(listed), &found.beside)))
            .collect();
        for (network, listed) in &shown {
            let full: Value = listed
                .iter()
                .map(|address| {
                    let is_own = address["OS-EXT-IPS:type"] != "floating";
                    let port = port_of(address, &found.beside).filter(|_| is_own);
                    let mut full = address.clone();
                    full["port"] = port.map(|port| port["id"].clone()).unwrap_or_default();
                    full
                })
                .collect::<Vec<_>>()
                .into();
            let plain: Value = listed.iter().map(|address| address["addr"].clone()).collect::<Vec<_>>().into();
            // As in Heat, a network appears both by its name and by its id.
            let port = listed.iter().find_map(|address| port_of(address, &found.beside));
            let id = port.map(|port| text(port, "network_id").to_owned());
            for key in id.into_iter().chain([(*network).clone()]) {
                addresses.insert(key.clone(), full.clone());
                networks.insert(key, plain.clone());
            }
        }
        // As in Heat: the first address of the network whose name comes last.
        let last = shown.iter().filter(|(_, listed)| !listed.is_empty()).max_by_key(|(network, _)| *network);
        let first = last.map(|(_, listed)| listed[0]["addr"].clone());
        attributes.insert("first_address".into(), first.unwrap_or_else(|| "".into()));
        attributes.insert("addresses".into(), addresses.into());
        attributes.insert("networks".into(), networks.into());
        attributes.insert("tags".into(), foreign_tags(item));
        attributes
    }

    async fn differs(&self, work: &Work<'_>, found: &Found, properties: &Value) -> Result<Option<String>, Stop> {
        change::differs(work, found, properties).await
    }

    async fn look(&self, work: &Work<'_>, _: Option<&Value>) -> Result<Option<Found>, Stop> {
        let call = get("compute", format!("/servers/detail?tags={}", encoded(&work.mark))).version(READ);
        let servers = work.listed(call, "servers").await?;
        let is_ours = |item: &Value| items(&item["tags"]).iter().any(|tag| *tag == work.mark);
        let Some(item) = servers.into_iter().find(is_ours) else { return Ok(None) };
        let mut found = Found::new(work.marks.row(&work.mark), text(&item, "id"), item.clone());
        found.beside = ports(work, &found.phys).await?;
        Ok(Some(found))
    }

    async fn get(&self, work: &Work<'_>, phys: &str) -> Result<Option<Found>, Stop> {
        let Some(item) = work.read(get("compute", path(phys)).version(READ), "server").await? else {
            return Ok(None);
        };
        if matches!(text(&item, "status"), "DELETED" | "SOFT_DELETED") {
            return Ok(None);
        }
        let mut found = Found::new(work.marks.row_of_tags(&item["tags"]), phys, item);
        found.beside = ports(work, phys).await?;
        Ok(Some(found))
    }

    async fn make(&self, work: &Work<'_>, properties: &Value) -> Result<Made, Stop> {
        let call = boot::call(work, properties).await?;
        let answer = work.make(call).await?;
        match text(&answer["server"], "id") {
            "" => Err(Stop::Outcome(Outcome::Unknown)),
            id => Ok(Made::Accepted(id.to_owned())),
        }
    }

    async fn update(&self, work: &Work<'_>, found: Found, properties: &Value) -> Result<Outcome, Stop> {
        change::update(work, self, found, properties).await
    }

    fn is_whole_in_lists(&self) -> bool {
        true
    }

    async fn is_light(&self, work: &Work<'_>, found: &Found, properties: &Value) -> Result<bool, Stop> {
        change::is_light(work, found, properties).await
    }

    fn adopts(&self) -> bool {
        true
    }

    fn mark<'f>(&self, found: &'f Found) -> Option<&'f str> {
        items(&found.item["tags"]).iter().filter_map(Value::as_str).find(|tag| is_mark(tag))
    }

    async fn cannot_be(&self, work: &Work<'_>, found: &Found, properties: &Value) -> Result<Option<String>, Stop> {
        change::cannot_be(work, found, properties).await
    }

    /// Releases ports and volumes, and waits until Nova has detached them.
    async fn release(&self, work: &Work<'_>, found: Found, exclusive: &BTreeSet<Name>) -> Result<Outcome, Stop> {
        let server = path(&found.phys);
        let mut is_free = true;
        for held in exclusive {
            let has_address = |port: &&Value, address: &str| {
                items(&port["fixed_ips"]).iter().any(|ip| agrees(&address.into(), &ip["ip_address"]))
            };
            let port = match (words::port_in(held), words::address_in(held)) {
                (Some(id), _) => found.beside.iter().find(|port| text(port, "id") == id),
                (None, Some(address)) => found.beside.iter().find(|port| has_address(port, address)),
                (None, None) => None,
            };
            let volumes = items(&found.item["os-extended-volumes:volumes_attached"]);
            let volume = words::volume_in(held).and_then(|id| volumes.iter().find(|volume| text(volume, "id") == id));
            let (action, path) = match (port, volume) {
                (Some(port), _) => ("detach_interface", format!("{server}/os-interface/{}", text(port, "id"))),
                (None, Some(volume)) => {
                    ("detach_volume", format!("{server}/os-volume_attachments/{}", text(volume, "id")))
                }
                (None, None) => continue,
            };
            is_free = false;
            work.may_ask(&found.phys, action).await?;
            work.remove(delete("compute", path).once()).await?;
        }
        if is_free { Ok(Outcome::Done(Some(self.thing(&found)))) } else { Err(Stop::later()) }
    }

    async fn delete(&self, work: &Work<'_>, phys: &str) -> Result<Outcome, Stop> {
        if work.remove(delete("compute", path(phys))).await?.is_none() {
            return Ok(Outcome::Absent);
        }
        // Where servers can be restored, deleted servers keep their ports and are not listed. Delete this one for good.
        match work.read(get("compute", path(phys)).version(READ), "server").await? {
            None => return Ok(Outcome::Done(None)),
            Some(item) if text(&item, "status") == "SOFT_DELETED" => {
                work.change(post("compute", format!("{}/action", path(phys)), "forceDelete", json!(null))).await?;
            }
            Some(_) => {}
        }
        Ok(Outcome::Accepted(Some(phys.into())))
    }
}
