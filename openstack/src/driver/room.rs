//! Checks a project's quotas for a deployment, before anything is created.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use wattle_model::Value;

use super::find::Sort;
use super::inventory::Inventory;
use super::json::{given, given_text, items, sent};
use super::neutron::interface;
use super::work::get;
use crate::{Fault, Session};

/// An insufficient quota.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Short {
    /// The resource that is short: `servers`, `GiB of volumes`.
    pub what: &'static str,
    /// How much is to be created.
    pub wanted: u64,
    /// The project's limit.
    pub limit: u64,
    /// The project's current usage.
    pub used: u64,
}

/// A quota: its name in messages, and where a service reports its limit and its usage.
struct Quota {
    what: &'static str,
    service: &'static str,
    limit: &'static str,
    used: &'static str,
}

/// A quota that Neutron reports in one object.
const fn neutron(what: &'static str, name: &'static str) -> Quota {
    Quota { what, service: "network", limit: name, used: name }
}

const fn quota(what: &'static str, service: &'static str, limit: &'static str, used: &'static str) -> Quota {
    Quota { what, service, limit, used }
}

const SERVERS: Quota = quota("servers", "compute", "maxTotalInstances", "totalInstancesUsed");
const CORES: Quota = quota("virtual CPUs", "compute", "maxTotalCores", "totalCoresUsed");
const MEMORY: Quota = quota("MiB of memory", "compute", "maxTotalRAMSize", "totalRAMUsed");
const GROUPS: Quota = quota("server groups", "compute", "maxServerGroups", "totalServerGroupsUsed");
const VOLUMES: Quota = quota("volumes", "block-storage", "maxTotalVolumes", "totalVolumesUsed");
const STORAGE: Quota = quota("GiB of volumes", "block-storage", "maxTotalVolumeGigabytes", "totalGigabytesUsed");
const NETWORKS: Quota = neutron("networks", "network");
const SUBNETS: Quota = neutron("subnets", "subnet");
const ROUTERS: Quota = neutron("routers", "router");
const PORTS: Quota = neutron("ports", "port");
const ADDRESSES: Quota = neutron("floating IPs", "floatingip");
const SECURITY: Quota = neutron("security groups", "security_group");

const QUOTAS: [&Quota; 12] = [
    &SERVERS, &CORES, &MEMORY, &GROUPS, &VOLUMES, &STORAGE, &NETWORKS, &SUBNETS, &ROUTERS, &PORTS, &ADDRESSES,
    &SECURITY,
];

