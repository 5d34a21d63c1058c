//! The individual demands of each server on its host, to determine which of them no host meets.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::Host;
use crate::cloud::{Cloud, Level};
use crate::problem::{PlacementRule, Problem, Strength};

use super::{Part, of_policy, shown};

/// A problem on a cloud, with the capacity of its hosts.
pub(super) struct Ground<'p> {
    pub(super) cloud: &'p Cloud,
    pub(super) problem: &'p Problem,
    /// The required policies of each server.
    policies: Vec<Vec<usize>>,
    /// The maximum capacity of each host, by resource: the free amount, plus what servers that may leave it use.
    most: BTreeMap<&'p str, Vec<i64>>,
}

/// The subject of a demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum AskKind<'p> {
    Share(&'p str),
    Room(&'p str),
    Trait(&'p str),
    Zone,
    Runs,
    Host,
    Policy(usize),
    /// That the place at a level is known, which policies about places require.
    Known(Level),
}

/// A demand of a server on any host.
pub(super) struct Ask<'p> {
    pub(super) kind: AskKind<'p>,
    pub(super) part: Option<Part>,
    /// What a matching host does: `has 4 vcpus left`.
    pub(super) does: String,
    fits: Fits<'p>,
}

/// Whether a host meets a demand, with its index.
type Fits<'p> = Box<dyn Fn(usize, &Host) -> bool + 'p>;

impl Ask<'_> {
    /// Whether the host with this index meets it.
    pub(super) fn fits(&self, ground: &Ground<'_>, host: usize) -> bool {
        (self.fits)(host, &ground.cloud.hosts[host])
    }

    /// The plural of `does`: `have 4 vcpus left`.
    pub(super) fn they_do(&self) -> String {
        [("has ", "have "), ("is ", "are "), ("gives ", "give ")]
            .into_iter()
            .find_map(|(one, many)| Some(format!("{many}{}", self.does.strip_prefix(one)?)))
            .unwrap_or_else(|| self.does.clone())
    }
}

impl<'p> Ground<'p> {
    pub(super) fn of(cloud: &'p Cloud, problem: &'p Problem) -> Self {
        let mut policies = vec![Vec::new(); problem.servers.len()];
        for (number, policy) in problem.policies.iter().enumerate() {
            if policy.strength == Strength::Required {
                policy.members.iter().for_each(|member| policies[*member].push(number));
            }
        }
        let mut leaves: HashMap<(&str, &str), i64> = HashMap::new();
        for server in problem.servers.iter().filter(|server| server.moves) {
            let Some(host) = server.runs_on.as_deref() else { continue };
            for (resource, amount) in &server.demand {
                *leaves.entry((host, resource)).or_default() += amount;
            }
        }
        let resources: BTreeSet<&str> =
            problem.servers.iter().flat_map(|server| server.demand.keys()).map(String::as_str).collect();
        let most = resources.into_iter().map(|resource| {
            let of = |host: &Host| match host.free(resource) {
                None => i64::MAX,
                Some(_) if host.is_overfull(resource) => 0,
                Some(free) => free.saturating_add(leaves.get(&(&*host.name, resource)).copied().unwrap_or(0)),
            };
            (resource, cloud.hosts.iter().map(of).collect())
        });
        let most = most.collect();
        Self { cloud, problem, policies, most }
    }

    /// The maximum capacity of the host with this index; `i64::MAX` if there is no limit.
    pub(super) fn most(&self, host: usize, resource: &str) -> i64 {
        self.most.get(resource).map_or(0, |most| most[host])
    }

    /// Whether a server takes a part of the hosts' capacity. Servers that may leave a host do, unless that host has too
    /// little for those that are there.
    pub(super) fn is_new(&self, server: usize, resource: &str) -> bool {
        let about = &self.problem.servers[server];
        let Some(host) = &about.runs_on else { return true };
        about.moves && self.cloud.host(host).is_some_and(|host| !host.is_overfull(resource))
    }

    /// The required policies of a server.
    pub(super) fn policies(&self, server: usize) -> &[usize] {
        &self.policies[server]
    }

    /// All demands of a server on its host.
    pub(super) fn asks(&self, server: usize) -> Vec<Ask<'_>> {
        let about = &self.problem.servers[server];
        let mut asks: Vec<Ask<'_>> = Vec::new();
        let runs_on = about.runs_on.as_deref();
        if let Some(host) = runs_on.filter(|_| !about.moves) {
            let does = format!("is the host `{host}`, where it runs");
            asks.push(Ask { kind: AskKind::Runs, part: None, does, fits: Box::new(move |_, one| one.name == host) });
        }
        for (resource, amount) in about.demand.iter().filter(|(_, amount)| **amount > 0) {
            let (does, gives) = (shown(resource, *amount), format!("gives {} to one server", shown(resource, *amount)));
            let runs_here = move |one: &Host| runs_on == Some(&one.name);
            let is_given = move |_, one: &Host| runs_here(one) || one.gives(resource, *amount);
            asks.push(Ask { kind: AskKind::Share(resource), part: None, does: gives, fits: Box::new(is_given) });
            let has_room = move |number, one: &Host| runs_here(one) || *amount <= self.most(number, resource);
            let does = format!("has {does} left");
            asks.push(Ask { kind: AskKind::Room(resource), part: None, does, fits: Box::new(has_room) });
        }
        for kind in &about.traits {
            let does = format!("has the trait `{kind}`");
            let fits = Box::new(move |_, one: &Host| one.traits.contains(kind));
            asks.push(Ask { kind: AskKind::Trait(kind), part: None, does, fits });
        }
        if let Some(zone) = &about.zone {
            let does = format!("is in the zone `{zone}`");
            asks.push(Ask { kind: AskKind::Zone, part: None, does, fits: Box::new(move |_, one| one.zone == *zone) });
        }
        if let Some(host) = &about.host {
            let does = format!("is the host `{host}`, which its template names");
            asks.push(Ask { kind: AskKind::Host, part: None, does, fits: Box::new(move |_, one| one.name == *host) });
        }
        for number in &self.policies[server] {
            let policy = &self.problem.policies[*number];
            let (kind, part) = (AskKind::Policy(*number), Some(of_policy(policy)));
            asks.push(match &policy.rule {
                PlacementRule::Zone(zone) => {
                    let does = format!("is in the zone `{zone}`");
                    Ask { kind, part, does, fits: Box::new(move |_, one| one.zone == *zone) }
                }
                PlacementRule::License(license) => {
                    let does = format!("is `{license}`");
                    Ask { kind, part, does, fits: Box::new(move |_, one| one.traits.contains(license)) }
                }
                PlacementRule::Apart(level) | PlacementRule::Near(level) => {
                    let (level, does) = (*level, format!("is in a known {level}"));
                    let fits = Box::new(move |_, one: &Host| one.place(level).is_some());
                    Ask { kind: AskKind::Known(level), part, does, fits }
                }
            });
        }
        asks
    }
}
