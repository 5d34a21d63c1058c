//! The agent that acts for a server.

use serde::{Deserialize, Serialize};
use wattle_agent_core::time::Time;

/// An agent that acts for a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alive {
    /// When it began.
    pub since: Time,
    /// The name of its host.
    pub host: String,
    /// Its process ID.
    pub pid: u32,
    /// Its version.
    pub version: String,
    /// Identifies this agent among all agents of its server, even after a restart. `None` for earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The boot ID of its host. If the boot IDs differ, the other agent may still be running, however similar the two
    /// are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot: Option<String>,
    /// Whether it responds to operators' requests for its log. Earlier versions do not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub logs: bool,
}
