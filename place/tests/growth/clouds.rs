//! Random clouds and applications. Each cloud is built around a hidden placement, so that everything can be placed: the
//! free capacity of hosts covers that placement, and more if the cloud is not filled. Applications have three tiers
//! whose servers must be on different hosts, a third of them in different racks; each server communicates with two of
//! the next tier.

use std::ops::Range;

use wattle_place::{Cloud, Host, Level, MEMORY, PlacementRule, Policy, Problem, Server, Strength, VCPUS, Wire};

struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }
}

/// Vcpus and memory in GiB of flavors, small ones more often.
const FLAVORS: [(i64, i64); 8] = [(1, 2), (1, 2), (2, 4), (2, 8), (2, 4), (4, 8), (4, 16), (8, 16)];

/// Vcpus and memory in GiB of hosts.
const HOST: (i64, i64) = (64, 192);

fn host(number: usize) -> Host {
    let total = [(VCPUS.to_owned(), HOST.0), (MEMORY.to_owned(), HOST.1 * 1024)].into();
    Host {
        name: format!("h{number}"),
        zone: "nova".to_owned(),
        room: Some(format!("hall{}", number / 200)),
        rack: Some(format!("r{}", number / 10)),
        total,
        ..Host::default()
    }
}

/// A cloud and a problem.
pub(crate) struct Made {
    pub(crate) cloud: Cloud,
    pub(crate) problem: Problem,
    /// The servers of each application.
    pub(crate) applications: Vec<Range<usize>>,
}

pub(crate) fn made(servers: usize, hosts: usize, fill: i64, seed: u64) -> Made {
    let mut dice = Dice(seed + 1);
    let mut cloud = Cloud { hosts: (0..hosts).map(host).collect(), flavors: Default::default() };
    let (mut problem, mut applications) = (Problem::default(), Vec::new());
    while problem.servers.len() < servers {
        let begin = problem.servers.len();
        let mut before: Vec<usize> = Vec::new();
        for tier in 0..3 {
            let (vcpus, memory) = FLAVORS[dice.below(FLAVORS.len())];
            let first = problem.servers.len();
            let members: Vec<usize> = (first..servers.min(first + 2 + dice.below(3))).collect();
            problem.servers.extend(members.iter().map(|number| Server {
                name: format!("s{number}"),
                demand: [(VCPUS.to_owned(), vcpus), (MEMORY.to_owned(), memory * 1024)].into(),
                ..Server::default()
            }));
            for (number, member) in members.iter().enumerate().filter(|_| tier > 0 && !before.is_empty()) {
                let mut ends = vec![before[number % before.len()], before[(number + 1) % before.len()]];
                ends.dedup();
                let bandwidth = u32::try_from(1 + dice.below(10)).expect("small");
                problem.wires.extend(ends.into_iter().map(|end| Wire { between: (end, *member), bandwidth }));
            }
            let level = if dice.below(3) == 0 { Level::Rack } else { Level::Host };
            let words = format!("apart by {level} of {members:?}");
            let (rule, strength) = (PlacementRule::Apart(level), Strength::Required);
            if members.len() <= hosts.div_ceil(10) {
                problem.policies.push(Policy {
                    rule,
                    members: members.clone(),
                    most: 1,
                    strength,
                    at: Default::default(),
                    words,
                });
            }
            before = members;
        }
        applications.push(begin..problem.servers.len());
    }
    // The hidden placement: servers on random hosts, without violations.
    let mut load = vec![[0, 0]; hosts];
    let mut on: Vec<Option<usize>> = vec![None; servers];
    for server in 0..servers {
        let asks = [VCPUS, MEMORY].map(|one| problem.servers[server].demand[one]);
        let host = (0..100_000).map(|_| dice.below(hosts)).find(|host| {
            let fits = (0..2).all(|one| load[*host][one] + asks[one] <= [HOST.0, HOST.1 * 1024][one]);
            fits && problem.policies.iter().filter(|policy| policy.members.contains(&server)).all(|policy| {
                let level = if policy.rule == PlacementRule::Apart(Level::Rack) { 10 } else { 1 };
                policy.members.iter().all(|other| on[*other].is_none_or(|other| other / level != host / level))
            })
        });
        let host = host.expect("a random host that fits");
        on[server] = Some(host);
        (0..2).for_each(|one| load[host][one] += asks[one]);
    }
    for (number, host) in cloud.hosts.iter_mut().enumerate() {
        let slack = i64::try_from(dice.below(201)).expect("small");
        for (one, resource) in [VCPUS, MEMORY].into_iter().enumerate() {
            let total = host.total[resource];
            // From nothing to twice of what is left on average.
            let left = total * (100 - fill) * slack / 10_000;
            host.used.insert(resource.to_owned(), (total - load[number][one] - left).max(0));
        }
    }
    Made { cloud, problem, applications }
}
