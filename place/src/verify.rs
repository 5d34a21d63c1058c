//! Checks whether a placement satisfies the problem. It works from scratch and uses names, as a person with a list
//! would.
//!
//! **Invariant:** nothing of the solver is used here, so that no bug is made twice.

use std::collections::BTreeMap;

use crate::cloud::{Cloud, Level};
use crate::problem::{DISTANCES, PlacementRule, Policy, Problem, Strength, WEIGHT};

/// The verdict on a placement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// The violated requirements.
    pub breaches: Vec<Breach>,
    /// The violated preferences, by their indexes in [`Problem::policies`], and how many servers violate each.
    pub unkept: Vec<(usize, i64)>,
    /// The cost of wires.
    pub wires: i64,
    /// The bandwidth of wires between racks.
    pub across_racks: i64,
    /// How many servers leave their hosts.
    pub moves: usize,
    /// The total cost: wires, violated preferences, and moves.
    pub cost: i64,
}

/// A violated requirement.
#[derive(Clone, Debug, PartialEq)]
pub enum Breach {
    /// A server without a host.
    Unplaced(String),
    /// A server on a host that does not exist.
    NoHost(String),
    /// A host with a demand beyond its free capacity.
    Capacity {
        /// The host.
        host: String,
        /// The resource.
        resource: String,
        /// The demand.
        asked: i64,
        /// The free capacity.
        free: i64,
    },
    /// A server on a host without a trait that the server requires.
    Trait(String, String),
    /// A server outside its required zone.
    Zone(String),
    /// A server with a demand for a resource that its host does not grant to one server.
    Share(String, String),
    /// A server that is not on its required host.
    Host(String),
    /// A server that leaves its host without permission.
    Moved(String),
    /// A violated required policy, by its index in [`Problem::policies`].
    Policy(usize),
}

/// Checks the placement `on`: the names of hosts by the names of servers.
pub fn verify(cloud: &Cloud, problem: &Problem, on: &BTreeMap<String, String>) -> Verdict {
    let mut verdict = Verdict::default();
    let mut asked: BTreeMap<(&str, &str), i64> = BTreeMap::new();
    // The capacity freed by servers that leave.
    let mut left: BTreeMap<(&str, &str), i64> = BTreeMap::new();
    for server in &problem.servers {
        let Some(name) = on.get(&server.name) else {
            verdict.breaches.push(Breach::Unplaced(server.name.clone()));
            continue;
        };
        let Some(host) = cloud.hosts.iter().find(|host| host.name == *name) else {
            verdict.breaches.push(Breach::NoHost(server.name.clone()));
            continue;
        };
        if let Some(before) = server.runs_on.as_ref().filter(|before| *before != name) {
            verdict.moves += 1;
            verdict.cost += i64::from(WEIGHT);
            if !server.moves {
                verdict.breaches.push(Breach::Moved(server.name.clone()));
            }
            for (resource, amount) in &server.demand {
                *left.entry((before, resource)).or_default() += amount;
            }
        }
        if server.zone.as_ref().is_some_and(|zone| *zone != host.zone) {
            verdict.breaches.push(Breach::Zone(server.name.clone()));
        }
        if server.host.as_ref().is_some_and(|must| must != name) {
            verdict.breaches.push(Breach::Host(server.name.clone()));
        }
        for lacks in server.traits.iter().filter(|one| !host.traits.contains(*one)) {
            verdict.breaches.push(Breach::Trait(server.name.clone(), lacks.clone()));
        }
        // The demand of a server that stays already counts as used.
        if server.runs_on.as_ref() != Some(name) {
            for (resource, amount) in &server.demand {
                *asked.entry((name, resource)).or_default() += amount;
                let is_within =
                    |bound: Option<&i64>, fits: fn(i64, i64) -> bool| bound.is_none_or(|one| fits(*amount, *one));
                let is_given = is_within(host.largest.get(resource), |amount, most| amount <= most)
                    && is_within(host.smallest.get(resource), |amount, least| amount >= least)
                    && is_within(host.step.get(resource), |amount, step| step == 0 || amount % step == 0);
                if *amount > 0 && !is_given {
                    verdict.breaches.push(Breach::Share(server.name.clone(), resource.clone()));
                }
            }
        }
    }
    for ((name, resource), asked) in asked {
        let host = cloud.hosts.iter().find(|host| host.name == name);
        let free = host.and_then(|host| host.free(resource));
        let is_overfull = host.is_some_and(|host| host.total.get(resource) < host.used.get(resource));
        let left = if is_overfull { 0 } else { left.get(&(name, resource)).copied().unwrap_or(0) };
        let free = free.map(|free| free + left);
        if let Some(free) = free.filter(|free| asked > *free) {
            let (host, resource) = (name.to_owned(), resource.to_owned());
            verdict.breaches.push(Breach::Capacity { host, resource, asked, free });
        }
    }
    for (number, policy) in problem.policies.iter().enumerate() {
        let broken = broken(cloud, problem, policy, on);
        match policy.strength {
            Strength::Required if broken > 0 => verdict.breaches.push(Breach::Policy(number)),
            Strength::Preferred(weight) if broken > 0 => {
                verdict.unkept.push((number, broken));
                verdict.cost += i64::from(weight) * broken;
            }
            _ => {}
        }
    }
    for wire in &problem.wires {
        let place = |end: usize, level| whereabouts(cloud, problem, end, on, level);
        let (one, other) = wire.between;
        let shared = Level::ALL.iter().position(|level| {
            let here = place(one, *level);
            here.is_some() && here == place(other, *level)
        });
        let bandwidth = i64::from(wire.bandwidth);
        verdict.wires += bandwidth * DISTANCES[shared.unwrap_or(Level::ALL.len())];
        if shared.is_none_or(|level| level > 1) {
            verdict.across_racks += bandwidth;
        }
    }
    verdict.cost += verdict.wires;
    verdict
}

