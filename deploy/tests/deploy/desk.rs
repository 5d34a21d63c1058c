//! An engine, and a cloud that carries out every request at once.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use wattle_converge::{
    Desire, Event, Id, Job, Limits, Outcome, Row, State, Step, Stored, Thing, Time, Wait, What, Write,
};
use wattle_deploy::{Deployment, Output, made_here};
use wattle_heat::Loaded;
use wattle_heat::evaluate::Value;
use wattle_heat::parameters::Inputs;
use wattle_model::{Diagnostic, Name, Value as Known};

use crate::kinds::Drivers;

pub(crate) const KEY: [u8; 32] = [7; 32];

/// The template of this text, with files beside it and values of its parameters.
pub(crate) fn loaded(text: &str, files: &[(&str, &str)], given: &[(&str, &str)]) -> Loaded {
    let head = "heat_template_version: 2021-04-16\n";
    let files: BTreeMap<String, Vec<u8>> =
        files.iter().map(|(name, text)| ((*name).to_owned(), format!("{head}{text}").into_bytes())).collect();
    let given = given.iter().map(|(name, value)| ((*name).to_owned(), Value::from(*value))).collect();
    let inputs = Inputs { given, stack: Some("shop".to_owned()), ..Inputs::default() };
    Loaded::load(&format!("{head}{text}"), "template.yaml", &files, &inputs)
}

/// The same template as a deployment for the core drivers.
pub(crate) fn tried(text: &str, files: &[(&str, &str)]) -> Result<Deployment, Vec<Diagnostic>> {
    Deployment::new(loaded(text, files, &[]), Arc::new(Drivers::Core), KEY)
}

pub(crate) fn deployment(text: &str, files: &[(&str, &str)]) -> Deployment {
    tried(text, files).unwrap_or_else(|refused| panic!("{text}\n{refused:#?}"))
}

/// An engine, and a cloud that carries out every request at once.
#[derive(Debug)]
pub(crate) struct Desk {
    pub(crate) state: State,
    rows: BTreeMap<Id, Row>,
    things: BTreeMap<Name, Thing>,
    properties: BTreeMap<Name, Known>,
    made: usize,
}

/// The cost of one desired state.
#[derive(Debug, Default)]
pub(crate) struct Done {
    /// Jobs as texts: `create web`, `delete web`.
    pub(crate) jobs: Vec<String>,
    /// Writes of rows.
    pub(crate) writes: usize,
}

impl Desk {
    pub(crate) fn new() -> Self {
        let (state, _) = State::load(Stored::default(), 1, Limits::default(), Time::from_millis(0)).expect("nothing");
        Self { state, rows: BTreeMap::new(), things: BTreeMap::new(), properties: BTreeMap::new(), made: 0 }
    }

    /// Reaches a desired state.
    pub(crate) fn reach(&mut self, target: &Deployment) -> Done {
        let done = self.settle(Event::Desire(Desire::new(Arc::new(target.clone()))));
        assert!(self.state.is_done(), "{:#?}", self.state.waits());
        done
    }

    /// Returns what is still missing from a desired state when nothing more can be done.
    pub(crate) fn try_to_reach(&mut self, target: &Deployment) -> Vec<Wait> {
        self.settle(Event::Desire(Desire::new(Arc::new(target.clone()))));
        self.state.waits()
    }

    pub(crate) fn delete(&mut self) -> Done {
        let done = self.settle(Event::Desire(Desire::nothing()));
        assert!(self.rows.is_empty());
        done
    }

    fn settle(&mut self, event: Event) -> Done {
        let mut done = Done::default();
        let mut jobs: VecDeque<Job> = VecDeque::new();
        let mut next = Some(event);
        while let Some(event) = next {
            let Step { writes, jobs: asked, .. } = self.state.step(event, Time::from_millis(0));
            for write in writes {
                match write {
                    Write::Row(row) => drop(self.rows.insert(row.id, *row)),
                    Write::Remove(id) => drop(self.rows.remove(&id)),
                    Write::DesiredState(_) | Write::Good(_) => continue,
                }
                done.writes += 1;
            }
            jobs.extend(asked);
            next = jobs.pop_front().map(|job| {
                let outcome = Outcome::Done(self.carry_out(&job, &mut done));
                Event::Done { job: job.id, row: job.row, outcome }
            });
        }
        assert!(self.state.is_quiet());
        done
    }

    fn carry_out(&mut self, job: &Job, done: &mut Done) -> Option<Thing> {
        let (word, properties) = match &job.what {
            What::Create { properties } => ("create", Some(properties)),
            What::Update { properties } => ("update", Some(properties)),
            What::Delete => ("delete", None),
            What::Release { .. } => ("release", None),
            What::Look => ("look", None),
            What::Read => ("read", None),
            What::Drain => return None,
        };
        done.jobs.push(format!("{word} {}", job.name));
        let properties = properties?;
        self.properties.insert(job.name.clone(), properties.clone());
        let thing = made_here(job).unwrap_or_else(|| {
            let phys = job.phys.clone().unwrap_or_else(|| {
                self.made += 1;
                format!("{}-{}", job.name, self.made).into()
            });
            Thing { attributes: attributes(&job.kind, &job.name, properties), phys }
        });
        self.things.insert(job.name.clone(), thing.clone());
        Some(thing)
    }

    /// The properties of the last creation or change of a resource.
    pub(crate) fn given(&self, name: &str) -> String {
        self.properties[name].to_string()
    }

    pub(crate) fn property(&self, name: &str, property: &str) -> Known {
        let Known::Map(properties) = &self.properties[name] else { panic!("{name} has no properties") };
        properties.get(property).cloned().unwrap_or_else(|| panic!("{name} has no `{property}`"))
    }

    pub(crate) fn outputs(&self, target: &Deployment) -> Vec<Output> {
        target.outputs(&|name| self.things.get(name))
    }

    /// The thing that stands for a name.
    pub(crate) fn phys(&self, name: &str) -> String {
        self.state.standing(name).and_then(|row| row.thing.as_ref()).map(|thing| thing.phys.to_string()).expect(name)
    }
}

/// All attributes of a type: its properties have their given values, all others are named after the resource.
fn attributes(kind: &str, name: &str, properties: &Known) -> BTreeMap<Name, Known> {
    let schema = wattle_heat::schema::schema(kind).expect("a type");
    let given = |attribute: &Name| match properties {
        Known::Map(properties) => properties.get(attribute).cloned(),
        _ => None,
    };
    let value = |attribute: &Name| given(attribute).unwrap_or_else(|| format!("{name}.{attribute}").into());
    schema.attributes.keys().map(|attribute| (attribute.clone(), value(attribute))).collect()
}
