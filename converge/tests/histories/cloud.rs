//! A cloud that carries out requests, and checks the invariants of its clients.

use std::collections::{BTreeMap, BTreeSet};

use wattle_converge::{Id, Job, Outcome, Thing, Wanted, What};
use wattle_model::{Name, Value};

use super::wish::may_be_noted;

/// A thing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Made {
    pub(crate) mark: Id,
    pub(crate) name: Name,
    pub(crate) fixed: String,
    pub(crate) free: String,
    pub(crate) attribute: u64,
    /// Names of the things whose attributes appear in its own.
    pub(crate) shown: BTreeSet<Name>,
    pub(crate) varying: String,
    /// Names of the things that it refers to.
    pub(crate) refs: BTreeSet<Name>,
    pub(crate) holds: BTreeSet<Name>,
    /// Whether somebody changed it behind the engine's back.
    pub(crate) is_changed: bool,
    pub(crate) is_broken: bool,
    /// The end of the cloud's action on it.
    pub(crate) busy_until: u64,
    /// Whether it was created by a duplicated request.
    pub(crate) is_double: bool,
}

impl Made {
    /// Whether it has no mark: it existed before, and no request has changed it yet.
    pub(crate) fn is_nobodys(&self) -> bool {
        self.mark == Id::default()
    }
}

/// All things, by name in the cloud.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cloud {
    pub(crate) things: BTreeMap<Name, Made>,
    /// Marks that two things have had. Only the engine knows for which of them a row stands.
    doubled: BTreeSet<Id>,
    made: u64,
}

