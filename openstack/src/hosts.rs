//! The administrators' view of a cloud: its hosts with their capacity, and the host of each server. Source: Compute API
//! v2.1, Placement API v1.

mod flavor;
mod provider;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::session::Call;
use crate::version::Version;
use crate::{Fault, Method, Session};

pub use flavor::{Flavor, flavors};
pub use provider::Inventory;

/// The first version in which a hypervisor's id is that of its resource provider. Later versions omit its capacity.
const HYPERVISORS: Version = Version::new(2, 53);

/// A host of a cloud.
#[derive(Clone, Debug, PartialEq)]
pub struct Compute {
    /// Its name in Nova, as used in `availability_zone`.
    pub name: String,
    /// Its availability zone.
    pub zone: String,
    /// The metadata of its aggregates, by key.
    pub metadata: BTreeMap<String, String>,
    /// Its inventory, by resource class.
    pub has: BTreeMap<String, Inventory>,
    /// The usage of that inventory, by resource class.
    pub used: BTreeMap<String, i64>,
    /// Its traits.
    pub traits: BTreeSet<String>,
}

/// The hosts of a cloud.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hosts {
    /// The hosts that accept servers, by name.
    pub all: Vec<Compute>,
    /// The other hosts, and why they accept none.
    pub closed: Vec<(String, String)>,
}

/// Where a server runs, as far as the user may see it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stands {
    /// Its host.
    pub host: Option<String>,
    /// Its availability zone.
    pub zone: Option<String>,
}

/// Reads the hosts of a cloud.
///
/// # Errors
///
/// A service does not respond, or the user is not an administrator.
pub async fn hosts(session: &Session) -> Result<Hosts, Fault> {
    let hypervisors =
        session.list(get("compute", "/os-hypervisors/detail").version(HYPERVISORS), "hypervisors").await?;
    let services = get("compute", "/os-services?binary=nova-compute").version(HYPERVISORS);
    let services = session.list(services, "services").await?;
    let aggregates = session.list(get("compute", "/os-aggregates"), "aggregates").await?;
    let mut trees = provider::trees(session).await?;
    let mut of_host: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for hypervisor in &hypervisors {
        of_host.entry(text(&hypervisor["service"]["host"])).or_default().push(hypervisor);
    }
    let mut found = Hosts::default();
    let mut open = Vec::new();
    for (name, nodes) in of_host {
        let service = services.iter().find(|service| service["host"] == *name);
        if let Some(why) = closed(service, &nodes) {
            found.closed.push((name.to_owned(), why));
            continue;
        }
        let tree = trees.remove(text(&nodes[0]["id"])).unwrap_or_default();
        open.push(((name, service, nodes), tree));
    }
    let (open, trees): (Vec<_>, Vec<_>) = open.into_iter().unzip();
    let offers = provider::offers(session, &trees).await?;
    for ((name, service, nodes), offer) in open.into_iter().zip(offers) {
        let mut compute = Compute {
            name: name.to_owned(),
            zone: service
                .map(|service| text(&service["zone"]))
                .filter(|zone| !zone.is_empty())
                .unwrap_or("nova")
                .into(),
            metadata: metadata(&aggregates, name),
            has: offer.has,
            used: offer.used,
            traits: offer.traits,
        };
        // Where disks are shared, they belong to no provider of the host, but Nova reports their size.
        for (class, has, used) in OLDER {
            let (Some(has), Some(used)) = (nodes[0][has].as_i64(), nodes[0][used].as_i64()) else { continue };
            let is_known = compute.has.contains_key(class) || class == "VCPU" && compute.has.contains_key("PCPU");
            if !is_known {
                compute.has.insert(class.to_owned(), Inventory::plain(has));
                compute.used.insert(class.to_owned(), used);
            }
        }
        found.all.push(compute);
    }
    Ok(found)
}

/// Nova's own figures for a host, by resource class: the keys of the total and of the usage.
const OLDER: [(&str, &str, &str); 3] = [
    ("VCPU", "vcpus", "vcpus_used"),
    ("MEMORY_MB", "memory_mb", "memory_mb_used"),
    ("DISK_GB", "local_gb", "local_gb_used"),
];

/// Why a host does not accept servers that name it; `None` if it does.
fn closed(service: Option<&Value>, nodes: &[&Value]) -> Option<String> {
    let Some(service) = service else { return Some("no `nova-compute` serves it".to_owned()) };
    match (text(&service["status"]), text(&service["state"])) {
        ("disabled", _) => Some(match text(&service["disabled_reason"]) {
            "" => "it is disabled".to_owned(),
            why => format!("it is disabled: {}", wattle_words::shown::one_line(why)),
        }),
        (_, "down") => Some("it is down".to_owned()),
        _ if nodes.len() > 1 => {
            Some(format!("it serves {} nodes, each for one server, and `zone:host` names none of them", nodes.len()))
        }
        _ => None,
    }
}

/// Merges the metadata of a host's aggregates. On conflicts, the aggregate with the smaller id wins.
fn metadata(aggregates: &[Value], host: &str) -> BTreeMap<String, String> {
    let mut of_host: Vec<&Value> = aggregates
        .iter()
        .filter(|one| one["hosts"].as_array().is_some_and(|hosts| hosts.iter().any(|one| one == host)))
        .collect();
    of_host.sort_by_key(|one| std::cmp::Reverse(one["id"].as_i64()));
    let pairs = of_host.iter().filter_map(|one| one["metadata"].as_object()).flatten();
    pairs.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect()
}

/// Lists where the servers of the project run, by id. Only administrators see the hosts.
///
/// # Errors
///
/// Nova does not respond.
pub async fn stands(session: &Session) -> Result<BTreeMap<String, Stands>, Fault> {
    let servers = session.list(get("compute", "/servers/detail"), "servers").await?;
    let known = |server: &Value, key: &str| Some(text(&server[key]).to_owned()).filter(|name| !name.is_empty());
    let stands = servers.iter().map(|server| {
        let host = known(server, "OS-EXT-SRV-ATTR:host");
        (text(&server["id"]).to_owned(), Stands { host, zone: known(server, "OS-EXT-AZ:availability_zone") })
    });
    Ok(stands.collect())
}

fn get(service: &'static str, path: impl Into<String>) -> Call {
    Call::new(service, Method::Get, path)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
