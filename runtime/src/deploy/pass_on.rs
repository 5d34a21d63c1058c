//! Giving what is known of a stack's infrastructure another operator's key, or one's own to what somebody else has written there.

use std::sync::Arc;

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};

use crate::space::{OperatorKey, Signed, is_signed, unverified};
use crate::store::{Access, Store, StoreError};

use super::keeper::AT_ONCE;
use super::place::Place;
use super::shelf::{Maker, Shelf};
use super::{DeployError, Identity};

/// Gives what is kept of `stack`'s infrastructure, if it has any, to the operator who has the `next` key. `store` is used as the one
/// who has both. What is broken off is completed by the next call.
///
/// # Errors
/// [`DeployError::Led`] while somebody deploys the stack, and what the store says.
pub async fn pass_on(
    store: &Arc<dyn Store>,
    stack: &str,
    former: &OperatorKey,
    next: &OperatorKey,
) -> Result<(), DeployError> {
    let place = Place::new(stack);
    if !is_idle(store, stack, &place).await? {
        return Ok(());
    }
    let both: &Arc<dyn Store> = &(Signed::succeeding(store, next, former).insisting() as Arc<dyn Store>);
    Identity::pass_on(both, stack, former, next).await?;
    Shelf::new(both, stack, former, &(Arc::new(Nobody) as Arc<dyn Maker>)).pass_on(next).await?;
    let authority = former.signer().authority();
    sign(store, &place, next, |path, data| match authority.verify(path, data) {
        Ok(held) => Ok(held.to_vec()),
        Err(why) => Err(StoreError::Disowned { path: path.to_owned(), why: why.to_string() }),
    })
    .await?;
    // From now on nobody but the next operator reads or writes any of it.
    let mut level = vec![place.root().to_owned()];
    while !level.is_empty() {
        let accesses: Vec<_> = level.iter().map(|path| (path.clone(), Access::new())).collect();
        store.protect(&accesses, &[]).await?;
        level = below(store, level).await?;
    }
    Ok(())
}

/// Takes what is known of `stack`'s infrastructure, and was not signed so by the operator who has `key`, for theirs from now on: there
/// is no other record of it. Which nodes these are.
///
/// # Errors
/// As [`pass_on`].
pub async fn believe(store: &Arc<dyn Store>, stack: &str, key: &OperatorKey) -> Result<Vec<String>, DeployError> {
    let place = Place::new(stack);
    if !is_idle(store, stack, &place).await? {
        return Ok(Vec::new());
    }
    sign(store, &place, key, |_, data| Ok(unverified(data).to_vec())).await
}

/// Whether there is any, and nobody deploys it.
async fn is_idle(store: &Arc<dyn Store>, stack: &str, place: &Place) -> Result<bool, DeployError> {
    if store.get(&place.leader()).await?.is_some() {
        return Err(DeployError::Led { stack: stack.to_owned() });
    }
    Ok(store.get(place.root()).await?.is_some())
}

/// Signs with `key` all that it has not signed: what is `held` by a node with this path and data. Which nodes these are.
async fn sign(
    store: &Arc<dyn Store>,
    place: &Place,
    key: &OperatorKey,
    held: impl Fn(&str, &[u8]) -> Result<Vec<u8>, StoreError>,
) -> Result<Vec<String>, DeployError> {
    let signer = &key.signer();
    let (authority, held) = (&signer.authority(), &held);
    let mut renewed = Vec::new();
    let mut level = vec![place.root().to_owned()];
    while !level.is_empty() {
        let paths = level.iter().filter(|path| is_signed(path)).cloned();
        let written = paths.map(|path| async move {
            let Some(node) = store.get(&path).await?.filter(|node| !node.data.is_empty()) else { return Ok(None) };
            if authority.verify(&path, &node.data).is_ok() {
                return Ok(None);
            }
            let data = signer.sign(&path, &held(&path, &node.data)?);
            store.set(&path, &data, Some(node.version)).await?;
            Ok::<_, DeployError>(Some(path))
        });
        let written = stream::iter(written.collect::<Vec<_>>()).buffered(AT_ONCE);
        renewed.extend(written.try_collect::<Vec<_>>().await?.into_iter().flatten());
        level = below(store, level).await?;
    }
    Ok(renewed)
}

/// What stands right below the nodes of a `level`.
async fn below(store: &Arc<dyn Store>, level: Vec<String>) -> Result<Vec<String>, DeployError> {
    let below = stream::iter(level).map(|path| async move {
        let names = store.children(&path).await?;
        Ok::<_, DeployError>(names.into_iter().map(|name| format!("{path}/{name}")).collect::<Vec<_>>())
    });
    Ok(below.buffered(AT_ONCE).try_collect::<Vec<_>>().await?.into_iter().flatten().collect())
}

/// Nothing is made while keys change.
#[derive(Debug)]
struct Nobody;

impl Maker for Nobody {
    fn make(&self, _: &str) -> Result<Arc<dyn wattle_converge::Target>, String> {
        Err("nothing is deployed while keys change".to_owned())
    }
}
