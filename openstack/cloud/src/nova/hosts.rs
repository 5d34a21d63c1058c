//! The cloud's hosts: scheduling of servers, and the view of administrators.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use wattle_openstack::Method;

use super::Nova;
use super::servers::Server;
use crate::id::Ids;
use crate::listing;
use crate::reply::{Answer, Refusal, json};
use crate::world::{Asked, Common};

/// The zone of servers that request none.
const ZONE: &str = "nova";

/// The hosts: name, zone, rack, and a trait that only some of them have. The last one is disabled.
const HOSTS: [(&str, &str, &str, Option<&str>); 5] = [
    ("compute-1", ZONE, "r1", None),
    ("compute-2", ZONE, "r1", None),
    ("compute-3", ZONE, "r2", Some("CUSTOM_DB2")),
    ("compute-4", "az2", "r3", Some("CUSTOM_DB2")),
    ("compute-5", ZONE, "r2", None),
];

/// A host. All hosts have the same capacity.
#[derive(Debug)]
pub(crate) struct Host {
    pub(crate) name: &'static str,
    /// The id of the hypervisor, which is that of its resource provider.
    pub(crate) id: String,
    pub(crate) traits: Vec<&'static str>,
    service: String,
    zone: &'static str,
    rack: &'static str,
    is_open: bool,
}

/// Processors, memory in MiB and disk in GiB of each host.
pub(crate) const ROOM: [(&str, i64); 3] = [("vcpus", 16), ("ram", 65_536), ("disk", 1_000)];

/// The hosts of the cloud with this number.
pub(super) fn hosts(number: u64) -> Vec<Host> {
    // All other ids are independent of the number of hosts.
    let mut ids = Ids::of(!number);
    let last = HOSTS.len() - 1;
    let host =
        |(at, (name, zone, rack, own)): (usize, (&'static str, &'static str, &'static str, Option<&'static str>))| {
            let traits = ["COMPUTE_NODE", "HW_CPU_X86_AVX2"].into_iter().chain(own).collect();
            Host { name, id: ids.uuid(), traits, service: ids.uuid(), zone, rack, is_open: at != last }
        };
    HOSTS.into_iter().enumerate().map(host).collect()
}

impl Nova {
    pub(crate) fn hosts(&self) -> &[Host] {
        &self.hosts
    }

    /// The servers on a host.
    fn on(&self, host: &str) -> impl Iterator<Item = &Server> {
        self.servers.values().filter(move |server| server.host == Some(host))
    }

    /// The usage of a host by the keys of flavors: `vcpus`, `ram`, `disk`.
    pub(crate) fn used(&self, host: &str, key: &str) -> i64 {
        self.on(host).map(|server| server.value["flavor"][key].as_i64().unwrap_or(0)).sum()
    }

    /// The host that the scheduler chooses for a new server: the one with the fewest servers among those that satisfy
    /// its group's policy. Capacity is not considered. Fails with the reason if there is none.
    pub(super) fn chosen(&self, common: &Common, body: &Value) -> Result<Result<&Host, String>, Refusal> {
        let server = &body["server"];
        let mut zone = server["availability_zone"].as_str().unwrap_or_default().split(':');
        let (zone, forced) = (zone.next().unwrap_or_default(), zone.next().filter(|host| !host.is_empty()));
        let named = |name: &str| self.hosts.iter().find(|host| host.name == name);
        if let Some(name) = forced {
            admits(common, "servers:create:forced_host")?;
            return Ok(named(name).ok_or_else(|| format!("No such host - host: {name} node: None ")));
        }
        if let Some(name) = server["host"].as_str() {
            admits(common, "servers:create:requested_destination")?;
            let missing = || Refusal::bad(format!("Compute host {name} could not be found."));
            return named(name).map(Ok).ok_or_else(missing);
        }
        let zone = if zone.is_empty() { ZONE } else { zone };
        if !self.hosts.iter().any(|host| host.zone == zone) {
            return Err(Refusal::bad("The requested availability zone is not available"));
        }
        let (policy, mates) = self.mates(body);
        let open = self.hosts.iter().filter(|host| host.is_open && host.zone == zone);
        let best = open.min_by_key(|host| {
            let is_shared = mates.contains(&host.name);
            let is_wrong = if policy.ends_with("anti-affinity") { is_shared } else { !is_shared && !mates.is_empty() };
            (is_wrong, self.on(host.name).count())
        });
        Ok(best.ok_or_else(|| "There are not enough hosts available.".to_owned()))
    }

