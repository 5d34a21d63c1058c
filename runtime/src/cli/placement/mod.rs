//! The common part of the commands that place servers: their options, inputs and output.

mod shown;

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Arg, ArgMatches, value_parser};
use wattle::check::Diagnostic;
use wattle::diagram::{Diagram, Place};
use wattle::lower::{POLICIES, Seed, Talk, talks};
use wattle::model::{Bandwidth, IndexMap, Model, Name, Source, Tree};
use wattle_agent_core::seed::Origin;
use wattle_heat::Loaded;
use wattle_place::template::{Order, Placed, Runs, Way, placed};
use wattle_place::{Cloud, Effort, Flavor, Flavors};

use super::args;
use super::error::CommandError;

pub(super) use shown::{as_json, places, said};

/// The option for the hosts file.
pub(super) fn hosts() -> Arg {
    file("hosts", "Hosts of the cloud: a hosts file, or the output of `openstack hypervisor list --long -f json`")
}

/// The option for additional flavors.
pub(super) fn flavors() -> Arg {
    file(
        "flavors",
        "Further flavors: a file like `flavors` of a hosts file, or the output of `openstack flavor list -f json`",
    )
}

/// The option that allows hosts to be named.
pub(super) fn admin() -> Arg {
    args::flag("admin", "Name hosts, for a stack that an administrator of the cloud creates")
}

fn file(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name("FILE").value_parser(value_parser!(PathBuf)).help(help)
}

/// A result, or everything that is wrong with the input.
type Found<T> = Result<T, Vec<Diagnostic>>;

/// The hosts file and the additional flavors.
pub(super) struct Described {
    cloud: Found<(Cloud, Vec<Diagnostic>)>,
    flavors: Found<Flavors>,
}

impl Described {
    /// Reads them by `read`, which gets a path and the kind of the file, and returns its name and its text. `None` if
    /// no hosts file is given.
    pub(super) fn read(
        matches: &ArgMatches,
        mut read: impl FnMut(&PathBuf, &str) -> Result<(String, Arc<str>), CommandError>,
    ) -> Result<Option<Self>, CommandError> {
        let Some(path) = matches.get_one("hosts") else { return Ok(None) };
        let (name, text) = read(path, "the hosts file")?;
        let cloud = Cloud::read(&text, &name);
        let flavors = match matches.get_one("flavors") {
            Some(path) => {
                let (name, text) = read(path, "the flavors")?;
                Flavor::read(&text, &name)
            }
            None => Ok(Flavors::default()),
        };
        Ok(Some(Self { cloud, flavors }))
    }

    /// Places the servers of a template there, and returns the warnings about the files as well. Fails with everything
    /// that is wrong with the files or the policies, or with the reason why there is no placement.
    pub(super) fn place(self, template: &Template<'_>, matches: &ArgMatches) -> Found<Placed> {
        let ((cloud, warnings), flavors) = match (self.cloud, self.flavors) {
            (Ok(cloud), Ok(flavors)) => (cloud, flavors),
            (cloud, flavors) => return Err(cloud.err().into_iter().chain(flavors.err()).flatten().collect()),
        };
        let found = placed(Order {
            loaded: template.loaded,
            text: template.text,
            said: &|number| template.beside.places.get(&number).cloned(),
            wires: &template.beside.wires,
            cloud: &cloud,
            flavors: &flavors,
            runs: template.runs,
            moves: template.moves,
            is_admin: matches.get_flag("admin"),
            effort: Effort::default(),
        });
        // A host that is full according to its file may be why there is no placement.
        match found {
            Ok(mut placed) => {
                placed.warnings.extend(warnings);
                Ok(placed)
            }
            Err(mut wrong) => {
                wrong.extend(warnings);
                Err(wrong)
            }
        }
    }
}

/// A template whose servers are to be placed.
pub(super) struct Template<'t> {
    pub(super) loaded: &'t Loaded,
    /// The text of each of its files.
    pub(super) text: &'t dyn Fn(&str) -> Option<String>,
    pub(super) beside: &'t Beside,
    /// The running servers, by their full names.
    pub(super) runs: &'t BTreeMap<String, Runs>,
    /// Whether they may leave their hosts.
    pub(super) moves: bool,
}

/// Facts known from a seed or a model that are not in the template.
#[derive(Default)]
pub(super) struct Beside {
    /// Where the author declared each policy, by its number.
    pub(super) places: HashMap<usize, Source>,
    /// Which servers communicate, and how much. Each pair is listed once.
    pub(super) wires: Vec<(String, String, Bandwidth)>,
    /// The present names of servers that were deployed under others.
    called_now: IndexMap<Name, Name>,
}

impl Beside {
    /// The facts in a model that was not lowered yet. The policies are in its template.
    pub(super) fn of_model(model: &Model) -> Self {
        let wires = talks(model).into_iter();
        let wires =
            wires.map(|Talk { between: (one, other), bandwidth }| (one.to_string(), other.to_string(), bandwidth));
        Self { wires: wires.collect(), ..Self::default() }
    }

    /// The facts in a `seed`. Where the template gives no bandwidths, each read counts as 1 Mbit/s.
    pub(super) fn of(seed: &Seed) -> Self {
        let place = |(name, at): (&Name, &String)| {
            let number = name.strip_prefix(POLICIES)?.strip_prefix('/')?.parse().ok()?;
            let mut parts = at.rsplitn(3, ':');
            let (column, line) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
            Some((number, Source { file: parts.next()?.to_owned().into(), line, column }))
        };
        let mut talks: BTreeMap<(&str, &str), Bandwidth> = BTreeMap::new();
        for (to, server) in &seed.servers {
            let wires = server.components.values().flat_map(|component| component.inputs.values());
            let entries = wires.flat_map(Tree::leaves).filter_map(Origin::entry);
            for from in entries.filter_map(|entry| Some(entry.split_once('/')?.0)).filter(|from| *from != &**to) {
                let all = talks.entry((from.min(to), from.max(to))).or_default();
                *all = all.and(Bandwidth::of_mbit(1));
            }
        }
        let wires = talks.into_iter().map(|((one, other), bandwidth)| (one.to_owned(), other.to_owned(), bandwidth));
        let places = seed.sources.iter().filter_map(place);
        Self { places: places.collect(), wires: wires.collect(), called_now: seed.called_now.clone() }
    }
}

/// The diagram in `text`, with the certain places of a placement. `None` if it is not a diagram.
pub(super) fn drawn(text: &str, placed: &Placed, beside: &Beside) -> Option<String> {
    let mut diagram = Diagram::from_json(text).ok()?;
    for one in &placed.servers {
        let name = |name: &String| Name::from(name.as_str());
        let zone = Some(name(&one.host.zone));
        let place = match one.way {
            Way::Host | Way::Stays => Place {
                zone,
                room: one.host.room.as_ref().map(name),
                rack: one.host.rack.as_ref().map(name),
                host: Some(name(&one.host.name)),
            },
            Way::Zone => Place { zone, ..Place::default() },
            Way::Nova | Way::Somewhere => continue,
        };
        let now = beside.called_now.get(one.server.as_str()).map_or(&*one.server, |now| &**now);
        // Running servers have the names under which they were deployed.
        diagram.places.insert(one.server.as_str().into(), place.clone());
        diagram.put(now, place);
    }
    Some(diagram.to_json())
}
