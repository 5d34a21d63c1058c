//! What a run needs to know beforehand: every component with its place, its inputs and its fake.

mod given;

use std::collections::HashMap;
use std::time::Duration;

use crate::lower::Seed;
use crate::lower::computed_by_heat;
use crate::model::{IndexMap, IndexSet, Name, Order, Predicate, Type, Value};
use crate::requirement::{Operand, Verdict, judge, told};

use super::fake::Fake;
use super::made_up;
use super::part::{Late, Part, Resolver};
use super::trial::Trial;

/// An hour for a run, four for its inputs: what agents allow where a declaration says nothing.
pub(crate) const DEADLINE: Duration = Duration::from_hours(1);
/// See [`DEADLINE`].
pub(crate) const WAIT: Duration = Duration::from_hours(4);

/// A component.
pub(super) struct Node {
    /// `SERVER/COMPONENT`.
    pub(super) key: Name,
    pub(super) server: usize,
    /// The path of its Rust type.
    pub(super) kind: Name,
    pub(super) is_live: bool,
    pub(super) deadline: Duration,
    pub(super) wait: Duration,
    /// The component before it in the order of declaration, where that counts.
    pub(super) before: Option<usize>,
    pub(super) after: Vec<usize>,
    pub(super) inputs: IndexMap<Name, (Type, Part)>,
    pub(super) outputs: IndexMap<Name, Type>,
    /// What its agent judges before its recipe starts.
    pub(super) requires: Vec<Required>,
    pub(super) fake: Fake,
}

/// A requirement.
pub(super) struct Required {
    pub(super) name: Name,
    pub(super) predicate: Predicate<Operand<Part>>,
    pub(super) because: String,
    pub(super) at: String,
}

/// A server.
pub(super) struct Host {
    pub(super) name: Name,
    pub(super) nodes: Vec<usize>,
    /// Its own attributes, as entries.
    pub(super) publishes: Vec<Name>,
    pub(super) boots: bool,
}

/// Everything that takes part in a run.
pub(super) struct World {
    pub(super) hosts: Vec<Host>,
    pub(super) nodes: Vec<Node>,
    /// What entries hold that no component writes: attributes of servers.
    pub(super) attributes: IndexMap<Name, Value>,
    /// What servers are told by their user data.
    pub(super) told: HashMap<Name, Value>,
    pub(super) exports: IndexMap<Name, (Type, Part)>,
}

impl World {
    /// The world of a trial.
    ///
    /// # Errors
    /// All that is missing or wrong, each with the line that fixes it.
    pub(super) fn of(trial: &Trial, seed: &Seed) -> Result<Self, Vec<String>> {
        let mut faults = Vec::new();
        let parameters = given::parameters(trial, seed, &mut faults);
        let imports = given::imports(trial, seed, &mut faults);
        let fakes = given::fakes(trial, seed, &mut faults);
        given::names(trial, seed, &mut faults);
        if !faults.is_empty() {
            return Err(faults);
        }
        let resolver = Resolver { parameters: &parameters, imports: &imports };
        let mut world = Self {
            hosts: Vec::new(),
            nodes: Vec::new(),
            attributes: IndexMap::default(),
            told: HashMap::new(),
            exports: IndexMap::default(),
        };
        world.components(trial, seed, &resolver, &fakes, &mut faults);
        for (name, requirement) in &seed.requirements {
            let verdict = judge(&requirement.predicate, &mut |wire| match resolver.part(wire) {
                Ok(Part::Constant(value)) => Some(value),
                _ => None,
            });
            if let Verdict::Fails(reasons) = verdict {
                faults.push(told(name, &requirement.at, &reasons, &requirement.because));
            }
        }
        for (name, export) in &seed.exports {
            match resolver.part(&export.value) {
                Ok(part) => drop(world.exports.insert(name.clone(), (export.ty.clone(), part))),
                Err(why) => faults.push(format!("the export `{name}`: {why}")),
            }
        }
        world.tell(trial, &mut faults);
        if faults.is_empty() { Ok(world) } else { Err(faults) }
    }

