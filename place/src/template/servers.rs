//! What the servers of a template ask of their hosts, and where each is written.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use wattle_heat::desired::Resource;
use wattle_heat::evaluate::Value;
use wattle_heat::{Desired, template};
use wattle_model::{Diagnostic, IndexMap, Source, Value as Known};
use wattle_words::names::{did_you_mean, nearest, some};

use crate::cloud::{Amounts, Cloud, DISK, MEMORY, VCPUS};
use crate::codes::UNKNOWN;
use crate::problem::Server;

use super::{Order, Runs};

const SERVER: &str = "OS::Nova::Server";
const FLAVOR: &str = "OS::Nova::Flavor";

/// The servers of a template.
pub(super) struct Servers {
    pub(super) all: Vec<Written>,
}

/// A server.
pub(super) struct Written {
    /// What it asks for.
    pub(super) asks: Server,
    /// The file and the definition that are its own; `None` for a member of a group, or in a template that is used several times.
    pub(super) own: Option<(String, template::Resource)>,
    /// The server group that its hints name, by its full name, and whether it has any hints.
    pub(super) group: Option<String>,
    pub(super) has_hints: bool,
    /// What is known of it, if it runs already.
    pub(super) runs: Option<Runs>,
    /// The `availability_zone` in its template.
    pub(super) zone: Option<String>,
    /// The host that its template already names.
    host: Option<String>,
}

impl Servers {
    /// The servers of a template. Missing information about them is reported.
    pub(super) fn of(order: Order<'_>, desired: &Desired, found: &mut Vec<Diagnostic>) -> Self {
        let servers = || desired.resources.iter().filter(|(_, one)| one.made_by() == SERVER);
        let mut uses: BTreeMap<(&str, u32, u32), usize> = BTreeMap::new();
        for (_, one) in servers() {
            *uses.entry(place(&one.at)).or_default() += 1;
        }
        let definitions = Definitions::of(order);
        let mut flavors = Unknown::default();
        let all = servers().map(|(name, one)| {
            let is_alone = uses[&place(&one.at)] == 1;
            let written = definitions.own(one).filter(|_| is_alone);
            let hints = one.property("scheduler_hints");
            let mut asks = Server { name: name.clone(), at: one.at.clone(), ..Server::default() };
            match flavor(order, desired, one) {
                Ok(flavor) => (asks.demand, asks.traits) = flavor,
                Err(flavor) => flavors.add(flavor, name, &one.at),
            }
            let mut host = None;
            match one.property("availability_zone") {
                Value::Text(zone) => match zone.split_once(':') {
                    None => asks.zone = Some(zone).filter(|zone| !zone.is_empty()),
                    Some((zone, rest)) => {
                        asks.zone = Some(zone.to_owned()).filter(|zone| !zone.is_empty());
                        // The host may be followed by a node, which is another name for the same host except for bare metal.
                        host = Some(rest.split(':').next().unwrap_or(rest).to_owned());
                        asks.traits.extend(host.as_deref().map(mark));
                    }
                },
                Value::Null => {}
                _ => found.push(
                    UNKNOWN
                        .about
                        .diagnostic(format!("the availability zone of `{name}` is not known"))
                        .label(&one.at, "its `availability_zone` refers to something that has no value")
                        .help("set the parameter: `--parameter NAME=VALUE`, or an environment"),
                ),
            }
            let zone = one.property("availability_zone");
            let zone = zone.as_text().filter(|zone| !zone.is_empty());
            let runs = order.runs.get(name).filter(|runs| runs.is_as(zone)).cloned();
            if let Some(runs) = &runs {
                asks.runs_on.clone_from(&runs.host);
                asks.moves =
                    order.moves && order.is_admin && host.is_none() && written.is_some() && runs.host.is_some();
                if !asks.moves {
                    asks.traits.clear();
                    asks.zone = runs.zone.clone().filter(|_| runs.host.is_none());
                }
            }
            let zone = zone.map(str::to_owned);
            let group = hints.to_model();
            let group = match &group {
                Known::Map(hints) => hints.get("group").and_then(referred),
                _ => None,
            };
            Written { asks, own: written, group, has_hints: hints != Value::Null, runs, zone, host }
        });
        let all = all.collect();
        found.extend(flavors.diagnostics(order));
        for (name, one) in desired.resources.iter().filter(|(_, one)| one.has_open_members() && may_have_servers(one)) {
            let diagnostic = UNKNOWN.about.diagnostic(format!("it is not known which servers the group `{name}` has"));
            let diagnostic = diagnostic.label(&one.at, "it refers to something that has no value");
            found.push(diagnostic.help("set the parameter: `--parameter NAME=VALUE`, or an environment"));
        }
        Self { all }
    }

    /// The places of the servers that `name` names: a server by its full name, or by the last part of it if that is unique; or
    /// the servers of a group or of a nested stack.
    pub(super) fn named(&self, name: &str) -> Vec<usize> {
        let of = |fits: &dyn Fn(&str) -> bool| -> Vec<usize> {
            (0..self.all.len()).filter(|one| fits(&self.all[*one].asks.name)).collect()
        };
        let exactly = of(&|server| server == name);
        if !exactly.is_empty() {
            return exactly;
        }
        let within = of(&|server| is_within(server, name));
        if !within.is_empty() {
            return within;
        }
        let nested = of(&|server| server.rsplit_once('/').is_some_and(|(_, last)| last == name));
        if nested.len() == 1 { nested } else { Vec::new() }
    }

