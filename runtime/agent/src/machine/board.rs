//! The state of everything on a server, and which changes of it to publish.

use wattle_model::{IndexMap, Name};

use crate::failure::Failure;
use crate::revision::Revision;
use crate::server_plan::{ServerPlan, Writer, server_of};
use crate::status::{Did, Finishing, Leaving, ServerStatus, State, Status, Step};
use crate::time::Time;

use super::event::{Action, Level, Now};

/// The state of everything on one server.
#[derive(Debug)]
pub struct Board {
    server: Name,
    revision: Revision,
    writers: IndexMap<Name, Writer>,
    since: Time,
    components: IndexMap<Name, Status>,
    /// The past steps of components from an earlier agent's record, until this agent runs them.
    recalled: IndexMap<Name, Vec<Step>>,
    troubles: IndexMap<String, String>,
    leaving: IndexMap<Name, Leaving>,
    finishing: Vec<Finishing>,
}

impl Board {
    pub(super) fn new(server: &Name) -> Self {
        Self {
            server: server.clone(),
            revision: Revision { space: None, number: 0 },
            writers: IndexMap::default(),
            since: Time::EPOCH,
            components: IndexMap::default(),
            recalled: IndexMap::default(),
            troubles: IndexMap::default(),
            leaving: IndexMap::default(),
            finishing: Vec::new(),
        }
    }

    /// The status of each component, by its name on the server.
    pub fn components(&self) -> &IndexMap<Name, Status> {
        &self.components
    }

    /// The number of the revision that the server is in; 0 before the first.
    pub fn revision(&self) -> u64 {
        self.revision.number
    }

    /// The status of the server itself, apart from its components.
    pub fn server(&self) -> ServerStatus {
        ServerStatus {
            revision: self.revision.number,
            space: self.revision.space.clone(),
            since: self.since,
            // The caller that runs the machine fills in the agent and its predecessor.
            agent: None,
            new_disk_since: None,
            troubles: self.troubles.values().cloned().collect(),
            leaving: self.leaving.values().cloned().collect(),
            finishing: self.finishing.clone(),
        }
    }

    pub(super) fn full(&self, component: &str) -> Name {
        format!("{}/{component}", self.server).into()
    }

    fn show_server(&self, actions: &mut Vec<Action>) {
        actions.push(Action::ShowServer(self.server()));
    }

    /// Publishes all statuses again, once a revision has begun.
    pub(super) fn show_all(&self, actions: &mut Vec<Action>) {
        if self.revision.number == 0 {
            return;
        }
        actions.extend(self.components.iter().map(|(name, status)| Action::Show(self.full(name), status.clone())));
        self.show_server(actions);
    }

