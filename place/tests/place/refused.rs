//! The checker refuses every violation, whatever its origin.

use std::collections::BTreeMap;

use proptest::prelude::*;
use wattle_place::{
    Breach, Effort, Level, MEMORY, PlacementRule, Problem, Server, Strength, VCPUS, Wire, place, verify,
};

use crate::small::{cloud, policy, problems, server};

fn on(hosts: &[&str]) -> BTreeMap<String, String> {
    hosts.iter().enumerate().map(|(number, host)| (format!("s{number}"), (*host).to_owned())).collect()
}

fn two() -> Vec<Server> {
    vec![server(0, 1, 1), server(1, 1, 1)]
}

#[test]
fn each_kind_of_breach_is_refused() {
    let cloud = cloud(&[(2, 2, 0, true), (1, 2, 0, false), (2, 2, 3, false)]);
    let breaches = |problem: &Problem, hosts: &[&str]| verify(&cloud, problem, &on(hosts)).breaches;
    let free = Problem { servers: two(), ..Problem::default() };
    assert_eq!(breaches(&free, &["h0", "h0"]), []);
    assert_eq!(breaches(&free, &["h0"]), [Breach::Unplaced("s1".into())]);
    assert_eq!(breaches(&free, &["h0", "h9"]), [Breach::NoHost("s1".into())]);
    let full = Breach::Capacity { host: "h1".into(), resource: VCPUS.into(), asked: 2, free: 1 };
    assert_eq!(breaches(&free, &["h1", "h1"]), [full]);
    let with = |rule: PlacementRule| Problem {
        policies: vec![policy(rule, &[0, 1], Strength::Required)],
        servers: two(),
        ..Problem::default()
    };
    for (rule, fine, wrong) in [
        (PlacementRule::Apart(Level::Host), ["h0", "h1"], ["h0", "h0"]),
        (PlacementRule::Apart(Level::Rack), ["h0", "h2"], ["h0", "h1"]),
        (PlacementRule::Apart(Level::Zone), ["h0", "h2"], ["h0", "h1"]),
        (PlacementRule::Near(Level::Host), ["h0", "h0"], ["h0", "h1"]),
        (PlacementRule::Near(Level::Rack), ["h0", "h1"], ["h0", "h2"]),
        (PlacementRule::Zone("z0".into()), ["h0", "h1"], ["h0", "h2"]),
        (PlacementRule::License("LICENSED".into()), ["h0", "h0"], ["h0", "h1"]),
        (PlacementRule::Near(Level::Zone), ["h0", "h1"], ["h1", "h2"]),
    ] {
        let problem = with(rule.clone());
        assert_eq!(breaches(&problem, &fine), [], "{rule:?}");
        assert_eq!(breaches(&problem, &wrong), [Breach::Policy(0)], "{rule:?}");
    }
    assert_eq!(
        breaches(&with(PlacementRule::Near(Level::Room)), &["h0", "h1"]),
        [Breach::Policy(0)],
        "nobody knows their rooms"
    );
    let mut asks = free.clone();
    asks.servers[0].traits.insert("LICENSED".into());
    asks.servers[1].zone = Some("z1".into());
    assert_eq!(breaches(&asks, &["h0", "h2"]), []);
    let both = [Breach::Trait("s0".into(), "LICENSED".into()), Breach::Zone("s1".into())];
    assert_eq!(breaches(&asks, &["h1", "h0"]), both);
    let mut runs = free.clone();
    runs.servers[0].runs_on = Some("h1".into());
    assert_eq!(breaches(&runs, &["h1", "h0"]), []);
    assert_eq!(breaches(&runs, &["h2", "h0"]), [Breach::Moved("s0".into())]);
}

#[test]
fn costs_are_distances_and_preferences() {
    let cloud = cloud(&[(9, 9, 0, false), (9, 9, 0, false), (9, 9, 1, false), (9, 9, 2, false)]);
    let mut problem = Problem { servers: two(), ..Problem::default() };
    problem.wires.push(Wire { between: (0, 1), bandwidth: 5 });
    let costs = |problem: &Problem, hosts: &[&str]| {
        let verdict = verify(&cloud, problem, &on(hosts));
        (verdict.cost, verdict.across_racks)
    };
    assert_eq!(costs(&problem, &["h0", "h0"]), (0, 0));
    assert_eq!(costs(&problem, &["h0", "h1"]), (5, 0), "in one rack");
    assert_eq!(costs(&problem, &["h0", "h2"]), (10, 5), "in one zone, whose racks are in no room");
    assert_eq!(costs(&problem, &["h0", "h3"]), (20, 5), "in two zones");
    problem.policies.push(policy(PlacementRule::Apart(Level::Host), &[0, 1], Strength::Preferred(7)));
    assert_eq!(costs(&problem, &["h0", "h0"]), (7, 0));
    assert_eq!(verify(&cloud, &problem, &on(&["h0", "h0"])).unkept, [(0, 1)]);
    let placed = place(&cloud, &problem, Effort::default()).expect("it can be");
    assert_eq!((placed.verdict.cost, placed.gap()), (5, 0), "{:?}", placed.on);
    assert!(cloud.hosts[0].free(MEMORY) == Some(9));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// A valid placement passes; the same with one more server on its fullest host, or with one that left its group,
    /// does not.
    #[test]
    fn mutants_of_placements_are_refused((cloud, problem) in problems()) {
        let Ok(placement) = place(&cloud, &problem, Effort::default()) else { return Ok(()) };
        for server in &problem.servers {
            let mut on = placement.on.clone();
            on.remove(&server.name);
            prop_assert_eq!(verify(&cloud, &problem, &on).breaches.first().cloned(), Some(Breach::Unplaced(server.name.clone())));
        }
        // A host with less capacity than the demand.
        for number in 0..cloud.hosts.len() {
            let mut smaller = cloud.clone();
            let host = &mut smaller.hosts[number];
            let is_new = |one: &&Server| one.runs_on.is_none() && placement.on[&one.name] == host.name;
            if !problem.servers.iter().any(|one| is_new(&one)) || problem.servers.iter().any(|one| one.moves) {
                continue;
            }
            host.used.insert(VCPUS.to_owned(), host.total[VCPUS]);
            let breaches = verify(&smaller, &problem, &placement.on).breaches;
            let is_full = |one: &Breach| matches!(one, Breach::Capacity { resource, .. } if resource == VCPUS);
            prop_assert!(breaches.iter().any(is_full), "{breaches:?}");
        }
        for (number, policy) in problem.policies.iter().enumerate().filter(|(_, one)| one.strength == Strength::Required) {
            let distinct = |names: &[usize]| names.len() > 1;
            if let (PlacementRule::Apart(Level::Host), true) = (&policy.rule, distinct(&policy.members)) {
                let mut on = placement.on.clone();
                let host = on[&problem.servers[policy.members[0]].name].clone();
                on.insert(problem.servers[policy.members[1]].name.clone(), host);
                prop_assert!(verify(&cloud, &problem, &on).breaches.contains(&Breach::Policy(number)));
            }
        }
    }
}