fn text(properties: &Value, key: &str) -> String {
    let Value::Map(map) = properties else { return String::new() };
    map.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn names(properties: &Value, key: &str) -> BTreeSet<Name> {
    let Value::Map(map) = properties else { return BTreeSet::new() };
    let Some(Value::List(names)) = map.get(key) else { return BTreeSet::new() };
    names.iter().filter_map(Value::as_str).map(Name::from).collect()
}

fn attribute(properties: &Value) -> u64 {
    let Value::Map(map) = properties else { return 0 };
    match map.get("a") {
        Some(Value::Integer(number)) => u64::try_from(*number).unwrap_or_default(),
        _ => 0,
    }
}

/// The attribute of a thing: its own value, and those of the things that it shows.
pub(crate) fn attribute_of(things: &BTreeMap<Name, Made>, phys: &Name) -> u64 {
    let Some(thing) = things.get(phys) else { return 0 };
    thing.attribute + thing.shown.iter().map(|shown| 10 * attribute_of(things, shown)).sum::<u64>()
}

impl Cloud {
    /// The name of a job's thing.
    pub(crate) fn find(&self, job: &Job) -> Option<Name> {
        if let Some(phys) = &job.phys {
            return self.things.contains_key(phys).then(|| phys.clone());
        }
        let has_mark = |(_, thing): &(&Name, &Made)| thing.mark == job.row && !thing.is_double;
        self.things.iter().find(has_mark).map(|(phys, _)| phys.clone())
    }

    /// Adds a thing that no leader has created, and that may match the wanted state.
    pub(crate) fn was_there(&mut self, name: &Name, wanted: &Wanted) -> Name {
        self.made += 1;
        let phys = Name::from(format!("{name}{}", self.made));
        let made = Made {
            mark: Id::default(),
            name: name.clone(),
            fixed: wanted.fixed.to_string(),
            free: "as somebody made it".to_owned(),
            attribute: 9,
            shown: BTreeSet::new(),
            varying: text(&wanted.properties, "v"),
            refs: BTreeSet::new(),
            holds: BTreeSet::new(),
            is_changed: false,
            is_broken: false,
            busy_until: 0,
            is_double: false,
        };
        self.things.insert(phys.clone(), made);
        phys
    }

    pub(crate) fn thing(&self, phys: &Name) -> Thing {
        let attributes = [(Name::from("a"), Value::from(attribute_of(&self.things, phys)))];
        Thing { phys: phys.clone(), attributes: attributes.into() }
    }

    /// Handles the arrival of a request. Returns its result, or the violated invariant.
    pub(crate) fn arrive(&mut self, job: &Job, is_double: bool) -> Result<Outcome, String> {
        let found = self.find(job);
        match (&job.what, found) {
            (What::Create { properties }, _) if is_double => self.make(job, properties, true),
            // A worker that considers the job new does not look for the thing.
            (What::Create { properties }, _) if job.is_new => self.make(job, properties, false),
            (What::Create { properties }, None) => self.make(job, properties, false),
            (What::Create { .. } | What::Look | What::Read, Some(phys)) => Ok(Outcome::Done(Some(self.thing(&phys)))),
            (What::Look | What::Read | What::Update { .. } | What::Release { .. } | What::Delete, None) => {
                Ok(Outcome::Absent)
            }
            (What::Update { properties }, Some(phys)) => self.update(job, &phys, properties),
            (What::Release { exclusive }, Some(phys)) => {
                let thing = self.things.get_mut(&phys).expect("it was found");
                thing.holds.retain(|held| !exclusive.contains(held));
                thing.free += " and not all";
                Ok(Outcome::Done(None))
            }
            (What::Delete, Some(phys)) => {
                let refused = self.is_referred_to(&phys)?;
                if refused.is_none() {
                    self.things.remove(&phys);
                }
                Ok(refused.unwrap_or(Outcome::Done(None)))
            }
            (What::Drain, _) => Ok(Outcome::Done(None)),
        }
    }

    /// Nobody may delete a thing that is referred to. Things created by a duplicated request are unknown to all, so the
    /// cloud has to report them.
    pub(crate) fn is_referred_to(&self, phys: &Name) -> Result<Option<Outcome>, String> {
        let Some((user, thing)) = self.things.iter().find(|(_, thing)| thing.refs.contains(phys)) else {
            return Ok(None);
        };
        if self.doubled.contains(&thing.mark) {
            return Ok(Some(Outcome::Later(std::time::Duration::from_secs(30))));
        }
        Err(format!("{phys} is deleted while {user} refers to it"))
    }

    fn make(&mut self, job: &Job, properties: &Value, is_double: bool) -> Result<Outcome, String> {
        let refs = names(properties, "refs");
        if refs.iter().any(|phys| !self.things.contains_key(phys)) {
            return Ok(Outcome::Refused("it refers to what is not there".into()));
        }
        let holds = names(properties, "holds");
        // A cloud does not grant exclusive resources twice.
        if is_double && !holds.is_empty() {
            return Ok(Outcome::Refused("somebody has it".into()));
        }
        self.are_free(&holds, None)?;
        self.made += 1;
        if is_double {
            self.doubled.insert(job.row);
        }
        let phys = Name::from(format!("{}{}", job.name, self.made));
        let made = Made {
            mark: job.row,
            name: job.name.clone(),
            fixed: text(properties, "fixed"),
            free: text(properties, "free"),
            attribute: attribute(properties),
            shown: names(properties, "shown"),
            varying: text(properties, "v"),
            refs,
            holds,
            is_changed: false,
            is_broken: false,
            busy_until: 0,
            is_double,
        };
        self.things.insert(phys.clone(), made);
        Ok(Outcome::Done(Some(self.thing(&phys))))
    }

    fn update(&mut self, job: &Job, phys: &Name, properties: &Value) -> Result<Outcome, String> {
        let refs = names(properties, "refs");
        if refs.iter().any(|phys| !self.things.contains_key(phys)) {
            return Ok(Outcome::Refused("it refers to what is not there".into()));
        }
        let holds = names(properties, "holds");
        self.are_free(&holds, Some(phys))?;
        let thing = self.things.get_mut(phys).expect("it was found");
        let (varying, does) = (text(properties, "v"), text(properties, "varies"));
        let is_another = does == "Replace" && thing.varying != varying && !may_be_noted(&thing.name);
        if thing.fixed != text(properties, "fixed") || is_another {
            return Err(format!("{phys} is updated to what only another thing can be"));
        }
        if does == "InPlace" {
            thing.varying = varying;
        }
        (thing.free, thing.attribute) = (text(properties, "free"), attribute(properties));
        (thing.refs, thing.holds, thing.shown) = (refs, holds, names(properties, "shown"));
        thing.is_changed = false;
        if thing.is_nobodys() {
            thing.mark = job.row;
        }
        Ok(Outcome::Done(Some(self.thing(phys))))
    }

    fn are_free(&self, holds: &BTreeSet<Name>, own: Option<&Name>) -> Result<(), String> {
        let mut others = self.things.iter().filter(|(phys, _)| Some(*phys) != own);
        let taken = others.find_map(|(phys, thing)| Some((phys, thing.holds.intersection(holds).next()?)));
        taken.map_or(Ok(()), |(phys, held)| Err(format!("{held} is given to a second thing while {phys} has it")))
    }
}
