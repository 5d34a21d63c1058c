//! Keys that lie beside a seed: whoever made the directory may have put them there.
//!
//! One that the operator has named counts. Any other counts only if the data space knows it as the stack's: whoever only
//! makes directories cannot have made that so. What must not live here: where such files lie.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use wattle::lower::Seed;
use wattle::model::Name;

use crate::space::{Layout, OperatorKey, Plan, Record, SpaceError, parse_json, unverified};
use crate::store::{Principal, Store, StoreError};

use super::error::Beside;
use super::present::{AT_ONCE, Deployed};
use super::{Options, SeedError};

/// The files that keys were read from and that nobody has named.
#[derive(Clone, Debug, Default)]
pub struct Unnamed {
    /// Where the operator's key is from.
    pub key: Option<PathBuf>,
    /// Where the servers' credentials are from.
    pub credentials: Option<PathBuf>,
}

/// Refuses those of the `options`' keys that are `unnamed` and that the data space does not know. Credentials of
/// servers of which it knows nothing are dropped: nobody can need them. So are those that were used up by servers that have left since.
///
/// # Errors
/// [`SeedError::Unknown`]; what the data space says.
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

/// The servers that had left the model, are back, and were admitted before with the credential in the `options`. A server that comes
/// back is another one: with a credential that was worth nothing any more, whoever had read it once would come in its place.
async fn used_up(store: &Arc<dyn Store>, seed: &Seed, options: &Options) -> Result<Vec<Name>, SeedError> {
    let layout = &Layout::new(options.stack.as_deref().unwrap_or(&seed.stack));
    let credentials = seed.servers.keys().filter_map(|server| Some((server, options.credentials.get(server)?)));
    let read = credentials.map(|(server, credential)| async move {
        let (record, plan) = (layout.server(server), layout.plan(server));
        let Some(node) = store.get(&plan).await? else { return Ok(None) };
        let plan: Option<Plan> = parse_json(&plan, unverified(&node.data)).ok().flatten();
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

/// Of which servers the data space knows the credential: each with whether that is the one in the `options`.
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

/// Whether nothing of `stack` was ever told by the operator who has this key: then nobody can have need of the key.
pub async fn is_unknown(store: &Arc<dyn Store>, stack: &str, key: &OperatorKey) -> bool {
    match knows_operator(store, &Layout::new(stack), key).await {
        Ok(knows) => !knows,
        Err(error) => matches!(error, SeedError::Space(SpaceError::Store(StoreError::Denied { .. }))),
    }
}

/// Whether the stack's goal is this operator's. It is not looked who has signed it: that would be the same key.
async fn knows_operator(store: &Arc<dyn Store>, layout: &Layout, key: &OperatorKey) -> Result<bool, SeedError> {
    let path = layout.revision();
    let Some(node) = store.get(&path).await? else { return Ok(false) };
    let goal: Option<Deployed> = parse_json(&path, unverified(&node.data)).ok().flatten();
    // Versions of before did not say who: they are who may read it.
    let is_one = |operator: Principal| key.logins().iter().any(|login| login.principal() == operator);
    Ok(goal.is_some_and(|there| there.goal.operator.is_none_or(is_one)))
}
