//! A table of how each reference is resolved.

use std::collections::BTreeSet;

use wattle::lower::{Decision, Reader, Way};

use crate::cli::paint::{Cell, Tone, table};

/// A line for each reference, in the order of the file, and a legend.
pub(super) fn shown(decisions: &[Decision], color: bool, width: usize) -> String {
    if decisions.is_empty() {
        return "nothing refers to anything\n".into();
    }
    let mut sorted: Vec<_> = decisions.iter().collect();
    sorted.sort_by_key(|decision| &decision.at);
    let rows = sorted.iter().map(|decision| {
        vec![
            (decision.at.to_string(), Tone::Faint),
            (reader(&decision.reader), Tone::Plain),
            (format!("reads {}", decision.reference), Tone::Plain),
            (word(decision.way).to_owned(), tone(decision.way)),
        ]
    });
    let mut text = table(&rows.collect::<Vec<Vec<Cell>>>(), color, width);
    let ways: BTreeSet<Way> = decisions.iter().map(|decision| decision.way).collect();
    text.push('\n');
    let meanings =
        ways.into_iter().map(|way| vec![(word(way).to_owned(), tone(way)), (meaning(way).to_owned(), Tone::Plain)]);
    text.push_str(&table(&meanings.collect::<Vec<Vec<Cell>>>(), color, width));
    text
}

fn reader(reader: &Reader) -> String {
    match reader {
        Reader::Input { component, input } => format!("{component}.{input}"),
        Reader::Property { resource, property } => format!("{resource}.{property}"),
        Reader::Export(name) => format!("export {name}"),
        Reader::Output(name) => format!("output {name}"),
        Reader::Requirement(name) => format!("requirement {name}"),
    }
}

fn word(way: Way) -> &'static str {
    match way {
        Way::Heat => "Heat",
        Way::Seed => "seed",
        Way::UserData => "user data",
        Way::Entry => "run time",
    }
}

fn tone(way: Way) -> Tone {
    match way {
        Way::Heat | Way::UserData => Tone::Plain,
        Way::Seed => Tone::Good,
        Way::Entry => Tone::Waiting,
    }
}

fn meaning(way: Way) -> &'static str {
    match way {
        Way::Heat => "Heat resolves it when it creates the stack",
        Way::Seed => "known before Heat starts: `seed apply` writes it to the data space",
        Way::UserData => "Heat resolves it, and the reading server gets it from its user data",
        Way::Entry => "known only at run time: the agent that reads it waits until it is written to the data space",
    }
}