    /// A plan begins. The components in `leaving` are torn down first.
    pub(super) fn begin<'a>(
        &mut self,
        now: Now,
        plan: &ServerPlan,
        leaving: impl Iterator<Item = &'a Name>,
        actions: &mut Vec<Action>,
    ) {
        let since = now.wall;
        self.revision = plan.of();
        self.writers.clone_from(&plan.writers);
        self.since = since;
        let leaves = |name: &Name| Leaving { component: self.full(name), since, failure: None };
        self.leaving = leaving.map(|name| (name.clone(), leaves(name))).collect();
        self.finishing.clear();
        let before = std::mem::take(&mut self.components);
        let components = plan.components.keys();
        self.components = components.filter_map(|name| Some((name.clone(), before.get(name)?.clone()))).collect();
        self.recalled.clear();
        // Problems that persist are reported again.
        self.troubles.clear();
        self.show_server(actions);
    }

    /// Marks the revision as superseded. What is running may end first.
    pub(super) fn supersede(&mut self, actions: &mut Vec<Action>) {
        let running = self.components.iter().filter(|(_, status)| status.state == State::Running);
        let finishing = running.map(|(name, status)| Finishing {
            component: self.full(name),
            revision: status.revision,
            since: status.since,
            deadline: status.deadline,
        });
        self.finishing = finishing.collect();
        self.show_server(actions);
    }

    /// Restores the past steps of a component in this revision from an earlier agent's record.
    pub(super) fn recall(&mut self, component: &Name, past: Vec<Step>) {
        if !past.is_empty() {
            self.recalled.insert(component.clone(), past);
        }
    }

    /// The state as published: it names the revision of what is awaited if that is not this server's own.
    fn published(&self, mut state: State) -> State {
        if let State::Waiting(waits) = &mut state {
            for wait in waits {
                let writer = self.writers.get(server_of(&wait.what));
                let number = writer.map(|writer| writer.revision);
                wait.revision = number.filter(|number| *number != self.revision.number);
            }
        }
        state
    }

    /// Whether the published state of a component is already this one.
    pub(super) fn says(&self, component: &Name, state: &State) -> bool {
        self.components.get(component).is_some_and(|status| status.state == self.published(state.clone()))
    }

    fn current(&self, component: &Name) -> Option<&Status> {
        self.components.get(component).filter(|status| status.of() == self.revision)
    }

    /// The past steps of a component once it enters the state `next`.
    pub(super) fn past(&self, component: &Name, at: Time, next: &State) -> Vec<Step> {
        match self.current(component) {
            Some(status) => status.past_at(at, next),
            None => self.recalled.get(component).cloned().unwrap_or_default(),
        }
    }

    /// Puts a component into a state, which lasts until the deadline at most.
    pub(super) fn set(
        &mut self,
        now: Now,
        component: &Name,
        state: State,
        deadline: Option<Time>,
        actions: &mut Vec<Action>,
    ) {
        let (at, state) = (now.wall, self.published(state));
        let before = self.current(component);
        if before.is_some_and(|before| before.state == state && before.deadline == deadline) {
            return;
        }
        let full = self.full(component);
        let ends = match &state {
            State::Waiting(_) => false,
            State::Running => {
                if before.is_none_or(|before| !matches!(before.state, State::Running)) {
                    actions.push(Action::Log(Level::Info, Some(full.clone()), "runs".to_owned()));
                }
                false
            }
            State::Done => {
                actions.push(Action::Log(Level::Info, Some(full.clone()), "done".to_owned()));
                true
            }
            State::Failed(failure) => {
                actions.push(Action::Log(Level::Error, Some(full.clone()), format!("failed: {failure}")));
                true
            }
        };
        let recalled = match &state {
            State::Running => self.recalled.shift_remove(component),
            State::Waiting(_) | State::Done | State::Failed(_) => self.recalled.get(component).cloned(),
        };
        let (past, since) = match (self.current(component), recalled) {
            // If the component ended before this agent began, that time counts, not the time of a renewed check.
            (_, Some(past)) if ends && past.last().is_some_and(|step| step.did != Did::BrokenOff) => {
                let ended = past.last().map_or(at, |step| step.until);
                (past, ended)
            }
            // Waiting for fewer things than before is not a new wait.
            (Some(before), _) => match (&state, &before.state) {
                (State::Waiting(_), State::Waiting(_)) | (State::Running, State::Running) => {
                    (before.past_at(at, &state), before.since)
                }
                _ => (before.past_at(at, &state), at),
            },
            (None, past) => (past.unwrap_or_default(), at),
        };
        let status =
            Status { revision: self.revision.number, space: self.revision.space.clone(), since, deadline, state, past };
        self.components.insert(component.clone(), status.clone());
        actions.push(Action::Show(full, status));
    }

    /// Records the end of a component's teardown. Without a failure, the component has left.
    pub(super) fn torn_down(
        &mut self,
        now: Now,
        component: &Name,
        failure: Option<Failure>,
        actions: &mut Vec<Action>,
    ) {
        if failure.is_some() {
            let leaving = Leaving { component: self.full(component), since: now.wall, failure };
            self.leaving.insert(component.clone(), leaving);
        } else {
            self.leaving.shift_remove(component);
        }
        self.show_server(actions);
    }

    /// Records a problem with the server, or its end.
    pub(super) fn trouble(&mut self, of: String, what: Option<String>, actions: &mut Vec<Action>) {
        if self.troubles.get(&of) == what.as_ref() {
            return;
        }
        if let Some(what) = what {
            actions.push(Action::Log(Level::Error, None, what.clone()));
            self.troubles.insert(of, what);
        } else if let Some(before) = self.troubles.shift_remove(&of) {
            actions.push(Action::Log(Level::Info, None, format!("no longer: {before}")));
        }
        self.show_server(actions);
    }
}
