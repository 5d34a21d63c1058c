//! What the commands that place servers have in common: their options, what they read, and how they show the result.

mod shown;

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use clap::{Arg, value_parser};
use wattle::check::Diagnostic;
use wattle::lower::{POLICIES, Seed};
use wattle::model::{Name, Source, Tree};
use wattle_agent_core::seed::Origin;

use super::args;

pub(super) use shown::{as_json, places, said};

/// The option that names the hosts file.
pub(super) fn hosts() -> Arg {
    file("hosts", "Hosts of the cloud: a hosts file, or the output of `openstack hypervisor list --long -f json`")
}

/// The option for further flavors.
pub(super) fn flavors() -> Arg {
    file(
        "flavors",
        "Further flavors: a file like `flavors` of a hosts file, or the output of `openstack flavor list -f json`",
    )
}

/// The option that says that hosts may be named.
pub(super) fn admin() -> Arg {
    args::flag("admin", "Name hosts, for a stack that an administrator of the cloud creates")
}

fn file(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name("FILE").value_parser(value_parser!(PathBuf)).help(help)
}

/// Something that was read, or everything that is wrong with it.
pub(super) type Found<T> = Result<T, Vec<Diagnostic>>;

/// What a seed knows, but the template that was emitted with it does not.
#[derive(Default)]
pub(super) struct Beside {
    /// Where the author declared each policy, by its number.
    pub(super) places: HashMap<usize, Source>,
    /// Which servers talk to each other. Each pair is listed once, with the number of times that one reads what the
    /// other writes.
    pub(super) wires: Vec<(String, String, u32)>,
}

impl Beside {
    /// What `seed` knows.
    pub(super) fn of(seed: &Seed) -> Self {
        let place = |(name, at): (&Name, &String)| {
            let number = name.strip_prefix(POLICIES)?.strip_prefix('/')?.parse().ok()?;
            let mut parts = at.rsplitn(3, ':');
            let (column, line) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
            Some((number, Source { file: parts.next()?.to_owned().into(), line, column }))
        };
        let mut talks: BTreeMap<(&str, &str), u32> = BTreeMap::new();
        for (to, server) in &seed.servers {
            let wires = server.components.values().flat_map(|component| component.inputs.values());
            let entries = wires.flat_map(Tree::leaves).filter_map(Origin::entry);
            for from in entries.filter_map(|entry| Some(entry.split_once('/')?.0)).filter(|from| *from != &**to) {
                *talks.entry((from.min(to), from.max(to))).or_default() += 1;
            }
        }
        let wires = talks.into_iter().map(|((one, other), bandwidth)| (one.to_owned(), other.to_owned(), bandwidth));
        Self { places: seed.sources.iter().filter_map(place).collect(), wires: wires.collect() }
    }
}
