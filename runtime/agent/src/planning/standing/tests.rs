use std::collections::BTreeSet;

use wattle_model::requirement::{Operand, Test, Tested};
use wattle_model::{Order, Predicate, Tool, Type};

use crate::revision::Revision;
use crate::seed::SeedRecipe;
use crate::server_plan::{Held, PlannedInput, ValueSource};

use super::*;

fn component(version: u64, reads: impl IntoIterator<Item = Held>) -> PlannedComponent {
    let input = |(at, held): (usize, Held)| {
        let input = PlannedInput { ty: Type::STR, path: Vec::new(), from: ValueSource::Leaf(held) };
        (format!("i{at}").into(), input)
    };
    PlannedComponent {
        recipe: SeedRecipe {
            tool: Tool::Shell,
            entry: format!("recipe-{version}").into(),
            teardown: None,
            files: IndexMap::default(),
            deadline: None,
            wait: None,
        },
        after: Vec::new(),
        inputs: reads.into_iter().enumerate().map(input).collect(),
        outputs: IndexMap::default(),
        requires: IndexMap::default(),
    }
}

fn of(server: &str) -> Held {
    Held::Entry(format!("{server}/c/out").into())
}

fn plan(number: u64, own: &str, components: impl IntoIterator<Item = (&'static str, PlannedComponent)>) -> ServerPlan {
    let revision = Revision { space: Some("space".into()), number };
    let components = components.into_iter().map(|(name, component)| (name.into(), component)).collect();
    let mut plan = ServerPlan { retired: false, components, ..ServerPlan::retired(&revision, Order::Declared, None) };
    plan.writers =
        plan.reads_from(own).into_iter().map(|writer| (writer, Writer { revision: number, key: None })).collect();
    plan
}

/// The plans of servers, by name. Each server has a version and the servers that it reads from.
fn plans(number: u64, servers: &[(&str, u64, &[&str])]) -> IndexMap<Name, ServerPlan> {
    let server = |(name, version, reads): &(&str, u64, &[&str])| {
        let component = component(*version, reads.iter().map(|server| of(server)));
        (Name::from(*name), plan(number, name, [("c", component)]))
    };
    servers.iter().map(server).collect()
}

fn kept(mut plans: IndexMap<Name, ServerPlan>, before: &IndexMap<Name, ServerPlan>) -> IndexMap<Name, ServerPlan> {
    keep_standing(&mut plans, before, |_| false);
    plans
}

fn numbers(plans: &IndexMap<Name, ServerPlan>) -> Vec<(&str, u64)> {
    plans.iter().map(|(name, plan)| (&**name, plan.revision)).collect()
}

#[test]
fn what_reads_from_what_has_changed_moves_and_what_that_reads_from_stands() {
    let chain = |number, version| {
        plans(number, &[("a", 0, &[]), ("b", version, &["a"]), ("c", 0, &["b"]), ("d", 0, &["c"]), ("e", 0, &["a"])])
    };
    let first = chain(1, 0);
    assert_eq!(kept(chain(2, 0), &first), first);
    let second = kept(chain(2, 1), &first);
    assert_eq!(numbers(&second), [("a", 1), ("b", 2), ("c", 2), ("d", 2), ("e", 1)]);
    let writer = |plan: &ServerPlan| plan.writers.values().map(|writer| writer.revision).collect::<Vec<_>>();
    assert_eq!(second.values().map(writer).collect::<Vec<_>>(), [vec![], vec![1], vec![2], vec![2], vec![1]]);
    assert_eq!(second["b"].expects("a").number, 1);
    assert_eq!(second["b"].expects("b").number, 2);
}

#[test]
fn servers_that_read_from_each_other_move_together() {
    let ring =
        |number, version| plans(number, &[("a", 0, &["c"]), ("b", 0, &["a"]), ("c", version, &["b"]), ("d", 0, &[])]);
    let first = ring(1, 0);
    assert_eq!(kept(ring(2, 0), &first), first);
    assert_eq!(numbers(&kept(ring(2, 1), &first)), [("a", 2), ("b", 2), ("c", 2), ("d", 1)]);
}

#[test]
fn what_stands_on_another_stack_stands_in_no_revision() {
    let stack = |number| {
        let foreign = Held::Foreign { stack: "other".into(), entry: "x/y/z".into() };
        let mut plans = plans(number, &[("a", 0, &[]), ("c", 0, &["b"])]);
        plans.insert("b".into(), plan(number, "b", [("c", component(0, [foreign, of("a")]))]));
        plans
    };
    assert_eq!(numbers(&kept(stack(2), &stack(1))), [("a", 1), ("c", 2), ("b", 2)]);
}

#[test]
fn what_is_to_run_in_another_order_moves_and_what_is_judged_elsewhere_in_a_file_stands() {
    let two = |number, names: [&'static str; 2], at: &str| {
        let mut judges = component(0, []);
        let operand = Operand { name: None, from: ValueSource::Constant(1.into()) };
        let tested = Tested { value: Some(operand.clone()), test: Test::Is(operand), secret: false };
        let (predicate, because) = (Predicate::Tested(tested), String::new());
        judges.requires.insert("r".into(), PlannedRequirement { predicate, because, at: at.to_owned() });
        let components = names.map(|name| (name, judges.clone()));
        IndexMap::<Name, ServerPlan>::from_iter([("s".into(), plan(number, "s", components))])
    };
    let first = two(1, ["x", "y"], "shop.rs:1:1");
    assert_eq!(kept(two(2, ["x", "y"], "shop.rs:9:1"), &first), first);
    assert_eq!(kept(two(2, ["y", "x"], "shop.rs:1:1"), &first)["s"].revision, 2);
}

#[test]
fn what_is_said_to_be_another_moves() {
    let servers: &[(&str, u64, &[&str])] = &[("a", 0, &[]), ("b", 0, &["a"]), ("c", 0, &[])];
    let mut second = plans(2, servers);
    keep_standing(&mut second, &plans(1, servers), |server| &**server == "a");
    assert_eq!(numbers(&second), [("a", 2), ("b", 2), ("c", 1)]);
}

#[test]
fn a_server_that_leaves_moves_once_and_again_when_it_comes_back() {
    let gone = |number| {
        let mut plans = plans(number, &[("a", 0, &[])]);
        let revision = Revision { space: Some("space".into()), number };
        plans.insert("b".into(), ServerPlan::retired(&revision, Order::Declared, None));
        plans
    };
    let both = |number| plans(number, &[("a", 0, &[]), ("b", 0, &["a"])]);
    let second = kept(gone(2), &both(1));
    assert_eq!(numbers(&second), [("a", 1), ("b", 2)]);
    let third = kept(gone(3), &second);
    assert_eq!(third, second);
    assert_eq!(numbers(&kept(both(4), &third)), [("a", 1), ("b", 4)]);
}

#[test]
fn without_a_name_of_the_data_space_nothing_stands_and_in_another_one_neither() {
    let of = |number, space: Option<&str>| {
        let mut plans = plans(number, &[("a", 0, &[])]);
        plans["a"].space = space.map(Name::from);
        plans
    };
    assert_eq!(kept(of(2, None), &of(1, None))["a"].revision, 2);
    assert_eq!(kept(of(2, Some("x")), &of(1, Some("y")))["a"].revision, 2);
    assert_eq!(kept(of(2, Some("x")), &of(1, Some("x")))["a"].revision, 1);
}

/// Plans of an earlier version name no writers: all had one number, and may stay the same.
#[test]
fn plans_of_a_former_version_stand() {
    let servers = |number, version| plans(number, &[("a", 0, &[]), ("b", 0, &["a"]), ("c", version, &["a"])]);
    let mut first = servers(4, 0);
    first.values_mut().for_each(|plan| plan.writers.clear());
    let second = kept(servers(5, 1), &first);
    assert_eq!(numbers(&second), [("a", 4), ("b", 4), ("c", 5)]);
    assert_eq!((second["b"].expects("a").number, second["c"].expects("a").number), (4, 4));
}

struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

type Servers = Vec<(&'static str, u64, BTreeSet<&'static str>)>;

const NAMES: [&str; 7] = ["a", "b", "c", "d", "e", "f", "g"];

fn change(servers: &mut Servers, chance: &mut Chance) {
    for (_, version, reads) in servers.iter_mut() {
        if chance.below(6) == 0 {
            // Earlier contents may return.
            *version = chance.below(3);
        }
        if chance.below(8) == 0 {
            let server = NAMES[usize::try_from(chance.below(7)).unwrap()];
            if !reads.remove(server) {
                reads.insert(server);
            }
        }
    }
}

/// Makes arbitrary changes and interrupts `seed apply` anywhere. Once one is completed, each plan expects the other
/// servers' actual numbers, each number belongs to one plan only, and nothing changes without a reason.
#[test]
fn random_revisions_broken_off_anywhere() {
    let mut stood = 0;
    for seed in 0..500 {
        let mut chance = Chance(seed);
        let mut servers: Servers = NAMES.map(|name| (name, 0, BTreeSet::new())).into();
        let mut there: IndexMap<Name, ServerPlan> = IndexMap::default();
        let mut given: HashMap<(Name, u64), ServerPlan> = HashMap::new();
        for number in 1..30 {
            change(&mut servers, &mut chance);
            let plan = |(name, version, reads): &(&'static str, u64, BTreeSet<&'static str>)| {
                let component = component(*version, reads.iter().map(|server| of(server)));
                (Name::from(*name), plan(number, name, [("c", component)]))
            };
            let asked: IndexMap<Name, ServerPlan> = servers.iter().map(plan).collect();
            let plans = kept(asked.clone(), &there);
            let is_stale = |server: &Name| {
                there.get(server).is_none_or(|plan| {
                    let is_there =
                        |writer: &Name| there.get(writer).is_some_and(|other| other.of() == plan.expects(writer));
                    plan.components != asked[server].components || !plan.writers.keys().all(is_there)
                })
            };
            for (server, plan) in &plans {
                let mut upstream = BTreeSet::from([server]);
                let mut next = vec![server];
                while let Some(server) = next.pop() {
                    next.extend(asked[server].writers.keys().filter(|writer| upstream.insert(*writer)));
                }
                assert_eq!(
                    plan.revision == number,
                    upstream.into_iter().any(is_stale),
                    "{server} in {number} of {seed}"
                );
                stood += u64::from(plan.revision < number);
                assert_eq!(plan.components, asked[server].components);
                for writer in asked[server].writers.keys() {
                    assert_eq!(plan.expects(writer), plans[writer].of(), "{server} in {number} of {seed}");
                }
            }
            let is_broken_off = chance.below(3) == 0;
            for (server, plan) in plans {
                if is_broken_off && chance.below(2) == 0 {
                    continue;
                }
                let first = given.entry((server.clone(), plan.revision)).or_insert_with(|| plan.clone());
                assert_eq!(*first, plan, "{server} in {number} of {seed}");
                there.insert(server, plan);
            }
        }
    }
    assert!(stood > 10_000, "hardly anything stands: {stood}");
}