    /// The policy of the group in the scheduler hints, and the hosts of its members.
    fn mates(&self, body: &Value) -> (&str, Vec<&'static str>) {
        let group = body["os:scheduler_hints"]["group"].as_str().and_then(|group| self.groups.get(group));
        let Some(group) = group else { return ("", Vec::new()) };
        let policy = group["policy"].as_str().or_else(|| group["policies"][0].as_str()).unwrap_or_default();
        let members = group["members"].as_array().into_iter().flatten().filter_map(Value::as_str);
        (policy, members.filter_map(|id| self.servers.get(id)?.host).collect())
    }

    /// Migrates a running server to the named host, or to any other host.
    pub(super) fn migrate(&mut self, common: &Common, id: &str, to: Option<&str>) -> Result<(), Refusal> {
        admits(common, "os-migrate-server:migrate_live")?;
        let from = self.server(id)?.host;
        let is_meant = |host: &&Host| to.map_or(host.is_open && Some(host.name) != from, |to| to == host.name);
        let Some(host) = self.hosts.iter().find(is_meant) else {
            let named = to.unwrap_or_default();
            return Err(Refusal::bad(format!("Compute host {named} could not be found.")));
        };
        let (name, zone) = (host.name, host.zone);
        self.server(id)?.stand(common, name, zone);
        Ok(())
    }

    /// Handles requests that only administrators may send.
    pub(super) fn of_administrators(&self, common: &Common, asked: &Asked<'_>, parts: &[&str]) -> Answer {
        let page = |key: &str, all: Vec<Value>| {
            Ok(json(200, &listing::page(key, all, asked.route, asked.url, common.setting.page)?))
        };
        match (asked.method, parts) {
            (Method::Get, ["os-hypervisors", "detail"]) => {
                admits(common, "os-hypervisors:list-detail")?;
                let all = self.hosts.iter().enumerate().map(|(number, host)| self.hypervisor(number, host, asked));
                page("hypervisors", all.collect())
            }
            (Method::Get, ["os-services"]) => {
                admits(common, "os-services:list")?;
                let all: Vec<Value> = self.hosts.iter().map(|host| service(host, common)).collect();
                let all = all.into_iter().filter(|service| listing::is_asked_for(service, asked.route));
                Ok(json(200, &json!({ "services": all.collect::<Vec<_>>() })))
            }
            (Method::Get, ["os-aggregates"]) => {
                admits(common, "os-aggregates:index")?;
                Ok(json(200, &json!({ "aggregates": self.aggregates(common) })))
            }
            _ => Err(Refusal::missing("The resource could not be found.")),
        }
    }

    fn hypervisor(&self, number: usize, host: &Host, asked: &Asked<'_>) -> Value {
        let is_new = asked.version >= (2, 53);
        let id = if is_new { json!(host.id) } else { json!(number + 1) };
        let service = if is_new { json!(host.service) } else { json!(number + 1) };
        let why = if host.is_open { Value::Null } else { WHY.into() };
        let mut hypervisor = json!({
            "id": id, "hypervisor_hostname": host.name, "hypervisor_type": "QEMU", "hypervisor_version": 8_002_000,
            "state": "up", "status": status(host), "host_ip": "127.0.0.1",
            "service": { "id": service, "host": host.name, "disabled_reason": why },
        });
        if asked.version < (2, 88) {
            for ((key, most), (has, uses)) in ROOM.into_iter().zip([
                ("vcpus", "vcpus_used"),
                ("memory_mb", "memory_mb_used"),
                ("local_gb", "local_gb_used"),
            ]) {
                hypervisor[has] = most.into();
                hypervisor[uses] = self.used(host.name, key).into();
            }
            hypervisor["running_vms"] = self.on(host.name).count().into();
        }
        hypervisor
    }

