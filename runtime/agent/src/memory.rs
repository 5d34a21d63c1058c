//! The accumulated contents of a journal.

use wattle_model::{IndexMap, Name};

use crate::content::Content;
use crate::failure::Failure;
use crate::record::{Record, RevisionId, Stored};
use crate::server_plan::PlannedComponent;
use crate::status::{Did, Step};
use crate::time::Time;

/// The record of a component that was started.
#[derive(Clone, Debug)]
pub struct Known {
    /// Increases with every start.
    pub order: u64,
    /// The revision in which it was started.
    pub revision: RevisionId,
    /// When its recipe began to run.
    pub at: Time,
    /// Its past steps at that time.
    pub past: Vec<Step>,
    /// The server's last plan for it.
    pub planned: PlannedComponent,
    /// Its fingerprint when it was started. `None` if its inputs were unknown then.
    pub fingerprint: Option<String>,
    /// Its inputs or, if its recipe requests its inputs, those that it read.
    pub inputs: IndexMap<Name, Content>,
    /// The outputs that an unfinished run has published.
    pub early: IndexMap<Name, Stored>,
    /// The result of its success. `None` if it has not succeeded.
    pub finished: Option<Finished>,
}

/// A component that succeeded.
#[derive(Clone, Debug)]
pub struct Finished {
    /// When it succeeded.
    pub at: Time,
    /// Its past steps at that time.
    pub past: Vec<Step>,
    /// Its fingerprint.
    pub fingerprint: String,
    /// The inputs that it read, wired or not.
    pub read: Vec<Name>,
    /// Its outputs.
    pub outputs: IndexMap<Name, Stored>,
}

/// A component that failed.
#[derive(Clone, Debug)]
struct Failed {
    revision: RevisionId,
    failure: Failure,
    past: Vec<Step>,
}

/// The memory of one server's components: the sum of the records in its journal.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    order: u64,
    known: IndexMap<Name, Known>,
    failed: IndexMap<Name, Failed>,
}

impl Memory {
    /// Adds a record.
    pub fn note(&mut self, record: Record) {
        match record {
            Record::Started { component, revision, planned, fingerprint, inputs, at, past } => {
                self.order += 1;
                // The same run again after a crash keeps what it published.
                let early = match self.known.get_mut(&component) {
                    Some(before)
                        if before.revision == revision
                            && before.fingerprint == fingerprint
                            && before.finished.is_none() =>
                    {
                        std::mem::take(&mut before.early)
                    }
                    _ => IndexMap::default(),
                };
                let (order, finished) = (self.order, None);
                let known = Known { order, revision, at, past, planned, fingerprint, inputs, early, finished };
                self.known.insert(component, known);
            }
            Record::Early { component, output, stored } => {
                if let Some(known) = self.known.get_mut(&component) {
                    known.early.insert(output, stored);
                }
            }
            Record::Finished { component, fingerprint, inputs, absent, outputs, at, past } => {
                if let Some(known) = self.known.get_mut(&component) {
                    let read = inputs.keys().cloned().chain(absent).collect();
                    known.inputs = inputs;
                    known.early.clear();
                    known.finished = Some(Finished { at, past, fingerprint, read, outputs });
                }
                self.failed.shift_remove(&component);
            }
            Record::Kept { component, planned, outputs } => {
                if let Some(known) = self.known.get_mut(&component) {
                    known.planned = planned;
                    if let Some(finished) = &mut known.finished {
                        finished.outputs = outputs;
                    }
                }
            }
            Record::Failed { component, revision, failure, inputs, past } => {
                if let (Some(known), Some(inputs)) = (self.known.get_mut(&component), inputs) {
                    known.inputs = inputs;
                }
                self.failed.insert(component, Failed { revision, failure, past });
            }
            Record::Undoing { component } => {
                if let Some(known) = self.known.get_mut(&component) {
                    known.finished = None;
                    known.early.clear();
                }
            }
            Record::Gone { component } => {
                self.known.shift_remove(&component);
                self.failed.shift_remove(&component);
            }
        }
    }

    /// The record of `component`.
    pub fn known(&self, component: &str) -> Option<&Known> {
        self.known.get(component)
    }

    /// How `component` failed in `revision`, if it did.
    pub fn failed(&self, component: &str, revision: &RevisionId) -> Option<&Failure> {
        self.failed.get(component).filter(|failed| failed.revision == *revision).map(|failed| &failed.failure)
    }

    /// The past steps of `component` in `revision`, when the journal is opened at the time `now`.
    pub fn past(&self, component: &str, revision: &RevisionId, now: Time) -> Vec<Step> {
        if let Some(failed) = self.failed.get(component).filter(|failed| failed.revision == *revision) {
            return failed.past.clone();
        }
        let Some(known) = self.known.get(component).filter(|known| known.revision == *revision) else {
            return Vec::new();
        };
        if let Some(finished) = &known.finished {
            return finished.past.clone();
        }
        let broken_off = Step { since: known.at, until: now, did: Did::BrokenOff };
        known.past.iter().cloned().chain([broken_off]).collect()
    }

    /// Every component that was started and has not left, the last started first.
    pub fn started(&self) -> impl Iterator<Item = (&Name, &Known)> {
        self.in_order().into_iter().rev()
    }

    fn in_order(&self) -> Vec<(&Name, &Known)> {
        let mut started: Vec<_> = self.known.iter().collect();
        started.sort_by_key(|(_, known)| known.order);
        started
    }

    /// Marks finished components as merely started, so that they run again, and forgets failures. What can be torn down
    /// stays known, with its inputs.
    pub fn forget_finished(&mut self) {
        self.known.values_mut().for_each(|known| known.finished = None);
        self.failed.clear();
    }

    /// Records with the same sum, without any that no longer matter.
    pub fn records(&self) -> Vec<Record> {
        let mut records = Vec::new();
        for (component, known) in self.in_order() {
            let component = || component.clone();
            records.push(Record::Started {
                component: component(),
                revision: known.revision.clone(),
                at: known.at,
                planned: known.planned.clone(),
                fingerprint: known.fingerprint.clone(),
                inputs: known.inputs.clone(),
                past: known.past.clone(),
            });
            for (output, stored) in &known.early {
                records.push(Record::Early { component: component(), output: output.clone(), stored: stored.clone() });
            }
            if let Some(finished) = &known.finished {
                let absent = finished.read.iter().filter(|name| !known.inputs.contains_key(*name)).cloned().collect();
                records.push(Record::Finished {
                    component: component(),
                    at: finished.at,
                    fingerprint: finished.fingerprint.clone(),
                    inputs: known.inputs.clone(),
                    absent,
                    outputs: finished.outputs.clone(),
                    past: finished.past.clone(),
                });
            }
        }
        for (component, failed) in &self.failed {
            let (component, Failed { revision, failure, past }) = (component.clone(), failed.clone());
            records.push(Record::Failed { component, revision, failure, inputs: None, past });
        }
        records
    }
}

#[cfg(test)]
mod tests;
