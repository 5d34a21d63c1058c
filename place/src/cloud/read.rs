//! A hosts file and its sections.

use wattle_heat::yaml::{self, Tree};
use wattle_model::{Diagnostic, IndexMap, Severity};

use super::fields::Reading;
use super::flavors::flavors;
use super::host::{Said, host, said};
use super::openstack::hypervisors;
use super::places::{self, Places};
use super::{Cloud, Flavors};
use crate::codes::{PLACE, SHAPE};

/// The sections of the file.
const SECTIONS: [&str; 4] = ["places", "defaults", "hosts", "flavors"];

/// Implements [`Cloud::read`].
pub(super) fn read(text: &str, file: &str) -> Result<(Cloud, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut reading = Reading::of(file);
    let cloud = match yaml::read(text) {
        Ok(node) => match &*node.tree {
            Tree::List(items) => hypervisors(&mut reading, items),
            _ => sections(&mut reading, &node),
        },
        Err(error) => {
            unreadable(&mut reading, &error);
            Cloud::default()
        }
    };
    if cloud.hosts.is_empty() && reading.found.is_empty() {
        let help = "describe them: `hosts: {NAME: {vcpus: 32, memory: 128 GiB, disk: 1 TiB}}`";
        let none = SHAPE.about.diagnostic(format!("`{file}` has no hosts")).help(help);
        reading.found.push(none);
    }
    let found = wattle_model::check::sorted(reading.found);
    if found.iter().any(|one| one.severity == Severity::Error) { Err(found) } else { Ok((cloud, found)) }
}

/// Reports why a text cannot be parsed.
pub(super) fn unreadable(reading: &mut Reading, error: &yaml::Error) {
    for error in error.all() {
        reading.report(&SHAPE.about, error.span, error.problem.to_string(), "here", error.help());
    }
}

fn sections(reading: &mut Reading, node: &yaml::Node) -> Cloud {
    let (mut all, mut defaults, mut offered) = (Places::default(), Said::default(), Flavors::default());
    let known = reading.known(node, "a hosts file", &SECTIONS);
    let section = |name: &str| known.iter().find(|(key, _)| *key == name).map(|(_, pair)| &pair.value);
    if let Some(node) = section("places") {
        all = places::places(reading, node);
    }
    if let Some(node) = section("defaults") {
        defaults = said(reading, "`defaults`", node, &defaults, true);
    }
    if let Some(node) = section("flavors") {
        offered = flavors(reading, node);
    }
    let mut hosts = Vec::new();
    if let Some(node) = section("hosts") {
        for (name, pair) in reading.map(node, "the hosts") {
            let said = said(reading, &format!("the host `{name}`"), &pair.value, &defaults, false);
            hosts.push(host(reading, name, pair.key.span, said, &all));
        }
    }
    defaults.unheard(reading, &hosts);
    let is_used = |name: &str| {
        hosts
            .iter()
            .any(|host| host.zone == name || host.room.as_deref() == Some(name) || host.rack.as_deref() == Some(name))
    };
    for (name, level, at) in places::empty(&all, &is_used) {
        let message = format!("no host is in the {level} `{name}`");
        let mut empty = PLACE.about.diagnostic(message).label(&reading.at(at), "here");
        empty.severity = Severity::Warning;
        reading.found.push(empty);
    }
    Cloud { hosts, flavors: IndexMap::from_iter(offered) }
}
