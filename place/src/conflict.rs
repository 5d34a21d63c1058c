//! Why there is no placement: the smallest set of policies and capacities that conflict, in their author's words.

use std::collections::BTreeSet;

use wattle_model::Source;
use wattle_words::names::{list, some};

use crate::cloud::{Cloud, DISK, Level, MEMORY};
use crate::problem::{PlacementRule, Policy, Problem, Strength};
use crate::solve::{Effort, is_possible};

/// What conflicts. Without any one of its parts, there would be a placement.
#[derive(Clone, Debug, PartialEq)]
pub struct Conflict {
    /// Everything that takes part in it: servers, policies, what hosts have.
    pub parts: Vec<Part>,
    /// Why these conflict, if a sentence can say it.
    pub why: Option<String>,
    /// Whether it is proven that no part can be left out.
    pub is_smallest: bool,
}

/// Something that takes part in a conflict.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// What it is: `the policy apart of a and b`, `the memory of hosts`.
    pub words: String,
    /// Where it is written.
    pub at: Option<Source>,
}

impl Conflict {
    fn evident(why: String, parts: Vec<Part>) -> Self {
        Self { parts, why: Some(why), is_smallest: true }
    }
}

fn of_policy(policy: &Policy) -> Part {
    Part { words: policy.words.clone(), at: policy.at.is_known().then(|| policy.at.clone()) }
}

fn of_server(problem: &Problem, server: usize) -> Part {
    let about = &problem.servers[server];
    let asks = about.demand.iter().filter(|(_, amount)| **amount > 0).map(|(name, amount)| shown(name, *amount));
    let mut words = format!("the server `{}`", about.name);
    let asks: Vec<String> = asks.collect();
    if !asks.is_empty() {
        words += &format!(", which asks for {}", wattle_words::names::join(asks, "and"));
    }
    Part { words, at: about.at.is_known().then(|| about.at.clone()) }
}

/// An amount of a resource, as people write it.
fn shown(resource: &str, amount: i64) -> String {
    match resource {
        MEMORY if amount % 1024 == 0 => format!("{} GiB of memory", amount / 1024),
        MEMORY => format!("{amount} MiB of memory"),
        DISK => format!("{amount} GiB of disk"),
        other => format!("{amount} {other}"),
    }
}

fn required(problem: &Problem) -> impl Iterator<Item = &Policy> {
    problem.policies.iter().filter(|policy| policy.strength == Strength::Required)
}

/// A conflict that can be seen without a solver, because one policy, one server, or one pair of policies is enough for it.
pub(crate) fn evident(cloud: &Cloud, problem: &Problem) -> Option<Conflict> {
    if let Some((one, other)) = problem.contradictions().first() {
        let (one, other) = (&problem.policies[*one], &problem.policies[*other]);
        let common: Vec<&str> = one
            .members
            .iter()
            .filter(|member| other.members.contains(member))
            .map(|member| &*problem.servers[*member].name)
            .collect();
        let why = format!("both concern {} and can never hold together", list(common, "and"));
        return Some(Conflict::evident(why, vec![of_policy(one), of_policy(other)]));
    }
    (0..problem.servers.len())
        .find_map(|server| alone(cloud, problem, server))
        .or_else(|| required(problem).find_map(|policy| crowded(cloud, problem, policy)))
        .or_else(|| overall(cloud, problem))
}

/// The most that a host has room for: what is left, plus what servers that may leave it use.
fn most(problem: &Problem, host: &crate::Host, resource: &str) -> Option<i64> {
    let leaves = problem.servers.iter().filter(|one| one.moves && one.runs_on.as_deref() == Some(&host.name));
    let leaves: i64 = leaves.filter_map(|one| one.demand.get(resource)).sum();
    host.free(resource).map(|free| if host.is_overfull(resource) { 0 } else { free + leaves })
}

/// One thing that a server asks of any host.
struct Ask<'p> {
    part: Option<Part>,
    what: String,
    fits: Box<dyn Fn(&crate::Host) -> bool + 'p>,
}

impl<'p> Ask<'p> {
    fn new(part: Option<Part>, what: String, fits: impl Fn(&crate::Host) -> bool + 'p) -> Self {
        Self { part, what, fits: Box::new(fits) }
    }
}

