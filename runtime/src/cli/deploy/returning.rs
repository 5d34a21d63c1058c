//! Determines which servers of a stack have an agent. A restarted server has none until it has booted, whatever its
//! last agent has reported.

use std::collections::BTreeMap;

use wattle::model::{Name, Resource};
use wattle::plan::{Action, Plan};

use crate::report::{StackSnapshot, Standing};
use crate::space::{Alive, Space};

use super::software::own;

/// The property whose change in place restarts a server.
const RESTARTS: &str = "flavor";

/// The agents that acted for servers before a deployment restarted them. Their places in the data space persist until
/// their sessions expire.
#[derive(Debug, Default)]
pub(super) struct Former(BTreeMap<Name, Alive>);

impl Former {
    /// The agents of the servers that `plan` restarts.
    pub(super) async fn of(plan: &Plan, space: &Space) -> Self {
        let mut agents = BTreeMap::new();
        for server in restarted(plan) {
            // Without this information, there is no comparison: any agent counts, as on servers that keep running.
            if let Ok(Some(agent)) = space.alive(&server).await {
                agents.insert(server, agent);
            }
        }
        Self(agents)
    }

    /// The servers that have work but no agent, except for `others`.
    pub(super) fn awaited(&self, snapshot: &StackSnapshot, others: &[Name]) -> Vec<Name> {
        let is_awaited = |(name, standing): &(&Name, &Standing)| {
            let has_agent = standing.alive.as_ref().is_some_and(|agent| self.0.get(*name) != Some(agent));
            !has_agent && !standing.has_left() && !standing.components.is_empty() && !others.contains(name)
        };
        snapshot.servers.iter().filter(is_awaited).map(|(name, _)| name.clone()).collect()
    }
}

fn restarted(plan: &Plan) -> impl Iterator<Item = Name> {
    let servers = plan.resources.iter().filter(|(_, resource)| {
        let is_changed = matches!(resource.action, Action::Update | Action::MayUpdate);
        let is_restarted = resource.because.iter().any(|reason| reason.what == RESTARTS);
        &*resource.ty == Resource::SERVER && is_changed && is_restarted
    });
    servers.map(|(name, _)| own(name))
}

#[cfg(test)]
mod tests {
    use wattle::model::IndexMap;

    use crate::report::Admission;

    use super::*;

    fn agent(pid: u32) -> Alive {
        let alive = format!(r#"{{"since": "2026-01-01T00:00:00Z", "host": "h", "pid": {pid}, "version": "0"}}"#);
        serde_json::from_str(&alive).expect("an agent")
    }

    fn awaited(former: Option<Alive>, now: Option<Alive>, others: &[Name]) -> Vec<Name> {
        let standing = Standing {
            alive: now,
            plan: None,
            troubles: Vec::new(),
            leaving: Vec::new(),
            finishing: Vec::new(),
            is_behind: false,
            was_heard: true,
            components: [(Name::from("app"), None)].into_iter().collect(),
        };
        let servers: IndexMap<Name, Standing> = [(Name::from("db"), standing)].into_iter().collect();
        let snapshot = StackSnapshot { stack: "shop".into(), desired: None, servers, admission: Admission::default() };
        let former = Former(former.map(|agent| (Name::from("db"), agent)).into_iter().collect());
        former.awaited(&snapshot, others)
    }

    #[test]
    fn a_restarted_server_has_an_agent_once_another_one_is_there() {
        let db = [Name::from("db")];
        assert_eq!(awaited(None, None, &[]), db);
        assert_eq!(awaited(None, None, &db), []);
        assert_eq!(awaited(None, Some(agent(1)), &[]), []);
        // The session of its former agent has not expired yet.
        assert_eq!(awaited(Some(agent(1)), Some(agent(1)), &[]), db);
        assert_eq!(awaited(Some(agent(1)), None, &[]), db);
        assert_eq!(awaited(Some(agent(1)), Some(agent(2)), &[]), []);
    }
}
