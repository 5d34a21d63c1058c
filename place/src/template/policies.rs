//! The policies of a template: those of its server groups, and those in its metadata.

use wattle_heat::evaluate::Value;
use wattle_heat::template::Template;
use wattle_heat::{Desired, Loaded};
use wattle_model::placement::{Level, PlacementRule, Strength};
use wattle_model::{Diagnostic, Severity, Source};
use wattle_words::names::some;

use crate::cloud::fields::Reading;
use crate::codes::POLICY;
use crate::problem::{Policy, WEIGHT, Wire};

use super::Order;
use super::carrier::{Carried, KEY, Said, read as carried};
use super::members::Names;
use super::servers::Servers;

const GROUP: &str = "OS::Nova::ServerGroup";

/// The policies of a template, how many of the first are server groups, and which servers communicate. Errors are
/// reported.
pub(super) fn read(
    order: Order<'_>,
    desired: &Desired,
    servers: &Servers,
    found: &mut Vec<Diagnostic>,
) -> (Vec<Policy>, usize, Vec<Wire>) {
    let names = Names { loaded: order.loaded, desired, servers };
    let Carried { policies: said, wires: talks } = metadata(order, found);
    let mut policies = groups(desired, servers);
    let of_groups = policies.len();
    for (number, one) in said.into_iter().enumerate() {
        let at = (order.said)(number).unwrap_or_else(|| one.at.clone());
        policies.extend(policy(one, at, names, found));
    }
    contradictions(&policies, of_groups, found);
    let mut wires = Vec::new();
    for talk in talks.iter().flatten() {
        let ends = talk.between.iter().map(|one| names.members(one, "a wire", found));
        let Some(ends) = ends.collect::<Vec<_>>().into_iter().collect::<Option<Vec<_>>>() else { continue };
        let pairs = ends[0].iter().flat_map(|one| ends[1].iter().map(move |other| (*one, *other)));
        let pairs = pairs.filter(|(one, other)| one != other);
        wires.extend(pairs.map(|between| Wire { between, bandwidth: talk.bandwidth.mbit() }));
    }
    if talks.is_none() {
        let place = |name: &str| servers.named(name).first().copied();
        let known = order
            .wires
            .iter()
            .filter_map(|(one, other, bandwidth)| Some((place(one)?, place(other)?, bandwidth.mbit())));
        let known = known.filter(|(one, other, _)| one != other);
        wires.extend(known.map(|(one, other, bandwidth)| Wire { between: (one, other), bandwidth }));
    }
    (policies, of_groups, wires)
}

/// Whether a template, or one nested in it, contains any placement policies.
pub(super) fn are_there(loaded: &Loaded) -> bool {
    let mut nested = loaded.library.templates.values().map(|nested| &nested.template);
    let says = |template: &Template| {
        template.resources.values().any(|one| one.metadata.as_ref().is_some_and(|metadata| metadata.get(KEY).is_some()))
    };
    says(&loaded.template) || nested.any(|nested| says(nested))
}

/// Reads the metadata of the template. That of nested templates does not apply to any server.
fn metadata(order: Order<'_>, found: &mut Vec<Diagnostic>) -> Carried {
    let mut all = Carried::default();
    let of = |template: &Template| {
        let carriers = template.resources.values().filter_map(|one| one.metadata.as_ref()?.get(KEY).cloned());
        carriers.collect::<Vec<_>>()
    };
    for node in of(&order.loaded.template) {
        let mut reading = Reading::reporting(&order.loaded.template.file, &POLICY.about);
        let Carried { policies, wires } = carried(&mut reading, &node);
        all.policies.extend(policies);
        if let Some(wires) = wires {
            all.wires.get_or_insert_default().extend(wires);
        }
        found.extend(reading.found);
    }
    for nested in order.loaded.library.templates.values() {
        for node in of(&nested.template) {
            let mut diagnostic = POLICY
                .about
                .diagnostic("the policies of a nested template are not read")
                .label(&nested.template.at(node.span), "here")
                .help("write them in the template itself, where the server `a` of the stack `part` is `part/a`");
            diagnostic.severity = Severity::Warning;
            found.push(diagnostic);
        }
    }
    all
}