/// How many servers violate a policy: for one that keeps servers apart, those in each place beyond the most that it
/// allows there; for one that brings them near, the number of places beyond the first.
fn broken(cloud: &Cloud, problem: &Problem, policy: &Policy, on: &BTreeMap<String, String>) -> i64 {
    let host = |member: usize| cloud.host(on.get(&problem.servers[member].name)?);
    let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    let required = policy.strength == Strength::Required;
    match &policy.rule {
        PlacementRule::Zone(zone) => {
            count(policy.members.iter().filter(|one| host(**one).is_some_and(|host| host.zone != *zone)).count())
        }
        PlacementRule::License(kind) => count(
            policy.members.iter().filter(|one| host(**one).is_some_and(|host| !host.traits.contains(kind))).count(),
        ),
        PlacementRule::Apart(level) | PlacementRule::Near(level) => {
            // A required policy cannot rely on the unknown: two hosts without a known rack may share one.
            let unknown =
                policy.members.iter().filter(|one| host(**one).is_some_and(|host| host.place(*level).is_none()));
            let unknown = if required { count(unknown.count()) } else { 0 };
            let places: Vec<_> =
                policy.members.iter().filter_map(|one| whereabouts(cloud, problem, *one, on, *level)).collect();
            let mut each: BTreeMap<_, usize> = BTreeMap::new();
            places.iter().for_each(|place| *each.entry(place).or_default() += 1);
            let too_many = each.values().map(|here| here.saturating_sub(policy.most)).sum();
            unknown
                + match policy.rule {
                    PlacementRule::Apart(_) => count(too_many),
                    _ => count(each.len().saturating_sub(1)),
                }
        }
    }
}

/// The place of a server at a level, with all the enclosing places. Hosts without a known rack share one if everything
/// else known about them is the same.
fn whereabouts<'c>(
    cloud: &'c Cloud,
    problem: &Problem,
    server: usize,
    on: &BTreeMap<String, String>,
    level: Level,
) -> Option<Vec<Option<&'c str>>> {
    let host = cloud.host(on.get(&problem.servers[server].name)?)?;
    Some(Level::ALL.into_iter().filter(|one| *one >= level).map(|one| host.place(one)).collect())
}
