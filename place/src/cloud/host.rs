//! One host of a hosts file.

use std::collections::BTreeSet;

use wattle_heat::yaml::{Node, Pair, Span, Tree};

use super::fields::Reading;
use super::places::{Places, standing};
use super::{Amounts, Cloud, DISK, Host, MEMORY, VCPUS};
use crate::amount::{Unit, thousandths};
use crate::codes::{AMOUNT, OVERFULL};

/// The keys of a host.
const KEYS: [&str; 8] = ["in", VCPUS, MEMORY, DISK, "resources", "used", "allocation", "traits"];

/// The keys of the defaults for all hosts.
pub(super) const DEFAULTS: [&str; 7] = [VCPUS, MEMORY, DISK, "resources", "used", "allocation", "traits"];

/// The unit of a resource.
pub(super) fn unit(resource: &str) -> Unit {
    match resource {
        MEMORY => Unit::MEMORY,
        DISK => Unit::DISK,
        _ => Unit::Pieces,
    }
}

/// What is said of one host, or of all of them.
#[derive(Clone, Default)]
pub(super) struct Said {
    within: Option<(String, Span)>,
    has: Amounts,
    used: Amounts,
    /// Allocation ratios in thousandths.
    ratios: Amounts,
    traits: BTreeSet<String>,
    /// The keys that were written, correctly or not: a key that is wrong is not reported as missing too.
    written: BTreeSet<String>,
    used_at: Option<Span>,
}

/// Reads the fields of a host, on top of the defaults for all hosts.
pub(super) fn said(reading: &mut Reading, what: &str, node: &Node, defaults: &Said, is_default: bool) -> Said {
    let mut said = defaults.clone();
    let keys: &[&str] = if is_default { &DEFAULTS } else { &KEYS };
    for (key, pair) in reading.known(node, what, keys) {
        match key {
            "in" => {
                let text = reading.text(&pair.value, &format!("`in` of {what}"));
                said.within = text.map(|text| (text.to_owned(), pair.value.span));
            }
            "resources" => {
                for (name, pair) in reading.map(&pair.value, &format!("the resources of {what}")) {
                    amount(reading, &mut said.has, what, name, pair, false);
                }
            }
            "used" => {
                said.used_at = Some(pair.key.span);
                for (name, pair) in reading.map(&pair.value, &format!("what is used of {what}")) {
                    amount(reading, &mut said.used, &format!("what is used of {what}"), name, pair, true);
                }
            }
            "allocation" => {
                for (name, pair) in reading.map(&pair.value, &format!("the allocation ratios of {what}")) {
                    if let Some(ratio) = ratio(reading, what, name, &pair.value) {
                        said.ratios.insert(name.to_owned(), ratio);
                    }
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

fn amount(reading: &mut Reading, amounts: &mut Amounts, what: &str, name: &str, pair: &Pair, rounds_up: bool) {
    match unit(name).read(&pair.value, rounds_up) {
        Ok(amount) => drop(amounts.insert(name.to_owned(), amount)),
        Err(why) => reading.amount(pair.value.span, &format!("{what}: `{name}`"), why),
    }
}

/// An allocation ratio, in thousandths.
fn ratio(reading: &mut Reading, what: &str, name: &str, node: &Node) -> Option<i64> {
    let ratio = match &*node.tree {
        Tree::Integer(number) => thousandths(&number.to_string()),
        Tree::Float(number) => thousandths(&number.to_string()),
        _ => None,
    };
    let ratio = ratio.filter(|ratio| (1..=1_000_000).contains(ratio));
    if ratio.is_none() {
        let why =
            ("it is not a ratio".to_owned(), Some("write a number above 0 and up to 1000, such as `1.5`".to_owned()));
        reading.amount(node.span, &format!("{what}: `allocation` of `{name}`"), why);
    }
    ratio
}

/// The host `name`, from what is said of it.
pub(super) fn host(reading: &mut Reading, name: &str, key: Span, said: Said, places: &Places) -> Host {
    let what = format!("the host `{name}`");
    let standing = match &said.within {
        Some((within, span)) => standing(reading, places, &what, within, *span),
        None => Default::default(),
    };
    let missing: Vec<&str> = [VCPUS, MEMORY, DISK]
        .into_iter()
        .filter(|one| !said.has.contains_key(*one) && !said.written.contains(*one))
        .collect();
    if !missing.is_empty() {
        let missing = wattle_words::names::list(missing, "and");
        let help = "write what all hosts have in common only once, under `defaults`".to_owned();
        reading.report(&AMOUNT.about, key, format!("{what} has no {missing}"), "here", Some(help));
    }
    let total: Amounts = said
        .has
        .iter()
        .map(|(name, amount)| (name.clone(), amount * said.ratios.get(name).copied().unwrap_or(1000) / 1000))
        .collect();
    for (resource, used) in &said.used {
        let there = total.get(resource).copied().unwrap_or(0);
        if *used > there && !said.written.is_empty() {
            let message = format!("{what}: {used} of `{resource}` are used, but there are only {there}");
            let help =
                format!("correct it, or set by how much the host is overcommitted: `allocation: {{{resource}: 1.5}}`");
            reading.report(
                &OVERFULL.about,
                said.used_at.unwrap_or(key),
                message,
                "no server can be added here",
                Some(help),
            );
        }
    }
    Host {
        name: name.to_owned(),
        at: reading.at(key),
        zone: standing.zone.unwrap_or_else(|| Cloud::ZONE.to_owned()),
        room: standing.room,
        rack: standing.rack,
        total,
        used: said.used,
        traits: said.traits,
    }
}
