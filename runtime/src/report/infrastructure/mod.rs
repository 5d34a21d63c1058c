//! A stack's infrastructure as it is shown: what stands for each resource, and how that is.
//!
//! What lives here: pure functions of what an [`Onlooker`](crate::deploy::Onlooker) has read. What must not: reading it, and how
//! it looks on a page or in a terminal.

mod json;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use wattle::model::{Name, Resource as Declared};
use wattle::shown::{bounded, one_line};
use wattle_agent_core::time::Time;
use wattle_converge::{Act, Row, Stage, Wait, Why};

use crate::deploy::{Known, Planned, Through};

use super::natural;

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
                let named = named(known);
                let there: BTreeSet<&Name> =
                    named.iter().filter(|(_, named)| named.is_there()).map(|(name, _)| *name).collect();
                for (name, named) in &named {
                    tally.all += usize::from(named.is_wanted);
                    said.extend(named.rows.iter().flat_map(|row| said_of(row, known.number)));
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

/// All that there is of a name.
#[derive(Default)]
struct Named<'k> {
    is_wanted: bool,
    planned: Option<&'k Planned>,
    /// Its rows that there is something of, the oldest first.
    rows: Vec<&'k Row>,
    /// Which of them stands for it.
    stands: Option<&'k Row>,
    number: u64,
}

fn named(known: &Known) -> BTreeMap<&Name, Named<'_>> {
    let mut named: BTreeMap<&Name, Named<'_>> = BTreeMap::new();
    for planned in known.planned.iter().flatten() {
        let named = named.entry(&planned.name).or_default();
        (named.is_wanted, named.planned) = (true, Some(planned));
    }
    for row in &known.rows {
        if row.stage == Stage::Gone && row.is_idle() && failure(row, known.number).is_none() {
            continue;
        }
        named.entry(&row.name).or_default().rows.push(row);
    }
    for named in named.values_mut() {
        named.number = known.number;
        named.stands = named.rows.iter().rev().find(|row| may_stand(row, known.number)).copied();
        named.is_wanted |= known.planned.is_none() && named.stands.is_some();
    }
    named
}

/// Whether a row can stand for its name; of several that can, the youngest does.
fn may_stand(row: &Row, number: u64) -> bool {
    match failure(row, number) {
        Some(failure) => !failure.deleting,
        None => {
            let is_broken = row.stage == Stage::Failed && row.drift.is_some();
            (is_broken || matches!(row.stage, Stage::New | Stage::Sound)) && !row.is_being_deleted()
        }
    }
}

/// What went wrong in this goal: what went wrong before is tried again.
fn failure(row: &Row, number: u64) -> Option<&wattle_converge::Failure> {
    row.failed.as_ref().filter(|failure| failure.generation == number)
}

/// What a row says itself of what is not as asked for.
fn said_of(row: &Row, number: u64) -> Option<String> {
    let failure = failure(row, number)?;
    let cause = failure.cause.clone();
    let why = if failure.deleting { Why::Left(cause) } else { Why::Failed(cause) };
    Some(Wait { name: row.name.clone(), why }.to_string())
}

impl Named<'_> {
    fn is_there(&self) -> bool {
        self.stands.is_some_and(|row| row.is_idle() && row.stage == Stage::Sound && failure(row, self.number).is_none())
    }

    fn shown(&self, name: &Name, known: &Known, there: &BTreeSet<&Name>) -> Vec<Resource> {
        // Of what is not wanted, the youngest has the name.
        let bearer = self.stands.or_else(|| self.rows.last().copied().filter(|_| !self.is_wanted));
        let rows = self.rows.iter().rev().map(|row| {
            let is_bearer = bearer.is_some_and(|bearer| bearer.id == row.id);
            let stands = self.is_wanted && self.stands.is_some_and(|stands| stands.id == row.id);
            let key = if is_bearer { name.clone() } else { format!("{name} ({})", row.id).into() };
            of_row(row, key, stands, known.number)
        });
        let mut shown: Vec<Resource> = rows.collect();
        if let Some(planned) = self.planned
            && self.stands.is_none()
        {
            shown.push(missing(planned, known, there));
        }
        shown
    }
}

fn of_row(row: &Row, key: Name, stands: bool, number: u64) -> Resource {
    let how = match (failure(row, number), row.act()) {
        (Some(failure), _) if !failure.deleting => How::Failed(legible(&failure.cause)),
        (_, Some(Act::Create)) => How::Busy("is being created"),
        (_, Some(Act::Look)) => How::Busy("is being looked for"),
        (_, Some(Act::Update { .. })) => How::Busy("is being changed"),
        (_, Some(Act::Release { .. })) => How::Busy("gives up what another one needs"),
        (_, Some(Act::Delete)) => How::Leaving,
        (Some(failure), None) => How::Failed(format!("could not be deleted: {}", legible(&failure.cause))),
        (None, None) => match (row.stage, &row.drift) {
            (Stage::New, _) => How::Busy("is being looked for"),
            (Stage::Failed, Some(why)) if stands => How::Failed(format!("is broken: {}", legible(why))),
            (Stage::Sound, Some(how)) if stands => How::Differs(legible(how)),
            (Stage::Sound, None) if stands => How::There,
            (Stage::Sound | Stage::Failed | Stage::Gone, _) => How::ToGo,
        },
    };
    let since = Some(row.since.as_millis()).filter(|millis| *millis > 0);
    Resource {
        key,
        name: row.name.clone(),
        kind: Some(row.kind.clone()),
        how,
        id: row.thing.as_ref().map(|thing| thing.phys.clone()),
        since: since.map(|millis| Time::EPOCH + Duration::from_millis(millis)),
        server: server(&row.name, Some(&row.kind)),
    }
}

/// What is wanted and has nothing that stands for it.
fn missing(planned: &Planned, known: &Known, there: &BTreeSet<&Name>) -> Resource {
    let how = if known.is_reached && known.is_settled {
        How::Differs("it is gone".to_owned())
    } else {
        let mut waits: Vec<Name> = planned.after.iter().filter(|name| !there.contains(name)).cloned().collect();
        waits.sort_by(|a, b| natural(a, b));
        How::ToCome(waits)
    };
    let Planned { name, kind, .. } = planned;
    let server = server(name, kind.as_ref());
    Resource { key: name.clone(), name: name.clone(), kind: kind.clone(), how, id: None, since: None, server }
}

fn made_by_heat(name: &Name, phys: &Name) -> Resource {
    let kind = Name::from(Declared::SERVER);
    let server = server(name, Some(&kind));
    let id = Some(phys.clone());
    Resource { key: name.clone(), name: name.clone(), kind: Some(kind), how: How::There, id, since: None, server }
}

/// What components know a server by: within a nested stack, or a group, its own name comes last.
fn server(name: &str, kind: Option<&Name>) -> Option<Name> {
    let is_server = kind.is_some_and(|kind| &**kind == Declared::SERVER);
    is_server.then(|| name.rsplit('/').next().unwrap_or(name).into())
}

/// What a service says, as it can be shown.
fn legible(text: &str) -> String {
    one_line(&bounded(text.to_owned()))
}
