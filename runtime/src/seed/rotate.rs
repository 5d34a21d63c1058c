//! Gives a data space another operator's key: all signatures and rights of the former key pass to the next one.
//!
//! Servers trust the next key because the former one has endorsed it, in each node that the next key signs. So nothing
//! that they have received must change, and they need not take part. The deployment stays the same. The turn of a stack
//! is taken with the former key. Servers move to the next key with the desired revision, which is signed last.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use wattle::model::Name;
use wattle_agent_core::applying;

use crate::clock;
use crate::space::{Layout, OperatorKey, ROOT, Revision, ServerPlan, Signed, is_signed, parse_json, resigned, to_json};
use crate::store::{Access, Op, Store, StoreError, Version};

use super::admit::{self, Next};
use super::present::{self, AT_ONCE, Deployed, Present};
use super::roster::{Admitting, Roster};
use super::sealing::ForServers;
use super::turn::{Seen, Turn};
use super::work::{desired_revision, insist, not_deployed};
use super::write::Writing;
use super::{SeedError, bounds, deployed, restore};

/// The two keys of an operator.
#[derive(Clone, Copy, Debug)]
pub struct Rotation<'a> {
    /// The present key.
    pub former: &'a OperatorKey,
    /// The key that [follows it](OperatorKey::next).
    pub next: &'a OperatorKey,
}

/// Lists the stacks of a data space whose operator's key is the `former` or already the `next` one.
///
/// # Errors
/// A stack cannot get another key: it differs from what its operator has written, or a `seed apply` of it was
/// interrupted.
pub async fn rotatable(store: &Arc<dyn Store>, keys: Rotation<'_>) -> Result<Vec<String>, SeedError> {
    let mut stacks = store.children(ROOT).await?;
    stacks.sort_unstable();
    for stack in &stacks {
        find(store, &Layout::new(stack), keys).await?;
    }
    Ok(stacks)
}

/// Gives `stack` the next key. Returns the revision afterwards. `store` is used as the operator with both keys, or with
/// the next one where the store accepts only one.
///
/// # Errors
/// As for [`rotatable`]. The next call completes an interrupted one.
pub async fn rotate(store: &Arc<dyn Store>, stack: &str, keys: Rotation<'_>) -> Result<u64, SeedError> {
    let layout = Layout::new(stack);
    let there = match find(store, &layout, keys).await? {
        Found::Done(revision) => return Ok(revision),
        Found::Begins(there) => take(store, &layout, keys, there).await?,
    };
    let signed: &Arc<dyn Store> = &(Signed::succeeding(store, keys.next, keys.former) as Arc<dyn Store>);
    sign(store, signed, &layout, keys, &there).await?;
    restore::own(signed, &layout).await?;
    // The owner of the former key may have set other limits. This operator sets them again.
    let there = (Deployed { bounded: false, ..there.0 }, there.1);
    let present = Present::read(signed, &layout, Some(there.clone()), false).await?;
    let there = there.0;
    let roster = roster(&layout, &present, &there)?;
    let number = applying::number(Some(there.desired.there()), false);
    let revision = Revision { space: there.desired.space.clone(), number };
    let next = Next { layout: &layout, key: keys.next, there: &there, present: &present };
    let wanted = next.wanted(roster, &revision)?;
    let mut writing = Writing::make(&layout, None, &present, &wanted)?;
    writing.keep(deployed::shared(&layout, &present.files, &wanted.sharing.access()));
    let desired =
        desired_revision(&wanted, keys.next, number, there.desired.space.clone(), there.desired.digest.clone());
    let deployed = Deployed { desired, turn: None, ..there };
    values(store, &layout, keys, &present).await?;
    Box::pin(writing.carry_out(signed, &layout, &present, &wanted, &deployed)).await?;
    Ok(number)
}

