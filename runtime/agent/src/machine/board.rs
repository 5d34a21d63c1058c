//! How everything on a server is doing, for whoever looks: what of it changes is shown.

use wattle_model::{IndexMap, Name};

use crate::failure::Failure;
use crate::plan::{Plan, Writer, server_of};
use crate::revision::Revision;
use crate::status::{Did, Finishing, Leaving, ServerStatus, State, Status, Step};
use crate::time::Time;

use super::event::{Action, Level, Now};

/// How everything on one server is doing.
#[derive(Debug)]
pub struct Board {
    server: Name,
    revision: Revision,
    writers: IndexMap<Name, Writer>,
    since: Time,
    components: IndexMap<Name, Status>,
    /// What components have behind them from before this agent, which has not run them.
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

    /// How each component is doing, by its name on the server.
    pub fn components(&self) -> &IndexMap<Name, Status> {
        &self.components
    }

    /// The number of the revision that the server is in; 0 before the first.
    pub fn revision(&self) -> u64 {
        self.revision.number
    }

    /// How the server is doing, besides its components.
    pub fn server(&self) -> ServerStatus {
        ServerStatus {
            revision: self.revision.number,
            space: self.revision.space.clone(),
            since: self.since,
            // Which agent it is, and what was before it, is for whoever runs it to say.
            agent: None,
            anew: None,
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

    /// Says again how everything is doing, once a revision has begun.
    pub(super) fn show_all(&self, actions: &mut Vec<Action>) {
        if self.revision.number == 0 {
            return;
        }
        actions.extend(self.components.iter().map(|(name, status)| Action::Show(self.full(name), status.clone())));
        self.show_server(actions);
    }

    /// A plan begins, for which those are to be torn down first.
    pub(super) fn begin<'a>(
        &mut self,
        now: Now,
        plan: &Plan,
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
        // What is still wrong is said again.
        self.troubles.clear();
        self.show_server(actions);
    }

    /// There is a newer revision: what runs is let end first.
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

    /// What a component has behind it in this revision, as an agent before this one wrote it down.
    pub(super) fn recall(&mut self, component: &Name, past: Vec<Step>) {
        if !past.is_empty() {
            self.recalled.insert(component.clone(), past);
        }
    }

    /// As it is told: with the revision of what is awaited, where that is not the one of this server.
    fn told(&self, mut state: State) -> State {
        if let State::Waiting(waits) = &mut state {
            for wait in waits {
                let writer = self.writers.get(server_of(&wait.what));
                let number = writer.map(|writer| writer.revision);
                wait.revision = number.filter(|number| *number != self.revision.number);
            }
        }
        state
    }

    /// Whether it is told already that a component is in this state.
    pub(super) fn says(&self, component: &Name, state: &State) -> bool {
        self.components.get(component).is_some_and(|status| status.state == self.told(state.clone()))
    }

    fn current(&self, component: &Name) -> Option<&Status> {
        self.components.get(component).filter(|status| status.of() == self.revision)
    }

    /// What a component has behind it once it begins to be in the state `next`.
    pub(super) fn past(&self, component: &Name, at: Time, next: &State) -> Vec<Step> {
        match self.current(component) {
            Some(status) => status.past_at(at, next),
            None => self.recalled.get(component).cloned().unwrap_or_default(),
        }
    }

    /// A component is doing so now, until then at most.
    pub(super) fn set(
        &mut self,
        now: Now,
        component: &Name,
        state: State,
        deadline: Option<Time>,
        actions: &mut Vec<Action>,
    ) {
        let (at, state) = (now.wall, self.told(state));
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
            // What had ended before this agent began, has ended then; what the agent looked for again does not count.
            (_, Some(past)) if ends && past.last().is_some_and(|step| step.did != Did::BrokenOff) => {
                let ended = past.last().map_or(at, |step| step.until);
                (past, ended)
            }
            // A wait for less than before has not begun again.
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

    /// The teardown of a component has ended; without a failure, it has left.
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

    /// Something is wrong with the server, or is so no longer.
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
