//! The prepared inputs of a run: every component with its index, its inputs and its fake.

mod given;

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;

use wattle_agent_core::SERVER;
use wattle_agent_core::planning::{Fault, InPlain, Planning, broken};
use wattle_agent_core::revision::Revision;
use wattle_agent_core::server_plan::{Held, PlannedComponent, ServerPlan, ValueSource};

use crate::lower::Seed;
use crate::lower::computed_by_heat;
use crate::lower::seed::{Origin, SeedAttribute};
use crate::model::{IndexMap, IndexSet, Name, Type, Value};

use super::fake::Fake;
use super::made_up;
use super::setting::Setting;

/// The revision of every trial.
const REVISION: Revision = Revision { space: None, number: 1 };

/// A component.
pub(super) struct Node {
    /// `SERVER/COMPONENT`.
    pub(super) key: Name,
    pub(super) server: usize,
    /// Its name on the server.
    pub(super) component: Name,
    /// The path of its Rust type.
    pub(super) kind: Name,
    pub(super) fake: Fake,
}

/// A server.
pub(super) struct Host {
    pub(super) name: Name,
    pub(super) plan: Arc<ServerPlan>,
    /// Its components, by their names on it.
    pub(super) nodes: IndexMap<Name, usize>,
    /// The values in its user data.
    pub(super) user_data: IndexMap<Name, Value>,
    pub(super) boots: bool,
}

impl Host {
    /// The attributes that it publishes, as entries.
    pub(super) fn publishes(&self) -> impl Iterator<Item = (Name, &SeedAttribute)> {
        let entry = |key: &Name| format!("{}/{SERVER}/{key}", self.name).into();
        self.plan.publishes.iter().map(move |(key, attribute)| (entry(key), attribute))
    }

    /// Everything that its components read or check.
    fn reads(&self) -> Vec<&ValueSource> {
        let mut sources = Vec::new();
        for planned in self.plan.components.values() {
            sources.extend(planned.inputs.values().map(|input| &input.from));
            for required in planned.requires.values() {
                required.predicate.each(&mut |operand| sources.push(&operand.from));
            }
        }
        sources
    }
}

/// Everything that takes part in a run.
pub(super) struct World {
    pub(super) hosts: Vec<Host>,
    pub(super) nodes: Vec<Node>,
    /// Values of entries that no component writes: attributes of servers.
    pub(super) attributes: IndexMap<Name, Value>,
    /// The place of each component, by its key.
    pub(super) places: HashMap<Name, usize>,
    /// The values in the user data of servers.
    pub(super) user_data: HashMap<Name, Value>,
    pub(super) exports: IndexMap<Name, (Type, ValueSource)>,
}

impl World {
    /// Creates the world of a trial with this setting.
    ///
    /// # Errors
    /// Everything that is missing or wrong, each with the line that fixes it.
    pub(super) fn of(setting: &Setting, seed: &Seed) -> Result<Self, Vec<String>> {
        let mut faults = Vec::new();
        let parameters = given::parameters(setting, seed, &mut faults);
        let imports = given::imports(setting, seed, &mut faults);
        let fakes = given::fakes(setting, seed, &mut faults);
        given::names(setting, seed, &mut faults);
        if !faults.is_empty() {
            return Err(faults);
        }
        let known = |origin: &Origin| match origin {
            Origin::Parameter(name) => parameters.get(name).cloned(),
            Origin::Import { stack, export } => {
                imports.get(&(stack.clone(), export.clone())).and_then(ValueSource::constant).cloned()
            }
            Origin::Entry(_) | Origin::UserData(_) => None,
        };
        faults.extend(broken(seed, known));
        let planning = Planning { seed, parameters: &parameters, imports: &imports, foreign: &IndexMap::default() };
        let mut report = |all: Vec<Fault<Infallible>>| faults.extend(all.iter().map(ToString::to_string));
        let plans = planning.plans(&REVISION, &mut InPlain).map_err(&mut report);
        let sources = planning.exports(|_| true, &mut InPlain).map_err(&mut report);
        let (Ok(plans), Ok(sources)) = (plans, sources) else { return Err(faults) };
        let of_type = |(name, from): (Name, ValueSource)| (name.clone(), (seed.exports[&name].ty.clone(), from));
        let mut world = Self {
            hosts: Vec::new(),
            nodes: Vec::new(),
            attributes: IndexMap::default(),
            places: HashMap::new(),
            user_data: HashMap::new(),
            exports: sources.into_iter().map(of_type).collect(),
        };
        world.components(setting, seed, plans, &fakes);
        world.make(setting, &mut faults);
        if faults.is_empty() { Ok(world) } else { Err(faults) }
    }

