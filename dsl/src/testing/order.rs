//! The dependencies between components, which hold in every run.

use std::collections::{HashMap, VecDeque};

use crate::graph::{Graph, Node, Why};
use crate::model::{Model, Name};

/// A dependency on another component.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Edge {
    pub(super) on: usize,
    /// The reason, as worded in messages: an input reads an output, or something else orders the two.
    pub(super) why: String,
}

/// The dependencies of each component. Components are identified by their indices.
pub(super) struct Order {
    edges: Vec<Vec<Edge>>,
}

impl Order {
    pub(super) fn of(model: &Model, places: &HashMap<Name, usize>) -> Self {
        let mut edges = vec![Vec::new(); places.len()];
        for (from, edge, to) in Graph::of(model).edges() {
            let (Node::Component(from, _), Node::Component(to, _)) = (from, to) else { continue };
            let (Some(from), Some(on)) = (places.get(from), places.get(to)) else { continue };
            let why = match edge.why {
                Why::Data { input, output, .. } => format!("its input `{input}` reads `{output}`"),
                Why::RunList => "declared before it on the same server".to_owned(),
                Why::After => "`t.after`".to_owned(),
                _ => continue,
            };
            edges[*from].push(Edge { on: *on, why });
        }
        Self { edges }
    }

    /// The direct dependencies of a component.
    pub(super) fn direct(&self, place: usize) -> &[Edge] {
        &self.edges[place]
    }

    /// The shortest chain of dependencies from a waiting component to the one that it waits for. The last step leads to
    /// `to`.
    pub(super) fn path(&self, from: usize, to: usize) -> Option<Vec<&Edge>> {
        let mut came: HashMap<usize, (usize, &Edge)> = HashMap::new();
        let mut queue = VecDeque::from([from]);
        while let Some(place) = queue.pop_front() {
            for edge in &self.edges[place] {
                if edge.on == from || came.contains_key(&edge.on) {
                    continue;
                }
                came.insert(edge.on, (place, edge));
                if edge.on == to {
                    let mut path = Vec::new();
                    let mut at = to;
                    while at != from {
                        let (before, edge) = came[&at];
                        path.push(edge);
                        at = before;
                    }
                    path.reverse();
                    return Some(path);
                }
                queue.push_back(edge.on);
            }
        }
        None
    }

    /// For each component, the length of the longest chain of components that wait for it.
    pub(super) fn heights(&self) -> Vec<usize> {
        let count = self.edges.len();
        let mut waiting = vec![0_usize; count];
        self.edges.iter().flatten().for_each(|edge| waiting[edge.on] += 1);
        let mut heights = vec![0; count];
        let mut ready: Vec<usize> = (0..count).filter(|place| waiting[*place] == 0).collect();
        while let Some(place) = ready.pop() {
            for edge in &self.edges[place] {
                heights[edge.on] = heights[edge.on].max(heights[place] + 1);
                waiting[edge.on] -= 1;
                if waiting[edge.on] == 0 {
                    ready.push(edge.on);
                }
            }
        }
        heights
    }
}
