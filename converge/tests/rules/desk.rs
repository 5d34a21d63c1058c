//! An engine whose jobs a test answers one by one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use wattle_converge::{
    Desire, Event, Id, Job, Known, Limits, Notice, Outcome, Row, Sight, State, Step, Stored, Target, Thing, Time,
    Wanted, What, Write,
};
use wattle_model::{Name, Value};

/// The wanted state of a name: `fixed`, `free`, its dependencies, and what it holds exclusively. Names of dependencies
/// are properties that can be changed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wish(BTreeMap<&'static str, Resource>);

type Resource = (&'static str, &'static str, Vec<&'static str>, Vec<&'static str>);

impl Wish {
    pub(crate) fn with(
        mut self,
        name: &'static str,
        fixed: &'static str,
        free: &'static str,
        on: &[&'static str],
    ) -> Self {
        self.0.insert(name, (fixed, free, on.to_vec(), Vec::new()));
        self
    }

    pub(crate) fn holding(mut self, name: &'static str, exclusive: &'static str) -> Self {
        self.0.get_mut(name).unwrap().3.push(exclusive);
        self
    }
}

impl Target for Wish {
    fn resources(&self) -> Vec<(Name, Vec<Name>)> {
        let names = |on: &[&str]| on.iter().map(|name| Name::from(*name)).collect();
        self.0.iter().map(|(name, (_, _, on, _))| ((*name).into(), names(on))).collect()
    }

    fn resolve(&self, name: &str, known: &Known<'_>) -> Result<Wanted, String> {
        let (fixed, free, on, exclusive) = &self.0[name];
        if *free == "never" {
            return Err("its text has no such key".to_owned());
        }
        let refs: Vec<&str> = on.iter().filter_map(|name| Some(&*known.thing(name)?.phys)).collect();
        Ok(Wanted {
            kind: "thing".into(),
            fixed: (*fixed).into(),
            free: format!("{free} {refs:?}").into(),
            varying: BTreeMap::new(),
            shows: on.iter().filter(|_| name.starts_with("view")).map(|name| Name::from(*name)).collect(),
            exclusive: exclusive.iter().map(|name| Name::from(*name)).collect(),
            turns: name.starts_with("member").then(|| "its turn".into()).into_iter().collect(),
            drains: name.starts_with("server"),
            corrects: false,
            patience: None,
            properties: words(free),
        })
    }
}

/// A property that has each word as a key, if there are any.
fn words(free: &str) -> Value {
    let keys: Vec<(Name, Value)> = free.split_whitespace().map(|word| (word.into(), Value::Boolean(true))).collect();
    let given = (!keys.is_empty()).then(|| ("words".into(), Value::Map(keys.into_iter().collect())));
    Value::Map(given.into_iter().collect())
}

/// The engine, its running jobs, and its notices.
pub(crate) struct Desk {
    pub(crate) state: State,
    pub(crate) now: u64,
    pub(crate) begun: Vec<Job>,
    pub(crate) said: Vec<Notice>,
    pub(crate) rows: BTreeMap<Id, Row>,
    made: usize,
}

impl Desk {
    pub(crate) fn new() -> Self {
        let (state, _) = State::load(Stored::default(), 1, Limits::default(), Time::from_millis(0)).unwrap();
        Self { state, now: 0, begun: Vec::new(), said: Vec::new(), rows: BTreeMap::new(), made: 0 }
    }

    pub(crate) fn tell(&mut self, event: Event) {
        let step = self.state.step(event, Time::from_millis(self.now));
        self.take(step);
    }

    fn take(&mut self, step: Step) {
        for write in step.writes {
            match write {
                Write::Row(row) => drop(self.rows.insert(row.id, *row)),
                Write::Remove(id) => drop(self.rows.remove(&id)),
                Write::DesiredState(_) | Write::Good(_) => {}
            }
        }
        self.begun.extend(step.jobs);
        self.said.extend(step.notices);
    }

    pub(crate) fn want(&mut self, wish: Wish) {
        self.tell(Event::Desire(Desire::new(Arc::new(wish))));
    }

    pub(crate) fn pass(&mut self, time: Duration) {
        self.now += u64::try_from(time.as_millis()).unwrap();
        self.tell(Event::Tick);
    }

    /// Ends the leader, which reports to the next one that nothing is in progress.
    pub(crate) fn leave(&mut self) {
        self.state.begin_at_once(0);
        let step = self.state.leave();
        self.take(step);
    }

    /// Starts a new leader with all stored facts, and this limit of concurrent jobs.
    pub(crate) fn another_leader_with(&mut self, at_once: usize) {
        let limits = Limits { at_once, ..Limits::default() };
        let stored = Stored {
            desired: self.state.desired().cloned(),
            good: self.state.good().cloned().collect(),
            rows: self.rows.values().cloned().collect(),
        };
        let (state, step) = State::load(stored, 2, limits, Time::from_millis(self.now)).unwrap();
        self.state = state;
        self.begun.clear();
        self.take(step);
    }

    /// Starts a new leader with the default limit.
    pub(crate) fn another_leader(&mut self) {
        self.another_leader_with(Limits::default().at_once);
    }

    /// The running jobs, as texts.
    pub(crate) fn jobs(&self) -> Vec<String> {
        let word = |job: &Job| match &job.what {
            What::Create { .. } => "create".to_owned(),
            What::Look => "look".to_owned(),
            What::Read => "read".to_owned(),
            What::Update { .. } => "update".to_owned(),
            What::Release { exclusive } => format!("release {exclusive:?} of"),
            What::Drain => "drain".to_owned(),
            What::Delete => "delete".to_owned(),
        };
        self.begun.iter().map(|job| format!("{} {}", word(job), job.name)).collect()
    }

    /// Responds to the first running job.
    pub(crate) fn answer(&mut self, outcome: Outcome) {
        self.now += 1;
        let job = self.begun.remove(0);
        self.tell(Event::Done { job: job.id, row: job.row, outcome });
    }

    /// Completes the first job.
    pub(crate) fn done(&mut self) {
        let job = &self.begun[0];
        self.made += 1;
        let phys = job.phys.clone().unwrap_or_else(|| format!("{}{}", job.name, self.made).into());
        self.answer(Outcome::Done(Some(Thing { phys, attributes: BTreeMap::new() })));
    }

    pub(crate) fn all_done(&mut self) {
        while !self.begun.is_empty() {
            self.done();
        }
    }

    pub(crate) fn see(&mut self, name: &str, sight: impl Fn(&Thing) -> Sight) {
        self.now += 1;
        let row = self.rows.values().find(|row| &*row.name == name && row.thing.is_some()).unwrap();
        let (mark, sight) = (row.id, sight(row.thing.as_ref().unwrap()));
        self.tell(Event::Seen { mark, kind: "thing".into(), at: Time::from_millis(self.now), sight });
    }

    /// The existing things, by the names of rows.
    pub(crate) fn things(&self) -> BTreeSet<String> {
        self.rows.values().filter_map(|row| Some(row.thing.as_ref()?.phys.to_string())).collect()
    }

    /// The last report, as texts.
    pub(crate) fn roots(&self) -> Vec<String> {
        match self.said.last() {
            Some(Notice::Settled { roots, .. } | Notice::Stalled(roots)) => {
                roots.iter().map(ToString::to_string).collect()
            }
            other => panic!("it said {other:?}"),
        }
    }
}
