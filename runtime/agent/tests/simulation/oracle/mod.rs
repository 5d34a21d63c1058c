//! Invariants, checked at every step by an omniscient observer.
//!
//! What belongs here: invariants, and the history needed to check them. What does not: anything that influences the
//! simulation.

mod begin;
mod beside;
mod expected;
mod settled;
mod waits;

use wattle_agent_core::content::{Content, Written};
use wattle_agent_core::record::{Record, RevisionId};
use wattle_agent_core::revision::Revision;
use wattle_agent_core::server_plan::{PlannedComponent, ServerPlan};
use wattle_agent_core::status::{State, Status};
use wattle_model::{IndexMap, Name, Value};

use crate::agent::layout;
use crate::fnv::{Map, Set};
use crate::topology::{Model, Part};
use crate::world::World;

/// The history of everything that happened.
#[derive(Default)]
pub(crate) struct Oracle {
    /// The model of each revision.
    pub(crate) revisions: Map<Revision, usize>,
    /// A server's plan with a number, and its model.
    pub(crate) plans: Map<(Name, Revision), (ServerPlan, usize)>,
    /// Of these, the plans that a desired revision has reached.
    pub(crate) reached: Set<(Name, Revision)>,
    /// The first content of each entry in a revision.
    first: Map<(Revision, Name), Content>,
    /// Their contents in a data space that was lost since, which earlier readers still use.
    lost: Map<(Revision, Name), Vec<Content>>,
    /// The newest revision of each entry.
    newest: Map<Name, Revision>,
    /// When the data space was last lost.
    lost_at: Option<u64>,
    /// When a place was taken from a different holder than assumed, which may not know yet.
    pub(crate) mistaken: Map<String, u64>,
    /// When each entry was first written in a revision.
    written_at: Map<(Revision, Name), u64>,
    waits: Map<(usize, Name), waits::Wait>,
    wait_number: u64,
    done: Set<(Revision, Name)>,
    finished: Map<(usize, Name), Finished>,
    ran: Map<(usize, Name), (Part, IndexMap<Name, Value>)>,
}

#[derive(Clone)]
struct Finished {
    id: RevisionId,
    fingerprint: String,
    planned: PlannedComponent,
}

fn server_of(what: &str) -> &str {
    what.split_once('/').map_or(what, |(server, _)| server)
}

fn reveal(content: &Content) -> Option<Value> {
    match content {
        Content::Value(value) => Some(value.clone()),
        Content::Sealed(text) => {
            let wrapped: serde_json::Value = serde_json::from_str(text).ok()?;
            serde_json::from_value(wrapped["value"].clone()).ok()
        }
        Content::Failure(_) => None,
    }
}

impl World {
    /// The plan of a server in a revision in which it changed, and its model.
    fn plan_at(&self, server: &Name, revision: &Revision) -> Option<(&ServerPlan, &Model)> {
        let key = (server.clone(), revision.clone());
        let (plan, model) = self.oracle.plans.get(&key).filter(|_| self.oracle.reached.contains(&key))?;
        Some((plan, self.models.get(*model)?))
    }

    /// How many machines the server has had.
    fn machines(&self, host: usize) -> usize {
        let server = &self.hosts[host].server;
        self.hosts.iter().filter(|other| other.server == *server).count()
    }

    /// Handles a write that the store has accepted.
    pub(crate) fn committed(&mut self, session: usize, paths: &[String]) {
        let prefix = format!("{}/", layout().entries());
        for path in paths {
            let Some(entry) = path.strip_prefix(&prefix) else { continue };
            let Some(node) = self.store.truth(path) else {
                self.check_gone(&entry.into());
                continue;
            };
            if node.data.is_empty() {
                continue;
            }
            let Ok(written) = serde_json::from_slice::<Written>(&node.data) else {
                self.breaks(|| format!("`{entry}` is no JSON"));
                continue;
            };
            let (entry, revision): (Name, Revision) = (entry.into(), written.of());
            self.say(|| format!("store: `{entry}` is {written:?} by session {session}"));
            let newest = self.oracle.newest.get(&entry).cloned();
            if newest.as_ref().is_some_and(|newest| *newest > revision) {
                self.breaks(|| format!("`{entry}` of revision {newest:?} is overwritten by {revision:?}"));
            }
            self.oracle.newest.insert(entry.clone(), revision.clone());
            self.oracle.written_at.entry((revision.clone(), entry.clone())).or_insert(self.now);
            let first =
                self.oracle.first.entry((revision.clone(), entry.clone())).or_insert_with(|| written.content.clone());
            if *first != written.content {
                let first = format!("{first:?}");
                self.breaks(|| format!("`{entry}` was {first} in {revision:?}, and is {:?}", written.content));
            }
        }
    }

    /// Checks the removal of an entry: it is not in the model of the desired revision.
    fn check_gone(&mut self, entry: &Name) {
        let desired = self.store.truth(&layout().revision());
        let Some(id) = desired.and_then(|desired| crate::operator::reached(&desired.data)) else { return };
        let model = self.oracle.revisions.get(&id).and_then(|number| self.models.get(*number));
        let is_wanted = model.is_some_and(|model| model.entries().iter().any(|(name, _)| name == entry));
        if is_wanted {
            self.breaks(|| format!("`{entry}` is taken away, and {id:?} has it"));
        }
    }

