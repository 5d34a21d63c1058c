//! The work of each server: its components, the values it needs in its user data, and the attributes that others need from
//! it.

use std::collections::HashMap;

use crate::analysis::attribute::{Attribute, text};
use crate::analysis::decision::{Decision, Decisions, Reader, Way};
use crate::analysis::reads::{self, Read};
use crate::model::{Component, Expr, IndexMap, IndexSet, Model, Name, Resource};
use crate::requirement;

/// The work of a model's servers.
pub(super) struct Workload<'m> {
    pub(super) servers: IndexMap<&'m Name, Server<'m>>,
    /// The readers of each entry, by the entry's address `SERVER/COMPONENT/OUTPUT`.
    pub(super) readers: IndexMap<String, IndexSet<&'m Name>>,
    /// The requirements that are checked before each component runs.
    pub(super) judged: HashMap<&'m Name, Vec<&'m Name>>,
}

/// The work of one server.
#[derive(Default)]
pub(super) struct Server<'m> {
    pub(super) components: Vec<(&'m Name, &'m Component)>,
    /// Values that its components read and only Heat knows: attributes of other resources, and values that Heat computes.
    pub(super) from_heat: IndexMap<String, HeatValue<'m>>,
    /// Its own attributes that components read.
    pub(super) publishes: IndexMap<String, Attribute<'m>>,
}

/// A value in a server's user data.
#[derive(Clone, Copy)]
pub(super) enum HeatValue<'m> {
    /// An attribute of another resource.
    Attribute(Attribute<'m>),
    /// A value that Heat resolves.
    Whole(&'m Expr),
}

impl<'m> Workload<'m> {
    pub(super) fn of(model: &'m Model, decisions: &mut Decisions) -> Self {
        let servers = model.resources.iter().filter(|(_, resource)| resource.is_server());
        let mut plan = Self {
            servers: servers.map(|(name, _)| (name, Server::default())).collect(),
            readers: IndexMap::with_capacity_and_hasher(model.components.len(), Default::default()),
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
                plan.input(model, &component.server, &binding.value, &mut decide);
            }
        }
        plan.requirements(model, decisions);
        plan
    }

    /// The requirements that agents check before a component runs. They get the same values as the component.
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
                requirement.predicate.each(&mut |value| self.input(model, server, value, &mut decide));
            }
        }
    }

    /// Whether the server runs an agent.
    pub(super) fn is_managed(&self, server: &Name) -> bool {
        self.servers.get(server).is_some_and(|server| !server.components.is_empty() || !server.publishes.is_empty())
    }

    fn input(&mut self, model: &'m Model, reader: &'m Name, value: &'m Expr, decide: &mut impl FnMut(&str, Way)) {
        reads::each(model, value, &mut |read| match read {
            Read::Parameter(name) => decide(name, Way::Seed),
            Read::Import { stack, export } => decide(&format!("{stack}.{export}"), Way::Entry),
            Read::Output { component, output } => {
                let address = format!("{component}/{output}");
                decide(&address, Way::Entry);
                self.readers.entry(address).or_default().insert(reader);
            }
            Read::Attribute(attribute) if model.resources.get(attribute.resource).is_some_and(Resource::is_server) => {
                let address = attribute.entry();
                decide(&address, Way::Entry);
                self.readers.entry(address).or_default().insert(reader);
                if let Some(server) = self.servers.get_mut(attribute.resource) {
                    server.publishes.insert(attribute.key(), attribute);
                }
            }
            Read::Attribute(attribute) => {
                let key = attribute.user_data_key();
                decide(&key, Way::UserData);
                self.hand_over(reader, key, HeatValue::Attribute(attribute));
            }
            Read::Whole { key, value } => {
                let mut references = value.references().peekable();
                if references.peek().is_none() {
                    decide(&key, Way::UserData);
                }
                references.for_each(|reference| decide(&text(reference), Way::UserData));
                self.hand_over(reader, key, HeatValue::Whole(value));
            }
        });
    }

    fn hand_over(&mut self, reader: &Name, key: String, value: HeatValue<'m>) {
        if let Some(server) = self.servers.get_mut(reader) {
            server.from_heat.insert(key, value);
        }
    }
}
