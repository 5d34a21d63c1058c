//! A stack's infrastructure as it is shown: what stands for each resource, and how that is.
//!
//! What lives here: pure functions of what an [`Onlooker`](crate::deploy::Onlooker) has read. What must not: reading it, and how
//! it looks on a page or in a terminal.

mod json;
mod named;
mod words;

use std::collections::BTreeSet;

use wattle::model::{Name, Resource as Declared};
use wattle_agent_core::time::Time;
use wattle_converge::{Wait, Why};

use crate::deploy::{Known, Through};

use super::natural;

use named::{legible, said_of, server};

/// Most resources that are shown one by one; those that are as they should be are left out first.
const MOST: usize = 5_000;

/// Most sentences of what else is wrong.
const NOTES: usize = 100;

/// A stack's infrastructure at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Infrastructure {
    /// The stack.
    pub stack: Name,
    /// Who makes it what it is to be.
    pub through: Through,
    /// The number of the deployment that is to be reached; 0 before it has one.
    pub number: u64,
    /// Whether it goes on.
    pub pace: Pace,
    /// What there is and is to be: what is wrong first, then what is under way.
    pub resources: Vec<Resource>,
    /// How many more there are.
    pub left_out: usize,
    /// How many are how far.
    pub tally: Built,
    /// What else keeps it from being as it was asked for, each in a sentence.
    pub notes: Vec<String>,
}

/// Whether it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Somebody is at work.
    GoesOn,
    /// Something is still to be done, and nobody does it.
    Stopped,
    /// Nothing more is to be done.
    Over,
    /// Heat does it, and only Heat knows.
    Unknown,
}

/// How many resources are how far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Built {
    /// That there are to be; those that there are where that is not known.
    pub all: usize,
    /// That are there.
    pub there: usize,
    /// To which something is being done, deletions included.
    pub busy: usize,
    /// That are to be made.
    pub to_come: usize,
    /// That are to be deleted.
    pub to_go: usize,
    /// That are not as they were deployed.
    pub differ: usize,
    /// With which something went wrong.
    pub failed: usize,
}

/// A resource, or what is left of one that another thing stands for now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// Its name, and of what does not stand for it more than that: no two have the same.
    pub key: Name,
    /// Its name.
    pub name: Name,
    /// Its type, where that is known.
    pub kind: Option<Name>,
    /// How it is.
    pub how: How,
    /// Its name in the cloud, once there is one.
    pub id: Option<Name>,
    /// Since when it is so.
    pub since: Option<Time>,
    /// What components know it by, if it is a server.
    pub server: Option<Name>,
}

/// How a resource is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum How {
    /// Something went wrong: what.
    Failed(String),
    /// It is not as it was deployed: how.
    Differs(String),
    /// Something is being done to it: what.
    Busy(&'static str),
    /// It is being deleted.
    Leaving,
    /// It is to be made, once these are there.
    ToCome(Vec<Name>),
    /// It is to be deleted.
    ToGo,
    /// It is there.
    There,
}

impl Infrastructure {
    /// How what is `known` is shown.
    pub fn of(known: &Known) -> Self {
        let mut resources = Vec::new();
        let mut tally = Built::default();
        let mut said = BTreeSet::new();
        match known.through {
            Through::Heat => {
                resources = known.servers.iter().map(|(name, phys)| made_by_heat(name, phys)).collect();
                tally.all = resources.len();
            }
            Through::Wattle => {
                let named = named::all(known);
                let there: BTreeSet<&Name> =
                    named.iter().filter(|(_, named)| named.is_there()).map(|(name, _)| *name).collect();
                for (name, named) in &named {
                    tally.all += usize::from(named.is_wanted);
                    said.extend(named.rows.iter().filter_map(|row| said_of(row, known.number)));
                    resources.extend(named.shown(name, known, &there));
                }
            }
        }
        for resource in &resources {
            match &resource.how {
                How::Failed(_) => tally.failed += 1,
                How::Differs(_) => {
                    tally.differ += 1;
                    let drifted = Wait { name: resource.name.clone(), why: Why::Drifted };
                    said.insert(drifted.to_string());
                }
                How::Busy(_) | How::Leaving => tally.busy += 1,
                How::ToCome(_) => tally.to_come += 1,
                How::ToGo => tally.to_go += 1,
                How::There => tally.there += 1,
            }
        }
        resources.sort_by(|a, b| a.how.rank().cmp(&b.how.rank()).then_with(|| natural(&a.key, &b.key)));
        let left_out = resources.len().saturating_sub(MOST);
        resources.truncate(MOST);
        let notes = known.roots.iter().filter(|root| !said.contains(*root)).take(NOTES);
        Self {
            stack: known.stack.clone(),
            through: known.through,
            number: known.number,
            pace: pace(known),
            resources,
            left_out,
            tally,
            notes: notes.map(|root| legible(root)).collect(),
        }
    }

    /// What went wrong, or is not as it was deployed.
    pub fn wrong(&self) -> impl Iterator<Item = &Resource> {
        self.resources.iter().take_while(|resource| matches!(resource.how, How::Failed(_) | How::Differs(_)))
    }
}

fn pace(known: &Known) -> Pace {
    match known.through {
        _ if known.is_settled => Pace::Over,
        Through::Heat => Pace::Unknown,
        Through::Wattle if known.is_led => Pace::GoesOn,
        Through::Wattle => Pace::Stopped,
    }
}

fn made_by_heat(name: &Name, phys: &Name) -> Resource {
    let kind = Name::from(Declared::SERVER);
    let server = server(name, Some(&kind));
    let id = Some(phys.clone());
    Resource { key: name.clone(), name: name.clone(), kind: Some(kind), how: How::There, id, since: None, server }
}
