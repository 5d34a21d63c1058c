//! Simulates OpenStack's attributes on one machine.
//!
//! The seed does not contain which port is on which server, or which floating address leads to which port. The template
//! beside it does. A floating address resolves to the server that it leads to, so that it can be used from here.

use std::collections::HashMap;
use std::fs;
use std::net::Ipv4Addr;
use std::path::Path;

use serde_yaml::Value as Yaml;
use sha2::{Digest as _, Sha256};
use wattle::diagram::FILE_NAME;
use wattle::lower::Seed;
use wattle::lower::seed::{Origin, Wire};
use wattle::model::{IndexMap, IndexSet, Name, Step, Value};
use wattle::names::{did_you_mean, nearest};

/// The relevant parts of a template's resource.
#[derive(Clone, Debug, Default, PartialEq)]
struct Resource {
    ty: String,
    /// Its network, or the resource that it leads to.
    parent: Option<Name>,
    /// A server's ports.
    ports: Vec<Name>,
    /// A server's networks.
    networks: Vec<Name>,
}

/// Simulated responses of OpenStack.
#[derive(Debug)]
pub(super) struct Simulation<'a> {
    resources: IndexMap<Name, Resource>,
    given: &'a IndexMap<Name, Value>,
}

impl<'a> Simulation<'a> {
    /// Reads the templates in `directory`. Values in `given` take precedence over simulated ones.
    pub(super) fn new(directory: &Path, given: &'a IndexMap<Name, Value>) -> Self {
        let mut resources = IndexMap::default();
        let files = fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut files: Vec<_> = files
            .filter(|path| path.extension().is_some_and(|ending| ending == "yaml" || ending == "json"))
            .filter(|path| {
                !path
                    .file_name()
                    .is_some_and(|name| ["seed.yaml", "environment.yaml", FILE_NAME].iter().any(|other| name == *other))
            })
            .collect();
        files.sort();
        for file in files {
            // JSON is a subset of YAML.
            let text = fs::read_to_string(file).unwrap_or_default();
            let Ok(Yaml::Mapping(template)) = serde_yaml::from_str(&text) else { continue };
            for (name, resource) in template.get("resources").and_then(Yaml::as_mapping).into_iter().flatten() {
                if let Some(name) = name.as_str() {
                    resources.insert(name.into(), read(resource));
                }
            }
        }
        Self { resources, given }
    }

    /// Everything that needs an address of its own: the servers, and ports and floating addresses that belong to none.
    pub(super) fn hosts(&self, seed: &Seed) -> IndexSet<Name> {
        let mut hosts: IndexSet<Name> = seed.servers.keys().cloned().collect();
        for wire in wires(seed) {
            for (resource, _) in user_data_keys(wire).filter_map(|key| self.split(key)) {
                let host = self.host(resource);
                if self.has_address(&host) {
                    hosts.insert(host);
                }
            }
        }
        hosts
    }

    /// The values in the user data of `server`, and the names of those without a value.
    pub(super) fn user_data(
        &self,
        seed: &Seed,
        server: &str,
        addresses: &IndexMap<Name, Ipv4Addr>,
    ) -> (IndexMap<Name, Value>, Vec<Name>) {
        let (mut known, mut missing) = (IndexMap::default(), Vec::new());
        let components = seed.servers.get(server).into_iter().flat_map(|server| server.components.values());
        for key in components.flat_map(|component| component.inputs.values()).flat_map(self::user_data_keys) {
            match self.value(key, addresses) {
                Some(value) => {
                    known.insert(key.clone(), value);
                }
                None if !missing.contains(key) => missing.push(key.clone()),
                None => {}
            }
        }
        (known, missing)
    }

    /// The attributes that the agent of `server` publishes, by Heat's name, as far as they are known, and the names of
    /// those without a value.
    pub(super) fn published(
        &self,
        seed: &Seed,
        server: &Name,
        addresses: &IndexMap<Name, Ipv4Addr>,
    ) -> (IndexMap<Name, Value>, Vec<Name>) {
        let (mut published, mut missing) = (IndexMap::default(), Vec::new());
        let wanted = seed.servers.get(server).into_iter().flat_map(|server| &server.publishes);
        for (key, attribute) in wanted {
            let full: Name = format!("{server}.{key}").into();
            let steps: Vec<String> = attribute.path.iter().map(step).collect();
            let value = self.given.get(&full).cloned();
            match value.or_else(|| self.of_server(server, &attribute.attribute, &steps, addresses)) {
                Some(value) => {
                    put(published.entry(attribute.attribute.clone()).or_insert(Value::Null), &attribute.path, value);
                }
                None => missing.push(full),
            }
        }
        (published, missing)
    }

