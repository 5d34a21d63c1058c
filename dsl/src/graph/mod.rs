//! The dependencies of a model as a graph.
//!
//! What lives here: the graph and questions about graphs. What must not: diagnostics, lowering, drawing.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::model::{Component, Expr, Model, Name, Order, Reference, Resource, Source};

pub use crate::model::shortest_cycles;

/// The dependencies of a model: an edge leads from a node to one that it waits for.
pub struct Graph<'m> {
    /// Resources first, then components, each in the order of the model.
    nodes: Vec<Node<'m>>,
    /// Each edge with the indices of its nodes.
    edges: Vec<(usize, Edge<'m>, usize)>,
    resources: usize,
}

/// A node, which can wait for others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Node<'m> {
    /// A component, with its key.
    Component(&'m Name, &'m Component),
    /// A resource, with its name.
    Resource(&'m Name, &'m Resource),
}

/// A dependency of one node on another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge<'m> {
    /// The reason.
    pub why: Why<'m>,
    /// Where the author declared it.
    pub at: &'m Source,
}

/// The reasons to wait.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Why<'m> {
    /// An input reads an output, perhaps through a forward reference.
    Data {
        /// The input.
        input: &'m Name,
        /// The output.
        output: &'m Name,
        /// The forward reference between them, with the place where it was fulfilled.
        forward_reference: Option<(&'m Name, &'m Source)>,
    },
    /// Both run on one server, one declared before the other.
    RunList,
    /// `t.after`.
    After,
    /// A resource's property refers to another resource.
    Property(&'m Name),
    /// A resource's `depends_on` names another resource.
    DependsOn,
    /// Another setting of a resource (`metadata`, ...) refers to another resource.
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
    /// The dependencies of `model`. Dangling references are left out; checks report them.
    pub fn of(model: &'m Model) -> Self {
        let mut build = Build::new(model);
        build.properties();
        build.inputs();
        build.orders();
        Self { nodes: build.nodes, edges: build.edges, resources: model.resources.len() }
    }

    /// The shortest cycle of each strongly connected component, as its edges.
    pub fn cycles(&self) -> Vec<Vec<(Node<'m>, Edge<'m>, Node<'m>)>> {
        let ends: Vec<_> = self.edges.iter().map(|(from, _, to)| (*from, *to)).collect();
        let cycles = shortest_cycles(self.nodes.len(), &ends).into_iter();
        cycles.map(|cycle| cycle.into_iter().map(|edge| self.hop(&self.edges[edge])).collect()).collect()
    }

    /// Every edge between resources, with their indices in [`Model::resources`].
    pub(crate) fn resource_edges(&self) -> impl Iterator<Item = (usize, Edge<'m>, usize)> + '_ {
        self.edges.iter().copied().filter(|(from, _, to)| *from < self.resources && *to < self.resources)
    }

    /// Every edge: the waiting node, the reason, and the node that it waits for.
    pub fn edges(&self) -> impl Iterator<Item = (Node<'m>, Edge<'m>, Node<'m>)> + '_ {
        self.edges.iter().map(|edge| self.hop(edge))
    }

    fn hop(&self, (from, edge, to): &(usize, Edge<'m>, usize)) -> (Node<'m>, Edge<'m>, Node<'m>) {
        (self.nodes[*from], *edge, self.nodes[*to])
    }
}

struct Build<'m> {
    model: &'m Model,
    nodes: Vec<Node<'m>>,
    edges: Vec<(usize, Edge<'m>, usize)>,
    first_component: usize,
}

impl<'m> Build<'m> {
    fn new(model: &'m Model) -> Self {
        let resources = model.resources.iter().map(|(name, resource)| Node::Resource(name, resource));
        let components = model.components.iter().map(|(key, component)| Node::Component(key, component));
        let nodes: Vec<_> = resources.chain(components).collect();
        Self { model, edges: Vec::with_capacity(2 * nodes.len()), nodes, first_component: model.resources.len() }
    }

    fn resource(&self, name: &str) -> Option<usize> {
        self.model.resources.get_index_of(name)
    }

    fn component(&self, key: &str) -> Option<usize> {
        self.model.components.get_index_of(key).map(|index| self.first_component + index)
    }

    fn wait(&mut self, from: usize, to: usize, why: Why<'m>, at: &'m Source) {
        self.edges.push((from, Edge { why, at }, to));
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
                    self.wait(index, other, Why::DependsOn, &resource.at);
                }
            }
        }
    }

    /// Adds the dependencies of a resource on those that `value` refers to.
    fn created(&mut self, resource: usize, value: &Expr, why: Why<'m>, at: &'m Source) {
        for reference in value.references() {
            if let Reference::Resource(other) | Reference::Attribute { resource: other, .. } = reference
                && let Some(other) = self.resource(other)
            {
                self.wait(resource, other, why, at);
            }
        }
    }

    fn inputs(&mut self) {
        for (index, (key, component)) in self.model.components.iter().enumerate() {
            let from = self.first_component + index;
            for (input, binding) in &component.inputs {
                self.reads(&Read { from, key, component, input, at: &binding.at }, &binding.value);
            }
        }
    }

    /// Adds the dependencies of one input: on the targets of its value, and on the values that fulfil its forward
    /// references.
    fn reads(&mut self, read: &Read<'m>, value: &'m Expr) {
        let model = self.model;
        // Forward references that only fulfil each other never get a value, which another check reports. Each forward
        // reference is followed once: those that branch and meet again would otherwise take exponential time.
        let mut followed = HashSet::new();
        let mut pending = vec![(None, value)];
        while let Some((forward, value)) = pending.pop() {
            value.references().for_each(|reference| match reference {
                Reference::Output { component, output } => {
                    if let Some(to) = self.component(component) {
                        self.wait(
                            read.from,
                            to,
                            Why::Data { input: read.input, output, forward_reference: forward },
                            read.at,
                        );
                    }
                }
                Reference::ForwardReference(name) if followed.insert(name) => {
                    let fulfilled =
                        model.forward_references.get(name).into_iter().flat_map(|forward| &forward.fulfilled);
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
        let mut previous: HashMap<&Name, usize> = HashMap::new();
        let mut server: Option<(&Name, bool)> = None;
        for (index, component) in self.model.components.values().enumerate() {
            let node = self.first_component + index;
            // Consecutive components are mostly on one server and share its name.
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

/// An input of a component, while its references are followed.
#[derive(Clone, Copy)]
struct Read<'m> {
    from: usize,
    key: &'m Name,
    component: &'m Component,
    input: &'m Name,
    at: &'m Source,
}