    /// Checks that published data is on disk before.
    pub(crate) fn check_write(&mut self, host: usize, entry: &Name, revision: &Revision, content: &Content) {
        let mut parts = entry.splitn(3, '/').skip(1);
        let (Some(component), Some(output)) = (parts.next(), parts.next()) else { return };
        if component == "server" || matches!(content, Content::Failure(_)) {
            return;
        }
        let known = self.hosts[host].disk.memory.known(component);
        let is_kept = known.is_some_and(|known| {
            let early = known.early.get(output).is_some_and(|stored| stored.content == *content);
            let finished = known.finished.as_ref().and_then(|finished| finished.outputs.get(output));
            early || finished.is_some_and(|stored| stored.content == *content)
        });
        if !is_kept {
            self.breaks(|| format!("h{host} publishes `{entry}` of {revision:?}, which is not on its disk"));
        }
    }

    pub(crate) fn shown(&mut self, host: usize, name: &Name, status: &Status) {
        let component: Name = name.rsplit('/').next().unwrap_or_default().into();
        self.shows_wait(host, &component, status);
        if status.state == State::Done {
            self.oracle.done.insert((status.of(), name.clone()));
            let component = name.rsplit('/').next().unwrap_or_default();
            let known = self.hosts[host].disk.memory.known(component);
            let outputs: Vec<Name> = known.iter().flat_map(|known| known.planned.outputs.keys().cloned()).collect();
            for output in outputs {
                let key = (status.of(), Name::from(format!("{name}/{output}")));
                // Nothing lost, outside the model, or of a newer revision is written.
                let is_there = self.store.truth(&layout().entry(&key.1)).is_some() && self.oracle.lost_at.is_none();
                let is_newer = self.oracle.newest.get(&key.1).is_some_and(|newest| *newest > key.0);
                if is_there && !is_newer && !self.oracle.first.contains_key(&key) {
                    self.breaks(|| format!("h{host}: {name} is done, and `{}` was never written", key.1));
                }
            }
        }
    }

    /// Handles the loss of all data of the data space.
    pub(crate) fn is_lost(&mut self) {
        self.oracle.newest.clear();
        self.oracle.written_at.clear();
        self.oracle.lost_at = Some(self.now);
        for (key, content) in self.oracle.first.drain() {
            self.oracle.lost.entry(key).or_default().push(content);
        }
    }

    /// Handles a record that is on disk.
    pub(crate) fn recorded(&mut self, host: usize, record: &Record) {
        let key = |component: &Name| (host, component.clone());
        match record {
            Record::Started { component, revision, planned, fingerprint, inputs, .. } => {
                // From now on it may have run.
                let server = &self.hosts[host].server;
                let full: Name = format!("{server}/{component}").into();
                let planned_at = self.plan_at(server, &revision.revision);
                let part = planned_at.and_then(|(_, model)| model.parts.get(&full)).cloned();
                let inputs = inputs.iter().filter_map(|(name, input)| Some((name.clone(), reveal(input)?))).collect();
                self.oracle.ran.extend(part.map(|part| (key(component), (part, inputs))));
                let Some(before) = self.oracle.finished.remove(&key(component)) else { return };
                let is_same = fingerprint.as_ref() == Some(&before.fingerprint);
                // After a loss of its value, another machine may write a different one.
                let is_another = self.oracle.lost_at.is_some() && !is_same;
                if before.id == *revision && !is_another {
                    self.breaks(|| format!("h{host}: {component} runs again in {revision:?}, where it has succeeded"));
                }
                if is_same && before.planned.outputs == planned.outputs {
                    self.breaks(|| {
                        format!("h{host}: {component} runs again in {revision:?}, although it is as it was")
                    });
                }
            }
            Record::Finished { component, fingerprint, outputs, .. } => {
                let Some(known) = self.hosts[host].disk.memory.known(component) else { return };
                let (id, planned) = (known.revision.clone(), known.planned.clone());
                let full = format!("{}/{component}", self.hosts[host].server);
                for (output, stored) in outputs {
                    let entry: Name = format!("{full}/{output}").into();
                    let first = self.oracle.first.get(&(id.revision.clone(), entry.clone())).cloned();
                    if self.machines(host) == 1 && first.as_ref().is_some_and(|first| *first != stored.content) {
                        self.breaks(|| {
                            format!("h{host}: `{entry}` was published as {first:?}, and its journal has {stored:?}")
                        });
                    }
                }
                let finished = Finished { id, fingerprint: fingerprint.clone(), planned };
                self.oracle.finished.insert(key(component), finished);
            }
            Record::Kept { component, planned, .. } => {
                if let Some(finished) = self.oracle.finished.get_mut(&key(component)) {
                    finished.planned = planned.clone();
                }
            }
            Record::Undoing { component } | Record::Gone { component } => {
                self.oracle.finished.remove(&key(component));
            }
            Record::Early { .. } | Record::Failed { .. } => {}
        }
    }
}
