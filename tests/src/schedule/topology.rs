//! A random topology, its seed, and its changes.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use wattle::lower::Seed;

use crate::chance::Chance;

/// Servers, and the components on them in the order of their declaration.
#[derive(Clone, Debug)]
pub(super) struct Topology {
    pub(super) servers: Vec<Server>,
    pub(super) components: Vec<Component>,
}

#[derive(Clone, Debug)]
pub(super) struct Server {
    pub(super) name: String,
    pub(super) dataflow: bool,
    /// Whether it is in the model.
    pub(super) present: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Component {
    pub(super) name: String,
    pub(super) server: usize,
    pub(super) present: bool,
    pub(super) inputs: Vec<Input>,
    /// Components that must have ended before.
    pub(super) after: Vec<usize>,
    pub(super) outputs: Vec<Output>,
    pub(super) recipe: Recipe,
    pub(super) teardown: bool,
}

/// The content of a recipe's file for the fake runner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Recipe {
    pub(super) version: usize,
    pub(super) behaviour: Behaviour,
    /// Whether it requests its inputs itself.
    pub(super) chef: bool,
    /// Its inputs.
    pub(super) reads: Vec<String>,
    pub(super) teardown_fails: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Behaviour {
    Fine,
    /// Publishes its first output while it runs.
    Early,
    /// As `Early`, but fails in the end.
    EarlyAndFails,
    Fails,
    Hangs,
    WrongType,
    Forgets,
    TooLarge,
}

#[derive(Clone, Debug)]
pub(super) struct Output {
    pub(super) name: String,
    pub(super) secret: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Input {
    pub(super) name: String,
    pub(super) wire: Wire,
}

/// The source of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wire {
    Constant(usize),
    /// An output of a component.
    Entry(usize, usize),
    /// Text around an output.
    Text(usize, usize),
    /// A list of outputs.
    List(Vec<(usize, usize)>),
    /// An available attribute of a server.
    Attribute(usize),
    /// An unavailable attribute.
    NoAttribute(usize),
}

impl Topology {
    /// The topology determined by `random`.
    pub(super) fn random(random: &mut Chance) -> Self {
        let servers = 1 + random.below(4);
        let servers: Vec<Server> = (0..servers)
            .map(|at| Server { name: format!("s{at}"), dataflow: random.once_in(3), present: true })
            .collect();
        let mut topology = Self { servers, components: Vec::new() };
        let secrets = random.once_in(8);
        let failures = random.once_in(2);
        for at in 0..=random.below(9) {
            let component = topology.component(random, at, secrets, failures);
            topology.components.push(component);
        }
        topology
    }

    fn component(&self, random: &mut Chance, at: usize, secrets: bool, failures: bool) -> Component {
        let outputs: Vec<Output> = (0..random.below(3))
            .map(|at| Output { name: format!("o{at}"), secret: secrets && random.once_in(2) })
            .collect();
        let inputs: Vec<Input> =
            (0..random.below(4)).map(|at| Input { name: format!("i{at}"), wire: self.wire(random) }).collect();
        let chef = random.once_in(4);
        let reads = inputs.iter().filter(|_| !chef || !random.once_in(4)).map(|input| input.name.clone()).collect();
        let behaviour = if failures && random.once_in(5) {
            let all = [
                Behaviour::Fails,
                Behaviour::Hangs,
                Behaviour::WrongType,
                Behaviour::Forgets,
                Behaviour::TooLarge,
                Behaviour::EarlyAndFails,
            ];
            all[random.below(all.len())]
        } else if random.once_in(4) {
            Behaviour::Early
        } else {
            Behaviour::Fine
        };
        let after = if at > 0 && random.once_in(4) { vec![random.below(at)] } else { Vec::new() };
        Component {
            name: format!("c{at}"),
            server: random.below(self.servers.len()),
            present: true,
            inputs,
            after,
            outputs,
            recipe: Recipe { version: 0, behaviour, chef, reads, teardown_fails: random.once_in(6) },
            teardown: random.once_in(2),
        }
    }

