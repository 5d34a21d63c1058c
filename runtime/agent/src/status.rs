//! The state of components and servers, as published for their readers.

use serde::{Deserialize, Serialize};
use wattle_model::Name;

use crate::failure::Failure;
use crate::revision::Revision;
use crate::time::Time;

/// The status of a component.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// The number of the revision that it is in.
    pub revision: u64,
    /// The data space of that revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<Name>,
    /// When the state began.
    pub since: Time,
    /// When its recipe is killed if it is still running. Time spent waiting for inputs does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Time>,
    /// The state.
    #[serde(flatten)]
    pub state: State,
    /// The component's past steps in this revision, in the order in which they ended. Only the last steps are kept if
    /// there are very many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub past: Vec<Step>,
}

/// The maximum number of steps in a status.
const STEPS: usize = 256;

/// A past period of a component.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// When it began.
    pub since: Time,
    /// When it ended.
    pub until: Time,
    /// What the component did in it.
    #[serde(flatten)]
    pub did: Did,
}

/// What a component did during a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "did", rename_all = "kebab-case")]
pub enum Did {
    /// It waited.
    Waited {
        /// What it waited for: the entry `SERVER/COMPONENT/OUTPUT`, or the component `SERVER/COMPONENT` that had to end
        /// first.
        #[serde(rename = "for")]
        what: Name,
        /// The input that required it. `None` if only the order did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input: Option<Name>,
    },
    /// Its recipe ran.
    Ran,
    /// Its recipe was interrupted because its agent disappeared. When that happened is unknown, so the step ends when
    /// the next agent found it.
    BrokenOff,
}

impl Step {
    /// How long the step took. `None` if the clock was set back in the meantime, so that this is unknown.
    pub fn took(&self) -> Option<std::time::Duration> {
        (self.since <= self.until).then(|| self.until.duration_since(self.since))
    }
}

impl Status {
    /// The revision that the status belongs to.
    pub fn of(&self) -> Revision {
        Revision { space: self.space.clone(), number: self.revision }
    }

    /// The status as the data of a node.
    ///
    /// # Panics
    /// Never: a status can always be written as JSON.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("INVARIANT: a status is JSON")
    }

    /// The past steps at a time at which the component enters the state `next`.
    pub fn past_at(&self, at: Time, next: &State) -> Vec<Step> {
        let mut past = self.past.clone();
        match &self.state {
            State::Waiting(waits) => {
                let goes_on = |wait: &Waiting| matches!(next, State::Waiting(next) if next.contains(wait));
                past.extend(waits.iter().filter(|wait| !goes_on(wait)).map(|wait| wait.step(at)));
            }
            State::Running if *next != State::Running => {
                past.push(Step { since: self.since, until: at, did: Did::Ran });
            }
            _ => {}
        }
        past.drain(..past.len().saturating_sub(STEPS));
        past
    }
}

impl Waiting {
    fn step(&self, until: Time) -> Step {
        let did = Did::Waited { what: self.what.clone(), input: self.input.clone() };
        Step { since: self.since, until, did }
    }
}

/// The state of a component.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", content = "detail", rename_all = "kebab-case")]
pub enum State {
    /// It waits for all of the given things at the same time.
    Waiting(Vec<Waiting>),
    /// Its recipe runs.
    Running,
    /// It is done and its outputs are published.
    Done,
    /// It failed, or a dependency did.
    Failed(Failure),
}

/// Something that a component waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// The entry `SERVER/COMPONENT/OUTPUT`, or the component `SERVER/COMPONENT` that must end first.
    #[serde(rename = "for")]
    pub what: Name,
    /// The input that requires it. `None` if only the order does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Name>,
    /// The number of the revision for which it is awaited, if that differs from the revision of the waiting component.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<u64>,
    /// When the wait began.
    pub since: Time,
}

/// The status of a server itself, apart from its components.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerStatus {
    /// The number of the revision that it is in.
    pub revision: u64,
    /// The data space of that revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<Name>,
    /// When the server entered that revision.
    pub since: Time,
    /// Identifies the agent that wrote this status, by its folder, among all agents of the server. `None` for earlier
    /// versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// When the server's disk was new: this agent started with an empty one where another agent had acted for the
    /// server before.
    // The key in the format that agents of all versions write.
    #[serde(rename = "anew", default, skip_serializing_if = "Option::is_none")]
    pub new_disk_since: Option<Time>,
    /// Current problems, such as a full disk, one line each. Empty if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub troubles: Vec<String>,
    /// The components that have left the model and have not been torn down yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leaving: Vec<Leaving>,
    /// The components that are still running although there is a newer revision. That revision begins on this server
    /// once they have ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub finishing: Vec<Finishing>,
}

impl ServerStatus {
    /// The revision that the status belongs to.
    pub fn of(&self) -> Revision {
        Revision { space: self.space.clone(), number: self.revision }
    }

    /// The status as the data of a node.
    ///
    /// # Panics
    /// Never: a status can always be written as JSON.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("INVARIANT: a status is JSON")
    }
}

/// A component that still runs in a revision that is no longer the desired one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finishing {
    /// As `SERVER/COMPONENT`.
    pub component: Name,
    /// The revision in which it runs.
    pub revision: u64,
    /// When it began.
    pub since: Time,
    /// When it is killed if it is still running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Time>,
}

/// A component that has left the model and has not been torn down successfully yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Leaving {
    /// As `SERVER/COMPONENT`.
    pub component: Name,
    /// When it entered this state.
    pub since: Time,
    /// Why its teardown failed. `None` while the teardown runs or has yet to begin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}
