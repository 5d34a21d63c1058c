//! How good and how fast placement is, beside a model of Nova's scheduler and best fit. It measures and asserts nothing, and is run by
//! `cargo test -p wattle-place --test growth -- --ignored --nocapture`.
//!
//! Each cloud is made around a placement that is hidden in it, so that all of it can be placed: hosts have left what that placement
//! takes, and as much more as the cloud is not filled. Applications have three tiers whose servers must be on different hosts, a
//! third of them in different racks; each server talks to two of the next tier.

mod highs;

use std::collections::BTreeMap;
use std::time::Instant;

use wattle_place::{
    Cloud, Effort, Host, Level, MEMORY, PlacementRule, Policy, Problem, Server, Strength, VCPUS, Wire, place, verify,
};

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

fn made(servers: usize, hosts: usize, fill: i64, seed: u64) -> (Cloud, Problem) {
    let mut dice = Dice(seed + 1);
    let mut cloud = Cloud { hosts: (0..hosts).map(host).collect(), flavors: Default::default() };
    let mut problem = Problem::default();
    while problem.servers.len() < servers {
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
    }
    // The hidden placement: one host after the other, at random, that breaks nothing.
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
    (cloud, problem)
}

/// One server after the other: on the host with room, breaking no policy that it knows, that weighs the most.
fn one_by_one(cloud: &Cloud, problem: &Problem, racks: bool, spreads: bool) -> BTreeMap<String, String> {
    let mut free: Vec<[i64; 2]> =
        cloud.hosts.iter().map(|host| [VCPUS, MEMORY].map(|one| host.free(one).expect("it is known"))).collect();
    let mut on: Vec<Option<usize>> = vec![None; problem.servers.len()];
    let mut groups = vec![Vec::new(); problem.servers.len()];
    for policy in &problem.policies {
        policy.members.iter().for_each(|member| groups[*member].push(policy));
    }
    for server in 0..problem.servers.len() {
        let asks = [VCPUS, MEMORY].map(|one| problem.servers[server].demand[one]);
        let fits = |host: &usize| {
            (0..2).all(|one| asks[one] <= free[*host][one])
                && groups[server].iter().all(|policy| {
                    let level = if policy.rule == PlacementRule::Apart(Level::Rack) && racks { 10 } else { 1 };
                    policy.members.iter().all(|other| on[*other].is_none_or(|other| other / level != host / level))
                })
        };
        // Nova's weighers for processors and memory, each between nothing and all that any host has left.
        let weight = |host: &usize| free[*host][0] * HOST.1 * 1024 + free[*host][1] * HOST.0;
        let open = (0..cloud.hosts.len()).filter(fits);
        let host =
            if spreads { open.max_by_key(|host| (weight(host), usize::MAX - host)) } else { open.min_by_key(weight) };
        on[server] = host;
        if let Some(host) = host {
            (0..2).for_each(|one| free[host][one] -= asks[one]);
        }
    }
    let named = on
        .iter()
        .enumerate()
        .filter_map(|(server, host)| Some((problem.servers[server].name.clone(), cloud.hosts[(*host)?].name.clone())));
    named.collect()
}

#[test]
#[ignore = "it measures, and asserts nothing"]
fn placed_of_ten_and_bandwidth_across_racks() {
    println!(
        "servers hosts fill | nova: placed, across | best fit: placed, across | together: placed, across, seconds, slowest"
    );
    for (servers, hosts, runs) in [(40, 20, 10), (200, 100, 10), (200, 200, 10), (1000, 2000, 2)] {
        for fill in [60, 80, 90, 95, 98] {
            let (mut placed, mut across, mut time, mut slowest) = ([0; 3], [0; 3], 0.0_f64, 0.0_f64);
            for seed in 0..runs {
                let (cloud, problem) = made(servers, hosts, fill, seed);
                for (way, (racks, spreads)) in [(false, true), (true, false)].into_iter().enumerate() {
                    let on = one_by_one(&cloud, &problem, racks, spreads);
                    let verdict = verify(&cloud, &problem, &on);
                    placed[way] += u64::from(on.len() == servers);
                    across[way] += verdict.across_racks;
                }
                let begin = Instant::now();
                let found = place(&cloud, &problem, Effort::default());
                let took = begin.elapsed().as_secs_f64();
                (time, slowest) = (time + took, slowest.max(took));
                if let Ok(found) = found {
                    placed[2] += 1;
                    across[2] += found.verdict.across_racks;
                }
            }
            let runs = i64::try_from(runs).expect("few");
            let mean = |way: usize| across[way] / runs;
            println!(
                "{servers:5} {hosts:5} {fill:3} | {:2} {:6} | {:2} {:6} | {:2} {:6} {:6.2} {:6.2}",
                placed[0],
                mean(0),
                placed[1],
                mean(1),
                placed[2],
                mean(2),
                time / f64::from(i32::try_from(runs).expect("few")),
                slowest
            );
        }
    }
}

/// Beside the optimum by HiGHS, where that is found in ten minutes. It needs Python with `highspy`, which `HIGHS_PYTHON` may name.
#[test]
#[ignore = "it measures, and asserts nothing of how good the placement is"]
fn cost_beside_the_optimum() {
    let number =
        |name: &str, usual: usize| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let (servers, hosts, runs) = (number("SERVERS", 40), number("HOSTS", 20), number("RUNS", 3));
    let seconds = u32::try_from(number("SECONDS", 600)).expect("it is not that long");
    println!("servers hosts fill | together: cost, bound, seconds | HiGHS: cost, bound, seconds");
    for fill in [80, 90, 95] {
        for seed in 0..u64::try_from(runs).expect("few") {
            let (cloud, problem) = made(servers, hosts, fill, seed);
            let begin = Instant::now();
            let ours = place(&cloud, &problem, Effort::default()).expect("there is a hidden placement");
            let took = begin.elapsed().as_secs_f64();
            let begin = Instant::now();
            let Some(best) = highs::optimum(&cloud, &problem, seconds) else {
                println!("there is no HiGHS: `pip install highspy`, and name that Python by HIGHS_PYTHON");
                return;
            };
            let (cost, waited) = (ours.verdict.cost, begin.elapsed().as_secs_f64());
            println!(
                "{servers:5} {hosts:5} {fill:3} | {cost:6} {:6} {took:6.2} | {:8.1} {:8.1} {waited:6.2}",
                cost - ours.gap(),
                best.cost,
                best.bound
            );
            // Both speak of the same: the checker has the last word about the placement of either.
            let verdict = verify(&cloud, &problem, &best.on);
            assert_eq!(verdict.breaches, [], "the program of HiGHS is not the problem");
            #[expect(clippy::cast_precision_loss, reason = "costs are small")]
            let (of_checker, ours) = (verdict.cost as f64, cost as f64);
            assert!((of_checker - best.cost).abs() < 0.5, "{of_checker} {}", best.cost);
            assert!(ours > best.bound - 0.5, "no placement costs less than {}", best.bound);
        }
    }
}
