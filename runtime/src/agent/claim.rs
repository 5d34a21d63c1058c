//! Which revision is to be reached, and who acts for the server.

use std::fs;
use std::sync::Arc;

use wattle_agent_core::machine::{Desired, Event};
use wattle_agent_core::revision::Revision;

use crate::clock;
use crate::space::{Alive, Goal, SpaceError};
use crate::store::{Access, Hold, Rights, StoreError};

use super::shared::Shared;

/// Follows what is desired, for ever, and says that this agent is there.
///
/// # Errors
/// The data space does not allow it.
pub(super) async fn follow(shared: Arc<Shared>) -> SpaceError {
    match try_to_follow(&shared).await {
        Ok(never) => match never {},
        Err(error) => error,
    }
}

async fn try_to_follow(shared: &Shared) -> Result<std::convert::Infallible, SpaceError> {
    let mut alive: Option<Hold> = None;
    let mut seen = 0;
    loop {
        let goal = shared.insist(|| shared.space.newer_goal(seen)).await?;
        seen = goal.revision;
        let revision = Revision { space: None, number: goal.revision };
        shared.say(Event::Desired(Desired { revision, digest: goal.digest.clone() }));
        if alive.is_none() {
            alive = come_alive(shared, &goal).await?;
            shared.say(Event::Claimed(true));
        }
    }
}

/// Says that this agent is there; not yet, while the data space has no place for this server.
async fn come_alive(shared: &Shared, goal: &Goal) -> Result<Option<Hold>, SpaceError> {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_owned();
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let alive = Alive { since: clock::now(), host, pid: std::process::id(), version };
    let stack = shared.space.layout().stack();
    let [_, member] = shared.credential.logins(stack, &shared.server);
    let seen_by = goal.operator.iter().chain([&member.principal()]).cloned().collect::<Vec<_>>();
    let access = seen_by.iter().fold(Access::new(), |access, principal| access.grant(principal, Rights::READ));
    match shared.insist(|| shared.space.come_alive(&shared.server, &alive, &access)).await {
        Ok(hold) => Ok(Some(hold)),
        Err(SpaceError::Store(StoreError::Missing { .. })) => Ok(None),
        Err(error) => Err(error),
    }
}
