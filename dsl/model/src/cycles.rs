//! The shortest cycle of each strongly connected component.

use std::collections::VecDeque;

use petgraph::Direction;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, EdgeIndex, NodeIndex};
use petgraph::visit::EdgeRef;

/// The shortest cycle of each strongly connected component of `graph`, as its edges in order.
///
/// Among cycles of one length the one through the node that was added first is taken, and it starts there. The
/// components come in the order of their first nodes.
pub fn shortest_cycles<N, E>(graph: &DiGraph<N, E, u32>) -> Vec<Vec<EdgeIndex>> {
    // Not Tarjan's algorithm, which recurses: a chain of 100,000 components is an ordinary model.
    let mut search = Search::new(graph);
    let mut cycles: Vec<_> = kosaraju_scc(graph)
        .into_iter()
        .filter_map(|mut members| {
            members.sort_unstable();
            let first = *members.first()?;
            let cyclic = members.len() > 1 || graph.contains_edge(first, first);
            cyclic.then(|| (first, search.shortest_within(&members)))
        })
        .collect();
    cycles.sort_by_key(|(first, _)| *first);
    cycles.into_iter().map(|(_, cycle)| cycle).collect()
}

struct Search<'g, N, E> {
    graph: &'g DiGraph<N, E, u32>,
    /// Whether a node is in the component at hand, and a shorter cycle through it is still possible.
    open: Vec<bool>,
    /// The edge by which a node was reached, and in which search.
    reached: Vec<(usize, EdgeIndex)>,
    searches: usize,
}

impl<'g, N, E> Search<'g, N, E> {
    fn new(graph: &'g DiGraph<N, E, u32>) -> Self {
        let nodes = graph.node_count();
        Self { graph, open: vec![false; nodes], reached: vec![(0, EdgeIndex::end()); nodes], searches: 0 }
    }

    fn shortest_within(&mut self, members: &[NodeIndex]) -> Vec<EdgeIndex> {
        for node in members {
            self.open[node.index()] = true;
        }
        let mut best: Option<Vec<EdgeIndex>> = None;
        for &node in members {
            if !self.open[node.index()] {
                continue;
            }
            if let Some(cycle) = self.shortest_through(node, best.as_ref().map_or(usize::MAX, Vec::len)) {
                best = Some(cycle);
            }
            // Every cycle through this node has been looked at.
            self.close(node);
        }
        best.expect("INVARIANT: a strongly connected component with an edge has a cycle")
    }

    /// The shortest cycle through `start` among open nodes, if it is shorter than `limit`.
    fn shortest_through(&mut self, start: NodeIndex, limit: usize) -> Option<Vec<EdgeIndex>> {
        self.searches += 1;
        let mut queue = VecDeque::from([(start, 0)]);
        while let Some((node, length)) = queue.pop_front() {
            if length + 1 >= limit {
                return None;
            }
            // petgraph yields the newest edge first; the oldest is the one that the author wrote first.
            let mut edges: Vec<_> = self.graph.edges(node).map(|edge| (edge.id(), edge.target())).collect();
            edges.reverse();
            for (edge, target) in edges {
                if target == start {
                    return Some(self.path(start, edge));
                }
                let reached = &mut self.reached[target.index()];
                if self.open[target.index()] && reached.0 != self.searches {
                    *reached = (self.searches, edge);
                    queue.push_back((target, length + 1));
                }
            }
        }
        None
    }

    /// The edges from `start` to the end of `last`.
    fn path(&self, start: NodeIndex, last: EdgeIndex) -> Vec<EdgeIndex> {
        let mut path = vec![last];
        loop {
            let (source, _) =
                self.graph.edge_endpoints(path[path.len() - 1]).expect("INVARIANT: an edge of this graph");
            if source == start {
                path.reverse();
                return path;
            }
            path.push(self.reached[source.index()].1);
        }
    }