    fn components(
        &mut self,
        setting: &Setting,
        seed: &Seed,
        plans: IndexMap<Name, ServerPlan>,
        fakes: &HashMap<Name, Fake>,
    ) {
        for (name, plan) in plans {
            let mut nodes = IndexMap::default();
            for component in plan.components.keys() {
                let key: Name = format!("{name}/{component}").into();
                nodes.insert(component.clone(), self.nodes.len());
                self.places.insert(key.clone(), self.nodes.len());
                self.nodes.push(Node {
                    server: self.hosts.len(),
                    component: component.clone(),
                    kind: seed.servers[&name].components[component].declaration.clone(),
                    fake: fakes[&key].clone(),
                    key,
                });
            }
            self.hosts.push(Host {
                boots: !setting.absent.contains(&name),
                name,
                plan: Arc::new(plan),
                nodes,
                user_data: IndexMap::default(),
            });
        }
    }

    /// The component in its server's plan.
    pub(super) fn planned(&self, node: usize) -> &PlannedComponent {
        let node = &self.nodes[node];
        &self.hosts[node.server].plan.components[&node.component]
    }

    /// Gives a value to everything that Heat would have created: the test's, or a made-up one.
    fn make(&mut self, setting: &Setting, faults: &mut Vec<String>) {
        let mut given = setting.attributes.clone();
        let resources: IndexSet<&str> = setting.model.resources.keys().map(|name| &**name).collect();
        for entry in self.hosts.iter().flat_map(Host::publishes).map(|(entry, _)| entry) {
            let Some((server, key)) = entry.split_once("/server/") else { continue };
            let value = given.shift_remove(&(server.into(), key.into()));
            let value =
                value.unwrap_or_else(|| made_up::attribute(server, key, self.wanted(&Held::Entry(entry.clone()))));
            self.attributes.insert(entry.clone(), value);
        }
        let mut keys = IndexSet::default();
        let sources = self.exports.values().map(|(_, source)| source);
        for held in sources.chain(self.hosts.iter().flat_map(Host::reads)).flat_map(ValueSource::leaves) {
            if let Held::UserData(key) = held {
                keys.insert(key.clone());
            }
        }
        for key in keys {
            // Names of resources may contain dots, so the longest name that fits is used.
            let resource =
                resources.iter().filter(|name| key.strip_prefix(**name).is_some_and(|rest| rest.starts_with('.')));
            let (resource, attribute) = match resource.max_by_key(|name| name.len()) {
                Some(resource) => (*resource, &key[resource.len() + 1..]),
                None => ("", &*key),
            };
            let value = given.shift_remove(&(resource.into(), attribute.into()));
            let value = value.unwrap_or_else(|| match (computed_by_heat(&key), &*key) {
                (_, "OS::stack_name" | "OS::stack_id" | "OS::project_id") => key[4..].replace('_', "-").into(),
                _ => made_up::attribute(resource, attribute, self.wanted(&Held::UserData(key.clone()))),
            });
            self.user_data.insert(key, value);
        }
        for host in &mut self.hosts {
            let keys = host.reads().into_iter().flat_map(ValueSource::leaves).filter_map(|held| match held {
                Held::UserData(key) => Some(key.clone()),
                Held::Entry(_) | Held::Sealed(_) | Held::Foreign { .. } => None,
            });
            host.user_data = keys.filter_map(|key| Some((key.clone(), self.user_data.get(&key)?.clone()))).collect();
        }
        let known: Vec<String> = self.attributes.keys().map(|entry| entry.replacen("/server/", ".", 1)).collect();
        let known: Vec<&str> =
            known.iter().map(String::as_str).chain(self.user_data.keys().map(|key| &**key)).collect();
        for (resource, attribute) in given.keys() {
            let name = format!("{resource}.{attribute}");
            faults.push(format!("nothing reads the attribute `{attribute}` of `{resource}`{}", meant(&name, &known)));
        }
    }

    fn planned_components(&self) -> impl Iterator<Item = &PlannedComponent> {
        self.hosts.iter().flat_map(|host| host.plan.components.values())
    }

    /// The types of inputs and exports, and where their values come from.
    fn read(&self) -> impl Iterator<Item = (&Type, &ValueSource)> {
        let inputs = self.planned_components().flat_map(|planned| planned.inputs.values());
        inputs.map(|input| (&input.ty, &input.from)).chain(self.exports.values().map(|(ty, from)| (ty, from)))
    }

    /// The type of an input that is exactly this value.
    fn wanted(&self, held: &Held) -> Option<&Type> {
        let is_it = |source: &ValueSource| matches!(source, ValueSource::Leaf(one) if one == held);
        self.read().find_map(|(ty, from)| match (ty.revealed(), from) {
            (ty, from) if is_it(from) => Some(ty),
            (Type::List(item), ValueSource::List(parts)) if parts.iter().any(is_it) => Some(&**item),
            _ => None,
        })
    }
}

/// `; did you mean ...?`, or a list of the names that exist.
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

/// The name of a component type, without the path of its module.
pub(super) fn short(kind: &str) -> &str {
    kind.rsplit("::").next().unwrap_or(kind)
}