/// The policies of server groups, with the servers whose hints name them.
fn groups(desired: &Desired, servers: &Servers) -> Vec<Policy> {
    let mut policies = Vec::new();
    for (name, group) in desired.resources.iter().filter(|(_, one)| one.made_by() == GROUP) {
        let of: Vec<usize> =
            (0..servers.all.len()).filter(|one| servers.all[*one].group.as_ref() == Some(name)).collect();
        if of.len() < 2 {
            continue;
        }
        // `None` if its rules are not known.
        let most = match group.property("rules") {
            Value::Null => Some(1),
            Value::Map(rules) => match rules.get("max_server_per_host") {
                None | Some(Value::Null) => Some(1),
                Some(most) => of_number(most),
            },
            _ => None,
        };
        let Value::List(words) = group.property("policies") else { continue };
        for word in words.iter().filter_map(Value::as_text) {
            let (is_soft, plain) = word.strip_prefix("soft-").map_or((false, word), |plain| (true, plain));
            let rule = match plain {
                "affinity" => PlacementRule::Near(Level::Host),
                "anti-affinity" => PlacementRule::Apart(Level::Host),
                _ => continue,
            };
            let names = some(of.iter().map(|one| &*servers.all[*one].asks.name), 6);
            policies.push(Policy {
                rule,
                members: of.clone(),
                most: most.unwrap_or(1),
                strength: if is_soft || most.is_none() { Strength::Preferred(WEIGHT) } else { Strength::Required },
                at: group.at.clone(),
                words: format!("the server group `{name}` ({word}) of {names}"),
            });
        }
    }
    for one in &servers.all {
        let hints = [(&one.same, "same_host", true), (&one.different, "different_host", false)];
        for (others, hint, is_same) in hints {
            let place = |name: &String| servers.all.iter().position(|other| other.asks.name == *name);
            let this = place(&one.asks.name);
            // Servers on whose hosts it must not be may be together.
            for other in others.iter().filter_map(place).filter(|other| Some(*other) != this) {
                let level = Level::Host;
                policies.push(Policy {
                    rule: if is_same { PlacementRule::Near(level) } else { PlacementRule::Apart(level) },
                    members: this.into_iter().chain([other]).collect(),
                    most: 1,
                    strength: Strength::Required,
                    at: one.asks.at.clone(),
                    words: format!("the hint `{hint}` of `{}`", one.asks.name),
                });
            }
        }
    }
    policies
}

/// A number above 0.
fn of_number(value: &Value) -> Option<usize> {
    let number = match value {
        Value::Integer(number) => usize::try_from(*number).ok(),
        other => other.as_text()?.parse().ok(),
    };
    number.filter(|number| *number > 0)
}

fn policy(said: Said, at: Source, names: Names<'_>, found: &mut Vec<Diagnostic>) -> Option<Policy> {
    let words = said.rule.words(said.members.iter().map(|(name, _)| &**name));
    let of_each: Vec<Option<Vec<usize>>> = said.members.iter().map(|one| names.members(one, &words, found)).collect();
    let is_whole = of_each.iter().all(|one| one.as_ref().is_some_and(|one| !one.is_empty()));
    let mut of: Vec<usize> = Vec::new();
    for one in of_each.into_iter().collect::<Option<Vec<_>>>()?.into_iter().flatten() {
        if !of.contains(&one) {
            of.push(one);
        }
    }
    if of.len() < said.rule.fewest() {
        // A policy that is too small only because some of its members do not exist needs no message.
        if is_whole || said.members.is_empty() {
            let message = format!("{words} needs at least {} servers", said.rule.fewest());
            found.push(POLICY.about.diagnostic(message).label(&at, "here").help("name another one, or remove it"));
        }
        return None;
    }
    Some(Policy { rule: said.rule, members: of, most: 1, strength: said.strength, at, words })
}

/// Reports pairs that can never hold together in any cloud. Whether server groups contradict each other is for Nova to judge.
fn contradictions(policies: &[Policy], of_groups: usize, found: &mut Vec<Diagnostic>) {
    for (first, one) in policies.iter().enumerate() {
        for other in policies.iter().skip(of_groups.max(first + 1)) {
            if one.contradicts(other) {
                let diagnostic = POLICY
                    .about
                    .diagnostic(format!("{} and {} can never hold together", one.words, other.words))
                    .label(&other.at, "this one")
                    .label(&one.at, "and this one");
                found.push(diagnostic.help("remove one, or make it a preference with `preferred: 10`"));
            }
        }
    }
}
