//! The demands of a template's servers, and their definitions.

use std::collections::{BTreeMap, HashMap};

use wattle_heat::desired::Resource;
use wattle_heat::evaluate::Value;
use wattle_heat::{Desired, template};
use wattle_model::{Diagnostic, Source, Value as Known};
use wattle_words::names::{did_you_mean, nearest};

use crate::codes::UNKNOWN;
use crate::problem::Server;

use super::flavor::{Unknown, asks as of_flavor};
use super::{Order, Runs};

pub(super) const SERVER: &str = "OS::Nova::Server";

/// The servers of a template.
pub(super) struct Servers {
    pub(super) all: Vec<Written>,
}

/// A server.
pub(super) struct Written {
    /// Its demand.
    pub(super) asks: Server,
    /// The file and the definition that are its own; `None` for a member of a group, or in a template that is used
    /// several times.
    pub(super) own: Option<(String, template::Resource)>,
    /// The server group in its hints, by its full name, and whether it has any hints.
    pub(super) group: Option<String>,
    pub(super) has_hints: bool,
    /// The servers whose hosts it must share (`same_host`), and whose hosts it must avoid (`different_host`).
    pub(super) same: Vec<String>,
    pub(super) different: Vec<String>,
    /// Its present state, if it is already running.
    pub(super) runs: Option<Runs>,
    /// The `availability_zone` in its template.
    pub(super) zone: Option<String>,
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
            match of_flavor(order, desired, one) {
                Ok(flavor) => (asks.demand, asks.traits) = flavor,
                Err(flavor) => flavors.add(flavor, name, &one.at),
            }
            match one.property("availability_zone") {
                Value::Text(zone) => match zone.split_once(':') {
                    None => asks.zone = Some(zone).filter(|zone| !zone.is_empty()),
                    Some((zone, rest)) => {
                        asks.zone = Some(zone.to_owned()).filter(|zone| !zone.is_empty());
                        // The host may be followed by a node, which is another name for the same host except for bare
                        // metal.
                        asks.host = rest.split(':').find(|name| !name.is_empty()).map(str::to_owned);
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
                    order.moves && order.is_admin && asks.host.is_none() && written.is_some() && runs.host.is_some();
                if !asks.moves {
                    asks.traits.clear();
                    asks.host = None;
                    asks.zone = runs.zone.clone().filter(|_| runs.host.is_none());
                }
            }
            let zone = zone.map(str::to_owned);
            let known = hints.to_model();
            let hinted = |hint: &str| match &known {
                Known::Map(hints) => hints.get(hint),
                _ => None,
            };
            let all_hinted = |hint: &str| match hinted(hint) {
                Some(Known::List(all)) => all.iter().filter_map(referred).collect(),
                one => one.and_then(referred).into_iter().collect(),
            };
            if runs.is_none() {
                found.extend(nowhere(order, &asks));
            }
            let (group, same, different) =
                (hinted("group").and_then(referred), all_hinted("same_host"), all_hinted("different_host"));
            Written { asks, own: written, group, has_hints: hints != Value::Null, same, different, runs, zone }
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

    /// The indexes of the servers that `name` names: a server by its full name, or by the last part of it if that is
    /// unique; or the servers of a group or of a nested stack.
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
        let nested = of(&|server| is_last(server, name));
        if nested.len() == 1 { nested } else { Vec::new() }
    }

    /// The full names of the servers whose last part is `name`.
    pub(super) fn ending_in(&self, name: &str) -> Vec<&str> {
        self.all.iter().map(|one| &*one.asks.name).filter(|server| is_last(server, name)).collect()
    }
}

/// Whether the unknown members of a group may be servers, or may contain some.
pub(super) fn may_have_servers(group: &Resource) -> bool {
    let mut given = group.all_given().map(|(_, value)| value.to_model().to_string());
    given.any(|given| given.contains(SERVER) || given.contains(".yaml"))
}

/// The diagnostic if the host or the zone that a server's template names is not in the cloud.
fn nowhere(order: Order<'_>, asks: &Server) -> Option<Diagnostic> {
    let (name, hosts) = (&asks.name, &order.cloud.hosts);
    let (message, help) = match (&asks.host, &asks.zone) {
        (Some(named), zone) => match (order.cloud.host(named), zone) {
            (None, _) => (
                format!("`{name}` must be on the host `{named}`, which the hosts file does not have"),
                nearest(named, hosts.iter().map(|host| &*host.name)).map(did_you_mean),
            ),
            (Some(host), Some(zone)) if host.zone != *zone => (
                format!(
                    "`{name}` must be on the host `{named}` in the zone `{zone}`, but that host is in the zone `{}`",
                    host.zone
                ),
                Some(format!("write `{}:{named}`", host.zone)),
            ),
            _ => return None,
        },
        (None, Some(zone)) if !hosts.iter().any(|host| host.zone == *zone) => (
            format!("`{name}` must be in the zone `{zone}`, which has no host"),
            nearest(zone, hosts.iter().map(|host| &*host.zone)).map(did_you_mean),
        ),
        _ => return None,
    };
    Some(UNKNOWN.about.diagnostic(message).label(&asks.at, "its `availability_zone` says so").help_if(help))
}

fn is_last(server: &str, name: &str) -> bool {
    server.rsplit_once('/').is_some_and(|(_, last)| last == name)
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
