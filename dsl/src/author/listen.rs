//! The ports on which components listen, and the readers of their outputs. Parts that open ports between servers need both.

use crate::model::{Binding, Expr, Name, Ports, Protocol, Reference};

use super::expression::{Expression, Handle};
use super::handle::{AsComponent, Component, Host, Id, Resource};
use super::topology::{Topology, position};

/// Ports on which a component listens.
#[derive(Clone)]
pub struct Listening {
    /// The protocol.
    pub protocol: Protocol,
    /// The first port of the range.
    pub first: Expression,
    /// The last port of the range.
    pub last: Expression,
}

impl Topology {
    /// Returns the ports on which a component listens, according to its declared type and its wired inputs.
    pub fn listening(&self, component: impl AsComponent) -> Vec<Listening> {
        let Some((_, component)) = self.own_component(component.component()) else { return Vec::new() };
        let Some(declaration) = self.model.declaration(component) else { return Vec::new() };
        let ports = |ports: &Ports| match ports {
            Ports::Fixed { first, last } => Some([(*first).into(), (*last).into()]),
            Ports::OfInput(name) => {
                let default = || declaration.inputs.get(name)?.default.clone().map(Expression::Constant);
                // If an optional port is not wired, the component does not listen on it.
                let port = component
                    .inputs
                    .get(name)
                    .cloned()
                    .map(|port| Expression::Leaf(Handle::Bound(port)))
                    .or_else(default)?;
                Some([port.clone(), port])
            }
        };
        let listening = declaration.listens.iter().filter_map(|listen| {
            let [first, last] = ports(&listen.ports)?;
            Some(Listening { protocol: listen.protocol, first, last })
        });
        listening.collect()
    }

    /// Returns the components that have been added to a server so far, with their names on it.
    pub fn components_on(&self, server: impl Host) -> Vec<(Name, Component)> {
        let Some(server) = self.resource_name(server.resource()) else { return Vec::new() };
        let all = self.model.components.values().enumerate();
        all.filter(|(_, component)| component.server == server)
            .map(|(index, component)| (component.name.clone(), self.component(index)))
            .collect()
    }

    /// Returns the name of a component on its server.
    pub fn name_on_server(&self, component: impl AsComponent) -> Option<Name> {
        self.own_component(component.component()).map(|(_, component)| component.name.clone())
    }

    /// Returns the other servers on which something reads an output of a component, as far as inputs are wired so far. Each
    /// is listed once, with its name.
    pub fn readers(&self, component: impl AsComponent) -> Vec<(Name, Resource)> {
        let Some((key, component)) = self.own_component(component.component()) else { return Vec::new() };
        let mut readers: Vec<&Name> = Vec::new();
        for reader in self.model.components.values() {
            let is_new = reader.server != component.server && !readers.contains(&&reader.server);
            if is_new && reader.inputs.values().any(|binding| self.reads(&binding.value, key, 0)) {
                readers.push(&reader.server);
            }
        }
        let handle = |name: &Name| Some((name.clone(), self.resource_at(self.model.resources.get_index_of(name)?)));
        readers.into_iter().filter_map(handle).collect()
    }

    /// Whether a server has a port of its own on a network of this topology.
    pub fn is_on(&self, server: impl Host, network: Resource) -> bool {
        let server = self.resource_name(server.resource()).and_then(|name| self.model.resources.get(&name));
        let network = self.resource_name(network);
        server.zip(network).is_some_and(|(server, network)| self.model.networks_of(server).known.contains(&&network))
    }

    /// Whether a value comes from an output of the component `key`, through at most as many forward references as the model
    /// has.
    fn reads(&self, value: &Expr, key: &Name, depth: usize) -> bool {
        value.references().any(|reference| match reference {
            Reference::Output { component, .. } => component == key,
            // Another check reports rings of forward references.
            Reference::ForwardReference(forward) if depth <= self.model.forward_references.len() => {
                let fulfilled =
                    self.model.forward_references.get(forward).map_or(&[][..], |forward| &forward.fulfilled);
                fulfilled.iter().any(|Binding { value, .. }| self.reads(value, key, depth + 1))
            }
            _ => false,
        })
    }

    fn own_component(&self, component: Component) -> Option<(&Name, &crate::model::Component)> {
        let own = component.id.topology == self.id;
        own.then(|| self.model.components.get_index(component.id.index as usize)).flatten()
    }

    fn component(&self, index: usize) -> Component {
        Component { id: Id { topology: self.id, index: position(index) } }
    }

    fn resource_at(&self, index: usize) -> Resource {
        Resource { id: Id { topology: self.id, index: position(index) } }
    }
}
