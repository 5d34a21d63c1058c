//! Random topologies, and their next revisions.
//!
//! What belongs here: the definition of a stack, and the part of it that an operator passes to servers. What does not:
//! anything that happens.

mod planned;

use std::fmt::Write as _;

use wattle_model::{IndexMap, Name, Order, Value};

use crate::chance::Chance;
use crate::fnv::Fnv;

/// A stack in one revision.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) servers: IndexMap<Name, Server>,
    /// By `SERVER/COMPONENT`, in an order without forward references.
    pub(crate) parts: IndexMap<Name, Part>,
}

#[derive(Clone, Debug)]
pub(crate) struct Server {
    pub(crate) order: Order,
    pub(crate) retired: bool,
    /// Whether it publishes an attribute of its own.
    pub(crate) attribute: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) server: Name,
    pub(crate) name: Name,
    pub(crate) version: u64,
    /// Whether it requests its inputs while it runs.
    pub(crate) live: bool,
    /// Whether its outputs differ in each run.
    pub(crate) restless: bool,
    pub(crate) fails: bool,
    /// Whether its values violate the requirements of some readers.
    pub(crate) bad: bool,
    pub(crate) requires: Option<Name>,
    pub(crate) inputs: IndexMap<Name, Wire>,
    pub(crate) outputs: IndexMap<Name, Out>,
    pub(crate) after: Vec<Name>,
    pub(crate) teardown: Teardown,
    pub(crate) takes: u64,
    pub(crate) deadline: Option<u64>,
    pub(crate) wait: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Teardown {
    None,
    Fine,
    Fails,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Wire {
    Entry(Name),
    Attribute(Name),
    Constant(u64),
    UserData,
}

#[derive(Clone, Debug)]
pub(crate) struct Out {
    pub(crate) secret: bool,
    pub(crate) early: bool,
}

impl Part {
    pub(crate) fn full(&self) -> Name {
        format!("{}/{}", self.server, self.name).into()
    }

    /// The inputs that it requests itself.
    pub(crate) fn asks(&self) -> Vec<Name> {
        let mut asks: Vec<Name> =
            self.inputs.keys().take(1 + usize::from(self.version.is_multiple_of(2))).cloned().collect();
        if self.version.is_multiple_of(3) {
            asks.push("absent".into());
        }
        asks
    }

    /// The output for these inputs; `#` and the rest are specific to the run.
    pub(crate) fn gives(&self, output: &str, inputs: &IndexMap<Name, Value>) -> String {
        let mut hash = Fnv::default();
        let mut sorted: Vec<_> = inputs.iter().collect();
        sorted.sort_by_key(|(name, _)| (*name).clone());
        for (name, value) in sorted {
            let _ = write!(hash, "{name}\u{ff}{value}\u{ff}");
        }
        let mut text = format!("{}/{}/{output}:{}:{hash}", self.server, self.name, self.version);
        if self.bad {
            text.push('!');
        }
        text
    }
}

/// A random model.
pub(crate) fn model(chance: &mut Chance) -> Model {
    let servers = chance.between(1, 4);
    let components = servers + chance.below(6);
    let mut model = Model { servers: IndexMap::default(), parts: IndexMap::default() };
    for server in 0..servers {
        add_server(&mut model, server, chance);
    }
    for number in 0..components {
        add(&mut model, number, chance);
    }
    model
}

fn add_server(model: &mut Model, number: u64, chance: &mut Chance) {
    let order = if chance.flip() { Order::Declared } else { Order::Dataflow };
    let server = Server { order, retired: false, attribute: chance.once_in(4) };
    model.servers.insert(format!("s{number}").into(), server);
}

fn active(model: &Model) -> Vec<Name> {
    model.servers.iter().filter(|(_, server)| !server.retired).map(|(name, _)| name.clone()).collect()
}

fn add(model: &mut Model, number: u64, chance: &mut Chance) {
    let servers = active(model);
    if servers.is_empty() {
        return;
    }
    let server = servers[chance.index(servers.len())].clone();
    let name: Name = format!("c{number}").into();
    let mut entries = Vec::new();
    for (full, part) in &model.parts {
        entries.extend(part.outputs.keys().map(|output| Name::from(format!("{full}/{output}"))));
    }
    let mut inputs = IndexMap::default();
    for input in 0..chance.below(4) {
        let from = match chance.below(8) {
            0 => Wire::Constant(chance.below(3)),
            1 => Wire::UserData,
            2 => {
                let of = servers[chance.index(servers.len())].clone();
                if model.servers[&of].attribute { Wire::Attribute(of) } else { Wire::Constant(1) }
            }
            _ if entries.is_empty() => Wire::Constant(2),
            _ => Wire::Entry(entries[chance.index(entries.len())].clone()),
        };
        inputs.insert(Name::from(format!("i{input}")), from);
    }
    let live = chance.once_in(4);
    let mut outputs = IndexMap::default();
    for output in 0..chance.between(0, 2).max(u64::from(chance.flip())) {
        let out = Out { secret: chance.once_in(4), early: chance.once_in(3) };
        outputs.insert(Name::from(format!("o{output}")), out);
    }
    let mut after = Vec::new();
    if chance.once_in(4) && !model.parts.is_empty() {
        after.push(model.parts.get_index(chance.index(model.parts.len())).expect("INVARIANT: an index").0.clone());
    }
    let entry_inputs: Vec<Name> =
        inputs.iter().filter(|(_, from)| matches!(from, Wire::Entry(_))).map(|(name, _)| name.clone()).collect();
    let requires = (chance.once_in(6) && !entry_inputs.is_empty()).then(|| entry_inputs[0].clone());
    let teardown = match chance.below(8) {
        0..=2 => Teardown::None,
        3 => Teardown::Fails,
        _ => Teardown::Fine,
    };
    let part = Part {
        version: chance.between(1, 6),
        live,
        restless: chance.once_in(3),
        fails: chance.once_in(14),
        bad: chance.once_in(14),
        requires,
        inputs,
        outputs,
        after,
        teardown,
        takes: if chance.once_in(5) { chance.between(3_000, 9_000) } else { chance.between(10, 900) },
        deadline: chance.flip().then(|| chance.between(11, 30)),
        wait: chance.flip().then(|| chance.between(20, 90)),
        server: server.clone(),
        name,
    };
    model.parts.insert(part.full(), part);
}

impl Model {
    /// The model of the next revision.
    pub(crate) fn next(&self, number: u64, chance: &mut Chance) -> Self {
        let mut model = self.clone();
        for step in 0..chance.below(4) {
            match chance.below(10) {
                0..=3 if !model.parts.is_empty() => {
                    let at = chance.index(model.parts.len());
                    let part = &mut model.parts[at];
                    part.version += 1;
                    part.fails = part.fails && chance.flip();
                }
                4 if !model.parts.is_empty() => {
                    let at = chance.index(model.parts.len());
                    model.parts[at].fails ^= true;
                    model.parts[at].version += 1;
                }
                5 | 6 if model.parts.len() > 1 => {
                    let at = chance.index(model.parts.len());
                    let name = model.parts.get_index(at).expect("INVARIANT: an index").0.clone();
                    model.remove(&name);
                }
                7 => add(&mut model, number * 10 + 20 + step, chance),
                8 if active(&model).len() > 1 && chance.flip() => {
                    let servers = active(&model);
                    let gone = servers[chance.index(servers.len())].clone();
                    model.retire(&gone);
                }
                // A component that left returns.
                9 if !self.parts.is_empty() => {
                    let at = chance.index(self.parts.len());
                    let (name, part) = self.parts.get_index(at).expect("INVARIANT: an index");
                    if model.parts.contains_key(name) && chance.flip() {
                        model.parts[name].takes = part.takes / 2 + 1;
                        model.parts[name].deadline = Some(29);
                    }
                }
                _ => {}
            }
        }
        model
    }

    fn remove(&mut self, name: &Name) {
        self.parts.shift_remove(name);
        let below = format!("{name}/");
        for part in self.parts.values_mut() {
            part.after.retain(|after| after != name);
            part.inputs.retain(|_, from| !matches!(from, Wire::Entry(entry) if entry.starts_with(&below)));
            if part.requires.as_ref().is_some_and(|input| !part.inputs.contains_key(input)) {
                part.requires = None;
            }
        }
    }

    fn retire(&mut self, server: &Name) {
        let own: Vec<Name> =
            self.parts.iter().filter(|(_, part)| part.server == *server).map(|(name, _)| name.clone()).collect();
        own.iter().for_each(|name| self.remove(name));
        for part in self.parts.values_mut() {
            part.inputs.retain(|_, from| !matches!(from, Wire::Attribute(of) if of == server));
        }
        if let Some(server) = self.servers.get_mut(server) {
            server.retired = true;
        }
    }

    pub(crate) fn digest(&self) -> String {
        let mut hash = Fnv::default();
        let _ = write!(hash, "{:?}", (&self.servers, &self.parts));
        hash.to_string()
    }
}
