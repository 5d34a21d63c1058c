//! One component in one revision: it waits for its needs, runs or is found unchanged, and publishes.

use std::time::Duration;

use wattle_model::{IndexMap, Name, Value};

use crate::content::Content;
use crate::failure::Failure;
use crate::fingerprint::may_be_same;
use crate::memory::Known;
use crate::outputs;
use crate::record::{Record, Stored};
use crate::server_plan::PlannedComponent;
use crate::vault::Vault;

use super::context::Context;
use super::run::Run;
use super::wait::Wait;

/// A component of the current revision.
#[derive(Debug)]
pub(super) struct Component {
    /// Its name on its server.
    pub(super) name: Name,
    /// `SERVER/COMPONENT`.
    pub(super) full: Name,
    pub(super) planned: PlannedComponent,
    /// How many of its entries have not been read yet.
    pub(super) peeks: usize,
    /// The contents of its entries in this revision. Not empty if the component was here before a crash.
    pub(super) there: IndexMap<Name, Content>,
    /// Whether its entries belong to a newer revision, which another agent of this server has received.
    pub(super) is_superseded: bool,
    pub(super) phase: Phase,
}

/// The phases of a component.
#[derive(Debug)]
pub(super) enum Phase {
    /// It waits until the component at this index, which precedes it, has ended.
    Turn(usize),
    /// It waits for its needs.
    Waiting(Wait),
    /// The files of its recipe are being fetched.
    LayingOut(Start),
    /// The decision has been made, but not all of its entries have been read yet.
    Ready(Box<Next>),
    /// Its start is being written to the journal.
    Starting(Start),
    /// Its start is on disk. It starts once no other agent can act for this server.
    Held(Start),
    /// Its recipe is running.
    Running(Box<Run>),
    /// Its end is being written to the journal.
    Ending(Box<End>),
    /// Its results are being published. The number is how many entries are left.
    Publishing(usize, Box<Outcome>),
    /// It has ended.
    Ended(Outcome),
}

/// The inputs of a run.
#[derive(Clone, Debug)]
pub(super) struct Start {
    /// All inputs, unless the recipe requests them itself.
    pub(super) inputs: IndexMap<Name, Value>,
    /// `None` if the inputs that it reads are known only after the run.
    pub(super) fingerprint: Option<String>,
}

/// The decision about a component.
#[derive(Debug)]
pub(super) enum Next {
    /// It has failed, which is in the journal already.
    StaysFailed(Failure),
    /// It fails now.
    Fail(Failure),
    /// It stays as it was when it finished. A record, if any, has to be written to the journal.
    Keep(IndexMap<Name, Stored>, Option<Box<Record>>),
    /// It has to run.
    Run(Start),
}

/// How a run ended.
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
    /// It failed, or a dependency did.
    Failed(Failure),
    /// It was not started, or its results were not published, because there is a newer revision.
    Abandoned,
}

impl Component {
    /// Its failure in this revision under an earlier agent, according to its entries.
    pub(super) fn failed_before(&self) -> Option<Failure> {
        self.there.values().find_map(|there| match there {
            Content::Failure(failure) => Some(failure.clone()),
            Content::Value(_) | Content::Sealed(_) => None,
        })
    }

    /// When to check it again.
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

    /// The inputs to wait for before it starts. A component that requests its inputs itself waits only for those that
    /// it requested when it last finished, in order to compare them. If its declaration has changed since, it runs in
    /// any case.
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

    /// Whether it may turn out to be unchanged, once its values are there.
    pub(super) fn may_stay(&self, known: Option<&Known>) -> bool {
        known.is_some_and(|known| known.finished.is_some() && may_be_same(&known.planned, &self.planned))
    }

    /// Its outputs from when it finished with this fingerprint, for its present readers, and the record to write about
    /// that. `None` if it must run.
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
