//! How components and servers are doing, for whoever looks.

use serde::{Deserialize, Serialize};
use wattle_model::Name;

use crate::failure::Failure;
use crate::revision::Revision;
use crate::time::Time;

/// How a component is doing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// In which revision.
    pub revision: u64,
    /// The data space of that revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<Name>,
    /// Since when.
    pub since: Time,
    /// When its recipe is ended if it still runs then, not counting the time in which it waits for inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Time>,
    /// How.
    #[serde(flatten)]
    pub state: State,
    /// What it has behind it in this revision, in the order in which that ended; of very much, the last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub past: Vec<Step>,
}

/// Most steps that a status keeps.
const STEPS: usize = 256;

/// A piece of the time that a component has behind it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// From when.
    pub since: Time,
    /// Until when.
    pub until: Time,
    /// What it did then.
    #[serde(flatten)]
    pub did: Did,
}

/// What a component did for some time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "did", rename_all = "kebab-case")]
pub enum Did {
    /// It waited.
    Waited {
        /// For the entry `SERVER/COMPONENT/OUTPUT`, or the component `SERVER/COMPONENT` that had to end before.
        #[serde(rename = "for")]
        what: Name,
        /// The input that needed it; none for mere order.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input: Option<Name>,
    },
    /// Its recipe ran.
    Ran,
    /// Its recipe ran, and was broken off because its agent went away. Until when is not known: it ends when the next
    /// agent found it.
    BrokenOff,
}

impl Step {
    /// How long it took; none if the clock was set back meanwhile, so that this is not known.
    pub fn took(&self) -> Option<std::time::Duration> {
        (self.since <= self.until).then(|| self.until.duration_since(self.since))
    }
}

impl Status {
    /// The revision that it is of.
    pub fn of(&self) -> Revision {
        Revision { space: self.space.clone(), number: self.revision }
    }

    /// As a node's data.
    ///
    /// # Panics
    /// Never: a status is JSON.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("INVARIANT: a status is JSON")
    }

    /// What it has behind it at a time, in which it begins to be in the state `next`.
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

/// How a component is doing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", content = "detail", rename_all = "kebab-case")]
pub enum State {
    /// It waits; for what is told, and every part of it is awaited at the same time.
    Waiting(Vec<Waiting>),
    /// Its recipe runs.
    Running,
    /// It is done, and its outputs are published.
    Done,
    /// It failed, or what it depends on did.
    Failed(Failure),
}

/// Something that is awaited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// The entry `SERVER/COMPONENT/OUTPUT`, or the component `SERVER/COMPONENT` that must end before.
    #[serde(rename = "for")]
    pub what: Name,
    /// The input that needs it; none for mere order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Name>,
    /// The number of the revision for which it is awaited, where that is another one than of whoever waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<u64>,
    /// Since when.
    pub since: Time,
}

/// How a server is doing, besides its components.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerStatus {
    /// In which revision.
    pub revision: u64,
    /// The data space of that revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<Name>,
    /// Since when it is in that revision.
    pub since: Time,
    /// What tells the agent that says it, by its folder, from any other one of the server; none by those of former versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Since when the server's disk is new: that agent began with nothing where another one had acted for the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anew: Option<Time>,
    /// What is wrong, each in one line: a disk that is full. Empty when nothing is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub troubles: Vec<String>,
    /// What has left the model and is not torn down.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leaving: Vec<Leaving>,
    /// What still runs although there is a newer revision, which begins on this server once that has ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub finishing: Vec<Finishing>,
}

impl ServerStatus {
    /// The revision that it is of.
    pub fn of(&self) -> Revision {
        Revision { space: self.space.clone(), number: self.revision }
    }

    /// As a node's data.
    ///
    /// # Panics
    /// Never: a status is JSON.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("INVARIANT: a status is JSON")
    }
}

/// A component that runs in a revision that is not to be reached any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finishing {
    /// As `SERVER/COMPONENT`.
    pub component: Name,
    /// The revision in which it runs.
    pub revision: u64,
    /// Since when.
    pub since: Time,
    /// When it is ended if it still runs then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Time>,
}

/// A component that has left the model, and whose teardown has not succeeded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Leaving {
    /// As `SERVER/COMPONENT`.
    pub component: Name,
    /// Since when it is in this state.
    pub since: Time,
    /// How its teardown failed; none as long as it runs or is still to come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}