/// Gives the node above all stacks the next key, once all stacks have it, along with the nodes that limit their
/// servers. From then on, only that key can create stacks.
///
/// # Errors
/// An error of the store.
pub async fn rotate_top(store: &Arc<dyn Store>, keys: Rotation<'_>) -> Result<(), SeedError> {
    let signed = Signed::succeeding(store, keys.next, keys.former);
    if let Some(node) = signed.get(ROOT).await?.filter(|node| !node.data.is_empty()) {
        signed.set(ROOT, &node.data, Some(node.version)).await?;
    }
    match store.protect(&[(ROOT.to_owned(), Access::new())], &[]).await {
        Ok(()) | Err(StoreError::Missing { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    store.close_off(ROOT).await?;
    // This includes the limits of stacks that no longer exist.
    bounds::own(store, ROOT).await
}

/// The state of a stack.
enum Found {
    /// Its operator has the next key.
    Done(u64),
    /// Its operator has the former key.
    Begins(Box<(Deployed, Version)>),
}

async fn find(store: &Arc<dyn Store>, layout: &Layout, keys: Rotation<'_>) -> Result<Found, SeedError> {
    let signed = Signed::succeeding(store, keys.next, keys.former);
    let reading: &Arc<dyn Store> = &(Arc::clone(&signed) as Arc<dyn Store>);
    let there = present::deployed(reading, layout).await?;
    let is_whole = |there: &(Deployed, _)| there.0.rotates || (there.0.desired.applying.is_none() && there.0.announces);
    let there = there.filter(is_whole).ok_or_else(|| not_deployed(&signed, layout))?;
    if !there.0.rotates && is_next(store, layout, keys).await? {
        return Ok(Found::Done(there.0.desired.revision));
    }
    let present = Present::read(reading, layout, Some(there.clone()), false).await?;
    insist(&signed, layout, &present).await?;
    Ok(Found::Begins(Box::new(there)))
}

/// Whether the desired revision is signed with the next key.
async fn is_next(store: &Arc<dyn Store>, layout: &Layout, keys: Rotation<'_>) -> Result<bool, SeedError> {
    let (path, next) = (layout.revision(), keys.next.signer().authority());
    Ok(store.get(&path).await?.is_some_and(|node| next.verify(&path, &node.data).is_ok()))
}

/// Takes the stack's turn, with the key that servers trust.
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
    let mut desired = there.0;
    // Everything that it requests exists.
    desired.desired.applying.get_or_insert(desired.desired.revision);
    desired.rotates = true;
    // Servers read the desired revision as soon as they share another login.
    desired.desired.operator = Some(keys.next.login().principal());
    // The readers of the desired revision stay the same.
    let turn = Turn::take(signed, layout, &seen, &desired, Vec::new(), Access::new()).await?;
    Ok(turn.said(desired))
}

/// Signs everything that the former key has signed, except for the desired revision, and re-encrypts what the operator
/// must be able to read back.
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
    let desired = layout.revision();
    let plans: HashMap<String, &Name> = present.plans.keys().map(|server| (layout.plan(server), server)).collect();
    let deployed = layout.deployed();
    let paths = present.paths.iter().filter(|path| is_signed(path) && **path != desired).chain([&deployed]);
    let read = paths.map(|path| async move { Ok::<_, SeedError>((path, store.get(path).await?)) });
    let mut read = stream::iter(read.collect::<Vec<_>>()).buffered(AT_ONCE);
    let mut ops = Vec::new();
    while let Some((path, node)) = read.try_next().await? {
        let Some(node) = node.filter(|node| next.verify(path, &node.data).is_err()) else { continue };
        let Ok(held) = former.verify(path, &node.data) else { continue };
        let server = plans.get(path).copied();
        let plan = server.map(|_| parse_json::<ServerPlan>(path, held)).transpose()?.flatten();
        let data = match server.zip(plan) {
            Some((server, plan)) if !plan.retired => to_json(&sealing.reseal(server, plan)?),
            _ => held.to_vec(),
        };
        ops.push(Op::Set { path: path.clone(), data, expected: Some(node.version) });
    }
    // Nodes that are read first determine how the others are verified.
    ops.sort_unstable_by(|a, b| a.path().cmp(b.path()));
    turn.apply(ops).await
}

/// The identities of the servers.
fn roster(layout: &Layout, present: &Present, there: &Deployed) -> Result<Roster, SeedError> {
    let space = there.desired.space.as_ref();
    let admitting = Admitting { newcomers: false, named: &[], only: None, endorsed: false, space, now: clock::now() };
    admit::roster(layout, present, admitting)
}

/// Signs the values that the operator has set in place of servers' own.
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
