//! What a run needs to know beforehand: every component with its place, its inputs and its fake.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::time::Duration;

use indexmap::{IndexMap, IndexSet};

use crate::lower::Seed;
use crate::lower::computed_by_heat;
use crate::lower::seed::{SeedDeclaration, Wire};
use crate::model::{Name, Order, Predicate, Tool, Type, Value};
use crate::names::nearest;
use crate::requirement::{Operand, Verdict, judge, told};
use crate::values;

use super::fake::Fake;
use super::made_up;
use super::part::{Compute, Part, Resolver};
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
    pub(super) chef: bool,
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
    pub(super) compute: Option<Compute>,
}

impl World {
    /// The world of a trial.
    ///
    /// # Errors
    /// All that is missing or wrong, each with the line that mends it.
    pub(super) fn of(trial: &Trial, seed: &Seed) -> Result<Self, Vec<String>> {
        let mut faults = Vec::new();
        let parameters = parameters(trial, seed, &mut faults);
        let imports = imports(trial, seed, &mut faults);
        let fakes = fakes(trial, seed, &mut faults);
        names(trial, seed, &mut faults);
        if !faults.is_empty() {
            return Err(faults);
        }
        let resolver = Resolver { parameters: &parameters, imports: &imports, compute: trial.compute };
        let mut world = Self {
            hosts: Vec::new(),
            nodes: Vec::new(),
            attributes: IndexMap::new(),
            told: HashMap::new(),
            exports: IndexMap::new(),
            compute: trial.compute,
        };
        world.components(trial, seed, &resolver, &fakes, &mut faults);
        for (name, requirement) in &seed.requirements {
            let verdict = judge(&requirement.predicate, &mut |wire| match resolver.part(wire) {
                Ok(Part::Value(value)) => Some(value),
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
                let mut inputs = IndexMap::with_capacity(declaration.inputs.len());
                for (input, declared) in &declaration.inputs {
                    let part = match (lowered.inputs.get(input), &declared.default) {
                        (Some(wire), _) => resolver.part(wire),
                        (None, Some(default)) => Ok(Part::Value(default.clone())),
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
                    chef: declaration.recipe.tool == Tool::Chef,
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
                value.unwrap_or_else(|| made_up::attribute(server, key, self.wanted(&Part::Entry(entry.clone()))));
            self.attributes.insert(entry.clone(), value);
        }
        let mut told = IndexSet::new();
        let inputs = self.nodes.iter().flat_map(|node| node.inputs.values());
        let mut parts: Vec<&Part> = inputs.chain(self.exports.values()).map(|(_, part)| part).collect();
        for required in self.nodes.iter().flat_map(|node| &node.requires) {
            required.predicate.each(&mut |operand| parts.push(&operand.from));
        }
        for part in parts {
            part.leaves(&mut |leaf| {
                if let Part::Told(key) = leaf {
                    told.insert(key.clone());
                }
            });
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
                _ => made_up::attribute(resource, attribute, self.wanted(&Part::Told(key.clone()))),
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
    fn wanted(&self, part: &Part) -> Option<&Type> {
        let mut inputs = self.nodes.iter().flat_map(|node| node.inputs.values()).chain(self.exports.values());
        inputs.find_map(|(ty, from)| match (ty.revealed(), from) {
            (ty, from) if from == part => Some(ty),
            (Type::List(item), Part::List(parts)) if parts.contains(part) => Some(&**item),
            _ => None,
        })
    }
}

/// Everything that is read at run time.
fn wires(seed: &Seed) -> Vec<&Wire> {
    let components = seed.servers.values().flat_map(|server| server.components.values());
    let mut wires: Vec<&Wire> = components.flat_map(|component| component.inputs.values()).collect();
    wires.extend(seed.exports.values().map(|export| &export.value));
    for requirement in seed.requirements.values() {
        requirement.predicate.each(&mut |operand| wires.push(&operand.from));
    }
    wires
}

/// The values of parameters: what the test gives, else the default. What nothing at run time reads needs none.
fn parameters(trial: &Trial, seed: &Seed, faults: &mut Vec<String>) -> IndexMap<Name, Value> {
    let mut found = IndexMap::new();
    let mut missing = String::new();
    let mut needed = IndexSet::new();
    for wire in wires(seed) {
        wire.each(&mut |part| {
            if let Wire::Parameter(name) = part {
                needed.insert(name);
            }
        });
    }
    for (name, parameter) in &seed.parameters {
        let value = match (trial.parameters.get(name), &parameter.default) {
            (Some(given), _) => given.clone(),
            (None, Some(default)) => default.clone(),
            (None, None) if !needed.contains(name) => continue,
            (None, None) if trial.made_up => made_up::value(&parameter.ty, name),
            (None, None) => {
                let _ = write!(
                    missing,
                    "\n    .parameter(\"{name}\", {})  // {}",
                    made_up::value(&parameter.ty, name),
                    parameter.ty
                );
                continue;
            }
        };
        let wrong = trial.model.parameters.get(name).map(|parameter| crate::check::refused(parameter, &value));
        let wrong = wrong.into_iter().flatten();
        faults.extend(wrong.map(|why| format!("the parameter `{name}` does not fit: {why}")));
        found.insert(name.clone(), value);
    }
    for name in trial.parameters.keys().filter(|name| !seed.parameters.contains_key(*name)) {
        let known: Vec<&str> = seed.parameters.keys().map(|name| &**name).collect();
        faults.push(format!("the blueprint has no parameter `{name}`{}", meant(name, &known)));
    }
    if !missing.is_empty() {
        faults.push(format!("parameters without a value; give them, or let all be `.made_up()`:{missing}"));
    }
    found
}

fn imports(trial: &Trial, seed: &Seed, faults: &mut Vec<String>) -> IndexMap<(Name, Name), Value> {
    let mut wanted = IndexSet::new();
    for wire in wires(seed) {
        wire.each(&mut |part| {
            if let Wire::Import { stack, export } = part {
                wanted.insert((stack.clone(), export.clone()));
            }
        });
    }
    let mut missing = String::new();
    let mut values = IndexMap::new();
    for (stack, export) in &wanted {
        let key = (stack.clone(), export.clone());
        let declared = trial.model.imports.iter().find(|import| import.stack == *stack && import.export == *export);
        let ty = declared.map_or(&Type::Any, |import| &import.ty);
        match trial.imports.get(&key) {
            Some(given) => {
                if let Some(why) = values::refuse(ty, given) {
                    faults.push(format!("the export `{export}` of the stack `{stack}` does not fit: {why}"));
                }
                values.insert(key, given.clone());
            }
            None if trial.made_up => drop(values.insert(key, made_up::value(ty, &format!("{stack}.{export}")))),
            None => {
                let _ = write!(
                    missing,
                    "\n    .import(\"{stack}\", \"{export}\", {})  // {ty}",
                    made_up::value(ty, export)
                );
            }
        }
    }
    let is_declared = |(stack, export): &(Name, Name)| {
        trial.model.imports.iter().any(|import| import.stack == *stack && import.export == *export)
    };
    for (stack, export) in trial.imports.keys().filter(|key| !wanted.contains(*key) && !is_declared(key)) {
        let known: Vec<String> = wanted.iter().map(|(stack, export)| format!("{stack}.{export}")).collect();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let meant = meant(&format!("{stack}.{export}"), &known);
        faults.push(format!("nothing reads the export `{export}` of the stack `{stack}`{meant}"));
    }
    if !missing.is_empty() {
        faults.push(format!(
            "values of other stacks that are not given; give them, or let all be `.made_up()`:{missing}"
        ));
    }
    values
}

/// The fake of each component, by its key.
fn fakes(trial: &Trial, seed: &Seed, faults: &mut Vec<String>) -> HashMap<Name, Fake> {
    let mut found = HashMap::new();
    let mut lacking: IndexMap<&Name, (&SeedDeclaration, Vec<Name>)> = IndexMap::new();
    for (server, duties) in &seed.servers {
        for (name, component) in &duties.components {
            let key: Name = format!("{server}/{name}").into();
            let Some(declaration) = seed.declarations.get(&component.declaration) else { continue };
            let own = trial.own_fakes.get(&key);
            if let Some((kind, fake)) = own
                && kind.is_some_and(|kind| *kind != *component.declaration)
            {
                let given = kind.map_or("", short);
                let declared = short(&component.declaration);
                faults.push(format!("the fake at {} is one of `{given}`, and `{key}` is a `{declared}`", fake.at));
            }
            let fake = own.map(|(_, fake)| fake).or_else(|| trial.fakes.get(&component.declaration));
            match fake {
                Some(fake) => drop(found.insert(key, fake.clone())),
                None if trial.made_up => drop(found.insert(key, super::trial::made_up_fake(declaration))),
                None => lacking.entry(&component.declaration).or_insert((declaration, Vec::new())).1.push(key),
            }
        }
    }
    let known: Vec<&str> = seed.declarations.keys().map(|kind| &**kind).collect();
    for (kind, fake) in trial.fakes.iter().filter(|(kind, _)| !seed.declarations.contains_key(*kind)) {
        let shorts: Vec<&str> = known.iter().map(|kind| short(kind)).collect();
        let meant = meant(short(kind), &shorts);
        faults.push(format!("no component is a `{}`, of which there is a fake at {}{meant}", short(kind), fake.at));
    }
    if !lacking.is_empty() {
        let mut text = String::from("components without a fake; give each kind one, or let all be `.made_up()`:");
        for (kind, (declaration, components)) in &lacking {
            let kind = short(kind);
            let fields: Vec<String> = declaration.outputs.keys().map(|output| format!("{output}: todo!()")).collect();
            let fields = if fields.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", fields.join(", ")) };
            let more = if components.len() > 1 { format!(" and {} more", components.len() - 1) } else { String::new() };
            let _ =
                write!(text, "\n    .fake(|it: Given<{kind}>| Outputs::<{kind}> {fields})  // {}{more}", components[0]);
        }
        faults.push(text);
    }
    found
}

/// Names of servers and components that the test mentions.
fn names(trial: &Trial, seed: &Seed, faults: &mut Vec<String>) {
    let servers: Vec<&str> = seed.servers.keys().map(|name| &**name).collect();
    for server in trial.absent.iter().filter(|server| !seed.servers.contains_key(*server)) {
        faults.push(format!("no server is called `{server}` that runs components{}", meant(server, &servers)));
    }
    let components: Vec<&str> = trial.model.components.keys().map(|name| &**name).collect();
    let mentioned = trial.own_fakes.keys().chain(&trial.deaths);
    for name in mentioned.filter(|name| !trial.model.components.contains_key(*name)) {
        faults.push(format!("no component is called `{name}`{}", meant(name, &components)));
    }
}

/// `; did you mean ...?`, or which names there are.
pub(super) fn meant(name: &str, known: &[&str]) -> String {
    const SHOWN: usize = 12;
    if let Some(near) = nearest(name, known.iter().copied()) {
        return format!("; did you mean `{near}`?");
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
