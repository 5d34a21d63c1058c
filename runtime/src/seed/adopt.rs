//! Keys in files beside a seed, where the author of the directory may have put them.
//!
//! A key that the operator has named counts. Any other key counts only if the data space knows it as the stack's: an
//! author of directories cannot have arranged that. This module must not know where such files are.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use wattle::lower::Seed;
use wattle::model::Name;

use crate::space::{Layout, OperatorKey, Record, ServerPlan, SpaceError, parse_json, unverified};
use crate::store::{Principal, Store, StoreError};

use super::error::Beside;
use super::present::{AT_ONCE, Deployed};
use super::{Options, SeedError};

/// The files from which keys were read although the operator did not name them.
#[derive(Clone, Debug, Default)]
pub struct Unnamed {
    /// The file of the operator's key.
    pub key: Option<PathBuf>,
    /// The file of the servers' credentials.
    pub credentials: Option<PathBuf>,
}

/// Refuses keys in `options` that are `unnamed` and that the data space does not know. Drops the credentials of servers
/// that the data space does not know, since they cannot be needed, and those that were used up by servers that have
/// left the model since.
///
/// # Errors
/// [`SeedError::Unknown`], and errors of the data space.
pub async fn adopt(
    store: &Arc<dyn Store>,
    seed: &Seed,
    options: &mut Options,
    unnamed: Unnamed,
) -> Result<(), SeedError> {
    let used_up = used_up(store, seed, options).await?;
    options.credentials.retain(|server| !used_up.iter().any(|used| **used == *server));
    let Unnamed { key, credentials } = unnamed;
    let credentials = credentials.filter(|_| !options.credentials.is_empty());
    if key.is_none() && credentials.is_none() {
        return Ok(());
    }
    let stack = options.stack.as_deref().unwrap_or(&seed.stack);
    let layout = Layout::new(stack);
    let mut files = Vec::new();
    if let Some(path) = key
        && !knows_operator(store, &layout, &options.key).await?
    {
        files.push(Beside::Key(path));
    }
    if let Some(path) = credentials {
        let known = known(store, &layout, seed, options).await?;
        if known.values().any(|is_its| *is_its) && known.values().all(|is_its| *is_its) {
            let is_new = |server: &str| seed.servers.contains_key(server) && !known.contains_key(server);
            options.credentials.retain(|server| !is_new(server));
        } else {
            files.push(Beside::Credentials(path));
        }
    }
    if files.is_empty() { Ok(()) } else { Err(SeedError::Unknown { stack: stack.to_owned(), files }) }
}

/// The servers that had left the model, are back, and were admitted before with the credential in `options`. A
/// returning server is a new one. If it could use the old credential, anyone who had once read that credential could
/// take its place.
async fn used_up(store: &Arc<dyn Store>, seed: &Seed, options: &Options) -> Result<Vec<Name>, SeedError> {
    let layout = &Layout::new(options.stack.as_deref().unwrap_or(&seed.stack));
    let credentials = seed.servers.keys().filter_map(|server| Some((server, options.credentials.get(server)?)));
    let read = credentials.map(|(server, credential)| async move {
        let (record, plan) = (layout.server(server), layout.plan(server));
        let Some(node) = store.get(&plan).await? else { return Ok(None) };
        let plan: Option<ServerPlan> = parse_json(&plan, unverified(&node.data)).ok().flatten();
        if !plan.is_some_and(|plan| plan.retired) {
            return Ok(None);
        }
        let Some(node) = store.get(&record).await? else { return Ok(None) };
        let record: Option<Record> = parse_json(&record, unverified(&node.data)).ok().flatten();
        let public = credential.key().public(layout.stack(), server);
        let known = record.as_ref().and_then(Record::registered);
        let is_used = known.is_some_and(|known| known.admitted.is_some() && known.credential.has_key_of(&public));
        Ok::<_, SeedError>(is_used.then(|| server.clone()))
    });
    let read: Vec<_> = stream::iter(read.collect::<Vec<_>>()).buffered(AT_ONCE).try_collect().await?;
    Ok(read.into_iter().flatten().collect())
}

/// The servers whose credential the data space knows, each with whether it is the one in `options`.
async fn known(
    store: &Arc<dyn Store>,
    layout: &Layout,
    seed: &Seed,
    options: &Options,
) -> Result<HashMap<Name, bool>, SeedError> {
    let credentials = seed.servers.keys().filter_map(|server| Some((server, options.credentials.get(server)?)));
    let read = credentials.map(|(server, credential)| async move {
        let path = layout.server(server);
        let Some(node) = store.get(&path).await? else { return Ok(None) };
        let public = credential.key().public(layout.stack(), server);
        let record: Option<Record> = parse_json(&path, unverified(&node.data)).ok().flatten();
        let is_its = record.map(|record| match record {
            Record::Now(known) => known.credential.has_key_of(&public),
            Record::Former(principal) => principal == public.principal,
        });
        Ok::<_, SeedError>(is_its.map(|is_its| (server.clone(), is_its)))
    });
    let read: Vec<_> = stream::iter(read.collect::<Vec<_>>()).buffered(AT_ONCE).try_collect().await?;
    Ok(read.into_iter().flatten().collect())
}

/// Whether the operator who has this key never wrote anything of `stack`, so that the key cannot be needed.
pub async fn is_unknown(store: &Arc<dyn Store>, stack: &str, key: &OperatorKey) -> bool {
    match knows_operator(store, &Layout::new(stack), key).await {
        Ok(knows) => !knows,
        Err(error) => matches!(error, SeedError::Space(SpaceError::Store(StoreError::Denied { .. }))),
    }
}

/// Whether the stack's desired revision is this operator's. The signature is not verified: it would only lead to the
/// same key.
async fn knows_operator(store: &Arc<dyn Store>, layout: &Layout, key: &OperatorKey) -> Result<bool, SeedError> {
    let path = layout.revision();
    let Some(node) = store.get(&path).await? else { return Ok(false) };
    let desired: Option<Deployed> = parse_json(&path, unverified(&node.data)).ok().flatten();
    // Earlier versions did not name the operator, who is then found among those who may read the desired revision.
    let is_one = |operator: Principal| key.logins().iter().any(|login| login.principal() == operator);
    Ok(desired.is_some_and(|there| there.desired.operator.is_none_or(is_one)))
}
