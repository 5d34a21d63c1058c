//! Reads hosts from the output of `openstack hypervisor list --long -f json`.

use wattle_heat::yaml::Node;
use wattle_model::IndexMap;

use super::fields::Reading;
use super::host::unit;
use super::{Amounts, Cloud, Host, MEMORY, VCPUS};
use crate::codes::{AMOUNT, SHAPE, TWICE};

/// Each resource with the names of its columns: the total and the usage.
const COLUMNS: [(&str, &str, &str); 2] = [(VCPUS, "vCPUs", "vCPUs Used"), (MEMORY, "Memory MB", "Memory MB Used")];

/// The hosts of such a list, which has no racks, disks or ratios. Omits hosts that are down.
pub(super) fn hypervisors(reading: &mut Reading, items: &[Node]) -> Cloud {
    let mut hosts: IndexMap<String, Host> = IndexMap::default();
    for item in items {
        let text = |key: &str| item.get(key).and_then(|node| node.tree.as_text());
        let Some(name) = text("Hypervisor Hostname") else {
            let help =
                "write the list with `openstack hypervisor list --long -f json`; a hosts file of your own is a map"
                    .to_owned();
            let message = "a host has no `Hypervisor Hostname`".to_owned();
            reading.report(&SHAPE.about, item.span, message, "here", Some(help));
            continue;
        };
        if text("State").is_some_and(|state| state != "up") {
            continue;
        }
        let (mut total, mut used) = (Amounts::new(), Amounts::new());
        for (resource, has, uses) in COLUMNS {
            let mut column = |key: &str, amounts: &mut Amounts| match item
                .get(key)
                .map(|node| (node.span, unit(resource).read(node, false)))
            {
                Some((_, Ok(amount))) => drop(amounts.insert(resource.to_owned(), amount)),
                Some((span, Err(why))) => reading.amount(span, &format!("the host `{name}`: `{key}`"), why),
                None => {
                    let message = format!("the host `{name}` has no `{key}`");
                    let help =
                        "write the list with `--long` and with a client that uses a microversion below 2.88".to_owned();
                    reading.report(&AMOUNT.about, item.span, message, "here", Some(help));
                }
            };
            column(has, &mut total);
            column(uses, &mut used);
        }
        let at = reading.at(item.span);
        if let Some(first) = hosts.get(name) {
            let twice = TWICE.about.diagnostic(format!("`{name}` appears twice in the hosts"));
            let twice = twice.label(&at, "here again").label(&first.at, "first used here");
            reading.found.push(twice.help("give each its own name, or remove one"));
            continue;
        }
        let host = Host { name: name.to_owned(), at, zone: Cloud::ZONE.to_owned(), total, used, ..Host::default() };
        hosts.insert(name.to_owned(), host);
    }
    Cloud { hosts: hosts.into_values().collect(), flavors: IndexMap::default() }
}
