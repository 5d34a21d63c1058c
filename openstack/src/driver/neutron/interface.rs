//! Interfaces of routers, each connecting a router to a subnet or port. Neutron has a port for each, which is tagged
//! with the mark.

use std::collections::BTreeSet;

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use wattle_converge::Outcome;
use wattle_model::Name;

use super::super::find::Sort;
use super::super::json::{encoded, given_text, items, text};
use super::super::mark::Mark;
use super::super::stop::Stop;
use super::super::ties;
use super::super::work::{Collection, Work, get};
use super::super::{Driver, Found, Lists, Made, State};
use super::table::PORTS;
use crate::session::Call;
use crate::{Fault, Method};

/// Interfaces of routers. An interface is named as in Heat: `ROUTER:subnet_id=SUBNET` or `ROUTER:port_id=PORT`.
#[derive(Debug)]
pub(super) struct Interface;

pub(super) fn takes(property: &str) -> bool {
    matches!(property, "router" | "router_id" | "subnet" | "subnet_id" | "port" | "port_id")
}

/// The subnet that a template names.
pub(super) fn subnet(properties: &Value) -> Option<&str> {
    given_text(properties, "subnet").or_else(|| given_text(properties, "subnet_id"))
}

/// The port that a template names.
pub(in crate::driver) fn port(properties: &Value) -> Option<&str> {
    given_text(properties, "port").or_else(|| given_text(properties, "port_id"))
}

/// Whether a port is an interface of a router: plain, distributed, or highly available.
fn is_interface(port: &Value) -> bool {
    let owner = text(port, "device_owner");
    owner.starts_with("network:router_interface") || owner == "network:ha_router_replicated_interface"
}

/// The parts of an interface's name: the router, the key, and the id.
fn parts(phys: &str) -> Option<(&str, &str, &str)> {
    let (router, rest) = phys.split_once(':')?;
    let (key, id) = rest.split_once('=')?;
    Some((router, key, id))
}

fn seen(port: Value, marks: &Mark) -> Found {
    let row = marks.row_of_tags(&port["tags"]);
    let (router, id) = (text(&port, "device_id"), text(&port, "id"));
    let subnet = text(&port["fixed_ips"][0], "subnet_id");
    let called = |name: &str| ties::called(name, row.map(|row| marks.of(row)));
    let (by_subnet, by_port) = (format!("{router}:subnet_id={subnet}"), format!("{router}:port_id={id}"));
    let phys = called(&by_subnet);
    let others = vec![called(&by_port), by_subnet, by_port];
    Found { others, ..Found::new(row, phys, port) }
}

/// The name of an interface with these properties.
async fn called(work: &Work<'_>, properties: &Value) -> Result<String, Stop> {
    let router = given_text(properties, "router").or_else(|| given_text(properties, "router_id")).unwrap_or_default();
    let router = work.find(Sort::Router, router).await?;
    Ok(match (subnet(properties), port(properties)) {
        (Some(subnet), _) => format!("{router}:subnet_id={}", work.find(Sort::Subnet, subnet).await?),
        (None, Some(port)) => format!("{router}:port_id={}", work.find(Sort::Port, port).await?),
        (None, None) => return Err(Stop::refused("a router interface needs a `subnet` or a `port`: set one of them")),
    })
}

/// The interface of this name, whichever deployment it belongs to.
async fn pair(work: &Work<'_>, name: &str) -> Result<Option<Found>, Stop> {
    let Some((router, key, id)) = parts(name) else { return Ok(None) };
    let ports = work.listed(get("network", format!("/ports?device_id={}", encoded(router))), "ports").await?;
    let is_it = |port: &Value| match key {
        "port_id" => text(port, "id") == id,
        _ => items(&port["fixed_ips"]).iter().any(|ip| text(ip, "subnet_id") == id),
    };
    let found = ports.into_iter().filter(is_interface).find(is_it).map(|port| seen(port, work.marks));
    Ok(found)
}

async fn act(work: &Work<'_>, action: &str, name: &str) -> Result<Result<Value, Fault>, Stop> {
    let Some((router, key, id)) = parts(name) else {
        return Err(Stop::refused(format!("`{name}` is not a router interface such as `ROUTER:subnet_id=SUBNET`")));
    };
    let path = format!("/routers/{}/{action}_router_interface", encoded(router));
    Ok(work.ask(Call::new("network", Method::Put, path).body(json!({ key: id })).once()).await)
}

