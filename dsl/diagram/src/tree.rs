//! The containment tree: modules, resources, components.

use std::collections::{HashMap, HashSet};

use super::{Component, Diagram, Edge, Module, Resource, Role, Why};

/// The content of a frame.
#[derive(Clone, Copy, Debug)]
pub(super) enum Item<'p> {
    Module(&'p Module),
    Resource(&'p Resource),
}

/// A diagram by containment.
pub(super) struct Tree<'p> {
    within: HashMap<&'p str, Vec<Item<'p>>>,
    components: HashMap<&'p str, Vec<&'p Component>>,
    networks: HashSet<&'p str>,
    on: HashMap<&'p str, &'p Resource>,
}

impl<'p> Tree<'p> {
    pub(super) fn of(diagram: &'p Diagram) -> Self {
        let modules: HashSet<&str> = diagram.modules.iter().map(|module| &*module.name).collect();
        let frame = |module: &'p Option<wattle_model::Name>| {
            module.as_deref().filter(|name| modules.contains(name)).unwrap_or_default()
        };
        let mut within: HashMap<&str, Vec<Item<'p>>> = HashMap::new();
        for module in &diagram.modules {
            within.entry(frame(&module.module)).or_default().push(Item::Module(module));
        }
        for resource in &diagram.resources {
            within.entry(frame(&resource.module)).or_default().push(Item::Resource(resource));
        }
        let mut components: HashMap<&str, Vec<&Component>> = HashMap::new();
        for component in &diagram.components {
            components.entry(&component.server).or_default().push(component);
        }
        let networks = diagram.resources.iter().filter(|resource| resource.role == Role::Network);
        let servers = diagram.resources.iter().filter(|resource| !resource.networks.is_empty());
        Self {
            within,
            components,
            networks: networks.map(|network| &*network.name).collect(),
            on: servers.map(|server| (&*server.name, server)).collect(),
        }
    }

    /// The content of the module `name`. The empty name stands for the top level.
    pub(super) fn within(&self, name: &str) -> &[Item<'p>] {
        self.within.get(name).map_or(&[], Vec::as_slice)
    }

    /// The components on a server.
    pub(super) fn on(&self, server: &str) -> &[&'p Component] {
        self.components.get(server).map_or(&[], Vec::as_slice)
    }

    /// Whether an edge only expresses that a server is on a network.
    pub(super) fn is_membership(&self, edge: &Edge) -> bool {
        edge.why == Why::Infrastructure
            && self.networks.contains(&*edge.from)
            && self.on.get(&*edge.to).is_some_and(|server| server.networks.contains(&edge.from))
    }
}
