//! Zones, rooms and racks: each is in a larger one, without cycles.

use wattle_heat::yaml::{Node, Span};
use wattle_model::IndexMap;
use wattle_words::names::{did_you_mean, list, nearest};

use super::Level;
use super::fields::Reading;
use crate::codes::{PLACE, SHAPE};

/// The data of a file about one place.
pub(super) struct Place {
    level: Level,
    within: Option<(String, Span)>,
    at: Span,
}

/// Places by their names.
pub(super) type Places = IndexMap<String, Place>;

/// A location.
#[derive(Default)]
pub(super) struct Standing {
    pub(super) zone: Option<String>,
    pub(super) room: Option<String>,
    pub(super) rack: Option<String>,
}

/// Reads the section `places`. Invalid places are reported, but kept.
pub(super) fn places(reading: &mut Reading, node: &Node) -> Places {
    let mut all = Places::default();
    for (name, pair) in reading.map(node, "the places") {
        let what = format!("the place `{name}`");
        let (mut level, mut within) = (None, None);
        let fields = reading.known(&pair.value, &what, &["is", "in"]);
        let says = fields.iter().any(|(key, _)| *key == "is");
        for (key, field) in fields {
            let Some(text) = reading.text(&field.value, &format!("`{key}` of {what}")) else { continue };
            if key == "in" {
                within = Some((text.to_owned(), field.value.span));
            } else {
                level = kind(reading, &what, text, field.value.span);
            }
        }
        if !says {
            let help = "write `is: zone`, `is: room` or `is: rack`".to_owned();
            reading.report(&SHAPE.about, pair.key.span, format!("{what} has no `is`"), "here", Some(help));
        }
        if let Some(level) = level {
            all.insert(name.to_owned(), Place { level, within, at: pair.key.span });
        }
    }
    circles(reading, &all);
    for (name, place) in &all {
        let Some((within, span)) = &place.within else { continue };
        match all.get(within) {
            None => unknown(reading, &format!("the place `{name}`"), within, *span, &all),
            Some(outer) if outer.level <= place.level && !is_in_circle(&all, name) => {
                let message = format!("the {} `{name}` cannot be in the {} `{within}`", place.level, outer.level);
                let help = "a rack is in a room or a zone, and a room in a zone".to_owned();
                reading.report(&PLACE.about, *span, message, "here", Some(help));
            }
            Some(_) => {}
        }
    }
    all
}

fn kind(reading: &mut Reading, what: &str, text: &str, span: Span) -> Option<Level> {
    let level = Level::of_word(text).filter(|level| *level != Level::Host);
    if level.is_none() {
        let kinds = ["zone", "room", "rack"];
        let mut help = format!("it is one of {}", list(kinds, "and"));
        if let Some(near) = nearest(text, kinds) {
            help = format!("{} {help}", did_you_mean(near));
        }
        reading.report(&PLACE.about, span, format!("{what}: `{text}` is not a kind of place"), "here", Some(help));
    }
    level
}

/// Whether the path outwards from a place returns to it.
fn is_in_circle(all: &Places, name: &str) -> bool {
    let mut at = name;
    for _ in 0..all.len() {
        let Some((within, _)) = all.get(at).and_then(|place| place.within.as_ref()) else { return false };
        if within == name {
            return true;
        }
        at = within;
    }
    false
}

/// Reports each cycle once, hop by hop.
fn circles(reading: &mut Reading, all: &Places) {
    let mut said: Vec<&str> = Vec::new();
    for (name, place) in all {
        if said.contains(&name.as_str()) || !is_in_circle(all, name) {
            continue;
        }
        let mut diagnostic = PLACE.about.diagnostic(format!("the place `{name}` is within itself"));
        let (mut at, mut here) = (name.as_str(), place);
        loop {
            said.push(at);
            let Some((within, span)) = &here.within else { break };
            diagnostic = diagnostic.label(&reading.at(*span), format!("`{at}` is in `{within}`"));
            (at, here) = (within, &all[within]);
            if at == name {
                break;
            }
        }
        reading.found.push(diagnostic.help("remove one `in`, or name a larger place"));
    }
}

fn unknown(reading: &mut Reading, what: &str, within: &str, span: Span, all: &Places) {
    let help = match nearest(within, all.keys().map(String::as_str)) {
        Some(near) => did_you_mean(near),
        None => format!("describe it: `places: {{{within}: {{is: rack}}}}`"),
    };
    let message = format!("{what} is in `{within}`, which is not a place in the file");
    reading.report(&PLACE.about, span, message, "here", Some(help));
}

/// The location of a host or place within `within`.
pub(super) fn standing(reading: &mut Reading, all: &Places, what: &str, within: &str, span: Span) -> Standing {
    let mut found = Standing::default();
    if !all.contains_key(within) {
        unknown(reading, what, within, span, all);
        return found;
    }
    let mut at = Some(within);
    for _ in 0..all.len() {
        let Some((name, place)) = at.and_then(|name| all.get_key_value(name)) else { break };
        let slot = match place.level {
            Level::Zone => &mut found.zone,
            Level::Room => &mut found.room,
            Level::Rack | Level::Host => &mut found.rack,
        };
        slot.get_or_insert_with(|| name.clone());
        at = place.within.as_ref().map(|(within, _)| within.as_str());
    }
    found
}

/// Places without hosts, whose name is probably misspelled somewhere.
pub(super) fn empty<'p>(all: &'p Places, is_used: &dyn Fn(&str) -> bool) -> Vec<(&'p str, Level, Span)> {
    let is_within =
        |name: &str| all.values().any(|place| place.within.as_ref().is_some_and(|(within, _)| within == name));
    let empty = all.iter().filter(|(name, _)| !is_used(name) && !is_within(name));
    empty.map(|(name, place)| (name.as_str(), place.level, place.at)).collect()
}