#[async_trait]
impl Driver for Interface {
    fn collections(&self) -> Vec<&'static Collection> {
        vec![&PORTS]
    }

    fn found(&self, lists: &Lists, marks: &Mark) -> Vec<Found> {
        lists.of(&PORTS).iter().filter(|port| is_interface(port)).map(|port| seen(port.clone(), marks)).collect()
    }

    fn is_tie(&self) -> bool {
        true
    }

    fn state(&self, _: &Found) -> State {
        State::Ready
    }

    fn attributes(&self, _: &Found) -> Map<String, Value> {
        Map::new()
    }

    async fn differs(&self, work: &Work<'_>, found: &Found, properties: &Value) -> Result<Option<String>, Stop> {
        let called = called(work, properties).await?;
        // The row knows the interface by its own name for it, so ignore the cloud's other name.
        let subnet = text(&found.item["fixed_ips"][0], "subnet_id");
        let is_it = parts(&called).is_some_and(|(router, key, id)| {
            router == text(&found.item, "device_id")
                && if key == "port_id" { id == text(&found.item, "id") } else { id == subnet }
        });
        Ok((!is_it).then(|| format!("it is the interface `{}`, but should be `{called}`", found.phys)))
    }

    async fn look(&self, work: &Work<'_>, _: Option<&Value>) -> Result<Option<Found>, Stop> {
        let path = format!("/ports?tags={}", encoded(&work.mark));
        let ports = work.listed(get("network", path), "ports").await?;
        Ok(ports.into_iter().find(is_interface).map(|port| seen(port, work.marks)))
    }

    async fn get(&self, work: &Work<'_>, phys: &str) -> Result<Option<Found>, Stop> {
        let (name, mark) = ties::parts(phys);
        Ok(pair(work, name).await?.and_then(|found| ties::same(work, mark, found)))
    }

    async fn make(&self, work: &Work<'_>, properties: &Value) -> Result<Made, Stop> {
        let name = called(work, properties).await?;
        if let Some(found) = pair(work, &name).await? {
            return Ok(Made::Thing(found));
        }
        match act(work, "add", &name).await? {
            // An earlier request for it succeeded.
            Err(Fault::Refused { status: 400, message, .. }) if message.contains("already has a port") => {}
            answer => drop(answer?),
        }
        match pair(work, &name).await? {
            Some(found) => Ok(Made::Thing(found)),
            None => Err(Stop::later()),
        }
    }

    /// An interface without a mark was created by a request that got no response.
    async fn finish(&self, work: &Work<'_>, found: Found, _: &Value) -> Result<Found, Stop> {
        if ties::is_anothers(work, found.row) {
            return Err(Stop::later());
        }
        if found.row.is_some() {
            return Ok(found);
        }
        ties::tie(work, &ties::port(&found.item), &work.mark).await?;
        let name = ties::parts(&found.phys).0.to_owned();
        Ok(pair(work, &name).await?.unwrap_or(found))
    }

    async fn update(&self, work: &Work<'_>, found: Found, properties: &Value) -> Result<Outcome, Stop> {
        match self.differs(work, &found, properties).await? {
            Some(how) => Err(Stop::refused(format!("{how}, which cannot be changed in place"))),
            None => Ok(self.outcome(&self.finish(work, found, properties).await?)),
        }
    }

    /// An interface can only be released as a whole.
    async fn release(&self, work: &Work<'_>, found: Found, _: &BTreeSet<Name>) -> Result<Outcome, Stop> {
        self.delete(work, &found.phys).await?;
        Ok(Outcome::Done(None))
    }

    async fn delete(&self, work: &Work<'_>, phys: &str) -> Result<Outcome, Stop> {
        if self.get(work, phys).await?.is_none() {
            return Ok(Outcome::Absent);
        }
        match act(work, "remove", ties::parts(phys).0).await? {
            Ok(_) => Ok(Outcome::Done(None)),
            Err(fault) if fault.is_missing() => Ok(Outcome::Absent),
            Err(fault) => Err(fault.into()),
        }
    }
}
