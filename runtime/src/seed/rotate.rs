//! Giving a data space another operator's key: all that the former one has signed and may do is the next one's.
//!
//! Servers believe the next key by the former one's word, which stands in each node that the next one signs; so nothing that
//! they were told has to change, and they take no part. What is deployed stays. A stack's turn is taken with the former key, so
//! that servers pass over to the next one with the goal, the last to be signed.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use wattle::model::Name;
use wattle_agent_core::applying;

use crate::clock;
use crate::space::{Layout, OperatorKey, Plan, ROOT, Revision, Signed, is_signed, parse_json, resigned, to_json};
use crate::store::{Access, Op, Store, StoreError, Version};

use super::admit::{self, Next};
use super::present::{self, AT_ONCE, Deployed, Present};
use super::roster::{Admitting, Roster};
use super::sealing::ForServers;
use super::turn::{Seen, Turn};
use super::work::{goal, tampered};
use super::write::Writing;
use super::{SeedError, deployed, restore};

/// The keys of an operator.
#[derive(Clone, Copy, Debug)]
pub struct Rotation<'a> {
    /// The one that there was.
    pub former: &'a OperatorKey,
    /// The one that [comes after it](OperatorKey::next).
    pub next: &'a OperatorKey,
}

/// The stacks of a data space of which the `former` key is the operator's, or the `next` one is already.
///
/// # Errors
/// What keeps one of them from being given another key: it is not as its operator has written it, or a `seed apply` of it
/// was broken off.
pub async fn rotatable(store: &Arc<dyn Store>, keys: Rotation<'_>) -> Result<Vec<String>, SeedError> {
    let mut stacks = store.children(ROOT).await?;
    stacks.sort_unstable();
    for stack in &stacks {
        find(store, &Layout::new(stack), keys).await?;
    }
    Ok(stacks)
}

/// Gives `stack` the next key; the revision that it is then. `store` is used as the operator who has both keys, and as whom a store
/// knows by the next one where only one counts.
///
/// # Errors
/// As [`rotatable`]. What is broken off is completed by the next call.
pub async fn rotate(store: &Arc<dyn Store>, stack: &str, keys: Rotation<'_>) -> Result<u64, SeedError> {
    let layout = Layout::new(stack);
    let there = match find(store, &layout, keys).await? {
        Found::Done(revision) => return Ok(revision),
        Found::Begins(there) => take(store, &layout, keys, there).await?,
    };
    let signed: &Arc<dyn Store> = &(Signed::succeeding(store, keys.next, keys.former) as Arc<dyn Store>);
    sign(store, signed, &layout, keys, &there).await?;
    restore::own(signed, &layout).await?;
    let present = Present::read(signed, &layout, Some(there.clone()), false).await?;
    let there = there.0;
    let roster = roster(&layout, &present, &there)?;
    let number = applying::number(Some(there.goal.there()), false);
    let revision = Revision { space: there.goal.space.clone(), number };
    let next = Next { layout: &layout, key: keys.next, there: &there, present: &present };
    let wanted = next.wanted(roster, &revision)?;
    let mut writing = Writing::make(&layout, None, &present, &wanted)?;
    writing.keep(deployed::shared(&layout, &present.files, &wanted.sharing.access()));
    let told = goal(&wanted, keys.next, number, there.goal.space.clone(), there.goal.digest.clone());
    let told = Deployed { goal: told, turn: None, ..there };
    values(store, &layout, keys, &present).await?;
    Box::pin(writing.carry_out(signed, &layout, &present, &wanted, &told)).await?;
    Ok(number)
}

