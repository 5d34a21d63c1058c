//! An agent's statuses of its components and of itself.

use wattle_agent_core::node::Version;
use wattle_agent_core::request::{Request as _, Say};
use wattle_agent_core::status::{ServerStatus, Status};
use wattle_model::Name;

use crate::world::World;

use super::asks::Purpose;
use super::layout;

#[derive(Clone, Debug)]
pub(super) enum Said {
    Component(Name, Status),
    Server(ServerStatus),
}

/// The status being published, and its path.
pub(super) struct Saying {
    pub(super) path: String,
    pub(super) said: Said,
    pub(super) say: Say,
}

impl Said {
    pub(super) fn space(&self) -> Option<&Name> {
        match self {
            Self::Component(_, status) => status.space.as_ref(),
            Self::Server(status) => status.space.as_ref(),
        }
    }
}

impl World {
    /// Publishes the next status, one at a time, while this agent is the one that acts.
    pub(super) fn publish(&mut self, host: usize) {
        let server = self.hosts[host].server.clone();
        let agent = self.agent(host);
        if agent.is_saying || !agent.is_claimed || !agent.is_in_touch {
            return;
        }
        let Some((path, said)) = agent.dirty.shift_remove_index(0) else { return };
        // Assume at first that nothing was published; otherwise, read it.
        let known = Some(agent.versions.take(&path, said.space()).unwrap_or(Version::UNTOUCHED));
        let mut say = match &said {
            Said::Component(name, status) => Say::of_component(&layout(), name, status, known),
            Said::Server(status) => Say::of_server(&layout(), &server, status, known),
        };
        agent.is_saying = true;
        let op = say.begin();
        self.start(host, op, Purpose::Say(Box::new(Saying { path, said, say })));
    }

    pub(super) fn check_ended(&mut self, host: usize) {
        let agent = self.agent(host);
        if agent.is_retiring && agent.dirty.is_empty() && !agent.is_saying {
            self.say(|| format!("h{host}: its agent ends, the server has left the model"));
            let client = self.agent(host).client;
            self.hosts[host].agent = None;
            self.hosts[host].has_retired = true;
            self.close_client(client, true);
        }
    }
}