    /// Takes `node` out, and with it every node that is on no cycle any more.
    fn close(&mut self, node: NodeIndex) {
        self.open[node.index()] = false;
        let mut doubtful = vec![node];
        while let Some(closed) = doubtful.pop() {
            for direction in [Direction::Outgoing, Direction::Incoming] {
                let neighbours: Vec<_> = self.graph.neighbors_directed(closed, direction).collect();
                for neighbour in neighbours {
                    if self.open[neighbour.index()] && !self.on_some_path(neighbour) {
                        self.open[neighbour.index()] = false;
                        doubtful.push(neighbour);
                    }
                }
            }
        }
    }

    fn on_some_path(&self, node: NodeIndex) -> bool {
        [Direction::Outgoing, Direction::Incoming]
            .into_iter()
            .all(|direction| self.graph.neighbors_directed(node, direction).any(|other| self.open[other.index()]))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// Every cycle that visits no node twice, as its nodes, each once and beginning at its least node.
    fn all_cycles(nodes: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
        fn extend(path: &mut Vec<usize>, edges: &[(usize, usize)], found: &mut Vec<Vec<usize>>) {
            let (first, last) = (path[0], path[path.len() - 1]);
            for &(_, to) in edges.iter().filter(|(from, _)| *from == last) {
                if to == first {
                    found.push(path.clone());
                } else if to > first && !path.contains(&to) {
                    path.push(to);
                    extend(path, edges, found);
                    path.pop();
                }
            }
        }
        let mut found = Vec::new();
        (0..nodes).for_each(|first| extend(&mut vec![first], edges, &mut found));
        found
    }

    /// Which nodes reach each other, a set for each node.
    fn reached(nodes: usize, edges: &[(usize, usize)]) -> Vec<BTreeSet<usize>> {
        let mut reached: Vec<BTreeSet<usize>> = (0..nodes).map(|node| BTreeSet::from([node])).collect();
        for _ in 0..nodes {
            for &(from, to) in edges {
                let further = reached[to].clone();
                reached[from].extend(further);
            }
        }
        reached
    }

    fn edges() -> impl Strategy<Value = (usize, Vec<(usize, usize)>)> {
        (1_usize..8).prop_flat_map(|nodes| (Just(nodes), prop::collection::vec((0..nodes, 0..nodes), 0..16)))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn each_component_has_its_shortest_cycle((nodes, edges) in edges()) {
            let mut graph = DiGraph::<(), (), u32>::default();
            (0..nodes).for_each(|_| { graph.add_node(()); });
            for &(from, to) in &edges {
                graph.add_edge(NodeIndex::new(from), NodeIndex::new(to), ());
            }
            let reached = reached(nodes, &edges);
            let component = |node: usize| (0..nodes).find(|other| reached[node].contains(other) && reached[*other].contains(&node));
            let all = all_cycles(nodes, &edges);

            let mut seen = Vec::new();
            for cycle in shortest_cycles(&graph) {
                let ends: Vec<_> = cycle.iter().map(|edge| graph.edge_endpoints(*edge).expect("an edge")).collect();
                for (index, (_, to)) in ends.iter().enumerate() {
                    prop_assert_eq!(*to, ends[(index + 1) % ends.len()].0, "hops follow each other and lead back");
                }
                let here = component(ends[0].0.index());
                let rivals: Vec<_> = all.iter().filter(|cycle| component(cycle[0]) == here).collect();
                prop_assert_eq!(Some(ends.len()), rivals.iter().map(|cycle| cycle.len()).min(), "no cycle is shorter");
                let first = rivals.iter().filter(|cycle| cycle.len() == ends.len()).map(|cycle| cycle[0]).min();
                prop_assert_eq!(Some(ends[0].0.index()), first, "it begins at the first node that has one so short");
                seen.push(here);
            }
            let expected: BTreeSet<_> = all.iter().map(|cycle| component(cycle[0])).collect();
            prop_assert_eq!(seen, Vec::from_iter(expected), "each component once, in order");
        }
    }
}
