//! One host of a hosts file.

use std::collections::BTreeSet;

use wattle_heat::yaml::{Node, Pair, Span, Tree};
use wattle_words::names::{did_you_mean, nearest};

use super::fields::Reading;
use super::places::{Places, standing};
use super::{Amounts, Cloud, DISK, Host, MEMORY, VCPUS};
use crate::amount::{Unit, billionths};
use crate::codes::{AMOUNT, OVERFULL, SHAPE};

/// The keys of a host.
const KEYS: [&str; 11] =
    ["in", VCPUS, MEMORY, DISK, "resources", "used", "allocation", "largest", "smallest", "step", "traits"];

/// The keys of the defaults for all hosts.
pub(super) const DEFAULTS: [&str; 10] =
    [VCPUS, MEMORY, DISK, "resources", "used", "allocation", "largest", "smallest", "step", "traits"];

/// The unit of a resource.
pub(super) fn unit(resource: &str) -> Unit {
    match resource {
        MEMORY => Unit::MEMORY,
        DISK => Unit::DISK,
        _ => Unit::Pieces,
    }
}

/// The data of a file about one host, or about all of them.
#[derive(Clone, Default)]
pub(super) struct Said {
    within: Option<(String, Span)>,
    has: Amounts,
    used: Amounts,
    /// Allocation ratios in thousandths.
    ratios: Amounts,
    largest: Amounts,
    smallest: Amounts,
    step: Amounts,
    traits: BTreeSet<String>,
    /// The keys that were written, correctly or not: an invalid key is not reported as missing too.
    written: BTreeSet<String>,
    used_at: Option<Span>,
    /// The resources with data besides their amount: the key that gives it, and the resource.
    about: Vec<(&'static str, String, Span)>,
}

/// Reads the fields of a host, on top of the defaults for all hosts.
pub(super) fn said(reading: &mut Reading, what: &str, node: &Node, defaults: &Said, is_default: bool) -> Said {
    let mut said = Said { about: Vec::new(), ..defaults.clone() };
    let keys: &[&str] = if is_default { &DEFAULTS } else { &KEYS };
    for (key, pair) in reading.known(node, what, keys) {
        match key {
            "in" => {
                let text = reading.text(&pair.value, &format!("`in` of {what}"));
                said.within = text.map(|text| (text.to_owned(), pair.value.span));
            }
            "resources" => {
                for (name, pair) in own_resources(reading, &pair.value, what) {
                    amount(reading, &mut said.has, what, name, pair, false);
                }
            }
            "used" => {
                said.used_at = Some(pair.key.span);
                let what = format!("`used` of {what}");
                for (name, pair) in reading.map(&pair.value, &what) {
                    said.about.push(("used", name.to_owned(), pair.key.span));
                    amount(reading, &mut said.used, &what, name, pair, true);
                }
            }
            "allocation" => {
                for (name, pair) in reading.map(&pair.value, &format!("the allocation ratios of {what}")) {
                    said.about.push(("allocation", name.to_owned(), pair.key.span));
                    if let Some(ratio) = ratio(reading, what, name, &pair.value) {
                        said.ratios.insert(name.to_owned(), ratio);
                    }
                }
            }
            "largest" | "smallest" | "step" => {
                let (key, amounts, rounds_up) = match key {
                    "largest" => ("largest", &mut said.largest, false),
                    "smallest" => ("smallest", &mut said.smallest, true),
                    _ => ("step", &mut said.step, true),
                };
                let what = format!("`{key}` of {what}");
                for (name, pair) in reading.map(&pair.value, &what) {
                    said.about.push((key, name.to_owned(), pair.key.span));
                    amount(reading, amounts, &what, name, pair, rounds_up);
                }
            }
            "traits" => said.traits.extend(reading.texts(&pair.value, &format!("the traits of {what}"))),
            resource => {
                said.written.insert(resource.to_owned());
                amount(reading, &mut said.has, what, resource, pair, false);
            }
        }
    }
    said
}

/// The pairs of `resources`. A resource with a key of its own is reported: otherwise it would depend on the order which
/// of the two counts.
pub(super) fn own_resources<'n>(reading: &mut Reading, node: &'n Node, what: &str) -> Vec<(&'n str, &'n Pair)> {
    let mut pairs = reading.map(node, &format!("the resources of {what}"));
    pairs.retain(|(name, pair)| {
        let is_own = ![VCPUS, MEMORY, DISK].contains(name);
        if !is_own {
            let message = format!("{what}: `{name}` is a key of its own");
            reading.report(
                &SHAPE.about,
                pair.key.span,
                message,
                "here",
                Some("write it beside `resources`".to_owned()),
            );
        }
        is_own
    });
    pairs
}

