//! Why there is no placement: the smallest conflicting set of policies and capacities, in their author's words.
//!
//! Conflicts that can be counted are found without the solver, and explained in a sentence: a server that fits no host
//! (`alone`), more servers that must be apart than places (`apart`), demand beyond capacity (`room`). For the rest,
//! parts are removed here for as long as there is still no placement.

mod alone;
mod apart;
mod asks;
mod room;

use std::collections::BTreeSet;

use wattle_model::Source;
use wattle_words::names::{join, list};

use crate::cloud::{Cloud, DISK, MEMORY};
use crate::problem::{PlacementRule, Policy, Problem, Server, Strength};
use crate::solve::{Effort, is_possible};

/// A conflict. Without any one of its parts, there would be a placement.
#[derive(Clone, Debug, PartialEq)]
pub struct Conflict {
    /// Its parts: servers, policies, capacities of hosts.
    pub parts: Vec<Part>,
    /// The reason, if a sentence can express it.
    pub why: Option<String>,
    /// Whether it is proven that no part can be removed.
    pub is_smallest: bool,
}

/// A part of a conflict.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Its description: `the policy apart of a and b`, `the memory of hosts`.
    pub words: String,
    /// Its location.
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
    let mut words = format!("the server `{}`", about.name);
    if let Some(host) = about.runs_on.as_ref().filter(|_| !about.moves) {
        words += &format!(", which runs on `{host}`");
    }
    let asks = about.demand.iter().filter(|(_, amount)| **amount > 0).map(|(name, amount)| shown(name, *amount));
    let amounts = join(asks, "and");
    let traits = about.traits.iter().map(|kind| format!("a host with the trait `{kind}`"));
    let host = about.host.iter().map(|host| format!("the host `{host}`"));
    let zone = about.zone.iter().map(|zone| format!("the zone `{zone}`"));
    let places: Vec<String> = traits.chain(host).chain(zone).collect();
    words += &match (&*amounts, &*join(places, "and")) {
        ("", "") => String::new(),
        (only, "") | ("", only) => format!(", which asks for {only}"),
        (amounts, places) => format!(", which asks for {amounts}, and for {places}"),
    };
    Part { words, at: about.at.is_known().then(|| about.at.clone()) }
}

/// An amount of a resource in its written form.
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

/// Finds a conflict that needs no solver, because one server, one policy, or counting suffices.
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
    let ground = asks::Ground::of(cloud, problem);
    alone::conflict(&ground).or_else(|| apart::conflict(&ground)).or_else(|| room::conflict(&ground))
}

/// Like [`smallest`], for a problem that may have a placement. `None` if no part of it is known to have none.
pub(crate) fn narrowed(cloud: &Cloud, problem: &Problem, effort: Effort) -> Option<Conflict> {
    // The servers of one or two policies are few enough for a definite answer.
    let must: Vec<&Policy> = required(problem).collect();
    let sets = must.iter().enumerate().flat_map(|(one, policy)| {
        let pairs =
            must[one + 1..].iter().filter(|other| other.members.iter().any(|member| policy.members.contains(member)));
        std::iter::once(policy.members.clone()).chain(pairs.map(|other| [&*policy.members, &*other.members].concat()))
    });
    sets.take(64).find_map(|members| {
        let only = restricted(problem, &members.iter().copied().collect());
        (is_possible(cloud, &only, effort) == Some(false)).then(|| smallest(cloud, &only, effort))
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

/// The conflict of a problem that is known to have no placement. Servers, policies and resources are removed one by
/// one, each for good if there is still no placement without it.
pub(crate) fn smallest(cloud: &Cloud, problem: &Problem, effort: Effort) -> Conflict {
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
    // Remove servers in halves first, because most are unrelated to the conflict.
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
    if left.servers.len() <= FEW {
        alleviate(&mut left, still);
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
        parts.push(Part { words: format!("the hosts' remaining {}", list(resources, "and")), at: None });
    }
    Conflict { parts, why: None, is_smallest }
}

/// The largest number of servers examined one by one.
const FEW: usize = 6;

/// Removes demands that only some of the servers need not make.
fn alleviate(left: &mut Problem, mut still: impl FnMut(&Problem) -> bool) {
    for server in 0..left.servers.len() {
        let about = &left.servers[server];
        let resources: Vec<String> =
            about.demand.iter().filter(|(_, amount)| **amount > 0).map(|(name, _)| name.clone()).collect();
        let traits: Vec<String> = about.traits.iter().cloned().collect();
        let mut attempt = |ease: &dyn Fn(&mut Server)| {
            let mut without = left.clone();
            ease(&mut without.servers[server]);
            if without != *left && still(&without) {
                *left = without;
            }
        };
        for resource in resources {
            attempt(&|one| one.demand.retain(|name, _| *name != resource));
        }
        for kind in traits {
            attempt(&|one| one.traits.retain(|one| *one != kind));
        }
        attempt(&|one| one.zone = None);
        attempt(&|one| one.host = None);
    }
}
