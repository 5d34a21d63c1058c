//! Who acts for a server.

use serde::{Deserialize, Serialize};
use wattle_agent_core::time::Time;

/// An agent that acts for a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alive {
    /// Since when.
    pub since: Time,
    /// Its host's name.
    pub host: String,
    /// Its process.
    pub pid: u32,
    /// Its version.
    pub version: String,
    /// What tells this agent from any other one of its server, also after a restart; none of an older version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The boot of its host: an agent of another one may run still, however alike they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot: Option<String>,
}
