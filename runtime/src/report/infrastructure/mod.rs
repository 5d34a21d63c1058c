//! The displayed infrastructure of a stack: the thing that stands for each resource, and its state.
//!
//! This module contains pure functions of the readings of an [`Onlooker`](crate::deploy::Onlooker). Reading it, and its
//! presentation on a page or in a terminal, do not belong here.

mod json;
mod named;
mod words;

use std::collections::BTreeSet;

use wattle::model::{Name, Resource as Declared};
use wattle_agent_core::time::Time;
use wattle_converge::{Wait, Why};

use crate::deploy::{Known, MadeByHeat, Through};

use super::natural;

use named::{legible, said_of, server, time};

/// The largest number of resources that are listed. Those in their wanted state are omitted first.
const MOST: usize = 5_000;

/// The largest number of notes about other problems.
const NOTES: usize = 100;

/// A stack's infrastructure at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Infrastructure {
    /// The stack.
    pub stack: Name,
    /// What deploys it.
    pub through: Through,
    /// The number of the desired deployment; 0 before there is one.
    pub number: u64,
    /// Whether there is progress.
    pub pace: Pace,
    /// The resources that exist or are planned: first those that are wrong, then those in progress.
    pub resources: Vec<Resource>,
    /// How many more resources there are.
    pub left_out: usize,
    /// The number of resources by state.
    pub tally: Built,
    /// Other obstacles to the requested state, each in one sentence.
    pub notes: Vec<String>,
}

/// Whether there is progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// A process is working on it.
    GoesOn,
    /// Work is left, but no process is doing it.
    Stopped,
    /// Nothing is left to do.
    Over,
    /// Heat does it, and only Heat knows.
    Unknown,
}

/// The number of resources by state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Built {
    /// Planned resources. If the plan is unknown, those that exist.
    pub all: usize,
    /// Resources that exist.
    pub there: usize,
    /// Resources with an action in progress, including deletions.
    pub busy: usize,
    /// Resources that have to be created.
    pub to_come: usize,
    /// Resources that have to be deleted.
    pub to_go: usize,
    /// Resources that differ from their deployed state.
    pub differ: usize,
    /// Resources with a failure.
    pub failed: usize,
}

/// A resource, or the remains of one that has been replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// Its name, extended to be unique if it does not stand for that name.
    pub key: Name,
    /// Its name.
    pub name: Name,
    /// Its type, if it is known.
    pub kind: Option<Name>,
    /// Its state.
    pub how: How,
    /// Its id in the cloud, once it has one.
    pub id: Option<Name>,
    /// When it entered this state.
    pub since: Option<Time>,
    /// The name by which components know it, if it is a server.
    pub server: Option<Name>,
}

/// The state of a resource.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum How {
    /// Something failed; the value describes it.
    Failed(String),
    /// It differs from its deployed state; the value describes how.
    Differs(String),
    /// An action is in progress; the value describes it.
    Busy(&'static str),
    /// It is being deleted.
    Leaving,
    /// It will be created once these exist.
    ToCome(Vec<Name>),
    /// It will be deleted.
    ToGo,
    /// It exists.
    There,
}

impl Infrastructure {
    /// Converts what is `known` to the displayed form.
    pub fn of(known: &Known) -> Self {
        let mut resources = Vec::new();
        let mut tally = Built::default();
        let mut said = BTreeSet::new();
        match known.through {
            Through::Heat => {
                resources = known.servers.iter().map(|(name, made)| made_by_heat(name, made)).collect();
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

    /// Resources with a failure or a difference from their deployed state.
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

fn made_by_heat(name: &Name, made: &MadeByHeat) -> Resource {
    let kind = Name::from(Declared::SERVER);
    let server = server(name, Some(&kind));
    let id = Some(made.phys.clone());
    let since = made.since.and_then(time);
    Resource { key: name.clone(), name: name.clone(), kind: Some(kind), how: How::There, id, since, server }
}
