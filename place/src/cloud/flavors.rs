//! Flavors: what a server asks of its host.

use std::collections::BTreeSet;

use wattle_heat::yaml::{Node, Tree, read};
use wattle_model::{Diagnostic, IndexMap, Source};

use super::fields::Reading;
use super::host::unit;
use super::{Amounts, DISK, MEMORY, VCPUS};
use crate::amount::Unit;
use crate::codes::{AMOUNT, SHAPE};

/// The keys of a flavor.
const KEYS: [&str; 5] = [VCPUS, MEMORY, DISK, "resources", "traits"];

/// What a server of a flavor asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Flavor {
    /// How much of each resource.
    pub demand: Amounts,
    /// The traits that its host must have.
    pub traits: BTreeSet<String>,
    /// Where it is described.
    pub at: Source,
}

/// Flavors by their names.
pub type Flavors = IndexMap<String, Flavor>;

impl Flavor {
    /// The flavors that `text` describes: a map like `flavors` of a hosts file, or the output of `openstack flavor list -f json`.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it, at once.
    pub fn read(text: &str, file: &str) -> Result<Flavors, Vec<Diagnostic>> {
        let mut reading = Reading::of(file);
        let node = match read(text) {
            Ok(node) => node,
            Err(error) => {
                super::read::unreadable(&mut reading, &error);
                return Err(reading.found);
            }
        };
        let found = match &*node.tree {
            Tree::List(items) => listed(&mut reading, items),
            _ => flavors(&mut reading, node.get("flavors").unwrap_or(&node)),
        };
        if reading.found.is_empty() { Ok(found) } else { Err(reading.found) }
    }
}

/// The section `flavors` of a hosts file.
pub(super) fn flavors(reading: &mut Reading, node: &Node) -> Flavors {
    let mut all = Flavors::default();
    for (name, pair) in reading.map(node, "the flavors") {
        let what = format!("the flavor `{name}`");
        let mut flavor = Flavor { at: reading.at(pair.key.span), ..Flavor::default() };
        let mut written = BTreeSet::new();
        for (key, field) in reading.known(&pair.value, &what, &KEYS) {
            match key {
                "traits" => flavor.traits.extend(reading.texts(&field.value, &format!("the traits of {what}"))),
                "resources" => {
                    for (resource, field) in reading.map(&field.value, &format!("the resources of {what}")) {
                        demand(reading, &mut flavor, &what, resource, unit(resource), &field.value);
                    }
                }
                resource => {
                    written.insert(resource);
                    demand(reading, &mut flavor, &what, resource, unit(resource), &field.value);
                }
            }
        }
        let missing: Vec<&str> = [VCPUS, MEMORY].into_iter().filter(|one| !written.contains(one)).collect();
        if !missing.is_empty() {
            let message = format!("{what} has no {}", wattle_words::names::list(missing, "and"));
            reading.report(&AMOUNT.about, pair.key.span, message, "here", None);
        }
        all.insert(name.to_owned(), flavor);
    }
    all
}

fn demand(reading: &mut Reading, flavor: &mut Flavor, what: &str, resource: &str, unit: Unit, node: &Node) {
    match unit.read(node, true) {
        Ok(amount) => drop(flavor.demand.insert(resource.to_owned(), amount)),
        Err(why) => reading.amount(node.span, &format!("{what}: `{resource}`"), why),
    }
}

/// Reads the output of `openstack flavor list -f json`, a list of maps. A root disk of 0 means the image's size, which is unknown
/// here.
fn listed(reading: &mut Reading, items: &[Node]) -> Flavors {
    let mut all = Flavors::default();
    for item in items {
        let Some(name) = item.get("Name").and_then(|name| name.tree.as_text()) else {
            let help = "write the list with `openstack flavor list -f json`".to_owned();
            reading.report(&SHAPE.about, item.span, "a flavor has no `Name`".to_owned(), "here", Some(help));
            continue;
        };
        let what = format!("the flavor `{name}`");
        let mut flavor = Flavor { at: reading.at(item.span), ..Flavor::default() };
        for (key, resource) in [("VCPUs", VCPUS), ("RAM", MEMORY), ("Disk", DISK)] {
            match item.get(key) {
                Some(node) => demand(reading, &mut flavor, &what, resource, unit(resource), node),
                None if key == "Disk" => {}
                None => {
                    reading.report(&AMOUNT.about, item.span, format!("{what} has no `{key}`"), "here", None);
                }
            }
        }
        if let Some(Ok(ephemeral)) = item.get("Ephemeral").map(|node| Unit::DISK.read(node, true)) {
            *flavor.demand.entry(DISK.to_owned()).or_default() += ephemeral;
        }
        all.insert(name.to_owned(), flavor);
    }
    all
}