/// Gives the node above all stacks the next key, once all of them have it: with that, nobody else makes a stack.
///
/// # Errors
/// What the store says.
pub async fn rotate_top(store: &Arc<dyn Store>, keys: Rotation<'_>) -> Result<(), SeedError> {
    let signed = Signed::succeeding(store, keys.next, keys.former);
    if let Some(node) = signed.get(ROOT).await?.filter(|node| !node.data.is_empty()) {
        signed.set(ROOT, &node.data, Some(node.version)).await?;
    }
    match store.protect(&[(ROOT.to_owned(), Access::new())], &[]).await {
        Ok(()) | Err(StoreError::Missing { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// What is there of a stack.
enum Found {
    /// The next key is its operator's.
    Done(u64),
    /// It is not yet.
    Begins(Box<(Deployed, Version)>),
}

async fn find(store: &Arc<dyn Store>, layout: &Layout, keys: Rotation<'_>) -> Result<Found, SeedError> {
    let signed = Signed::succeeding(store, keys.next, keys.former);
    let reading: &Arc<dyn Store> = &(Arc::clone(&signed) as Arc<dyn Store>);
    let there = present::deployed(reading, layout).await?;
    let refuse = |present: &Present| {
        let (stack, nodes) = (layout.stack().to_owned(), tampered(signed.refused(), present));
        if nodes.is_empty() { SeedError::Incomplete { stack } } else { SeedError::Tampered { stack, nodes } }
    };
    let is_whole = |there: &(Deployed, _)| there.0.rotates || (there.0.goal.applying.is_none() && there.0.announces);
    let there = there.filter(is_whole).ok_or_else(|| refuse(&Present::default()))?;
    if !there.0.rotates && is_next(store, layout, keys).await? {
        return Ok(Found::Done(there.0.goal.revision));
    }
    let present = Present::read(reading, layout, Some(there.clone()), false).await?;
    if !signed.refused().is_empty() || !present.replaced.is_empty() {
        return Err(refuse(&present));
    }
    Ok(Found::Begins(Box::new(there)))
}

/// Whether the goal is signed with the next key.
async fn is_next(store: &Arc<dyn Store>, layout: &Layout, keys: Rotation<'_>) -> Result<bool, SeedError> {
    let (path, next) = (layout.revision(), keys.next.signer().authority());
    Ok(store.get(&path).await?.is_some_and(|node| next.verify(&path, &node.data).is_ok()))
}

/// Takes the stack's turn, in the name of whom servers believe.
async fn take(
    store: &Arc<dyn Store>,
    layout: &Layout,
    keys: Rotation<'_>,
    there: Box<(Deployed, Version)>,
) -> Result<(Deployed, Version), SeedError> {
    let (writer, other) =
        if is_next(store, layout, keys).await? { (keys.next, keys.former) } else { (keys.former, keys.next) };
    let signed: &Arc<dyn Store> = &(Signed::succeeding(store, writer, other) as Arc<dyn Store>);
    let seen = Seen::read(signed, layout, Some(&there)).await?;
    let mut goal = there.0;
    // All that it asks for is there.
    goal.goal.applying.get_or_insert(goal.goal.revision);
    goal.rotates = true;
    // Servers look at the goal as soon as they share another login.
    goal.goal.operator = Some(keys.next.login().principal());
    // Who may read the goal stays as it is.
    let turn = Turn::take(signed, layout, &seen, &goal, Vec::new(), Access::new()).await?;
    Ok(turn.said(goal))
}

/// Signs all that the former key has signed, but for the goal, and encrypts for the operator what they are to read again.
async fn sign(
    store: &Arc<dyn Store>,
    signed: &Arc<dyn Store>,
    layout: &Layout,
    keys: Rotation<'_>,
    there: &(Deployed, Version),
) -> Result<(), SeedError> {
    let present = Present::read(signed, layout, Some(there.clone()), false).await?;
    let seen = Seen::read(signed, layout, Some(there)).await?;
    let turn = Turn::resume(signed, layout, &seen, &there.0)?;
    let roster = roster(layout, &present, &there.0)?;
    let mut sealing = ForServers::succeeding(keys.next, keys.former, &roster, &present);
    let [former, next] = [keys.former, keys.next].map(|key| key.signer().authority());
    let goal = layout.revision();
    let plans: HashMap<String, &Name> = present.plans.keys().map(|server| (layout.plan(server), server)).collect();
    let deployed = layout.deployed();
    let paths = present.paths.iter().filter(|path| is_signed(path) && **path != goal).chain([&deployed]);
    let read = paths.map(|path| async move { Ok::<_, SeedError>((path, store.get(path).await?)) });
    let mut read = stream::iter(read.collect::<Vec<_>>()).buffered(AT_ONCE);
    let mut ops = Vec::new();
    while let Some((path, node)) = read.try_next().await? {
        let Some(node) = node.filter(|node| next.verify(path, &node.data).is_err()) else { continue };
        let Ok(held) = former.verify(path, &node.data) else { continue };
        let server = plans.get(path).copied();
        let plan = server.map(|_| parse_json::<Plan>(path, held)).transpose()?.flatten();
        let data = match server.zip(plan) {
            Some((server, plan)) if !plan.retired => to_json(&sealing.anew(server, plan)?),
            _ => held.to_vec(),
        };
        ops.push(Op::Set { path: path.clone(), data, expected: Some(node.version) });
    }
    // What is read first is what the others are judged by.
    ops.sort_unstable_by(|a, b| a.path().cmp(b.path()));
    turn.apply(ops).await
}

/// Who the servers are.
fn roster(layout: &Layout, present: &Present, there: &Deployed) -> Result<Roster, SeedError> {
    let space = there.goal.space.as_ref();
    let admitting = Admitting { newcomers: false, named: &[], endorsed: false, space, now: clock::now() };
    admit::roster(layout, present, admitting)
}

/// Signs the values that the operator has put in the place of servers'.
async fn values(
    store: &Arc<dyn Store>,
    layout: &Layout,
    keys: Rotation<'_>,
    present: &Present,
) -> Result<(), SeedError> {
    let (former, next) = (keys.former.signer().authority(), keys.next.signer());
    let top = format!("{}/", layout.entries());
    let entries = present.paths.iter().filter(|path| path.starts_with(&top));
    let read = entries.map(|path| async move { Ok::<_, SeedError>((path, store.get(path).await?)) });
    let mut read = stream::iter(read.collect::<Vec<_>>()).buffered(AT_ONCE);
    while let Some((path, node)) = read.try_next().await? {
        let Some(node) = node else { continue };
        let Some(data) = resigned(&former, &next, path, &node.data) else { continue };
        match store.set(path, &data, Some(node.version)).await {
            // Its server has written it since.
            Ok(_) | Err(StoreError::Conflict { .. } | StoreError::Missing { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
