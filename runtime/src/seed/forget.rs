//! Forgets servers that have left the model for good: revokes the rights that they kept for their teardown.

use std::sync::Arc;

use wattle::model::{IndexMap, Name};
use wattle_agent_core::applying;

use crate::space::{Layout, OperatorKey, Revision, Signed};
use crate::store::Store;

use super::SeedError;
use super::admit::{self, Doing, Found, Next};
use super::present::{Deployed, Present, is_acting};

/// The result of [`forget`].
#[derive(Clone, Debug)]
pub struct Forgotten {
    /// The present revision of the stack.
    pub revision: u64,
    /// The servers that lost something. Other named servers had nothing left to lose.
    pub servers: Vec<Name>,
}

/// Revokes the last rights of servers that have left the model of `stack`: of those that are `named`, or of all if none
/// are. If their agents still start, they tear nothing down. `store` is used as the operator who has `key`.
///
/// # Errors
/// [`SeedError::NoServer`] for a name that the stack never had, [`SeedError::InModel`] for a server that is still in
/// the model, and, unless `forced`, [`SeedError::Acting`] for a server whose agent is running. Otherwise like
/// [`admit`](super::admit).
pub async fn forget(
    store: &Arc<dyn Store>,
    stack: &str,
    key: &OperatorKey,
    named: &[Name],
    forced: bool,
) -> Result<Forgotten, SeedError> {
    let signed = Signed::new(store, key);
    let Found { layout, there, mut present, roster } = admit::find(&signed, stack, &[], None, Doing::Forgets).await?;
    if there.desired.applying.is_some() {
        return Err(SeedError::Incomplete { stack: stack.to_owned() });
    }
    let store: &Arc<dyn Store> = &(signed as Arc<dyn Store>);
    let servers = leaving(&present, stack, named)?;
    if !forced {
        refuse_acting(store, &layout, &servers).await?;
    }
    if servers.is_empty() {
        return Ok(Forgotten { revision: there.desired.revision, servers });
    }
    present.over = servers.iter().cloned().collect();
    let revision = applying::number(Some(there.desired.there()), false);
    let next = Next { layout: &layout, key, there: &there, present: &present };
    let wanted = next.wanted(roster, &Revision { space: there.desired.space.clone(), number: revision })?;
    let mut writing = next.writing(&wanted)?;
    writing.replace_agents(&wanted, servers.iter());
    let deployed = Deployed {
        desired: next.desired_revision(&wanted, revision),
        turn: None,
        admitting: IndexMap::default(),
        renewing: false,
        ..there
    };
    Box::pin(writing.carry_out(store, &layout, &present, &wanted, &deployed)).await?;
    Ok(Forgotten { revision, servers })
}

/// The `named` servers that have left the model and still have rights.
fn leaving(present: &Present, stack: &str, named: &[Name]) -> Result<Vec<Name>, SeedError> {
    let with = |is: &dyn Fn(&Name) -> bool| -> Vec<String> {
        named.iter().filter(|server| is(server)).map(ToString::to_string).collect()
    };
    let unknown = with(&|server| !present.plans.contains_key(server));
    if !unknown.is_empty() {
        return Err(SeedError::NoServer { stack: stack.to_owned(), servers: unknown });
    }
    let active = with(&|server| !present.plans[server].retired);
    if !active.is_empty() {
        return Err(SeedError::InModel { stack: stack.to_owned(), servers: active });
    }
    let leaving = present.plans.iter().filter(|(_, plan)| plan.retired && !plan.forgotten).map(|(server, _)| server);
    Ok(leaving.filter(|server| named.is_empty() || named.contains(server)).cloned().collect())
}

/// A running teardown should not be stopped by accident.
async fn refuse_acting(store: &Arc<dyn Store>, layout: &Layout, servers: &[Name]) -> Result<(), SeedError> {
    let mut acting = Vec::new();
    for server in servers {
        if is_acting(store, layout, server).await? {
            acting.push(server.to_string());
        }
    }
    if acting.is_empty() { Ok(()) } else { Err(SeedError::Acting { servers: acting }) }
}
