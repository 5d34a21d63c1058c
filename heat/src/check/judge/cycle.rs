//! Resources that wait for each other.

use petgraph::graph::{DiGraph, NodeIndex};
use wattle_model::shortest_cycles;

use crate::graph::requires;
use crate::resource::{How, Reference, Subject};

use super::super::dependency_cycle;
use super::Judge;
use super::reference::is_component;

impl Judge<'_, '_> {
    pub(super) fn cycles(&mut self) {
        let stack = self.stack;
        let mut graph: DiGraph<Subject<'_>, Option<&Reference>, u32> = DiGraph::default();
        let nodes: Vec<_> =
            stack.resources.iter().map(|(name, resource)| graph.add_node(stack.subject(name, resource))).collect();
        let index = |name: &str| stack.resources.get_index_of(name).map(|at| nodes[at]);
        for (at, (name, resource)) in stack.resources.iter().enumerate().filter(|(_, (_, resource))| !resource.external)
        {
            let mut explicit = Vec::new();
            for reference in &resource.references {
                let Some(target) = index(&reference.name) else { continue };
                explicit.push(&*reference.name);
                let of_component = match &reference.how {
                    How::Attribute(path) => path
                        .first()
                        .and_then(|(name, _)| name.as_text())
                        .is_some_and(|name| is_component(&stack.loaded.template, &reference.name, name)),
                    _ => false,
                };
                if !of_component {
                    graph.add_edge(nodes[at], target, Some(reference));
                }
            }
            // In a nested stack Heat does not look for what it would add.
            let implicit = if self.strict { requires(stack.subject(name, resource)) } else { Default::default() };
            for target in implicit.into_iter().filter(|name| !explicit.contains(name)).filter_map(index) {
                graph.add_edge(nodes[at], target, None);
            }
        }
        for cycle in shortest_cycles(&graph) {
            let hops: Vec<_> = cycle
                .iter()
                .filter_map(|edge| {
                    let (from, to): (NodeIndex, NodeIndex) = graph.edge_endpoints(*edge)?;
                    let (from, to) = (graph[from], graph[to]);
                    let reference = graph[*edge];
                    let at = self.at(reference.map(|reference| reference.span), from);
                    Some((
                        from.name.to_owned(),
                        to.name.to_owned(),
                        reference.map(|reference| reference.how.clone()),
                        at,
                    ))
                })
                .collect();
            self.found.push(dependency_cycle::diagnostic(&hops));
        }
    }
}