    /// One aggregate for each rack, and one for the second zone.
    fn aggregates(&self, common: &Common) -> Vec<Value> {
        let zones = self.hosts.iter().filter(|host| host.zone != ZONE);
        let zones = zones.map(|host| (host.zone, json!({ "availability_zone": host.zone }), vec![host.name]));
        let mut all: Vec<(&str, Value, Vec<&str>)> = zones.collect();
        for host in &self.hosts {
            match all.iter_mut().find(|(name, ..)| *name == host.rack) {
                Some((_, _, hosts)) => hosts.push(host.name),
                None => all.push((host.rack, json!({ "rack": host.rack }), vec![host.name])),
            }
        }
        let aggregate = |(number, (name, metadata, hosts)): (usize, (&str, Value, Vec<&str>))| {
            json!({
                "id": number + 1, "name": name, "availability_zone": metadata["availability_zone"], "metadata": metadata,
                "hosts": hosts, "created_at": common.stamp(), "updated_at": Value::Null, "deleted": false, "deleted_at": Value::Null,
            })
        };
        all.into_iter().enumerate().map(aggregate).collect()
    }

    /// The zones; for administrators, with their hosts.
    pub(super) fn zones(&self, common: &Common, has_hosts: bool) -> Answer {
        if has_hosts {
            admits(common, "os-availability-zone:detail")?;
        }
        let names: BTreeSet<&str> = self.hosts.iter().map(|host| host.zone).collect();
        let zones = names.into_iter().map(|zone| {
            let hosts = self.hosts.iter().filter(|host| host.zone == zone).map(|host| {
                let service = json!({ "active": true, "available": host.is_open, "updated_at": common.stamp() });
                (host.name.to_owned(), json!({ "nova-compute": service }))
            });
            let hosts = if has_hosts { Value::Object(hosts.collect()) } else { Value::Null };
            json!({ "zoneName": zone, "zoneState": { "available": true }, "hosts": hosts })
        });
        Ok(json(200, &json!({ "availabilityZoneInfo": zones.collect::<Vec<_>>() })))
    }
}

impl Host {
    pub(super) fn zone(&self) -> &'static str {
        self.zone
    }
}

impl Server {
    /// Places the server on a host. Only administrators see which one.
    pub(super) fn stand(&mut self, common: &Common, host: &'static str, zone: &'static str) {
        self.host = Some(host);
        self.value["OS-EXT-AZ:availability_zone"] = zone.into();
        if common.setting.is_admin {
            let number = self.value["id"].as_str().unwrap_or_default().split('-').next().unwrap_or_default();
            self.value["OS-EXT-SRV-ATTR:instance_name"] = format!("instance-{number}").into();
            self.value["OS-EXT-SRV-ATTR:host"] = host.into();
            self.value["OS-EXT-SRV-ATTR:hypervisor_hostname"] = host.into();
        }
    }
}

/// Why the last host is disabled.
const WHY: &str = "new disks";

fn status(host: &Host) -> &'static str {
    if host.is_open { "enabled" } else { "disabled" }
}

fn service(host: &Host, common: &Common) -> Value {
    let why = if host.is_open { Value::Null } else { WHY.into() };
    json!({
        "id": host.service, "binary": "nova-compute", "host": host.name, "zone": host.zone, "status": status(host), "state": "up",
        "disabled_reason": why, "forced_down": false, "updated_at": common.stamp(),
    })
}

/// Refuses a request that the cloud's policy reserves for administrators.
fn admits(common: &Common, rule: &str) -> Result<(), Refusal> {
    if common.setting.is_admin {
        return Ok(());
    }
    Err(Refusal::new(403, format!("Policy doesn't allow os_compute_api:{rule} to be performed.")))
}
