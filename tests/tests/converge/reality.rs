//! A reality that carries out requests.

use std::collections::BTreeMap;

use wattle::model::{Name, Value};
use wattle_converge::{Job, Outcome, Thing, What};

use super::template::Template;

#[derive(Clone, Debug)]
struct Made {
    name: Name,
    props: BTreeMap<Name, Value>,
}

/// All things, by name in the cloud.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reality {
    things: BTreeMap<Name, Made>,
    made: usize,
}

fn props(properties: &Value) -> BTreeMap<Name, Value> {
    match properties {
        Value::Map(map) => map.clone().into_iter().collect(),
        _ => BTreeMap::new(),
    }
}

/// The word for what a job does in reality.
pub(crate) fn verb(job: &Job) -> &'static str {
    match job.what {
        What::Create { .. } => "create",
        What::Update { .. } => "update",
        What::Delete => "delete",
        What::Look => "look for",
        What::Read => "read",
        What::Release { .. } => "release",
        What::Drain => "drain",
    }
}

impl Reality {
    /// Carries out a job.
    pub(crate) fn carry_out(&mut self, job: &Job) -> Outcome {
        match &job.what {
            What::Create { properties } => {
                self.made += 1;
                let phys = Name::from(format!("{}-{}", job.name, self.made));
                let props = props(properties);
                self.things.insert(phys.clone(), Made { name: job.name.clone(), props: props.clone() });
                Outcome::Done(Some(Thing { phys, attributes: props }))
            }
            What::Update { properties } => {
                let Some((phys, made)) = job.phys.as_ref().and_then(|phys| Some((phys, self.things.get_mut(phys)?)))
                else {
                    return Outcome::Absent;
                };
                made.props = props(properties);
                Outcome::Done(Some(Thing { phys: phys.clone(), attributes: made.props.clone() }))
            }
            What::Delete => {
                let found = job.phys.as_ref().and_then(|phys| self.things.remove(phys));
                found.map_or(Outcome::Absent, |_| Outcome::Done(None))
            }
            What::Look | What::Read => Outcome::Absent,
            What::Release { .. } | What::Drain => Outcome::Done(None),
        }
    }

    /// The names in the cloud of a resource's things.
    pub(crate) fn of(&self, name: &str) -> Vec<&Name> {
        self.things.iter().filter(|(_, made)| &*made.name == name).map(|(phys, _)| phys).collect()
    }

    /// The number of things.
    pub(crate) fn total(&self) -> usize {
        self.things.len()
    }

    /// The number of things of each resource.
    pub(crate) fn counts(&self) -> BTreeMap<Name, usize> {
        let mut counts = BTreeMap::new();
        self.things.values().for_each(|made| *counts.entry(made.name.clone()).or_default() += 1);
        counts
    }

    /// The first deviation from a template: one thing for each name and no other, each with the template's properties.
    pub(crate) fn differs(&self, template: &Template) -> Result<(), String> {
        if let Some((name, count)) = self.counts().iter().find(|(name, _)| !template.resources.contains_key(*name)) {
            return Err(format!("there {} of `{name}`, which the template does not have", are(*count)));
        }
        for name in template.resources.keys() {
            let count = self.of(name).len();
            if count != 1 {
                return Err(format!("there {} of `{name}`, and there is to be one", are(count)));
            }
        }
        let thing = |name: &str| {
            let phys = *self.of(name).first()?;
            Some((phys, &self.things.get(phys)?.props))
        };
        for (name, resource) in &template.resources {
            let Some((phys, has)) = thing(name) else { continue };
            let mut wanted = BTreeMap::new();
            for (key, property) in &resource.props {
                wanted.insert(key.clone(), property.resolve(&thing)?);
            }
            if *has != wanted {
                let text = |props: &BTreeMap<Name, Value>| Value::Map(props.clone().into_iter().collect()).to_string();
                return Err(format!("`{phys}` has the properties {}, and is to have {}", text(has), text(&wanted)));
            }
        }
        Ok(())
    }
}

/// `is one`, `are 2`.
pub(crate) fn are(count: usize) -> String {
    match count {
        0 => "is none".to_owned(),
        1 => "is one".to_owned(),
        _ => format!("are {count}"),
    }
}
