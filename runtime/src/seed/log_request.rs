//! Changes the requests in a server's membership between revisions.

use std::sync::Arc;

use wattle::model::Name;

use crate::clock;
use crate::space::{Ask, DesiredRevision, Layout, MOST_ASKS, Membership, OperatorKey, Signed, parse_json, to_json};
use crate::store::{Op, Store, StoreError};

use super::SeedError;

/// The outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogRequested {
    /// The request was made.
    Asked,
    /// There are too many requests already.
    Full,
    /// There is no recipient: the server has left the model, or an earlier version has applied the seed.
    Nobody,
}

/// Requests a log from `server` of `stack`, or renews the request. `store` is used as the operator who has `key`.
/// Expired requests are dropped.
///
/// # Errors
/// The data space cannot be used, or is not the operator's.
pub async fn ask_for_log(
    store: &Arc<dyn Store>,
    stack: &str,
    key: &OperatorKey,
    server: &Name,
    ask: &Ask,
) -> Result<LogRequested, SeedError> {
    let mut is_full = false;
    let is_there = change(&ours(store, key), &Layout::new(stack), server, |membership| {
        membership.asks.retain(|other| other.id != ask.id && other.until > clock::now());
        is_full = membership.asks.len() >= MOST_ASKS;
        membership.asks.extend((!is_full).then(|| ask.clone()));
        !is_full
    })
    .await?;
    Ok(match (is_there, is_full) {
        (false, _) => LogRequested::Nobody,
        (true, true) => LogRequested::Full,
        (true, false) => LogRequested::Asked,
    })
}

/// Withdraws the request with this `id`.
///
/// # Errors
/// As for [`ask_for_log`].
pub async fn ask_no_more(
    store: &Arc<dyn Store>,
    stack: &str,
    key: &OperatorKey,
    server: &Name,
    id: &str,
) -> Result<(), SeedError> {
    change(&ours(store, key), &Layout::new(stack), server, |membership| {
        let before = membership.asks.len();
        membership.asks.retain(|ask| ask.id != id);
        membership.asks.len() < before
    })
    .await
    .map(drop)
}

fn ours(store: &Arc<dyn Store>, key: &OperatorKey) -> Arc<dyn Store> {
    Signed::insisting(store, key, None)
}

/// Changes the membership of `server` by `change`, which returns whether it changed anything. Returns whether there is
/// a membership. A concurrent writer wins.
///
/// # Errors
/// The data space cannot be used.
pub(super) async fn change(
    store: &Arc<dyn Store>,
    layout: &Layout,
    server: &Name,
    mut change: impl FnMut(&mut Membership) -> bool,
) -> Result<bool, SeedError> {
    let (path, desired) = (layout.membership(server), layout.revision());
    loop {
        let Some(there) = store.get(&desired).await? else { return Ok(false) };
        let space = parse_json::<DesiredRevision>(&desired, &there.data)?.and_then(|desired| desired.space);
        // ZooKeeper compares only how many times a node was set. In another data space, that count restarts.
        let mark = layout.mark(space.as_ref());
        let check = store.get(&mark).await?.map(|node| Op::Check { path: mark, expected: node.version });
        let Some(node) = store.get(&path).await? else { return Ok(false) };
        let Some(mut membership) = parse_json::<Membership>(&path, &node.data)? else { return Ok(false) };
        if !change(&mut membership) {
            return Ok(true);
        }
        let set = Op::Set { path: path.clone(), data: to_json(&membership), expected: Some(node.version) };
        match store.apply(check.into_iter().chain([set]).collect()).await {
            Err(StoreError::Conflict { .. }) => {}
            changed => return Ok(changed.map(|()| true)?),
        }
    }
}
