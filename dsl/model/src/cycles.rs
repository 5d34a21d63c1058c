//! The shortest cycle of each strongly connected component.

use std::collections::VecDeque;

/// The shortest cycle of each strongly connected component of a graph.
///
/// The graph has `nodes` nodes and the given edges. A cycle is a list of indices into `edges`, in order. Among cycles of
/// equal length, the one through the first node is taken, and it starts there. The strongly connected components are in the
/// order of their first nodes.
pub fn shortest_cycles(nodes: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut search = Search::new(nodes, edges);
    let components = search.components().into_iter();
    components.filter_map(|members| search.is_cyclic(&members).then(|| search.shortest_within(&members))).collect()
}

/// The edges at each node, in insertion order.
struct Sides {
    first: Vec<usize>,
    edges: Vec<usize>,
}

impl Sides {
    fn of(nodes: usize, edges: &[(usize, usize)], side: impl Fn(&(usize, usize)) -> usize) -> Self {
        let mut first = vec![0; nodes + 1];
        edges.iter().for_each(|ends| first[side(ends) + 1] += 1);
        (0..nodes).for_each(|node| first[node + 1] += first[node]);
        let mut next = first.clone();
        let mut sorted = vec![0; edges.len()];
        for (edge, ends) in edges.iter().enumerate() {
            let place = &mut next[side(ends)];
            sorted[*place] = edge;
            *place += 1;
        }
        Self { first, edges: sorted }
    }

    fn at(&self, node: usize) -> &[usize] {
        &self.edges[self.first[node]..self.first[node + 1]]
    }
}

struct Search<'g> {
    edges: &'g [(usize, usize)],
    out: Sides,
    into: Sides,
    /// Whether a node is in the component being searched and a shorter cycle through it is still possible.
    open: Vec<bool>,
    /// The search that last reached each node, and the edge by which it did so.
    reached: Vec<(usize, usize)>,
    searches: usize,
}

impl<'g> Search<'g> {
    fn new(nodes: usize, edges: &'g [(usize, usize)]) -> Self {
        let (out, into) = (Sides::of(nodes, edges, |ends| ends.0), Sides::of(nodes, edges, |ends| ends.1));
        Self { edges, out, into, open: vec![false; nodes], reached: vec![(0, 0); nodes], searches: 0 }
    }

    /// The strongly connected components in the order of their first nodes, each with its nodes in order. This is Kosaraju's
    /// algorithm without recursion, because a chain of 100,000 components is an ordinary model.
    fn components(&self) -> Vec<Vec<usize>> {
        let nodes = self.open.len();
        let mut finished = Vec::with_capacity(nodes);
        let mut seen = vec![false; nodes];
        for root in 0..nodes {
            let mut path = Vec::new();
            if !std::mem::replace(&mut seen[root], true) {
                path.push((root, self.out.at(root)));
            }
            while let Some((node, rest)) = path.last_mut() {
                let Some((edge, later)) = rest.split_first() else {
                    finished.push(*node);
                    path.pop();
                    continue;
                };
                *rest = later;
                let target = self.edges[*edge].1;
                if !std::mem::replace(&mut seen[target], true) {
                    path.push((target, self.out.at(target)));
                }
            }
        }
        let mut components: Vec<Vec<usize>> = Vec::new();
        for root in finished.into_iter().rev() {
            if !std::mem::replace(&mut seen[root], false) {
                continue;
            }
            let (mut members, mut at) = (vec![root], 0);
            while let Some(node) = members.get(at) {
                let sources = self.into.at(*node).iter().map(|edge| self.edges[*edge].0);
                let new: Vec<_> = sources.filter(|source| std::mem::replace(&mut seen[*source], false)).collect();
                members.extend(new);
                at += 1;
            }
            members.sort_unstable();
            components.push(members);
        }
        components.sort_unstable_by_key(|members| members[0]);
        components
    }

    fn is_cyclic(&self, members: &[usize]) -> bool {
        members.len() > 1 || self.out.at(members[0]).iter().any(|edge| self.edges[*edge].1 == members[0])
    }

