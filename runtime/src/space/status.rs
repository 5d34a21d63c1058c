//! How components and servers are doing, for whoever looks.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use wattle::model::Name;

use super::Failure;

/// How a component is doing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// In which revision.
    pub revision: u64,
    /// Since when.
    pub since: Timestamp,
    /// When its recipe is ended if it still runs then, not counting the time in which it waits for inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
    /// How.
    #[serde(flatten)]
    pub state: State,
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
    /// Since when.
    pub since: Timestamp,
}

/// How a server is doing, besides its components.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerStatus {
    /// In which revision.
    pub revision: u64,
    /// Since when it is in that revision.
    pub since: Timestamp,
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

/// A component that runs in a revision that is not to be reached any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finishing {
    /// As `SERVER/COMPONENT`.
    pub component: Name,
    /// The revision in which it runs.
    pub revision: u64,
    /// Since when.
    pub since: Timestamp,
    /// When it is ended if it still runs then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
}

/// A component that has left the model, and whose teardown has not succeeded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Leaving {
    /// As `SERVER/COMPONENT`.
    pub component: Name,
    /// Since when it is in this state.
    pub since: Timestamp,
    /// How its teardown failed; none as long as it runs or is still to come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}

/// An agent that acts for a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alive {
    /// Since when.
    pub since: Timestamp,
    /// Its host's name.
    pub host: String,
    /// Its process.
    pub pid: u32,
    /// Its version.
    pub version: String,
}