    /// The cloud, in which hosts that templates already name are marked.
    pub(super) fn with_marks(&self, cloud: &Cloud) -> Cloud {
        let named: BTreeSet<&str> = self.all.iter().filter_map(|one| one.host.as_deref()).collect();
        let mut cloud = cloud.clone();
        for host in cloud.hosts.iter_mut().filter(|host| named.contains(&*host.name)) {
            host.traits.insert(mark(&host.name));
        }
        cloud
    }
}

/// Whether the unknown members of a group may be servers, or may contain some.
fn may_have_servers(group: &Resource) -> bool {
    let mut given = group.all_given().map(|(_, value)| value.to_model().to_string());
    given.any(|given| given.contains(SERVER) || given.contains(".yaml"))
}

/// A trait of one host only. It cannot be one of Placement's, because those have no spaces.
fn mark(host: &str) -> String {
    format!("host {host}")
}

fn is_within(server: &str, name: &str) -> bool {
    server.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'))
}

fn place(at: &Source) -> (&str, u32, u32) {
    (&at.file, at.line, at.column)
}

/// The definitions of a template and of those nested in it, by their places.
struct Definitions<'o> {
    all: HashMap<(&'o str, u32, u32), &'o template::Resource>,
}

impl<'o> Definitions<'o> {
    fn of(order: Order<'o>) -> Self {
        let nested = order.loaded.library.templates.values().map(|nested| &nested.template);
        let all = std::iter::once(&order.loaded.template).chain(nested).flat_map(|template| {
            template.resources.values().map(|one| {
                let start = one.name_span.start;
                ((&*template.file, start.line + 1, start.column + 1), one)
            })
        });
        Self { all: all.collect() }
    }

    /// The file and the definition of a server, if the server itself is written at its place.
    fn own(&self, server: &Resource) -> Option<(String, template::Resource)> {
        let definition = self.all.get(&place(&server.at)).filter(|one| one.kind() == Some(server.ty()))?;
        Some((server.at.file.to_string(), (*definition).clone()))
    }
}

/// The full name that a value refers to.
pub(super) fn referred(value: &Known) -> Option<String> {
    match value {
        Known::Map(call) if call.len() == 1 => call.get("get_resource")?.as_str().map(str::to_owned),
        _ => None,
    }
}

/// What a server asks for; if that is unknown, its flavor, as far as it is known.
fn flavor(
    order: Order<'_>,
    desired: &Desired,
    server: &Resource,
) -> Result<(Amounts, BTreeSet<String>), Option<String>> {
    let flavor = server.property("flavor");
    if let Some(name) = flavor.as_text() {
        let known = order.flavors.get(name).or_else(|| order.cloud.flavors.get(name));
        return known.map(|known| (known.demand.clone(), known.traits.clone())).ok_or(Some(name.to_owned()));
    }
    let of_stack = referred(&flavor.to_model()).and_then(|name| desired.resources.get(&name));
    let of_stack = of_stack.filter(|one| one.made_by() == FLAVOR).ok_or(None)?;
    let amount = |name: &str| match of_stack.property(name) {
        Value::Integer(amount) => i64::try_from(amount).map_err(|_| None),
        Value::Null => Ok(0),
        _ => Err(None),
    };
    let demand = [
        (VCPUS.to_owned(), amount("vcpus")?),
        (MEMORY.to_owned(), amount("ram")?),
        (DISK.to_owned(), amount("disk")? + amount("ephemeral")?),
    ];
    Ok((demand.into(), BTreeSet::new()))
}

/// Flavors that nothing describes, and the servers that have them.
#[derive(Default)]
struct Unknown {
    all: IndexMap<Option<String>, Vec<(String, Source)>>,
}

impl Unknown {
    fn add(&mut self, flavor: Option<String>, server: &str, at: &Source) {
        self.all.entry(flavor).or_default().push((server.to_owned(), at.clone()));
    }

    fn diagnostics(self, order: Order<'_>) -> impl Iterator<Item = Diagnostic> {
        self.all.into_iter().map(move |(flavor, servers)| {
            let names = some(servers.iter().map(|(name, _)| &**name), 6);
            let message = match &flavor {
                Some(flavor) => format!("the flavor `{flavor}` of {names} is not described"),
                None => format!("it is not known which flavor {names} will have"),
            };
            let mut diagnostic = UNKNOWN.about.diagnostic(message);
            for (_, at) in &servers {
                diagnostic = diagnostic.label(at, "here");
            }
            let Some(flavor) = flavor else {
                return diagnostic.help("set the parameter: `--parameter NAME=VALUE`, or an environment");
            };
            let known = order.flavors.keys().chain(order.cloud.flavors.keys()).map(String::as_str);
            diagnostic.help_if(nearest(&flavor, known).map(did_you_mean)).help(
                "describe it under `flavors` in the hosts file, or pass the output of `openstack flavor list -f json`: `--flavors FILE`",
            )
        })
    }
}