fn amount(reading: &mut Reading, amounts: &mut Amounts, what: &str, name: &str, pair: &Pair, rounds_up: bool) {
    match unit(name).read(&pair.value, rounds_up) {
        Ok(amount) => drop(amounts.insert(name.to_owned(), amount)),
        Err(why) => reading.amount(pair.value.span, &format!("{what}: `{name}`"), why),
    }
}

/// An allocation ratio, in thousandths.
fn ratio(reading: &mut Reading, what: &str, name: &str, node: &Node) -> Option<i64> {
    let ratio = match &*node.tree {
        Tree::Integer(number) => billionths(&number.to_string()),
        Tree::Float(number) => billionths(&number.to_string()),
        _ => None,
    };
    let ratio = ratio.and_then(|ratio| i64::try_from(ratio / 1_000_000).ok());
    let ratio = ratio.filter(|ratio| (1..=1_000_000).contains(ratio));
    if ratio.is_none() {
        let why =
            ("it is not a ratio".to_owned(), Some("write a number above 0 and up to 1000, such as `1.5`".to_owned()));
        reading.amount(node.span, &format!("{what}: `allocation` of `{name}`"), why);
    }
    ratio
}

impl Said {
    /// Reports defaults for resources that no host has.
    pub(super) fn unheard(&self, reading: &mut Reading, hosts: &[Host]) {
        let known: BTreeSet<&str> = hosts.iter().flat_map(|host| host.total.keys()).map(String::as_str).collect();
        for (key, resource, span) in self.about.iter().filter(|(_, resource, _)| !known.contains(&**resource)) {
            let message = format!("no host has `{resource}`, but `{key}` in `defaults` names it");
            let help = nearest(resource, known.iter().copied()).map(did_you_mean);
            reading.report(&SHAPE.about, *span, message, "here", help);
        }
    }
}

/// The host `name`, from the data in the file.
pub(super) fn host(reading: &mut Reading, name: &str, key: Span, said: Said, places: &Places) -> Host {
    let what = format!("the host `{name}`");
    let standing = match &said.within {
        Some((within, span)) => standing(reading, places, &what, within, *span),
        None => Default::default(),
    };
    let is_there = |one: &str| said.has.contains_key(one) || said.written.contains(one);
    let missing: Vec<&str> = [VCPUS, MEMORY, DISK].into_iter().filter(|one| !is_there(one)).collect();
    if !missing.is_empty() {
        let missing = wattle_words::names::list(missing, "and");
        let help = "write what all hosts have in common only once, under `defaults`".to_owned();
        reading.report(&AMOUNT.about, key, format!("{what} has no {missing}"), "here", Some(help));
    }
    let is_own = |one: &str| [VCPUS, MEMORY, DISK].contains(&one);
    for (key, resource, span) in said.about.iter().filter(|(_, one, _)| !is_there(one) && !is_own(one)) {
        let message = format!("{what} has no `{resource}`, but `{key}` names it");
        let known = said.has.keys().map(String::as_str);
        let help = match nearest(resource, known) {
            Some(near) => did_you_mean(near),
            None => format!("add it: `resources: {{{resource}: 16}}`"),
        };
        reading.report(&SHAPE.about, *span, message, "here", Some(help));
    }
    let total: Amounts = said
        .has
        .iter()
        .map(|(name, amount)| (name.clone(), amount * said.ratios.get(name).copied().unwrap_or(1000) / 1000))
        .collect();
    for (resource, used) in &said.used {
        let Some(there) = total.get(resource).filter(|there| *used > **there) else { continue };
        let message = format!("{what}: {used} of `{resource}` are used, but there are only {there}");
        let help =
            format!("correct it, or set by how much the host is overcommitted: `allocation: {{{resource}: 1.5}}`");
        let label = "no server can be added here that needs any of it";
        reading.report(&OVERFULL.about, said.used_at.unwrap_or(key), message, label, Some(help));
    }
    Host {
        name: name.to_owned(),
        at: reading.at(key),
        zone: standing.zone.unwrap_or_else(|| Cloud::ZONE.to_owned()),
        room: standing.room,
        rack: standing.rack,
        total,
        used: said.used,
        largest: said.largest,
        smallest: said.smallest,
        step: said.step,
        traits: said.traits,
    }
}
