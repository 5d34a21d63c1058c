//! Renews servers' own keys: the operator asks for new keys in what each server is told, and admits those that the
//! previous keys have endorsed.

use std::sync::Arc;

use wattle::model::{IndexSet, Name};

use crate::space::{Authority, Layout, Membership, OperatorKey, Signed, parse_json, to_json};
use crate::store::Store;

use super::SeedError;
use super::admit::{self, Admission, Doing, Found, Waiting};

/// Asks `servers` of `stack` for new keys of their own, unless they were asked before. Returns which of them have made
/// one, and which have not yet. `store` is used as the operator who has `key`.
///
/// # Errors
/// Like [`admit`](super::admit), and [`SeedError::NoKey`] for servers that have no key of their own yet.
pub async fn renew(
    store: &Arc<dyn Store>,
    stack: &str,
    key: &OperatorKey,
    servers: &[Name],
) -> Result<Waiting, SeedError> {
    let signed = Signed::new(store, key);
    let Found { layout, roster, .. } = admit::find(&signed, stack, servers, None, Doing::LooksRenewed).await?;
    let without = roster.on_credentials().map(|(server, _)| server).filter(|server| servers.contains(server));
    let without: Vec<String> = without.map(ToString::to_string).collect();
    if !without.is_empty() {
        return Err(SeedError::NoKey { stack: stack.to_owned(), servers: without });
    }
    let come = roster.admitted.clone();
    let absent: IndexSet<Name> = servers.iter().filter(|server| !come.contains(server)).cloned().collect();
    let store: &Arc<dyn Store> = &(signed as Arc<dyn Store>);
    for server in &absent {
        let identity = roster.identity(server).map(|identity| identity.key);
        ask(store, &layout, server, identity).await?;
    }
    Ok(Waiting { come, absent: absent.into_iter().collect() })
}

/// Asks a server to replace its key.
async fn ask(
    store: &Arc<dyn Store>,
    layout: &Layout,
    server: &Name,
    renews: Option<Authority>,
) -> Result<(), SeedError> {
    let path = layout.membership(server);
    let Some(node) = store.get(&path).await? else { return Ok(()) };
    let Some(mut asked) = parse_json::<Membership>(&path, &node.data)? else { return Ok(()) };
    if asked.renews == renews {
        return Ok(());
    }
    asked.renews = renews;
    store.set(&path, &to_json(&asked), Some(node.version)).await?;
    Ok(())
}

/// Admits the new keys that `servers` of `stack` have made since [`renew`] asked for them.
///
/// # Errors
/// Like [`admit`](super::admit).
pub async fn admit_renewed(
    store: &Arc<dyn Store>,
    stack: &str,
    key: &OperatorKey,
    servers: &[Name],
) -> Result<Admission, SeedError> {
    admit::admit_as(store, stack, key, servers, None, Doing::Renews).await
}
