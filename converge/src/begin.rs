//! Begins an action: writes its intent and requests its job.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use wattle_model::{Name, Value};

use crate::deadlines::Alarm;
use crate::predicates::{Action, fits};
use crate::state::{Phase, State};
use crate::view::{Needs, View};
use crate::{Act, Effect, Id, Intent, Job, Row, Stage, What};

impl State {
    pub(crate) fn begin(&mut self, action: Action) {
        match action {
            Action::Forget(id) => self.remove(id),
            Action::Repoint(id) => self.repoint(id),
            Action::Look(id) => self.start(id, Act::Look, None, None),
            Action::Delete(id) => {
                // A deadline set before the deletion began does not apply to the deletion.
                if self.rows[&id].row.stage == Stage::Sound {
                    self.alter(id, |row| row.until = None);
                }
                self.start(id, Act::Delete, None, None);
            }
            Action::Update(id) => self.update(id),
            Action::Read(id) => self.read(id),
            Action::Create(place) => self.create(place),
            Action::Release(id, exclusive) => self.start(id, Act::Release { exclusive }, None, None),
        }
    }

    fn repoint(&mut self, id: Id) {
        let place = View::place(self, &self.rows[&id].row);
        let needs = self.index.names[place].needs.rows.clone();
        let wanted = self.wanted(place).expect("INVARIANT: what is wanted was compared");
        let (drains, varying) = (wanted.drains, wanted.values());
        self.alter(id, |row| (row.requires, row.drains, row.varying) = (needs, drains, varying));
    }

    fn update(&mut self, id: Id) {
        let place = View::place(self, &self.rows[&id].row);
        let wanted = self.wanted(place).expect("INVARIANT: an update was decided by what is wanted");
        let (free, holds, patience) = (wanted.free.clone(), wanted.exclusive.clone(), wanted.patience);
        let (drains, varying) = (wanted.drains, wanted.values());
        let Needs { rows: requires, shown } = self.index.names[place].needs.clone();
        let properties = self.properties_of(place);
        let given = named(&properties);
        self.counts_as_correction(place);
        // From now on, the thing may have the mark.
        self.alter(id, |row| {
            row.drains |= drains;
            if std::mem::take(&mut row.adopted) {
                row.drift = None;
            }
        });
        self.start(id, Act::Update { free, varying, requires, shown, holds, given }, patience, Some(properties));
    }

    fn read(&mut self, id: Id) {
        let place = View::place(self, &self.rows[&id].row);
        let wanted = self.wanted(place).expect("INVARIANT: a read was decided by what is wanted");
        let patience = wanted.patience;
        let Needs { rows: requires, shown } = self.index.names[place].needs.clone();
        self.start(id, Act::Read { requires, shown }, patience, None);
    }

    fn create(&mut self, place: usize) {
        let id = self.issue();
        let wanted = self.wanted(place).expect("INVARIANT: a creation was decided by what is wanted");
        let patience = wanted.patience;
        let properties = self.properties_of(place);
        let Needs { rows: requires, shown } = self.index.names[place].needs.clone();
        let row = Row {
            id,
            name: self.index.names.get_index(place).expect("INVARIANT: it is a place of the table").0.clone(),
            kind: wanted.kind.clone(),
            made: self.generation(),
            fixed: wanted.fixed.clone(),
            free: Some(wanted.free.clone()),
            varying: wanted.values(),
            given: named(&properties),
            requires,
            edition: Id::default(),
            shown,
            holds: wanted.exclusive.clone(),
            turns: wanted.turns.clone(),
            drains: wanted.drains,
            adopted: false,
            stage: Stage::New,
            thing: None,
            failed: None,
            intent: None,
            until: None,
            drift: None,
            since: self.now,
        };
        self.counts_as_correction(place);
        self.add(row);
        self.start(id, Act::Create, patience, Some(properties));
    }

    /// Writes an intent and requests its job, with these properties if it passes any to the thing.
    fn start(&mut self, id: Id, act: Act, patience: Option<Duration>, properties: Option<Value>) {
        let (now, limits) = (self.now, self.limits);
        self.alter(id, |row| {
            row.intent = Some(Intent { act, not_after: now + limits.lease });
            row.until = row.until.or(Some(now + patience.unwrap_or(limits.patience)));
        });
        let entry = self.entry(id);
        entry.is_retried = false;
        entry.drain = (entry.row.drains && entry.row.is_being_deleted()).then(|| now + limits.drain);
        let is_new = self.rows[&id].row.act() == Some(&Act::Create);
        self.ask_for(id, is_new, properties);
    }

