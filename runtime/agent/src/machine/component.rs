//! One component in one revision: waits for what it needs, runs or is found unchanged, publishes.

use std::time::Duration;

use wattle_model::{IndexMap, Name, Value};

use crate::content::Content;
use crate::failure::Failure;
use crate::fingerprint::may_be_same;
use crate::memory::Known;
use crate::outputs;
use crate::plan::PlannedComponent;
use crate::record::{Record, Stored};
use crate::vault::Vault;

use super::context::Context;
use super::run::Run;
use super::wait::Wait;

/// A component of the revision at work.
#[derive(Debug)]
pub(super) struct Component {
    /// On its server.
    pub(super) name: Name,
    /// `SERVER/COMPONENT`.
    pub(super) full: Name,
    pub(super) planned: PlannedComponent,
    /// How many of its entries have not been looked at.
    pub(super) peeks: usize,
    /// What its entries hold of this revision: something, if it was here before a crash.
    pub(super) there: IndexMap<Name, Content>,
    /// Whether they are of a newer revision already, of which another agent of this server was told.
    pub(super) is_superseded: bool,
    pub(super) phase: Phase,
}

/// How far a component is.
#[derive(Debug)]
pub(super) enum Phase {
    /// It waits until the component before it, by its place, has ended.
    Turn(usize),
    /// It waits for what it needs.
    Waiting(Wait),
    /// The files of its recipe are fetched.
    LayingOut(Start),
    /// What is to be done is clear; its entries are not all looked at.
    Ready(Box<Next>),
    /// That it starts is written down.
    Starting(Start),
    /// That it starts is on disk; it does so once nobody else can act for this server.
    Held(Start),
    /// Its recipe runs.
    Running(Box<Run>),
    /// How it ended is written down.
    Ending(Box<End>),
    /// What it gave is published: so many entries are left.
    Publishing(usize, Box<Outcome>),
    /// It has ended.
    Ended(Outcome),
}

/// With what a recipe is started.
#[derive(Clone, Debug)]
pub(super) struct Start {
    /// All inputs, unless it asks for them itself.
    pub(super) inputs: IndexMap<Name, Value>,
    /// None if only its run shows what it reads.
    pub(super) fingerprint: Option<String>,
}

/// What is to be done with a component.
#[derive(Debug)]
pub(super) enum Next {
    /// It failed, as the journal knows already.
    StaysFailed(Failure),
    /// It failed.
    Fail(Failure),
    /// It is as it was when it finished; what is to be written down has changed if that is given.
    Keep(IndexMap<Name, Stored>, Option<Box<Record>>),
    /// It is to run.
    Run(Start),
}

/// How a run came to its end.
#[derive(Debug)]
pub(super) enum End {
    Done(IndexMap<Name, Stored>),
    Failed(Failure),
}

/// How a component ended.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    /// It is done.
    Done,
    /// It failed, or what it depends on did.
    Failed(Failure),
    /// It was not begun, or not published, because there is a newer revision.
    Abandoned,
}

impl Component {
    /// How it failed in this revision before this agent, as its entries say.
    pub(super) fn failed_before(&self) -> Option<Failure> {
        self.there.values().find_map(|there| match there {
            Content::Failure(failure) => Some(failure.clone()),
            Content::Value(_) | Content::Sealed(_) => None,
        })
    }

    /// When something is to be done about it.
    pub(super) fn wakes(&self) -> Option<Duration> {
        match &self.phase {
            Phase::Waiting(wait) => wait.wakes(),
            Phase::Running(run) => run.wakes(),
            Phase::Turn(_)
            | Phase::LayingOut(_)
            | Phase::Ready(_)
            | Phase::Starting(_)
            | Phase::Held(_)
            | Phase::Ending(_)
            | Phase::Publishing(..)
            | Phase::Ended(_) => None,
        }
    }

    pub(super) fn outcome(&self) -> Option<&Outcome> {
        if let Phase::Ended(outcome) = &self.phase { Some(outcome) } else { None }
    }

    pub(super) fn run(&mut self) -> Option<&mut Run> {
        if let Phase::Running(run) = &mut self.phase { Some(run) } else { None }
    }

    pub(super) fn entry(&self, output: &str) -> Name {
        format!("{}/{output}", self.full).into()
    }

    /// The inputs that are awaited before it starts. What asks for its inputs itself is only compared by those that it
    /// asked for when it finished; one that is another since runs, whatever they are.
    pub(super) fn read_first(&self, known: Option<&Known>) -> Vec<Name> {
        let comparable = known.filter(|known| may_be_same(&known.planned, &self.planned));
        let finished = comparable.and_then(|known| known.finished.as_ref());
        let all = self.planned.inputs.keys();
        match (self.planned.recipe.tool.is_live(), finished) {
            (false, _) => all.cloned().collect(),
            (true, Some(finished)) => all.filter(|name| finished.read.contains(*name)).cloned().collect(),
            (true, None) => Vec::new(),
        }
    }

    /// Whether it may be found unchanged, once its values are there.
    pub(super) fn may_stay(&self, known: Option<&Known>) -> bool {
        known.is_some_and(|known| known.finished.is_some() && may_be_same(&known.planned, &self.planned))
    }

    /// What it published when it finished with this fingerprint, for those who read it now, and what is to be written down
    /// of that; none if it is to run.
    pub(super) fn kept<V: Vault>(&self, cx: &Context<V>, fingerprint: &str) -> Option<Next> {
        let known = cx.memory.known(&self.name)?;
        let finished = known.finished.as_ref().filter(|finished| finished.fingerprint == fingerprint)?;
        let outputs = outputs::for_readers(&self.full, &self.planned, &finished.outputs, &cx.setup.vault)?;
        let is_new = known.planned != self.planned || finished.outputs != outputs;
        let record = is_new.then(|| {
            let (component, planned) = (self.name.clone(), self.planned.clone());
            Box::new(Record::Kept { component, planned, outputs: outputs.clone() })
        });
        Some(Next::Keep(outputs, record))
    }
}