    /// The unused ones among the given values, each as a message.
    pub(super) fn unknown(&self, seed: &Seed) -> Vec<String> {
        let mut read: IndexSet<Name> = wires(seed).flat_map(self::user_data_keys).cloned().collect();
        for (server, duties) in &seed.servers {
            read.extend(duties.publishes.keys().map(|key| Name::from(format!("{server}.{key}"))));
        }
        let unknown = self.given.keys().filter(|key| !read.contains(*key));
        let unknown = unknown.map(|key| {
            let within = read.iter().find(|read| read.strip_prefix(&**key).is_some_and(|rest| rest.starts_with('.')));
            let near = within.map(|within| &**within).or_else(|| nearest(key, read.iter().map(|key| &**key)));
            let help = near.map(|near| format!("; {}", did_you_mean(near))).unwrap_or_default();
            if key.contains('.') {
                format!("nothing in the stack `{}` reads `{key}`{help}", seed.stack)
            } else {
                format!("`{key}` is not RESOURCE.ATTRIBUTE{help}")
            }
        });
        unknown.collect()
    }

    /// The values of exports, as text.
    pub(super) fn exported(&self, seed: &Seed, addresses: &IndexMap<Name, Ipv4Addr>) -> HashMap<Name, String> {
        let mut exported = HashMap::new();
        for key in seed.exports.values().flat_map(|export| self::user_data_keys(&export.value)) {
            if let Some(value) = self.value(key, addresses) {
                exported.insert(key.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_owned));
            }
        }
        exported
    }

    /// The value of `RESOURCE.ATTRIBUTE.PATH`.
    pub(super) fn value(&self, key: &Name, addresses: &IndexMap<Name, Ipv4Addr>) -> Option<Value> {
        if let Some(value) = self.given.get(key) {
            return Some(value.clone());
        }
        let (name, path) = self.split(key)?;
        let (attribute, path) = path.split_first()?;
        if attribute == "id" {
            return Some(identity(name).into());
        }
        let address = || addresses.get(&self.host(name)).map(ToString::to_string);
        let resource = self.resources.get(name)?;
        let whole = match (resource.ty.as_str(), attribute.as_str()) {
            ("OS::Nova::Server", _) => return self.of_server(name, attribute, path, addresses),
            ("OS::Neutron::Port", "fixed_ips") => Value::List(vec![Value::Map(IndexMap::from_iter([
                ("ip_address".into(), address()?.into()),
                ("subnet_id".into(), identity(name).into()),
            ]))]),
            ("OS::Neutron::Port", "mac_address") => hardware_address(name).into(),
            ("OS::Neutron::FloatingIP", "floating_ip_address" | "fixed_ip_address")
            | ("OS::Neutron::LoadBalancer" | "OS::Octavia::LoadBalancer", "vip_address") => address()?.into(),
            ("OS::Neutron::Port" | "OS::Neutron::FloatingIP" | "OS::Neutron::Net", "name") => name.into(),
            _ => return None,
        };
        follow(&whole, path)
    }

    fn of_server(
        &self,
        server: &str,
        attribute: &str,
        path: &[String],
        addresses: &IndexMap<Name, Ipv4Addr>,
    ) -> Option<Value> {
        let address = || addresses.get(server).map(|address| Value::from(address.to_string()));
        let networks = |make: &dyn Fn(Value) -> Value| -> Option<Value> {
            let address = address()?;
            // The requested network counts as one of the server's, because only another template may know it.
            let known = self.networks(server).into_iter().chain(path.first().map(|name| name.as_str().into()));
            Some(Value::Map(known.map(|name| (name, Value::List(vec![make(address.clone())]))).collect()))
        };
        let whole = match attribute {
            "id" => identity(server).into(),
            "name" | "instance_name" | "hostname" => server.into(),
            "first_address" | "accessIPv4" => address()?,
            "networks" => networks(&|address| address)?,
            "addresses" => networks(&|address| {
                Value::Map(IndexMap::from_iter([
                    ("addr".into(), address),
                    ("version".into(), 4.into()),
                    ("port".into(), identity(server).into()),
                    ("OS-EXT-IPS:type".into(), "fixed".into()),
                    ("OS-EXT-IPS-MAC:mac_addr".into(), hardware_address(server).into()),
                ]))
            })?,
            _ => return None,
        };
        follow(&whole, path)
    }

    /// The networks of a server and of its ports.
    pub(super) fn networks(&self, server: &str) -> Vec<Name> {
        let Some(resource) = self.resources.get(server) else { return Vec::new() };
        let ports = resource.ports.iter().filter_map(|port| self.resources.get(port)?.parent.clone());
        resource.networks.iter().cloned().chain(ports).collect()
    }

    /// The owner of the address of `name`: the resource itself, or the server that it leads to.
    fn host(&self, name: &str) -> Name {
        let Some(resource) = self.resources.get(name) else { return name.into() };
        match resource.ty.as_str() {
            "OS::Neutron::FloatingIP" => {
                let association = self.resources.values().find(|other| {
                    other.ty == "OS::Neutron::FloatingIPAssociation"
                        && other.networks.iter().any(|floating| **floating == *name)
                });
                let port = resource.parent.as_ref().or_else(|| association.and_then(|other| other.parent.as_ref()));
                port.map_or_else(|| name.into(), |port| self.host(port))
            }
            "OS::Neutron::Port" => {
                let server = self.resources.iter().find(|(_, server)| server.ports.iter().any(|port| **port == *name));
                server.map_or_else(|| name.into(), |(server, _)| server.clone())
            }
            _ => name.into(),
        }
    }

    fn has_address(&self, name: &str) -> bool {
        self.resources.get(name).is_some_and(|resource| {
            ["Port", "FloatingIP", "LoadBalancer", "Server"].iter().any(|end| resource.ty.ends_with(end))
        })
    }

    /// The resource that `key` begins with, and the rest of it. Names of resources may contain dots.
    fn split<'k>(&self, key: &'k str) -> Option<(&'k str, Vec<String>)> {
        let mut ends = key.char_indices().filter(|(_, c)| *c == '.').map(|(at, _)| at);
        let known = ends.rfind(|at| self.resources.contains_key(&key[..*at]))?;
        Some((&key[..known], key[known + 1..].split('.').map(str::to_owned).collect()))
    }
}

