//! Policies in a template: in the metadata of one resource, which Heat ignores.

use wattle_heat::yaml::{Node, Span, Tree};
pub use wattle_model::placement::KEY;
use wattle_model::placement::{Level, PlacementRule, Policy, Strength};
use wattle_model::{Bandwidth, Diagnostic, Source};
use wattle_words::names::{did_you_mean, list, nearest};

use crate::cloud::fields::Reading;
use crate::codes::POLICY;

/// The key of each rule, and the accompanying keys.
const RULES: [(&str, &[&str]); 5] = [
    ("apart", &["apart", "by", "preferred"]),
    ("together", &["together", "preferred"]),
    ("near", &["near", "within", "preferred"]),
    ("zone", &["zone", "servers", "preferred"]),
    ("license", &["license", "servers", "preferred"]),
];

/// The policies and wires in a template, with the names that they apply to.
#[derive(Default)]
pub(super) struct Carried {
    pub(super) policies: Vec<Said>,
    /// `None` if the template does not mention wires, not even that there are none.
    pub(super) wires: Option<Vec<Talk>>,
}

/// A policy.
pub(super) struct Said {
    pub(super) rule: PlacementRule,
    pub(super) members: Vec<(String, Source)>,
    pub(super) strength: Strength,
    pub(super) at: Source,
}

/// Servers that communicate.
pub(super) struct Talk {
    pub(super) between: Vec<(String, Source)>,
    pub(super) bandwidth: Bandwidth,
}

/// Reads the policies of `node`, which is below [`KEY`] in `file`, with the names that they use there, and the
/// diagnostics for them.
pub fn policies(node: &Node, file: &str) -> (Vec<Policy>, Vec<Diagnostic>) {
    let mut reading = Reading::reporting(file, &POLICY.about);
    let policies = read(&mut reading, node).policies.into_iter().map(|said| {
        let members = said.members.into_iter().map(|(name, _)| name.into()).collect();
        Policy { rule: said.rule, members, strength: said.strength, at: said.at }
    });
    let policies = policies.collect();
    (policies, reading.found)
}

/// Reads what is below [`KEY`].
pub(super) fn read(reading: &mut Reading, node: &Node) -> Carried {
    let mut carried = Carried::default();
    for (key, pair) in reading.known(node, &format!("`{KEY}`"), &["policies", "wires"]) {
        let Tree::List(items) = &*pair.value.tree else {
            let message = format!("the {key} must be a list, not {}", pair.value.tree.kind());
            reading.report(&POLICY.about, pair.value.span, message, "here", None);
            continue;
        };
        if key == "policies" {
            carried.policies.extend(items.iter().filter_map(|item| policy(reading, item)));
        } else {
            let wires = items.iter().filter_map(|item| wire(reading, item));
            carried.wires.get_or_insert_default().extend(wires);
        }
    }
    carried
}

fn policy(reading: &mut Reading, node: &Node) -> Option<Said> {
    let kinds = RULES.map(|(rule, _)| rule);
    let there: Vec<_> = RULES.into_iter().filter(|(rule, _)| node.get(rule).is_some()).collect();
    let [(kind, keys)] = there[..] else {
        let help = match &*node.tree {
            Tree::Map(pairs) => {
                pairs.iter().find_map(|pair| nearest(pair.key.tree.as_text()?, kinds)).map(did_you_mean)
            }
            _ => None,
        };
        let help = help.unwrap_or_else(|| "write `{apart: [NAME, NAME], by: rack}`".to_owned());
        let message = format!("a policy needs exactly one of {}", list(kinds, "and"));
        reading.report(&POLICY.about, node.span, message, "here", Some(help));
        return None;
    };
    let what = format!("the policy `{kind}`");
    let before = reading.found.len();
    let (mut level, mut strength, mut members) = (None, Strength::Required, None);
    let mut word = None;
    for (key, pair) in reading.known(node, &what, keys) {
        let value = &pair.value;
        match key {
            "by" | "within" => level = self::level(reading, &format!("`{key}` of {what}"), value),
            "preferred" => {
                let weight = number(reading, &format!("`preferred` of {what}"), value);
                strength = weight.map_or(strength, Strength::Preferred);
            }
            "zone" | "license" => word = reading.text(value, &what).map(str::to_owned),
            _ => members = Some(self::members(reading, &format!("the servers of {what}"), value)),
        }
    }
    // Draw no conclusions from invalid input.
    if reading.found.len() > before {
        return None;
    }
    let missing = |key: &str| format!("{what} has no `{key}`");
    if kind == "near" && level.is_none() {
        let help = Some("write `within: rack`, or `host`, `room` or `zone`".to_owned());
        reading.report(&POLICY.about, node.span, missing("within"), "here", help);
        return None;
    }
    let rule = match kind {
        "apart" => PlacementRule::Apart(level.unwrap_or(Level::Host)),
        "together" => PlacementRule::Near(Level::Host),
        "near" => PlacementRule::Near(level?),
        "zone" => PlacementRule::Zone(word?),
        _ => PlacementRule::License(word?),
    };
    let Some(members) = members else {
        let help = Some("write `servers: [NAME]`".to_owned());
        reading.report(&POLICY.about, node.span, missing("servers"), "here", help);
        return None;
    };
    Some(Said { rule, members, strength, at: reading.at(node.span) })
}

