//! Flavors: the demands of servers.

use std::collections::BTreeSet;

use wattle_heat::yaml::{Node, Tree, read};
use wattle_model::{Diagnostic, IndexMap, Source};
use wattle_words::flavor::{Asks, Sizes};

use super::fields::Reading;
use super::host::{own_resources, unit};
use super::{Amounts, DISK, MEMORY, VCPUS, resource};
use crate::amount::Unit;
use crate::codes::{AMOUNT, SHAPE};

/// The keys of a flavor.
const KEYS: [&str; 6] = [VCPUS, MEMORY, DISK, "root", "resources", "traits"];

/// The demand of a server of a flavor.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Flavor {
    /// The amount of each resource.
    pub demand: Amounts,
    /// How much of the disk is the root disk, which a server that boots from a volume does not need.
    pub root: i64,
    /// The traits that its host must have.
    pub traits: BTreeSet<String>,
    /// The location of its definition.
    pub at: Source,
}

/// Flavors by their names.
pub type Flavors = IndexMap<String, Flavor>;

impl Flavor {
    /// Creates the flavor with these demands.
    pub fn of(asks: Asks) -> Self {
        let demand = asks.resources.iter().map(|(class, amount)| (resource(class).to_owned(), *amount)).collect();
        Self { demand, root: asks.root, traits: asks.traits, at: Source::default() }
    }

    /// Reads the flavors in `text`: a map like `flavors` of a hosts file, or the output of
    /// `openstack flavor list -f json`.
    ///
    /// # Errors
    ///
    /// All errors in it.
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
        let (mut written, mut root) = (BTreeSet::new(), None);
        for (key, field) in reading.known(&pair.value, &what, &KEYS) {
            match key {
                "traits" => flavor.traits.extend(reading.texts(&field.value, &format!("the traits of {what}"))),
                "root" => match Unit::DISK.read(&field.value, false) {
                    Ok(amount) => root = Some((amount, field.value.span)),
                    Err(why) => reading.amount(field.value.span, &format!("{what}: `root`"), why),
                },
                "resources" => {
                    for (resource, field) in own_resources(reading, &field.value, &what) {
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
        // The root disk is the whole disk by default.
        let disk = flavor.demand.get(DISK).copied().unwrap_or(0);
        flavor.root = root.map_or(disk, |(root, _)| root);
        if let Some((root, span)) = root.filter(|(root, _)| *root > disk) {
            let message = format!("{what}: `root` is {root} GiB, but it is a part of `disk`, which is {disk} GiB");
            let help = "under `disk`, write the total of the root disk, the ephemeral disk and swap".to_owned();
            reading.report(&AMOUNT.about, span, message, "here", Some(help));
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

/// Reads the output of `openstack flavor list -f json`, with or without `--long`, a list of maps. A root disk of 0 means the
/// image's size, which is unknown here.
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
        // An empty text means no swap.
        let mut further = |key: &str, unit: Unit| {
            let node = item.get(key).filter(|node| node.tree.as_text() != Some(""))?;
            unit.read(node, true).map_err(|why| reading.amount(node.span, &format!("{what}: `{key}`"), why)).ok()
        };
        let (ephemeral, swap) = (further("Ephemeral", Unit::DISK), further("Swap", Unit::MEMORY));
        let of = |resource: &str| flavor.demand.get(resource).copied().unwrap_or(0);
        let (ephemeral, swap) = (ephemeral.unwrap_or(0), swap.unwrap_or(0));
        let sizes = Sizes { vcpus: of(VCPUS), ram: of(MEMORY), root: of(DISK), ephemeral, swap };
        let specs = match item.get("Properties").map(|node| &*node.tree) {
            Some(Tree::Map(specs)) => &specs[..],
            _ => &[],
        };
        let specs = specs.iter().filter_map(|pair| Some((pair.key.tree.as_text()?, pair.value.tree.as_text()?)));
        let flavor = Flavor { at: flavor.at, ..Flavor::of(sizes.asks(specs)) };
        all.insert(name.to_owned(), flavor);
    }
    all
}