/// All wires of a seed.
fn wires(seed: &Seed) -> impl Iterator<Item = &Wire> {
    let components = seed.servers.values().flat_map(|server| server.components.values());
    let inputs = components.flat_map(|component| component.inputs.values());
    inputs.chain(seed.exports.values().map(|export| &export.value))
}

/// The names of the values that a wire needs from user data.
fn user_data_keys(wire: &Wire) -> impl Iterator<Item = &Name> {
    wire.leaves().filter_map(Origin::user_data)
}

fn step(step: &Step) -> String {
    match step {
        Step::Key(name) | Step::Resource(name) => name.to_string(),
        Step::Index(index) => index.to_string(),
    }
}

/// Sets the value at `path`, creating maps and lists as needed.
fn put(whole: &mut Value, path: &[Step], value: Value) {
    match path {
        [] => *whole = value,
        [Step::Key(name) | Step::Resource(name), rest @ ..] => {
            if !matches!(whole, Value::Map(_)) {
                *whole = Value::Map(IndexMap::default());
            }
            if let Value::Map(values) = whole {
                put(values.entry(name.clone()).or_insert(Value::Null), rest, value);
            }
        }
        [Step::Index(index), rest @ ..] => {
            let at = usize::try_from(*index).unwrap_or(usize::MAX).min(1 << 10);
            if !matches!(whole, Value::List(_)) {
                *whole = Value::List(Vec::new());
            }
            if let Value::List(values) = whole {
                if values.len() <= at {
                    values.resize(at + 1, Value::Null);
                }
                put(&mut values[at], rest, value);
            }
        }
    }
}

/// The part of `value` at `path`.
fn follow(value: &Value, path: &[String]) -> Option<Value> {
    path.iter()
        .try_fold(value, |value, step| match value {
            Value::Map(values) => values.get(step.as_str()),
            Value::List(values) => values.get(step.parse::<usize>().ok()?),
            _ => None,
        })
        .cloned()
}

fn read(resource: &Yaml) -> Resource {
    let text = |value: &Yaml, name: &str| value.get(name).and_then(Yaml::as_str).map(str::to_owned);
    let Some(properties) = resource.get("properties") else {
        return Resource { ty: text(resource, "type").unwrap_or_default(), ..Resource::default() };
    };
    let refers = |value: Option<&Yaml>| {
        let value = value?;
        // A parameter of a nested stack is named after its value.
        let name = value.get("get_resource").or_else(|| value.get("get_param"))?;
        name.as_str().map(Name::from)
    };
    let of = |name: &str| refers(properties.get(name));
    let entries = || properties.get("networks").and_then(Yaml::as_sequence).into_iter().flatten();
    let ty = text(resource, "type").unwrap_or_default();
    let networks = match ty.as_str() {
        "OS::Neutron::FloatingIPAssociation" => of("floatingip_id").into_iter().collect(),
        _ => entries().filter_map(|entry| refers(entry.get("network"))).collect(),
    };
    Resource {
        parent: of("port_id").or_else(|| of("network")),
        ports: entries().filter_map(|entry| refers(entry.get("port"))).collect(),
        networks,
        ty,
    }
}

/// A stand-in for the ID of a resource, which is always the same.
pub(super) fn identity(name: &str) -> String {
    let hex = wattle_agent_core::hex(&Sha256::digest(name)[..16]);
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

fn hardware_address(name: &str) -> String {
    let digest = Sha256::digest(name);
    format!("fa:16:3e:{:02x}:{:02x}:{:02x}", digest[0], digest[1], digest[2])
}

#[cfg(test)]
mod tests;