fn wire(reading: &mut Reading, node: &Node) -> Option<Talk> {
    let (mut between, mut bandwidth) = (Vec::new(), Bandwidth::of_mbit(1));
    for (key, pair) in reading.known(node, "a wire", &["between", "bandwidth"]) {
        match key {
            "between" => between = members(reading, "`between` of a wire", &pair.value),
            _ => bandwidth = self::bandwidth(reading, &pair.value)?,
        }
    }
    if between.len() != 2 {
        let message = format!("a wire is between 2 servers, but this one is between {}", between.len());
        let help = Some("write `{between: [NAME, NAME], bandwidth: 200 Mbit/s}`".to_owned());
        reading.report(&POLICY.about, node.span, message, "here", help);
        return None;
    }
    Some(Talk { between, bandwidth })
}

fn level(reading: &mut Reading, what: &str, node: &Node) -> Option<Level> {
    let text = reading.text(node, what)?;
    let level = Level::of_word(text);
    if level.is_none() {
        let words = Level::ALL.map(Level::word);
        let mut help = format!("it is one of {}", list(words, "and"));
        if let Some(near) = nearest(text, words) {
            help = format!("{} {help}", did_you_mean(near));
        }
        reading.report(
            &POLICY.about,
            node.span,
            format!("{what}: `{text}` is not a kind of place"),
            "here",
            Some(help),
        );
    }
    level
}

fn bandwidth(reading: &mut Reading, node: &Node) -> Option<Bandwidth> {
    let text = node.as_key();
    let wrong = |help| {
        let message = format!("`bandwidth` of a wire: `{text}` is not a bandwidth");
        reading.report(&POLICY.about, node.span, message, "here", Some(help));
    };
    Bandwidth::read(&text).map_err(wrong).ok()
}

/// A weight.
fn number(reading: &mut Reading, what: &str, node: &Node) -> Option<u32> {
    let number = match &*node.tree {
        Tree::Integer(number) => u32::try_from(*number).ok().filter(|number| (1..=MOST).contains(number)),
        _ => None,
    };
    if number.is_none() {
        let message = format!("{what} must be an integer from 1 to {MOST}");
        reading.report(&POLICY.about, node.span, message, "here", None);
    }
    number
}

/// A larger weight would make all others meaningless.
const MOST: u32 = 1_000_000;

fn members(reading: &mut Reading, what: &str, node: &Node) -> Vec<(String, Source)> {
    let Tree::List(items) = &*node.tree else {
        let message = format!("{what} must be a list of names, not {}", node.tree.kind());
        reading.report(&POLICY.about, node.span, message, "here", Some("write `[NAME, NAME]`".to_owned()));
        return Vec::new();
    };
    let mut all: Vec<(String, Source)> = Vec::new();
    for item in items {
        let Some(name) = reading.text(item, what).map(str::to_owned) else { continue };
        let at = reading.at(item.span);
        if all.iter().any(|(known, _)| *known == name) {
            twice(reading, item.span, what, &name);
        } else {
            all.push((name, at));
        }
    }
    all
}

fn twice(reading: &mut Reading, span: Span, what: &str, name: &str) {
    let message = format!("`{name}` appears twice in {what}");
    reading.report(&POLICY.about, span, message, "here again", Some("remove one".to_owned()));
}