    fn wire(&self, random: &mut Chance) -> Wire {
        let entries: Vec<(usize, usize)> = self
            .components
            .iter()
            .enumerate()
            .flat_map(|(at, component)| (0..component.outputs.len()).map(move |output| (at, output)))
            .collect();
        let public: Vec<(usize, usize)> = entries.iter().copied().filter(|entry| !self.is_secret(*entry)).collect();
        let one = |random: &mut Chance, of: &[(usize, usize)]| of[random.below(of.len())];
        match random.below(8) {
            0..4 if !entries.is_empty() => {
                let (component, output) = one(random, &entries);
                Wire::Entry(component, output)
            }
            4 if !public.is_empty() => {
                let (component, output) = one(random, &public);
                Wire::Text(component, output)
            }
            5 if !public.is_empty() => Wire::List((0..=random.below(3)).map(|_| one(random, &public)).collect()),
            6 if random.once_in(12) => Wire::NoAttribute(random.below(self.servers.len())),
            6 => Wire::Attribute(random.below(self.servers.len())),
            _ => Wire::Constant(random.below(100)),
        }
    }

    pub(super) fn is_secret(&self, (component, output): (usize, usize)) -> bool {
        self.components[component].outputs[output].secret
    }

    /// Changes it for another revision.
    pub(super) fn change(&mut self, random: &mut Chance) {
        for _ in 0..=random.below(3) {
            let at = random.below(self.components.len());
            match random.below(7) {
                0 | 1 => self.components[at].recipe.version += 1,
                2 => {
                    for input in &mut self.components[at].inputs {
                        if let Wire::Constant(value) = &mut input.wire {
                            *value += 100;
                        }
                    }
                }
                3 => self.components[at].recipe.behaviour = Behaviour::Fine,
                4 => self.components[at].recipe.behaviour = Behaviour::Fails,
                5 => self.remove(at),
                _ => {
                    let server = random.below(self.servers.len());
                    if self.servers.iter().filter(|server| server.present).count() > 1 && random.once_in(2) {
                        self.servers[server].present = false;
                        let on_it = (0..self.components.len()).filter(|at| self.components[*at].server == server);
                        on_it.collect::<Vec<_>>().into_iter().for_each(|at| self.remove(at));
                    }
                }
            }
        }
        let gone: Vec<usize> = (0..self.servers.len()).filter(|at| !self.servers[*at].present).collect();
        for component in &mut self.components {
            for input in &mut component.inputs {
                if let Wire::Attribute(server) | Wire::NoAttribute(server) = input.wire
                    && gone.contains(&server)
                {
                    input.wire = Wire::Constant(7);
                }
            }
        }
    }

    fn remove(&mut self, gone: usize) {
        self.components[gone].present = false;
        for component in &mut self.components {
            component.after.retain(|before| *before != gone);
            for input in &mut component.inputs {
                let reads = match &input.wire {
                    Wire::Entry(of, _) | Wire::Text(of, _) => *of == gone,
                    Wire::List(parts) => parts.iter().any(|(of, _)| *of == gone),
                    _ => false,
                };
                if reads {
                    input.wire = Wire::Constant(8);
                }
            }
        }
    }

    /// `SERVER/COMPONENT`.
    pub(super) fn full(&self, component: usize) -> String {
        let component = &self.components[component];
        format!("{}/{}", self.servers[component.server].name, component.name)
    }

    /// The components in the model, in the order of their declaration.
    pub(super) fn present(&self) -> impl Iterator<Item = (usize, &Component)> {
        self.components.iter().enumerate().filter(|(_, component)| component.present)
    }

    /// The component before `component` on its server, if the order is that of the declaration.
    pub(super) fn before(&self, component: usize) -> Option<usize> {
        let server = self.components[component].server;
        if self.servers[server].dataflow {
            return None;
        }
        self.present()
            .map(|(at, _)| at)
            .take_while(|at| *at < component)
            .filter(|at| self.components[*at].server == server)
            .last()
    }

    /// Whether `wire` needs a type that is secret.
    fn ty(&self, wire: &Wire) -> Value {
        let of = |secret: bool| if secret { json!({"secret": "string"}) } else { json!("string") };
        match wire {
            Wire::Constant(_) => json!({"integer": {"min": 0, "max": 100_000}}),
            Wire::Entry(component, output) => of(self.is_secret((*component, *output))),
            Wire::List(_) => json!({"list": "string"}),
            Wire::Text(..) | Wire::Attribute(_) | Wire::NoAttribute(_) => of(false),
        }
    }

    fn entry(&self, (component, output): (usize, usize)) -> String {
        format!("{}/{}", self.full(component), self.components[component].outputs[output].name)
    }

