//! Who waits for whom: the dependences of a model as a graph.
//!
//! What lives here: the graph and questions about graphs. What must not: diagnostics, lowering, drawing.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use petgraph::graph::{DiGraph, NodeIndex};

use crate::model::{Component, Expr, Model, Name, Order, Reference, Resource, Source};

pub use crate::model::shortest_cycles;

/// The dependences of a model: an edge leads from who waits to what it waits for.
pub struct Graph<'m> {
    /// Resources first, then components, each in the order of the model.
    edges: DiGraph<Node<'m>, Edge<'m>, u32>,
    resources: usize,
}

/// Who can wait.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Node<'m> {
    /// A component, with its key.
    Component(&'m Name, &'m Component),
    /// A resource, with its name.
    Resource(&'m Name, &'m Resource),
}

/// Why one waits for another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge<'m> {
    /// The reason.
    pub why: Why<'m>,
    /// Where the author said so.
    pub at: &'m Source,
}

/// The reasons to wait.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Why<'m> {
    /// An input reads an output, perhaps through a promise.
    Data {
        /// The input.
        input: &'m Name,
        /// The output.
        output: &'m Name,
        /// The promise between them, with the place where it was fulfilled.
        promise: Option<(&'m Name, &'m Source)>,
    },
    /// Both run on one server, one declared before the other.
    RunList,
    /// `t.after`.
    After,
    /// A resource's property refers to another resource.
    Property(&'m Name),
    /// A resource's `depends_on` names another resource.
    DependsOn,
    /// Something else of a resource (`metadata`, ...) refers to another resource.
    Setting(&'static str),
    /// A component on the server reads an attribute, which the server's user data carries.
    UserData {
        /// The component.
        component: &'m Name,
        /// The input that reads it.
        input: &'m Name,
        /// The attribute.
        attribute: &'m Name,
    },
}

impl<'m> Graph<'m> {
    /// The dependences of `model`. References to what does not exist are left out; other checks report them.
    pub fn of(model: &'m Model) -> Self {
        let mut build = Build::new(model);
        build.properties();
        build.inputs();
        build.orders();
        Self { edges: build.edges, resources: model.resources.len() }
    }

    /// The shortest cycle of each strongly connected component, as the edges along it.
    #[expect(clippy::missing_panics_doc, reason = "only if an invariant is broken")]
    pub fn cycles(&self) -> Vec<Vec<(Node<'m>, Edge<'m>, Node<'m>)>> {
        shortest_cycles(&self.edges)
            .into_iter()
            .map(|cycle| {
                let hop = |edge| {
                    let (from, to) = self.edges.edge_endpoints(edge).expect("INVARIANT: an edge of this graph");
                    (self.edges[from], self.edges[edge], self.edges[to])
                };
                cycle.into_iter().map(hop).collect()
            })
            .collect()
    }

    /// Every edge between resources, with their places in [`Model::resources`].
    pub(crate) fn resource_edges(&self) -> impl Iterator<Item = (usize, Edge<'m>, usize)> + '_ {
        use petgraph::visit::EdgeRef;
        let resources = self.resources;
        let places = |edge: petgraph::graph::EdgeReference<'_, Edge<'m>, u32>| {
            (edge.source().index(), *edge.weight(), edge.target().index())
        };
        self.edges.edge_references().map(places).filter(move |(from, _, to)| *from < resources && *to < resources)
    }

    /// Every edge: who waits, why, for whom.
    pub fn edges(&self) -> impl Iterator<Item = (Node<'m>, Edge<'m>, Node<'m>)> + '_ {
        use petgraph::visit::EdgeRef;
        self.edges.edge_references().map(|edge| (self.edges[edge.source()], *edge.weight(), self.edges[edge.target()]))
    }
}

struct Build<'m> {
    model: &'m Model,
    edges: DiGraph<Node<'m>, Edge<'m>, u32>,
    first_component: usize,
}

impl<'m> Build<'m> {
    fn new(model: &'m Model) -> Self {
        let nodes = model.resources.len() + model.components.len();
        let mut edges = DiGraph::with_capacity(nodes, 2 * nodes);
        for (name, resource) in &model.resources {
            edges.add_node(Node::Resource(name, resource));
        }
        for (key, component) in &model.components {
            edges.add_node(Node::Component(key, component));
        }
        Self { model, edges, first_component: model.resources.len() }
    }

    fn resource(&self, name: &str) -> Option<NodeIndex> {
        self.model.resources.get_index_of(name).map(NodeIndex::new)
    }

    fn component(&self, key: &str) -> Option<NodeIndex> {
        self.model.components.get_index_of(key).map(|index| NodeIndex::new(self.first_component + index))
    }

    fn wait(&mut self, from: NodeIndex, to: NodeIndex, why: Why<'m>, at: &'m Source) {
        self.edges.add_edge(from, to, Edge { why, at });
    }

    fn properties(&mut self) {
        for (index, resource) in self.model.resources.values().enumerate() {
            for (name, binding) in &resource.properties {
                self.created(index, &binding.value, Why::Property(name), &binding.at);
            }
            for (setting, value) in resource.settings() {
                self.created(index, value, Why::Setting(setting), &resource.at);
            }
            for other in &resource.depends_on {
                if let Some(other) = self.resource(other) {
                    self.wait(NodeIndex::new(index), other, Why::DependsOn, &resource.at);
                }
            }
        }
    }

    /// The waits of a resource for those that `value` refers to.
    fn created(&mut self, resource: usize, value: &Expr, why: Why<'m>, at: &'m Source) {
        for reference in value.references() {
            if let Reference::Resource(other) | Reference::Attribute { resource: other, .. } = reference
                && let Some(other) = self.resource(other)
            {
                self.wait(NodeIndex::new(resource), other, why, at);
            }
        }
    }

    fn inputs(&mut self) {
        for (index, (key, component)) in self.model.components.iter().enumerate() {
            let from = NodeIndex::new(self.first_component + index);
            for (input, binding) in &component.inputs {
                self.reads(&Read { from, key, component, input, at: &binding.at }, &binding.value);
            }
        }
    }

    /// The waits of one input: for what its value refers to, and for what fulfils the promises in it.
    fn reads(&mut self, read: &Read<'m>, value: &'m Expr) {
        let model = self.model;
        // Promises that lead to each other wait for ever without any component, which is another check's diagnostic. Each
        // promise is followed once: promises that branch and meet again would otherwise take exponential time.
        let mut followed = HashSet::new();
        let mut pending = vec![(None, value)];
        while let Some((promise, value)) = pending.pop() {
            value.references().for_each(|reference| match reference {
                Reference::Output { component, output } => {
                    if let Some(to) = self.component(component) {
                        self.wait(read.from, to, Why::Data { input: read.input, output, promise }, read.at);
                    }
                }
                Reference::Promise(name) if followed.insert(name) => {
                    let fulfilled = model.promises.get(name).into_iter().flat_map(|promise| &promise.fulfilled);
                    pending.extend(fulfilled.map(|binding| (Some((name, &binding.at)), &binding.value)));
                }
                Reference::Attribute { resource, attribute, .. } => {
                    let is_server = model.resources.get(resource).is_some_and(Resource::is_server);
                    let host = model.resources.get(&read.component.server).filter(|host| host.is_server());
                    let host = host.and_then(|_| self.resource(&read.component.server));
                    if let (false, Some(server), Some(to)) = (is_server, host, self.resource(resource)) {
                        self.wait(
                            server,
                            to,
                            Why::UserData { component: read.key, input: read.input, attribute },
                            read.at,
                        );
                    }
                }
                _ => {}
            });
        }
    }

    fn orders(&mut self) {
        let mut previous: HashMap<&Name, NodeIndex> = HashMap::new();
        let mut server: Option<(&Name, bool)> = None;
        for (index, component) in self.model.components.values().enumerate() {
            let node = NodeIndex::new(self.first_component + index);
            // Components of one server mostly follow each other and share its name.
            let declared = match server {
                Some((known, declared)) if Arc::ptr_eq(known, &component.server) => declared,
                _ => {
                    let host = self.model.resources.get(&component.server);
                    let declared = host.is_none_or(|server| server.order == Order::Declared);
                    server = Some((&component.server, declared));
                    declared
                }
            };
            if let (Some(before), true) = (previous.insert(&component.server, node), declared) {
                self.wait(node, before, Why::RunList, &component.at);
            }
        }
        for after in &self.model.after {
            if let (Some(from), Some(to)) = (self.component(&after.component), self.component(&after.predecessor)) {
                self.wait(from, to, Why::After, &after.at);
            }
        }
    }
}

/// One input of one component, while what it reads is followed.
#[derive(Clone, Copy)]
struct Read<'m> {
    from: NodeIndex,
    key: &'m Name,
    component: &'m Component,
    input: &'m Name,
    at: &'m Source,
}
