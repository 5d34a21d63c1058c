//! Renews servers' own keys: requests new keys in each server's membership, and admits those that the previous keys
//! have endorsed.

use std::sync::Arc;

use wattle::model::{IndexSet, Name};

use crate::space::{OperatorKey, Signed};
use crate::store::Store;

use super::admit::{self, Admission, Doing, Found, Waiting};
use super::{SeedError, log_request};

/// Requests new keys from `servers` of `stack`, unless that was done before. Returns which of them have generated one,
/// and which have not yet. `store` is used as the operator who has `key`.
///
/// # Errors
/// As for [`admit`](super::admit), and [`SeedError::NoKey`] for servers that have no key of their own yet.
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
        let renews = roster.identity(server).map(|identity| identity.key);
        log_request::change(store, &layout, server, |request| std::mem::replace(&mut request.renews, renews) != renews)
            .await?;
    }
    Ok(Waiting { come, absent: absent.into_iter().collect() })
}

/// Admits the new keys that `servers` of `stack` have generated since [`renew`] requested them.
///
/// # Errors
/// As for [`admit`](super::admit).
pub async fn admit_renewed(
    store: &Arc<dyn Store>,
    stack: &str,
    key: &OperatorKey,
    servers: &[Name],
) -> Result<Admission, SeedError> {
    admit::admit_as(store, stack, key, servers, None, Doing::Renews).await
}
