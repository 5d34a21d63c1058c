//! Dependencies, compared to Heat's graph without the resources that do not exist in a cloud.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use wattle_converge::Target as _;
use wattle_deploy::Deployment;
use wattle_heat::Graph;

use crate::corpus;
use crate::desk::{Desk, KEY, deployment};
use crate::kinds::Drivers;

type Edges = BTreeMap<String, BTreeSet<String>>;

fn needs(target: &Deployment) -> Edges {
    let names = |on: Vec<wattle_model::Name>| on.into_iter().map(|name| name.to_string()).collect();
    target.resources().into_iter().map(|(name, on)| (name.to_string(), names(on))).collect()
}

/// Heat's graph between resources other than stacks: a stack stands for everything in it, and its dependents depend on
/// that.
#[derive(Default)]
struct Lifted {
    edges: Edges,
    leaves: BTreeSet<String>,
}

impl Lifted {
    fn of(graph: &Graph) -> Self {
        let mut lifted = Self::default();
        lifted.add(graph, "", &BTreeSet::new());
        let inside: Edges = lifted
            .edges
            .keys()
            .map(|name| {
                let within = |leaf: &&String| **leaf == *name || leaf.starts_with(&format!("{name}/"));
                (name.clone(), lifted.leaves.iter().filter(within).cloned().collect())
            })
            .collect();
        for on in lifted.edges.values_mut() {
            *on = on.iter().flat_map(|name| inside[name].iter().cloned()).collect();
        }
        lifted
    }

    fn add(&mut self, graph: &Graph, prefix: &str, around: &BTreeSet<String>) {
        for (name, on) in &graph.graph {
            let full = format!("{prefix}{name}");
            let all: BTreeSet<String> = on.iter().map(|on| format!("{prefix}{on}")).chain(around.clone()).collect();
            match graph.nested.get(name) {
                Some(nested) => self.add(nested, &format!("{full}/"), &all),
                None => drop(self.leaves.insert(full.clone())),
            }
            self.edges.insert(full, all);
        }
    }
}

fn closure(edges: &Edges) -> Edges {
    fn visit(name: &str, edges: &Edges, found: &mut BTreeSet<String>) {
        for on in edges.get(name).into_iter().flatten() {
            if found.insert(on.clone()) {
                visit(on, edges, found);
            }
        }
    }
    edges
        .keys()
        .map(|name| {
            let mut found = BTreeSet::new();
            visit(name, edges, &mut found);
            (name.clone(), found)
        })
        .collect()
}

/// Known differences from Heat's graph.
const KNOWN: [&str; 3] = [
    // At first, Heat does not know a value that decides a condition.
    "nested_unknown_values.yaml: unknown/address is nothing to Heat",
    // Only Heat's own metadata server would return metadata.
    "old_functions.yaml: by_ref does not wait for [\"base\"]",
    "references_everywhere.yaml: in_metadata does not wait for [\"a\", \"b\"]",
];

#[test]
fn they_are_heats() {
    let mut compared = 0;
    let mut wrong = BTreeSet::new();
    for (name, loaded) in corpus::good().into_iter().chain(corpus::examples()) {
        let Ok(target) = Deployment::new(loaded.clone(), Arc::new(Drivers::All), KEY) else { continue };
        let (ours, heats) = (needs(&target), Lifted::of(&Graph::of(&loaded)));
        let (all_ours, all_heats) = (closure(&ours), closure(&heats.edges));
        for (resource, on) in &ours {
            if !heats.leaves.contains(resource) {
                wrong.insert(format!("{name}: {resource} is nothing to Heat"));
                continue;
            }
            compared += on.len();
            if all_ours[resource].contains(resource) {
                wrong.insert(format!("{name}: {resource} waits for itself"));
            }
            let more = on.difference(&all_heats[resource]).collect::<Vec<_>>();
            if !more.is_empty() {
                wrong.insert(format!("{name}: {resource} waits for {more:?}, and not in Heat"));
            }
            // All of Heat's edges between resources of one stack exist here, too.
            let stack = |name: &str| name.rsplit_once('/').map(|(stack, _)| stack.to_owned());
            let same = |on: &&String| stack(on) == stack(resource) && ours.contains_key(*on);
            let less: Vec<_> =
                heats.edges[resource].iter().filter(same).filter(|on| !all_ours[resource].contains(*on)).collect();
            if !less.is_empty() {
                wrong.insert(format!("{name}: {resource} does not wait for {less:?}"));
            }
        }
    }
    let known = KNOWN.map(ToOwned::to_owned).into();
    assert_eq!(wrong, known);
    assert!(compared > 250, "{compared}");
}

#[test]
fn values_stacks_and_groups_are_looked_through() {
    let root = "
resources:
  a: {type: OS::Neutron::Net}
  b: {type: OS::Neutron::Net}
  c: {type: OS::Neutron::Net}
  d: {type: OS::Neutron::Net, depends_on: part}
  told: {type: OS::Heat::Value, depends_on: c, properties: {value: {x: {get_resource: a}, y: {get_attr: [b, name]}}}}
  later: {type: OS::Neutron::Net, depends_on: told}
  part: {type: part.yaml, depends_on: c, properties: {net: {get_attr: [told, value, x]}, other: {get_resource: b}}}
  group:
    type: OS::Heat::ResourceGroup
    properties:
      count: 2
      resource_def: {type: part.yaml, properties: {net: {get_resource: a}, other: 'n%index%'}}
  chain: {type: OS::Heat::ResourceChain, properties: {resources: [OS::Neutron::Net, OS::Neutron::Net]}}
  last: {type: OS::Neutron::Net, properties: {name: {list_join: [x, {get_attr: [group, port]}]}}}
  first: {type: OS::Neutron::Net, properties: {name: {get_attr: [group, resource.1.port]}}}
";
    let part = "
parameters: {net: {type: string}, other: {type: string}}
resources:
  port: {type: OS::Neutron::Port, properties: {network: {get_param: net}}}
  free: {type: OS::Neutron::Net, properties: {name: {get_param: other}}}
outputs: {port: {value: {get_resource: port}}}
";
    let target = deployment(root, &[("part.yaml", part)]);
    let needs = needs(&target);
    for (name, expected) in [
        ("d", "part/free part/port"),
        ("later", "a b c"),
        ("part/port", "a c"),
        ("part/free", "b c"),
        ("group/0/port", "a"),
        ("group/1/free", ""),
        ("chain/0", ""),
        ("chain/1", "chain/0"),
        ("last", "group/0/port group/1/port"),
        ("first", "group/1/port"),
    ] {
        let on: Vec<_> = needs[name].iter().map(String::as_str).collect();
        assert_eq!(on.join(" "), expected, "{name}");
    }
    assert!(!needs.contains_key("told") && !needs.contains_key("part") && !needs.contains_key("group"));
    let mut desk = Desk::new();
    desk.reach(&target);
    assert_eq!(desk.property("group/1/free", "name"), "n1".into());
    assert_eq!(desk.property("part/port", "network"), desk.phys("a").into());
    let ports = format!("{}x{}", desk.phys("group/0/port"), desk.phys("group/1/port"));
    assert_eq!(desk.property("last", "name"), ports.into());
}
