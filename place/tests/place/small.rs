//! Random small clouds and problems, and all their placements.

use std::collections::BTreeMap;

use proptest::prelude::*;
use wattle_place::{
    Cloud, Host, Level, MEMORY, PlacementRule, Policy, Problem, Server, Strength, VCPUS, Verdict, Wire, verify,
};

/// A cloud with these hosts, each with its rack.
pub(crate) fn cloud(hosts: &[(i64, i64, usize, bool)]) -> Cloud {
    let host = |(number, (vcpus, memory, rack, licensed)): (usize, &(i64, i64, usize, bool))| Host {
        name: format!("h{number}"),
        zone: format!("z{}", rack / 2),
        rack: (*rack < 4).then(|| format!("r{rack}")),
        total: [(VCPUS.to_owned(), *vcpus), (MEMORY.to_owned(), *memory)].into(),
        traits: licensed.then(|| "LICENSED".to_owned()).into_iter().collect(),
        ..Host::default()
    };
    Cloud { hosts: hosts.iter().enumerate().map(host).collect(), flavors: Default::default() }
}

/// A server called `s0`, `s1` and so on.
pub(crate) fn server(number: usize, vcpus: i64, memory: i64) -> Server {
    Server {
        name: format!("s{number}"),
        demand: [(VCPUS.to_owned(), vcpus), (MEMORY.to_owned(), memory)].into(),
        ..Server::default()
    }
}

/// A policy.
pub(crate) fn policy(rule: PlacementRule, members: &[usize], strength: Strength) -> Policy {
    Policy {
        words: format!("{rule:?} of {members:?}"),
        rule,
        members: members.to_vec(),
        most: 1,
        strength,
        at: Default::default(),
    }
}

/// All placements, each with the checker's verdict.
pub(crate) fn all(cloud: &Cloud, problem: &Problem) -> Vec<(BTreeMap<String, String>, Verdict)> {
    let (hosts, servers) = (cloud.hosts.len(), problem.servers.len());
    let count = hosts.pow(u32::try_from(servers).expect("few"));
    let one = |mut number: usize| {
        let mut on = BTreeMap::new();
        for server in &problem.servers {
            on.insert(server.name.clone(), cloud.hosts[number % hosts].name.clone());
            number /= hosts;
        }
        let verdict = verify(cloud, problem, &on);
        (on, verdict)
    };
    (0..count).map(one).collect()
}

fn rule() -> impl Strategy<Value = PlacementRule> {
    let level = prop::sample::select(Level::ALL.to_vec());
    prop_oneof![
        3 => level.clone().prop_map(PlacementRule::Apart),
        3 => level.prop_map(PlacementRule::Near),
        1 => Just(PlacementRule::Zone("z0".to_owned())),
        1 => Just(PlacementRule::License("LICENSED".to_owned())),
    ]
}

/// Up to four hosts and five servers, with policies and wires.
pub(crate) fn problems() -> impl Strategy<Value = (Cloud, Problem)> {
    let hosts = prop::collection::vec((1_i64..6, 1_i64..6, 0_usize..5, any::<bool>()), 1..5);
    (hosts, 1_usize..6).prop_flat_map(|(hosts, servers)| {
        let sizes = prop::collection::vec((1_i64..4, 0_i64..4), servers);
        let strength = prop_oneof![Just(Strength::Required), (1_u32..15).prop_map(Strength::Preferred)];
        let members = prop::sample::subsequence((0..servers).collect::<Vec<_>>(), 1..=servers);
        let policies = prop::collection::vec((rule(), members, strength), 0..4);
        let wires = prop::collection::vec((0..servers, 0..servers, prop_oneof![1_u32..9, 10_000_u32..90_000]), 0..5);
        let before = prop::collection::vec((0..hosts.len() * 4, any::<bool>()), servers);
        (Just(hosts), sizes, policies, wires, before).prop_map(|(hosts, sizes, policies, wires, before)| {
            let mut cloud = cloud(&hosts);
            let mut servers: Vec<Server> = sizes.iter().enumerate().map(|(n, (v, m))| server(n, *v, *m)).collect();
            for (server, (host, moves)) in servers.iter_mut().zip(before) {
                if let Some(host) = cloud.hosts.get_mut(host) {
                    server.runs_on = Some(host.name.clone());
                    server.moves = moves;
                    for (resource, amount) in &server.demand {
                        *host.used.entry(resource.clone()).or_default() += amount;
                    }
                }
            }
            let policies =
                policies.into_iter().map(|(rule, members, strength)| policy(rule, &members, strength)).collect();
            let wires = wires.into_iter().filter(|(one, other, _)| one != other);
            let wires = wires.map(|(one, other, bandwidth)| Wire { between: (one, other), bandwidth }).collect();
            (cloud, Problem { servers, policies, wires })
        })
    })
}
