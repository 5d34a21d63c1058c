//! Demand exceeds capacity: that of one place for servers that must share it, or that of all hosts available to some
//! servers.

use std::collections::BTreeSet;

use wattle_words::names::some;

use crate::Host;
use crate::cloud::Level;
use crate::problem::{PlacementRule, Policy};

use super::asks::Ground;
use super::{Conflict, Part, of_policy, required, shown};

pub(super) fn conflict(ground: &Ground<'_>) -> Option<Conflict> {
    required(ground.problem).find_map(|policy| together(ground, policy)).or_else(|| sets(ground))
}

/// Servers that must be in one place of a level, although no place has room for all of them.
fn together(ground: &Ground<'_>, policy: &Policy) -> Option<Conflict> {
    let PlacementRule::Near(level) = policy.rule else { return None };
    let servers = &ground.problem.servers;
    if policy.members.iter().any(|one| servers[*one].runs_on.is_some()) {
        return None;
    }
    let sum = |resource: &str| -> i64 {
        let asked = policy.members.iter().filter_map(|one| servers[*one].demand.get(resource));
        asked.fold(0, |sum, one| sum.saturating_add(*one))
    };
    let resources: BTreeSet<&str> =
        policy.members.iter().flat_map(|one| servers[*one].demand.keys()).map(String::as_str).collect();
    resources.into_iter().find_map(|resource| {
        let most = places(ground, level).into_iter().map(|hosts| free(ground, &hosts, resource)).max().unwrap_or(0);
        let asked = sum(resource);
        (asked > most).then(|| {
            let names = policy.members.iter().map(|one| &*servers[*one].name);
            let why = format!(
                "{} together ask for {}, but no {level} has more than {} left",
                some(names, 6),
                shown(resource, asked),
                shown(resource, most)
            );
            Conflict::evident(why, vec![of_policy(policy)])
        })
    })
}

/// The hosts of each known place of a level.
fn places(ground: &Ground<'_>, level: Level) -> Vec<Vec<usize>> {
    let hosts = &ground.cloud.hosts;
    let names: BTreeSet<&str> = hosts.iter().filter_map(|host| host.place(level)).collect();
    let of = |name: &str| (0..hosts.len()).filter(|host| hosts[*host].place(level) == Some(name)).collect();
    names.into_iter().map(of).collect()
}

/// The total free amount of a resource on these hosts; `i64::MAX` if there is no limit.
fn free(ground: &Ground<'_>, hosts: &[usize], resource: &str) -> i64 {
    hosts.iter().fold(0, |sum, host| sum.saturating_add(ground.most(*host, resource)))
}

/// Servers that are restricted to some of the hosts.
struct Set<'p> {
    servers: Vec<usize>,
    hosts: Vec<usize>,
    /// A relative clause that describes these hosts, after a space: that are in the zone `az1`.
    that: String,
    part: Option<&'p Policy>,
}

fn sets(ground: &Ground<'_>) -> Option<Conflict> {
    let (hosts, servers) = (&ground.cloud.hosts, &ground.problem.servers);
    let these = |fits: &dyn Fn(&Host) -> bool| (0..hosts.len()).filter(|host| fits(&hosts[*host])).collect();
    let mut sets = Vec::new();
    for policy in required(ground.problem) {
        let (hosts, that) = match &policy.rule {
            PlacementRule::Zone(zone) => (these(&|host| host.zone == *zone), format!(" that are in the zone `{zone}`")),
            PlacementRule::License(kind) => (these(&|host| host.traits.contains(kind)), format!(" that are `{kind}`")),
            _ => continue,
        };
        sets.push(Set { servers: policy.members.clone(), hosts, that, part: Some(policy) });
    }
    let zones: BTreeSet<&String> = servers.iter().filter_map(|server| server.zone.as_ref()).collect();
    for zone in zones {
        let servers = (0..servers.len()).filter(|one| servers[*one].zone.as_ref() == Some(zone)).collect();
        let that = format!(" that are in the zone `{zone}`");
        sets.push(Set { servers, hosts: these(&|host| host.zone == *zone), that, part: None });
    }
    let everyone = (0..servers.len()).collect();
    sets.push(Set { servers: everyone, hosts: these(&|_| true), that: String::new(), part: None });
    sets.iter().find_map(|set| set.conflict(ground))
}

impl Set<'_> {
    /// A resource that these hosts lack, in total or in pieces that are large enough.
    fn conflict(&self, ground: &Ground<'_>) -> Option<Conflict> {
        let servers = &ground.problem.servers;
        let resources: BTreeSet<&str> =
            self.servers.iter().flat_map(|one| servers[*one].demand.keys()).map(String::as_str).collect();
        resources.into_iter().find_map(|resource| {
            // A server that stays where it runs takes nothing of the free capacity.
            let new: Vec<usize> = self.servers.iter().copied().filter(|one| ground.is_new(*one, resource)).collect();
            let asks = |one: usize| servers[one].demand.get(resource).copied().unwrap_or(0);
            let why = self.sum(ground, resource, &new, &asks).or_else(|| self.pieces(ground, resource, &new, &asks))?;
            let hosts = Part { words: format!("the {resource} of all hosts{}", self.that), at: None };
            Some(Conflict::evident(why, self.part.map(of_policy).into_iter().chain([hosts]).collect()))
        })
    }

    fn sum(&self, ground: &Ground<'_>, resource: &str, new: &[usize], asks: &dyn Fn(usize) -> i64) -> Option<String> {
        let asked = new.iter().fold(0_i64, |sum, one| sum.saturating_add(asks(*one)));
        let free = free(ground, &self.hosts, resource);
        let who = match (self.that.is_empty(), new.len()) {
            (true, _) => "all servers together ask".to_owned(),
            (_, 1) => "1 server asks".to_owned(),
            (_, number) => format!("{number} servers together ask"),
        };
        (asked > free).then(|| {
            format!(
                "{who} for {}, but all hosts{} together have only {} left",
                shown(resource, asked),
                self.that,
                shown(resource, free)
            )
        })
    }

    /// A server that requests at least that much needs a piece of that size.
    fn pieces(
        &self,
        ground: &Ground<'_>,
        resource: &str,
        new: &[usize],
        asks: &dyn Fn(usize) -> i64,
    ) -> Option<String> {
        let sizes: BTreeSet<i64> = new.iter().map(|one| asks(*one)).filter(|size| *size > 0).collect();
        sizes.into_iter().find_map(|size| {
            let asked = i64::try_from(new.iter().filter(|one| asks(**one) >= size).count()).unwrap_or(i64::MAX);
            let pieces = self.hosts.iter().map(|host| ground.most(*host, resource) / size);
            let there = pieces.fold(0, i64::saturating_add);
            (asked > there).then(|| {
                format!(
                    "{asked} servers ask for at least {} each, but all hosts{} together have room for only {there} of them",
                    shown(resource, size),
                    self.that
                )
            })
        })
    }
}