    fn lowered(&self, wire: &Wire) -> Value {
        let entry = |at: (usize, usize)| json!({"entry": self.entry(at)});
        match wire {
            Wire::Constant(value) => json!({"value": value}),
            Wire::Entry(component, output) => entry((*component, *output)),
            Wire::Text(component, output) => {
                json!({"text": [{"value": "<"}, entry((*component, *output)), {"value": 7}]})
            }
            Wire::List(parts) => json!({"list": parts.iter().map(|at| entry(*at)).collect::<Vec<_>>()}),
            Wire::Attribute(server) => {
                json!({"entry": format!("{}/server/networks.net.0", self.servers[*server].name)})
            }
            Wire::NoAttribute(server) => json!({"entry": format!("{}/server/nothing", self.servers[*server].name)}),
        }
    }

    /// The seed that is written to the data space.
    pub(super) fn seed(&self, number: usize) -> Seed {
        let mut seed = json!({
            "format": "wattle-seed/1", "stack": "random", "digest": format!("sha256:{number}"),
            "parameters": {}, "declarations": {}, "servers": {}, "entries": {}, "exports": {}, "recipes": {},
            "sources": {},
        });
        for server in self.servers.iter().filter(|server| server.present) {
            let order = if server.dataflow { "dataflow" } else { "declared" };
            seed["servers"][&server.name] = json!({"order": order, "publishes": {}, "components": {}});
        }
        for (at, component) in self.present() {
            self.lower(at, component, &mut seed);
        }
        serde_json::from_value(seed).expect("INVARIANT: it is a seed")
    }

    fn lower(&self, at: usize, component: &Component, seed: &mut Value) {
        let full = self.full(at);
        let text = serde_json::to_string(&component.recipe).expect("INVARIANT: it is JSON");
        let digest = super::oracle::digest(text.as_bytes());
        let declared: serde_json::Map<String, Value> =
            component.inputs.iter().map(|input| (input.name.clone(), json!({"type": self.ty(&input.wire)}))).collect();
        let outputs: serde_json::Map<String, Value> = component
            .outputs
            .iter()
            .map(|output| {
                let ty = if output.secret { json!({"secret": "string"}) } else { json!("string") };
                (output.name.clone(), json!({"type": ty}))
            })
            .collect();
        let inputs: serde_json::Map<String, Value> =
            component.inputs.iter().map(|input| (input.name.clone(), self.lowered(&input.wire))).collect();
        let after: Vec<String> = component.after.iter().map(|before| self.full(*before)).collect();
        let server = &self.servers[component.server].name;
        seed["recipes"][&digest] = json!({"text": text});
        seed["declarations"][&full] = json!({
            "tool": if component.recipe.chef { "chef" } else { "shell" },
            "recipe": "recipes/recipe.json", "files": {"recipes/recipe.json": digest},
            "inputs": declared, "outputs": outputs,
        });
        if component.teardown {
            seed["declarations"][&full]["teardown"] = "recipes/recipe.json".into();
        }
        seed["servers"][server]["components"][&component.name] =
            json!({"declaration": full, "after": after, "inputs": inputs});
        for output in &component.outputs {
            let ty = if output.secret { json!({"secret": "string"}) } else { json!("string") };
            seed["entries"][format!("{full}/{}", output.name)] = json!({"type": ty, "readers": []});
        }
        for input in &component.inputs {
            let mut read = |entry: String| {
                let readers = &mut seed["entries"][entry]["readers"];
                if readers.is_null() {
                    *readers = json!([]);
                }
                let readers = readers.as_array_mut().expect("INVARIANT: made so");
                if !readers.contains(&json!(server)) {
                    readers.push(json!(server));
                }
            };
            match &input.wire {
                Wire::Constant(_) => {}
                Wire::Entry(component, output) | Wire::Text(component, output) => {
                    read(self.entry((*component, *output)));
                }
                Wire::List(parts) => parts.iter().for_each(|at| read(self.entry(*at))),
                Wire::Attribute(of) => {
                    let of = &self.servers[*of].name;
                    read(format!("{of}/server/networks.net.0"));
                    let path = json!([{"resource": "net"}, {"index": 0}]);
                    seed["servers"][of]["publishes"]["networks.net.0"] = json!({"attribute": "networks", "path": path});
                }
                Wire::NoAttribute(of) => {
                    let of = &self.servers[*of].name;
                    read(format!("{of}/server/nothing"));
                    seed["servers"][of]["publishes"]["nothing"] = json!({"attribute": "nothing"});
                }
            }
        }
    }
}