    fn components(
        &mut self,
        trial: &Trial,
        seed: &Seed,
        resolver: &Resolver<'_>,
        fakes: &HashMap<Name, Fake>,
        faults: &mut Vec<String>,
    ) {
        let mut places = HashMap::new();
        for (server, duties) in &seed.servers {
            for name in duties.components.keys() {
                places.insert(Name::from(format!("{server}/{name}")), places.len());
            }
        }
        for (name, duties) in &seed.servers {
            let mut host = Host {
                name: name.clone(),
                nodes: Vec::new(),
                publishes: Vec::new(),
                boots: !trial.absent.contains(name),
            };
            host.publishes.extend(duties.publishes.keys().map(|key| Name::from(format!("{name}/server/{key}"))));
            for (component, lowered) in &duties.components {
                let key: Name = format!("{name}/{component}").into();
                let Some(declaration) = seed.declarations.get(&lowered.declaration) else { continue };
                let mut inputs = IndexMap::default();
                for (input, declared) in &declaration.inputs {
                    let part = match (lowered.inputs.get(input), &declared.default) {
                        (Some(wire), _) => resolver.part(wire),
                        (None, Some(default)) => Ok(Part::Constant(default.clone())),
                        (None, None) => continue,
                    };
                    match part {
                        Ok(part) => drop(inputs.insert(input.clone(), (declared.ty.clone(), part))),
                        Err(why) => faults.push(format!("the input `{input}` of `{key}`: {why}")),
                    }
                }
                let mut requires = Vec::new();
                for name in &lowered.requires {
                    let Some(requirement) = seed.requirements.get(name) else { continue };
                    let predicate = requirement.predicate.try_map(&mut |operand| {
                        let from = resolver.part(&operand.from)?;
                        Ok::<_, String>(Operand { name: operand.name.clone(), from })
                    });
                    match predicate {
                        Ok(predicate) => {
                            let (because, at) = (requirement.because.clone(), requirement.at.clone());
                            requires.push(Required { name: name.clone(), predicate, because, at });
                        }
                        Err(why) => faults.push(format!("the requirement `{name}`: {why}")),
                    }
                }
                let Some(fake) = fakes.get(&key) else { continue };
                let before = host.nodes.last().copied().filter(|_| duties.order == Order::Declared);
                host.nodes.push(self.nodes.len());
                self.nodes.push(Node {
                    server: self.hosts.len(),
                    kind: lowered.declaration.clone(),
                    is_live: declaration.recipe.tool.is_live(),
                    deadline: declaration.recipe.deadline.map_or(DEADLINE, Duration::from_secs),
                    wait: declaration.recipe.wait.map_or(WAIT, Duration::from_secs),
                    before,
                    after: lowered.after.iter().filter_map(|before| places.get(before).copied()).collect(),
                    inputs,
                    outputs: declaration.outputs.iter().map(|(name, o)| (name.clone(), o.ty.clone())).collect(),
                    requires,
                    fake: fake.clone(),
                    key,
                });
            }
            self.hosts.push(host);
        }
    }

    /// Gives a value to all that Heat would have made: the test's, or a made-up one.
    fn tell(&mut self, trial: &Trial, faults: &mut Vec<String>) {
        let mut given = trial.attributes.clone();
        let resources: IndexSet<&str> = trial.model.resources.keys().map(|name| &**name).collect();
        for entry in self.hosts.iter().flat_map(|host| &host.publishes) {
            let Some((server, key)) = entry.split_once("/server/") else { continue };
            let value = given.shift_remove(&(server.into(), key.into()));
            let value =
                value.unwrap_or_else(|| made_up::attribute(server, key, self.wanted(&Late::Entry(entry.clone()))));
            self.attributes.insert(entry.clone(), value);
        }
        let mut told = IndexSet::default();
        let inputs = self.nodes.iter().flat_map(|node| node.inputs.values());
        let mut parts: Vec<&Part> = inputs.chain(self.exports.values()).map(|(_, part)| part).collect();
        for required in self.nodes.iter().flat_map(|node| &node.requires) {
            required.predicate.each(&mut |operand| parts.push(&operand.from));
        }
        for part in parts {
            told.extend(part.leaves().filter_map(|leaf| match leaf {
                Late::Told(key) => Some(key.clone()),
                Late::Entry(_) => None,
            }));
        }
        for key in told {
            // Names of resources may have dots in them: the longest that fits is meant.
            let resource =
                resources.iter().filter(|name| key.strip_prefix(**name).is_some_and(|rest| rest.starts_with('.')));
            let (resource, attribute) = match resource.max_by_key(|name| name.len()) {
                Some(resource) => (*resource, &key[resource.len() + 1..]),
                None => ("", &*key),
            };
            let value = given.shift_remove(&(resource.into(), attribute.into()));
            let value = value.unwrap_or_else(|| match (computed_by_heat(&key), &*key) {
                (_, "OS::stack_name" | "OS::stack_id" | "OS::project_id") => key[4..].replace('_', "-").into(),
                _ => made_up::attribute(resource, attribute, self.wanted(&Late::Told(key.clone()))),
            });
            self.told.insert(key, value);
        }
        let known: Vec<String> = self.attributes.keys().map(|entry| entry.replacen("/server/", ".", 1)).collect();
        let known: Vec<&str> = known.iter().map(String::as_str).chain(self.told.keys().map(|key| &**key)).collect();
        for (resource, attribute) in given.keys() {
            let name = format!("{resource}.{attribute}");
            faults.push(format!("nothing reads the attribute `{attribute}` of `{resource}`{}", meant(&name, &known)));
        }
    }

    /// The type of an input that is exactly this.
    fn wanted(&self, leaf: &Late) -> Option<&Type> {
        let is_it = |part: &Part| matches!(part, Part::Leaf(one) if one == leaf);
        let mut inputs = self.nodes.iter().flat_map(|node| node.inputs.values()).chain(self.exports.values());
        inputs.find_map(|(ty, from)| match (ty.revealed(), from) {
            (ty, from) if is_it(from) => Some(ty),
            (Type::List(item), Part::List(parts)) if parts.iter().any(is_it) => Some(&**item),
            _ => None,
        })
    }
}

/// `; did you mean ...?`, or which names there are.
pub(super) fn meant(name: &str, known: &[&str]) -> String {
    const SHOWN: usize = 12;
    if let Some(question) = crate::names::meant(name, known.iter().copied()) {
        return format!("; {question}");
    }
    match known {
        [] => String::new(),
        _ if known.len() > SHOWN => format!("; there are {} others", known.len()),
        _ => format!("; there is {}", crate::names::list(known.iter().copied(), "and")),
    }
}

/// The name of a kind without the path of its module.
pub(super) fn short(kind: &str) -> &str {
    kind.rsplit("::").next().unwrap_or(kind)
}