    fn shortest_within(&mut self, members: &[usize]) -> Vec<usize> {
        for node in members {
            self.open[*node] = true;
        }
        let mut best: Option<Vec<usize>> = None;
        for &node in members {
            if !self.open[node] {
                continue;
            }
            if let Some(cycle) = self.shortest_through(node, best.as_ref().map_or(usize::MAX, Vec::len)) {
                best = Some(cycle);
            }
            // Every cycle through this node has been examined.
            self.close(node);
        }
        best.expect("INVARIANT: a strongly connected component with an edge has a cycle")
    }

    /// The shortest cycle through `start` among open nodes, if it is shorter than `limit`.
    fn shortest_through(&mut self, start: usize, limit: usize) -> Option<Vec<usize>> {
        self.searches += 1;
        let mut queue = VecDeque::from([(start, 0)]);
        while let Some((node, length)) = queue.pop_front() {
            if length + 1 >= limit {
                return None;
            }
            for &edge in self.out.at(node) {
                let target = self.edges[edge].1;
                if target == start {
                    return Some(self.path(start, edge));
                }
                let reached = &mut self.reached[target];
                if self.open[target] && reached.0 != self.searches {
                    *reached = (self.searches, edge);
                    queue.push_back((target, length + 1));
                }
            }
        }
        None
    }

    /// The edges on the way from `start` to the end of `last`.
    fn path(&self, start: usize, last: usize) -> Vec<usize> {
        let mut path = vec![last];
        loop {
            let (source, _) = self.edges[path[path.len() - 1]];
            if source == start {
                path.reverse();
                return path;
            }
            path.push(self.reached[source].1);
        }
    }

    /// Closes `node`, and with it every node that is no longer on a cycle.
    fn close(&mut self, node: usize) {
        self.open[node] = false;
        let mut doubtful = vec![node];
        while let Some(closed) = doubtful.pop() {
            let targets = self.out.at(closed).iter().map(|edge| self.edges[*edge].1);
            let sources = self.into.at(closed).iter().map(|edge| self.edges[*edge].0);
            for neighbour in targets.chain(sources) {
                if self.open[neighbour] && !self.on_some_path(neighbour) {
                    self.open[neighbour] = false;
                    doubtful.push(neighbour);
                }
            }
        }
    }

    fn on_some_path(&self, node: usize) -> bool {
        self.out.at(node).iter().any(|edge| self.open[self.edges[*edge].1])
            && self.into.at(node).iter().any(|edge| self.open[self.edges[*edge].0])
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// Every simple cycle, as a list of its nodes that starts at the smallest one.
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

    /// For each node, the set of nodes that it reaches and that reach it.
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
            let reached = reached(nodes, &edges);
            let component = |node: usize| (0..nodes).find(|other| reached[node].contains(other) && reached[*other].contains(&node));
            let all = all_cycles(nodes, &edges);

            let mut seen = Vec::new();
            for cycle in shortest_cycles(nodes, &edges) {
                let ends: Vec<_> = cycle.iter().map(|edge| edges[*edge]).collect();
                for (index, (_, to)) in ends.iter().enumerate() {
                    prop_assert_eq!(*to, ends[(index + 1) % ends.len()].0, "hops follow each other and lead back");
                }
                let here = component(ends[0].0);
                let rivals: Vec<_> = all.iter().filter(|cycle| component(cycle[0]) == here).collect();
                prop_assert_eq!(Some(ends.len()), rivals.iter().map(|cycle| cycle.len()).min(), "no cycle is shorter");
                let first = rivals.iter().filter(|cycle| cycle.len() == ends.len()).map(|cycle| cycle[0]).min();
                prop_assert_eq!(Some(ends[0].0), first, "it begins at the first node that has one so short");
                seen.push(here);
            }
            let expected: BTreeSet<_> = all.iter().map(|cycle| component(cycle[0])).collect();
            prop_assert_eq!(seen, Vec::from_iter(expected), "each component once, in order");
        }
    }
}