    /// The wanted properties of a name.
    fn properties_of(&self, place: usize) -> Value {
        let wanted = self.resolved(place);
        wanted.expect("INVARIANT: what is begun, or begun again, is wanted as it was written down").properties
    }

    /// Requests the job of a row's intent again.
    pub(crate) fn request(&mut self, id: Id) {
        self.ask_for(id, false, None);
    }

    fn ask_for(&mut self, id: Id, is_new: bool, properties: Option<Value>) {
        let place = View::place(self, &self.rows[&id].row);
        let job = self.issue();
        let row = &self.rows[&id].row;
        let intent = row.intent.as_ref().expect("INVARIANT: a job is asked for after its intent is there");
        let properties = || properties.unwrap_or_else(|| self.properties_of(place));
        let drain = self.rows[&id].drain;
        let what = match &intent.act {
            Act::Create => What::Create { properties: properties() },
            Act::Update { .. } => What::Update { properties: properties() },
            Act::Look => What::Look,
            Act::Read { .. } => What::Read,
            Act::Release { exclusive } => What::Release { exclusive: exclusive.clone() },
            Act::Delete if drain.is_some() => What::Drain,
            Act::Delete => What::Delete,
        };
        let phys = row.thing.as_ref().map(|thing| thing.phys.clone());
        let noted = match (&what, &row.thing) {
            (What::Update { .. }, Some(thing)) => thing.attributes.clone(),
            _ => BTreeMap::new(),
        };
        let left = match &intent.act {
            Act::Update { given, .. } => row.given.difference(given).cloned().collect(),
            _ => BTreeSet::new(),
        };
        let not_after = intent.not_after;
        let end = drain.unwrap_or(not_after + self.limits.grace);
        let (name, kind): (Name, Name) = (row.name.clone(), row.kind.clone());
        self.out.jobs.push(Job { id: job, row: id, name, kind, phys, noted, left, what, is_new, not_after });
        self.running += 1;
        self.turn(id, Phase::Running(job), Some(end));
    }

    /// Extends the intent's lease if it has expired, and writes it.
    pub(crate) fn renew(&mut self, id: Id) {
        let (now, lease) = (self.now, self.limits.lease);
        if self.rows[&id].row.intent.as_ref().is_some_and(|intent| intent.not_after <= now) {
            self.alter(id, |row| {
                if let Some(intent) = &mut row.intent {
                    intent.not_after = now + lease;
                }
            });
        }
    }

    /// Counts an action that begins after the desired state was reached as a correction of drift.
    fn counts_as_correction(&mut self, place: usize) {
        if !self.is_complete() {
            return;
        }
        let (now, limit) = (self.now, self.limits.corrections);
        let name = self.index.names.get_index(place).expect("INVARIANT: it is a place of the table").0.clone();
        let times = self.corrections.entry(name.clone()).or_default();
        times.push(now);
        if times.len() > limit {
            times.remove(0);
        }
        self.alarms.insert((now + crate::index::HOUR, Alarm::Rested(name)));
    }

    /// Whether the action begun for a row is still what the desired state requires.
    pub(crate) fn is_as_wanted(&self, id: Id) -> bool {
        let row = &self.rows[&id].row;
        let place = View::place(self, row);
        let (wanted, needs) = (self.wanted(place), &self.needs(place).rows);
        let is_it = |free: Option<&Name>, varying: &BTreeMap<_, _>, requires: &BTreeSet<Id>, holds: &BTreeSet<Name>| {
            wanted.is_some_and(|wanted| {
                let is_same = fits(row, wanted) && wanted.agrees(varying, Effect::InPlace);
                is_same && free == Some(&wanted.free) && requires == needs && *holds == wanted.exclusive
            })
        };
        match row.act() {
            Some(Act::Create) => is_it(row.free.as_ref(), &row.varying, &row.requires, &row.holds),
            Some(Act::Update { free, varying, requires, holds, .. }) => {
                self.pick(place) == Some(id) && is_it(Some(free), varying, requires, holds)
            }
            Some(Act::Read { requires, .. }) => self.pick(place) == Some(id) && requires == needs,
            Some(Act::Look | Act::Release { .. } | Act::Delete) | None => true,
        }
    }
}

/// The names of the given properties, and `PROPERTY.KEY` for the keys of those that are maps.
fn named(properties: &Value) -> BTreeSet<Name> {
    let Value::Map(properties) = properties else { return BTreeSet::new() };
    let given = properties.iter().filter(|(_, value)| **value != Value::Null);
    let all = given.flat_map(|(name, value)| {
        let keys = match value {
            Value::Map(items) => items.keys().map(|key| Name::from(format!("{name}.{key}"))).collect(),
            _ => Vec::new(),
        };
        keys.into_iter().chain([name.clone()])
    });
    all.collect()
}