/// A conflict of a server that fits no host even if it were the only one. The fewest demands that no host meets are the conflict.
fn alone(cloud: &Cloud, problem: &Problem, server: usize) -> Option<Conflict> {
    let about = &problem.servers[server];
    let mut asks: Vec<Ask<'_>> = Vec::new();
    if let Some(host) = about.runs_on.as_deref().filter(|_| !about.moves) {
        asks.push(Ask::new(None, format!("is the host `{host}`, where it runs"), move |one| one.name == host));
    }
    for (resource, amount) in about.demand.iter().filter(|(_, amount)| **amount > 0) {
        let fits = move |one: &crate::Host| {
            about.runs_on.as_deref() == Some(&one.name)
                || most(problem, one, resource).is_none_or(|free| *amount <= free)
        };
        asks.push(Ask::new(None, format!("has {} left", shown(resource, *amount)), fits));
    }
    for kind in &about.traits {
        asks.push(Ask::new(None, format!("has the trait `{kind}`"), move |one| one.traits.contains(kind)));
    }
    if let Some(zone) = &about.zone {
        asks.push(Ask::new(None, format!("is in the zone `{zone}`"), move |one| one.zone == *zone));
    }
    for policy in required(problem).filter(|policy| policy.members.contains(&server)) {
        let part = Some(of_policy(policy));
        match &policy.rule {
            PlacementRule::Zone(zone) => {
                asks.push(Ask::new(part, format!("is in the zone `{zone}`"), move |one| one.zone == *zone));
            }
            PlacementRule::License(kind) => {
                asks.push(Ask::new(part, format!("is `{kind}`"), move |one| one.traits.contains(kind)));
            }
            PlacementRule::Apart(level) | PlacementRule::Near(level) => {
                let level = *level;
                asks.push(Ask::new(part, format!("is in a known {level}"), move |one| one.place(level).is_some()));
            }
        }
    }
    let none = |asks: &[&Ask<'_>]| !cloud.hosts.iter().any(|host| asks.iter().all(|ask| (ask.fits)(host)));
    let mut left: Vec<&Ask<'_>> = asks.iter().collect();
    if !none(&left) {
        return None;
    }
    let mut at = 0;
    while at < left.len() {
        let without: Vec<&Ask<'_>> =
            left.iter().enumerate().filter(|(one, _)| *one != at).map(|(_, ask)| *ask).collect();
        if none(&without) { left = without } else { at += 1 }
    }
    let whats = wattle_words::names::join(left.iter().map(|ask| ask.what.clone()), "and");
    let why = if left.is_empty() { "there are no hosts".to_owned() } else { format!("no host {whats}") };
    let parts = std::iter::once(of_server(problem, server)).chain(left.iter().filter_map(|ask| ask.part.clone()));
    Some(Conflict::evident(why, parts.collect()))
}

/// A conflict of more servers that must be apart than there are places, or of servers that must be together and fit in no place.
fn crowded(cloud: &Cloud, problem: &Problem, policy: &Policy) -> Option<Conflict> {
    let places = |level: Level| -> BTreeSet<(&str, Option<&str>)> {
        cloud.hosts.iter().filter_map(|host| Some((host.place(level)?, None))).collect()
    };
    match policy.rule {
        PlacementRule::Apart(level) => {
            let (there, asked) = (places(level).len(), policy.members.len());
            let (are, plural) = if there == 1 { ("is", "") } else { ("are", "s") };
            (asked > there).then(|| {
                let why = format!(
                    "{asked} servers must be in different {level}s, but there {are} only {there} known {level}{plural}"
                );
                Conflict::evident(why, vec![of_policy(policy)])
            })
        }
        PlacementRule::Near(level) => {
            let sum = |resource: &str| -> i64 {
                policy.members.iter().filter_map(|one| problem.servers[*one].demand.get(resource)).sum()
            };
            let resources: BTreeSet<&str> =
                policy.members.iter().flat_map(|one| problem.servers[*one].demand.keys()).map(String::as_str).collect();
            resources
                .into_iter()
                .filter(|resource| {
                    sum(resource) > 0 && !policy.members.iter().any(|one| problem.servers[*one].runs_on.is_some())
                })
                .find_map(|resource| {
                    let most = places(level).into_iter().map(|(place, _)| {
                        let hosts = cloud.hosts.iter().filter(|host| host.place(level) == Some(place));
                        hosts.map(|host| self::most(problem, host, resource).unwrap_or(1 << 40)).sum::<i64>()
                    });
                    let (most, asked) = (most.max().unwrap_or(0), sum(resource));
                    (asked > most).then(|| {
                        let names = policy.members.iter().map(|one| &*problem.servers[*one].name);
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
        _ => None,
    }
}

/// A conflict over a resource of which more is asked than all hosts have.
fn overall(cloud: &Cloud, problem: &Problem) -> Option<Conflict> {
    let resources: BTreeSet<&String> = problem.servers.iter().flat_map(|server| server.demand.keys()).collect();
    resources.into_iter().find_map(|resource| {
        let new = problem.servers.iter().filter(|server| server.runs_on.is_none());
        let asked: i64 = new.filter_map(|server| server.demand.get(resource)).sum();
        let free: i64 = cloud.hosts.iter().map(|host| host.free(resource)).sum::<Option<i64>>()?;
        (asked > free).then(|| {
            let why = format!(
                "all servers together ask for {}, but all hosts together have only {} left",
                shown(resource, asked),
                shown(resource, free)
            );
            Conflict::evident(why, vec![Part { words: format!("the {resource} of all hosts"), at: None }])
        })
    })
}

/// The conflict of a problem that is known to have no placement. Parts are left out as long as there is still none without them.
pub(crate) fn smallest(cloud: &Cloud, problem: &Problem, effort: Effort) -> Conflict {
    filter(cloud, problem, effort)
}

/// The same as [`smallest`], for a problem that may have a placement. `None` if no part of it is known to have none.
pub(crate) fn narrowed(cloud: &Cloud, problem: &Problem, effort: Effort) -> Option<Conflict> {
    // The servers of one policy, or of two, are few enough for a definite answer.
    let must: Vec<&Policy> = required(problem).collect();
    let sets = must.iter().enumerate().flat_map(|(one, policy)| {
        let pairs =
            must[one + 1..].iter().filter(|other| other.members.iter().any(|member| policy.members.contains(member)));
        std::iter::once(policy.members.clone()).chain(pairs.map(|other| [&*policy.members, &*other.members].concat()))
    });
    sets.take(64).find_map(|members| {
        let only = restricted(problem, &members.iter().copied().collect());
        (is_possible(cloud, &only, effort) == Some(false)).then(|| filter(cloud, &only, effort))
    })
}

/// The problem restricted to some of the servers.
fn restricted(problem: &Problem, keep: &BTreeSet<usize>) -> Problem {
    let place = |old: &usize| keep.iter().position(|one| one == old);
    let policies = problem.policies.iter().filter_map(|policy| {
        let members: Vec<usize> = policy.members.iter().filter_map(place).collect();
        let policy = Policy { members, ..policy.clone() };
        (!policy.members.is_empty()).then_some(policy)
    });
    Problem {
        policies: policies.collect(),
        servers: keep.iter().map(|one| problem.servers[*one].clone()).collect(),
        wires: Vec::new(),
    }
}

/// Leaves out servers, policies and resources one after the other, each for good if there is still no placement without it.
fn filter(cloud: &Cloud, problem: &Problem, effort: Effort) -> Conflict {
    let everyone: BTreeSet<usize> = (0..problem.servers.len()).collect();
    let mut left = restricted(problem, &everyone);
    left.policies.retain(|policy| policy.strength == Strength::Required);
    let mut is_smallest = true;
    let mut still = |left: &Problem| {
        let possible = is_possible(cloud, left, effort);
        is_smallest &= possible.is_some();
        possible == Some(false)
    };
    let mut at = 0;
    while at < left.policies.len() {
        let mut without = left.clone();
        without.policies.remove(at);
        if still(&without) { left = without } else { at += 1 }
    }
    // Leave out servers in halves first, because most have nothing to do with the conflict.
    let mut size = left.servers.len().div_ceil(2);
    while size > 0 {
        let mut at = 0;
        while at < left.servers.len() {
            let keep = (0..left.servers.len()).filter(|one| !(at..at + size).contains(one)).collect();
            let without = restricted(&left, &keep);
            if still(&without) { left = without } else { at += size }
        }
        size = if size == 1 { 0 } else { size.div_ceil(2) };
    }
    let resources: BTreeSet<String> = left.servers.iter().flat_map(|server| server.demand.keys().cloned()).collect();
    for resource in resources {
        let mut without = left.clone();
        without.servers.iter_mut().for_each(|server| server.demand.retain(|name, _| *name != resource));
        if still(&without) {
            left = without;
        }
    }
    let mut parts: Vec<Part> = left
        .policies
        .iter()
        .filter(|policy| {
            policy.members.len() > 1 || !matches!(policy.rule, PlacementRule::Apart(_) | PlacementRule::Near(_))
        })
        .map(of_policy)
        .collect();
    parts.extend((0..left.servers.len()).map(|server| of_server(&left, server)));
    let resources: BTreeSet<&str> = left
        .servers
        .iter()
        .flat_map(|server| server.demand.iter().filter(|(_, amount)| **amount > 0).map(|(name, _)| &**name))
        .collect();
    if !resources.is_empty() {
        parts.push(Part { words: format!("what hosts have left of {}", list(resources, "and")), at: None });
    }
    Conflict { parts, why: None, is_smallest }
}
