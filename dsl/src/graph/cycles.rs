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
            let (source, _) = self.graph.edge_endpoints(path[path.len() - 1]).expect("INVARIANT: an edge of this graph");
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
