//! What each server has to do: its components, what it must be told, and what others want to know of it.

use std::collections::HashMap;

use indexmap::{IndexMap, IndexSet};

use crate::model::{Component, Expr, Model, Name, Reference, Resource, Step};

use crate::requirement;

use super::decision::{Decision, Decisions, Reader, Way, text};
use super::function::{self, is_heats, is_pseudo};

/// The part of the data space below a server that holds its own attributes instead of a component's outputs.
pub(crate) const SERVER_ENTRIES: &str = "server";

/// What the servers of a model have to do.
pub(super) struct Plan<'m> {
    pub(super) servers: IndexMap<&'m Name, Server<'m>>,
    /// Who reads each entry, by the entry's address `SERVER/COMPONENT/OUTPUT`.
    pub(super) readers: HashMap<String, IndexSet<&'m Name>>,
    /// The requirements that are judged before each component runs.
    pub(super) judged: HashMap<&'m Name, Vec<&'m Name>>,
}

/// What one server has to do.
#[derive(Default)]
pub(super) struct Server<'m> {
    pub(super) components: Vec<(&'m Name, &'m Component)>,
    /// What its components read and only Heat knows: attributes of other resources, and what Heat computes.
    pub(super) told: IndexMap<String, Told<'m>>,
    /// Its own attributes that components read.
    pub(super) publishes: IndexMap<String, Attribute<'m>>,
}

/// What a server is told.
#[derive(Clone, Copy)]
pub(super) enum Told<'m> {
    /// An attribute of another resource.
    Attribute(Attribute<'m>),
    /// A value that Heat resolves.
    Whole(&'m Expr),
}

/// An attribute of a resource, or its identity.
#[derive(Clone, Copy)]
pub(super) struct Attribute<'m> {
    pub(super) resource: &'m Name,
    /// The attribute; `None` for the identity.
    pub(super) name: Option<&'m Name>,
    pub(super) path: &'m [Step],
}

impl Attribute<'_> {
    /// The attribute and the way into it: `networks.backbone.0`.
    pub(super) fn key(&self) -> String {
        let mut key = self.name.map_or_else(|| "id".to_owned(), ToString::to_string);
        for step in self.path {
            key.push('.');
            match step {
                Step::Key(name) | Step::Resource(name) => key.push_str(name),
                Step::Index(index) => key.push_str(&index.to_string()),
            }
        }
        key
    }
}

impl<'m> Plan<'m> {
    pub(super) fn of(model: &'m Model, decisions: &mut Decisions) -> Self {
        let servers = model.resources.iter().filter(|(_, resource)| resource.is_server());
        let mut plan = Self {
            servers: servers.map(|(name, _)| (name, Server::default())).collect(),
            readers: HashMap::with_capacity(model.components.len()),
            judged: HashMap::new(),
        };
        for (key, component) in &model.components {
            if let Some(server) = plan.servers.get_mut(&component.server) {
                server.components.push((key, component));
            }
            for (input, binding) in &component.inputs {
                let mut decide = |reference: &str, way| {
                    decisions.note(|| Decision {
                        reader: Reader::Input { component: key.clone(), input: input.clone() },
                        reference: reference.to_owned(),
                        way,
                        at: binding.at.clone(),
                    });
                };
                plan.input(model, &component.server, &binding.value, &mut decide, 0);
            }
        }
        plan.requirements(model, decisions);
        plan
    }

    /// What agents judge before a component runs: they are given the same as the component is.
    fn requirements(&mut self, model: &'m Model, decisions: &mut Decisions) {
        for (name, components) in requirement::readers(model) {
            let requirement = &model.requirements[name];
            for (index, key) in components.into_iter().enumerate() {
                self.judged.entry(key).or_default().push(name);
                let mut decide = |reference: &str, way| {
                    if index == 0 {
                        decisions.note(|| Decision {
                            reader: Reader::Requirement(name.clone()),
                            reference: reference.to_owned(),
                            way,
                            at: requirement.at.clone(),
                        });
                    }
                };
                let server = &model.components[key].server;
                requirement.predicate.each(&mut |value| self.input(model, server, value, &mut decide, 0));
            }
        }
    }

    /// Whether the server runs an agent.
    pub(super) fn is_managed(&self, server: &Name) -> bool {
        self.servers.get(server).is_some_and(|server| !server.components.is_empty() || !server.publishes.is_empty())
    }

    fn input(
        &mut self,
        model: &'m Model,
        reader: &'m Name,
        value: &'m Expr,
        decide: &mut impl FnMut(&str, Way),
        depth: usize,
    ) {
        let mut found = Vec::new();
        function::parts(model, value, 0, &mut |part| found.push(part));
        for part in found {
            match part {
                Expr::Leaf(Reference::Parameter(name)) if is_pseudo(name) => {
                    self.tell(reader, name.to_string(), Told::Whole(part), decide);
                }
                Expr::Leaf(Reference::Parameter(name)) => decide(name, Way::Seed),
                Expr::Leaf(Reference::Output { component, output }) => {
                    let address = format!("{component}/{output}");
                    decide(&address, Way::Entry);
                    self.readers.entry(address).or_default().insert(reader);
                }
                Expr::Leaf(Reference::Promise(name)) if depth <= model.promises.len() => {
                    if let Some(fulfilled) = model.promises.get(name).and_then(|promise| promise.fulfilled.first()) {
                        self.input(model, reader, &fulfilled.value, decide, depth + 1);
                    }
                }
                Expr::Leaf(Reference::Attribute { resource, attribute, path }) => {
                    self.attribute(model, reader, Attribute { resource, name: Some(attribute), path }, decide);
                }
                Expr::Leaf(Reference::Resource(resource)) => {
                    self.attribute(model, reader, Attribute { resource, name: None, path: &[] }, decide);
                }
                Expr::Leaf(Reference::Import { stack, export }) => decide(&format!("{stack}.{export}"), Way::Entry),
                Expr::Function { name, .. } if !is_heats(name) => {
                    if let Some(Reference::Parameter(parameter)) = part.subject() {
                        decide(parameter, Way::Seed);
                    }
                }
                Expr::Function { name, .. } => {
                    if let Some(server) = self.servers.get_mut(reader) {
                        server.told.insert(function::key(name, part), Told::Whole(part));
                    }
                    let mut is_of_constants = true;
                    for reference in part.references() {
                        is_of_constants = false;
                        decide(&text(reference), Way::UserData);
                    }
                    if is_of_constants {
                        decide(&function::key(name, part), Way::UserData);
                    }
                }
                _ => {}
            }
        }
    }

    fn tell(&mut self, reader: &'m Name, key: String, told: Told<'m>, decide: &mut impl FnMut(&str, Way)) {
        if let Some(server) = self.servers.get_mut(reader) {
            decide(&key, Way::UserData);
            server.told.insert(key, told);
        }
    }

    fn attribute(
        &mut self,
        model: &'m Model,
        reader: &'m Name,
        attribute: Attribute<'m>,
        decide: &mut impl FnMut(&str, Way),
    ) {
        let key = attribute.key();
        if model.resources.get(attribute.resource).is_some_and(Resource::is_server) {
            let address = format!("{}/{SERVER_ENTRIES}/{key}", attribute.resource);
            decide(&address, Way::Entry);
            self.readers.entry(address).or_default().insert(reader);
            if let Some(server) = self.servers.get_mut(attribute.resource) {
                server.publishes.insert(key, attribute);
            }
        } else {
            self.tell(reader, format!("{}.{key}", attribute.resource), Told::Attribute(attribute), decide);
        }
    }
}
