//! Running servers. They stay where they are, and the request that created them is unchanged: another
//! `availability_zone` or another server group would require a replacement.

use std::collections::BTreeMap;

use wattle_model::{Diagnostic, Severity};
use wattle_words::names::some;

use crate::cloud::{Amounts, Cloud, DISK, Host, MEMORY, VCPUS};
use crate::codes::UNKNOWN;

use super::guarantee::Group;
use super::servers::{Servers, Written};

/// The state of a running server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Runs {
    /// Its host, if known.
    pub host: Option<String>,
    /// Its availability zone, if known.
    pub zone: Option<String>,
    /// The `availability_zone` of its creation.
    pub asked: Option<String>,
    /// The server group in its hints, if an earlier placement has added it: the resource's name, and the group's
    /// policy.
    pub group: Option<(String, String)>,
}

impl Runs {
    /// Whether it is where a template with this `availability_zone` wants it. Otherwise that template requires a
    /// replacement.
    pub(super) fn is_as(&self, wanted: Option<&str>) -> bool {
        match (wanted, &self.asked) {
            (None, _) => true,
            (Some(wanted), None) => self.zone.as_deref() == Some(wanted),
            (Some(wanted), Some(asked)) => {
                asked.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
            }
        }
    }
}

impl Servers {
    /// Adds running servers to the cloud: they use at least their demand, and their hosts exist, whether or not they
    /// are in the hosts file.
    pub(super) fn with_what_runs(&self, cloud: &mut Cloud, found: &mut Vec<Diagnostic>) {
        let mut uses: BTreeMap<&str, Amounts> = BTreeMap::new();
        let mut lost: BTreeMap<&str, Vec<&Written>> = BTreeMap::new();
        for one in &self.all {
            let Some(host) = one.asks.runs_on.as_deref() else { continue };
            let sum = uses.entry(host).or_default();
            for (resource, amount) in &one.asks.demand {
                *sum.entry(resource.clone()).or_default() += amount;
            }
            if cloud.host(host).is_none() {
                lost.entry(host).or_default().push(one);
            }
        }
        for host in &mut cloud.hosts {
            for (resource, amount) in uses.get(&*host.name).into_iter().flatten() {
                let known = host.used.entry(resource.clone()).or_default();
                *known = (*known).max(*amount);
            }
        }
        for (name, servers) in lost {
            let mut full = uses[name].clone();
            for resource in [VCPUS, MEMORY, DISK] {
                full.entry(resource.to_owned()).or_default();
            }
            let zone = servers.iter().find_map(|one| one.runs.as_ref()?.zone.clone());
            let names = some(servers.iter().map(|one| &*one.asks.name), 6);
            let verb = if servers.len() == 1 { "runs" } else { "run" };
            let mut diagnostic = UNKNOWN
                .about
                .diagnostic(format!("{names} {verb} on `{name}`, which the hosts file does not have"))
                .help("describe it there: otherwise, its rack is unknown, and no more servers are placed on it");
            diagnostic.severity = Severity::Warning;
            found.push(servers.iter().fold(diagnostic, |diagnostic, one| diagnostic.label(&one.asks.at, "here")));
            cloud.hosts.push(Host {
                name: name.to_owned(),
                zone: zone.unwrap_or_else(|| Cloud::ZONE.to_owned()),
                total: full.clone(),
                used: full,
                ..Host::default()
            });
        }
    }

    /// The server groups that an earlier placement has added, as far as a running server is still in one.
    pub(super) fn kept_groups(&self, all: &[super::Where]) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for (one, place) in self.all.iter().zip(all).filter(|(_, place)| place.way.is_running()) {
            let Some((name, policy)) = one.runs.as_ref().and_then(|runs| runs.group.as_ref()) else { continue };
            let Some((file, _)) = one.own.as_ref().filter(|_| !one.has_hints) else { continue };
            match groups.iter_mut().find(|group| group.name == *name && group.file == *file) {
                Some(group) => group.members.push(place.server.clone()),
                None => groups.push(Group {
                    file: file.clone(),
                    name: name.clone(),
                    policy: policy.clone(),
                    members: vec![place.server.clone()],
                    of: None,
                }),
            }
        }
        groups
    }
}