/// The demand for each quota, by name.
#[derive(Default)]
struct Wanted(BTreeMap<&'static str, u64>);

impl Wanted {
    fn add(&mut self, quota: &Quota, much: u64) {
        *self.0.entry(quota.what).or_default() += much;
    }

    fn of(&self, quota: &Quota) -> u64 {
        self.0.get(quota.what).copied().unwrap_or_default()
    }
}

impl Inventory {
    /// Returns the quotas that do not suffice for things of these types and properties, in addition to existing usage.
    ///
    /// Unknown values are ignored: a value that depends on something created earlier, or a quota that a service or its
    /// policy does not reveal. So success does not guarantee that there is room.
    ///
    /// # Errors
    ///
    /// A service does not respond.
    pub async fn room(&mut self, made: &[(&str, Value)]) -> Result<Vec<Short>, Fault> {
        let wanted = self.wanted(made).await?;
        short(&self.session, &wanted).await
    }

    /// The demand of these things for each quota.
    async fn wanted(&mut self, made: &[(&str, Value)]) -> Result<Wanted, Fault> {
        let mut wanted = Wanted::default();
        let mut flavors: BTreeMap<String, u64> = BTreeMap::new();
        for (ty, properties) in made {
            let properties = sent(properties);
            count(ty, &properties, &mut wanted);
            if *ty == "OS::Nova::Server"
                && let Some(flavor) = given_text(&properties, "flavor")
            {
                *flavors.entry(flavor.to_owned()).or_default() += 1;
            }
        }
        if !flavors.is_empty() {
            let all = self.all(Sort::Flavor).await?.unwrap_or_default();
            for (name, many) in flavors {
                let id = Sort::Flavor.chosen(all, &name).unwrap_or_default();
                if let Some(flavor) = all.iter().find(|flavor| flavor["id"] == *id) {
                    wanted.add(&CORES, many * flavor["vcpus"].as_u64().unwrap_or_default());
                    wanted.add(&MEMORY, many * flavor["ram"].as_u64().unwrap_or_default());
                }
            }
        }
        Ok(wanted)
    }
}

/// The quotas with too little left.
async fn short(session: &Session, wanted: &Wanted) -> Result<Vec<Short>, Fault> {
    let mut short = Vec::new();
    for service in ["compute", "block-storage", "network"] {
        let asked: Vec<&Quota> =
            QUOTAS.into_iter().filter(|quota| quota.service == service && wanted.of(quota) > 0).collect();
        if asked.is_empty() {
            continue;
        }
        let Some(answer) = limits(session, service).await? else { continue };
        for quota in asked {
            let (limit, used) = if service == "network" {
                let quota = &answer["quota"][quota.limit];
                let number = |key: &str| quota[key].as_u64().unwrap_or_default();
                (quota["limit"].as_u64(), number("used") + number("reserved"))
            } else {
                let absolute = &answer["limits"]["absolute"];
                (absolute[quota.limit].as_u64(), absolute[quota.used].as_u64().unwrap_or_default())
            };
            // A negative limit means no limit.
            let wanted = wanted.of(quota);
            if let Some(limit) = limit.filter(|limit| used + wanted > *limit) {
                short.push(Short { what: quota.what, wanted, limit, used });
            }
        }
    }
    Ok(short)
}

/// Adds the demand of one thing.
fn count(ty: &str, properties: &Json, wanted: &mut Wanted) {
    let whole = |value: Option<&Json>| value.and_then(Json::as_u64);
    match ty {
        "OS::Nova::Server" => {
            wanted.add(&SERVERS, 1);
            let nics = given(properties, "networks").map(items).unwrap_or_default();
            let is_made = |nic: &&Json| given(nic, "port").is_none() && given(nic, "allocate_network").is_none();
            wanted.add(&PORTS, nics.iter().filter(is_made).count() as u64);
            for device in given(properties, "block_device_mapping_v2").map(items).unwrap_or_default() {
                let is_new = ["image", "image_id", "snapshot_id"].iter().any(|key| given(device, key).is_some());
                if is_new && given(device, "volume_id").is_none() {
                    wanted.add(&VOLUMES, 1);
                    wanted.add(&STORAGE, whole(given(device, "volume_size")).unwrap_or_default());
                }
            }
        }
        "OS::Nova::ServerGroup" => wanted.add(&GROUPS, 1),
        "OS::Cinder::Volume" => {
            wanted.add(&VOLUMES, 1);
            wanted.add(&STORAGE, whole(given(properties, "size")).unwrap_or_default());
        }
        "OS::Neutron::Net" => wanted.add(&NETWORKS, 1),
        "OS::Neutron::Subnet" => wanted.add(&SUBNETS, 1),
        "OS::Neutron::Router" => wanted.add(&ROUTERS, 1),
        "OS::Neutron::RouterInterface" if interface::port(properties).is_none() => wanted.add(&PORTS, 1),
        "OS::Neutron::Port" => wanted.add(&PORTS, 1),
        "OS::Neutron::FloatingIP" => wanted.add(&ADDRESSES, 1),
        "OS::Neutron::SecurityGroup" => wanted.add(&SECURITY, 1),
        _ => {}
    }
}

/// Reads the project's quotas from a service.
async fn limits(session: &Session, service: &'static str) -> Result<Option<Json>, Fault> {
    let path = match service {
        "network" => {
            let Some(project) = session.token().await?.project.clone() else { return Ok(None) };
            format!("/quotas/{project}/details")
        }
        _ => "/limits".to_owned(),
    };
    said(session.call(get(service, path)).await)
}

/// The response; `None` if this user may not see it.
fn said<T>(answer: Result<T, Fault>) -> Result<Option<T>, Fault> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(fault) if fault.is_refusal() => Ok(None),
        Err(fault) => Err(fault),
    }
}
