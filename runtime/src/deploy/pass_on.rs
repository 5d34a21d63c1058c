//! Re-encrypts the records of a stack's infrastructure for another operator's key, or accepts records written by
//! someone else.

use std::sync::Arc;

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};

use crate::space::{OperatorKey, Signed, is_signed, place_of, unverified};
use crate::store::{Access, Store, StoreError, below};

use super::keeper::AT_ONCE;
use super::place::Place;
use super::shelf::{Maker, Shelf};
use super::{DeployError, Identity, identity};

/// Passes the records of `stack`'s infrastructure, if any, to the owner of the `next` key. `store` must have both
/// logins. If this is interrupted, the next call completes it.
///
/// # Errors
/// [`DeployError::Led`] while the stack is being deployed, and errors of the store.
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
    let both: &Arc<dyn Store> = &(Signed::insisting(store, next, Some(former)) as Arc<dyn Store>);
    Identity::pass_on(both, stack, former, next).await?;
    Shelf::new(both, stack, former, &(Arc::new(Nobody) as Arc<dyn Maker>)).pass_on(next).await?;
    let authority = former.signer().authority();
    let top = store.get(place.root()).await?.map(|node| unverified(&node.data).to_vec()).unwrap_or_default();
    let mark = identity::of_this_space(both, stack, &top).await?.map(|(_, mark)| mark);
    sign(store, &place, (next, mark.as_deref()), |path, signed_as, data| match authority.verify(signed_as, data) {
        Ok(held) => Ok(held.to_vec()),
        Err(why) => Err(StoreError::Disowned { path: path.to_owned(), why: why.to_string() }),
    })
    .await?;
    // From now on, only the next operator reads or writes any of it.
    let mut level = vec![place.root().to_owned()];
    while !level.is_empty() {
        let accesses: Vec<_> = level.iter().map(|path| (path.clone(), Access::new())).collect();
        store.protect(&accesses, &[]).await?;
        level = below(store, level).await?;
    }
    Ok(())
}

/// Accepts the records of `stack`'s infrastructure that were not signed by the owner of `key`, by signing them: there
/// is no other record of it. Returns these nodes.
///
/// # Errors
/// As for [`pass_on`].
pub async fn believe(store: &Arc<dyn Store>, stack: &str, key: &OperatorKey) -> Result<Vec<String>, DeployError> {
    let place = Place::new(stack);
    let root = place.root();
    let Some(node) = store.get(root).await? else { return Ok(Vec::new()) };
    if !is_idle(store, stack, &place).await? {
        return Ok(Vec::new());
    }
    let is_signed = node.data.is_empty() || key.signer().authority().verify(root, &node.data).is_ok();
    let signed = &(Signed::new(store, key) as Arc<dyn Store>);
    let top = identity::of_this_space(signed, stack, unverified(&node.data)).await?;
    if let Some((held, _)) = &top {
        // The node may have been written for another data space.
        store.set(root, &key.signer().sign(root, held), Some(node.version)).await?;
    }
    let mark = top.as_ref().map(|(_, mark)| mark.as_str());
    let others = sign(store, &place, (key, mark), |_, _, data| Ok(unverified(data).to_vec())).await?;
    Ok((!is_signed).then(|| root.to_owned()).into_iter().chain(others).collect())
}

/// Whether there are any, and the stack is not being deployed.
async fn is_idle(store: &Arc<dyn Store>, stack: &str, place: &Place) -> Result<bool, DeployError> {
    if store.get(&place.leader()).await?.is_some() {
        return Err(DeployError::Led { stack: stack.to_owned() });
    }
    Ok(store.get(place.root()).await?.is_some())
}

/// Signs with `key`, under its `mark`, every node that it has not signed. Returns these nodes.
async fn sign(
    store: &Arc<dyn Store>,
    place: &Place,
    (key, mark): (&OperatorKey, Option<&str>),
    held: impl Fn(&str, &str, &[u8]) -> Result<Vec<u8>, StoreError>,
) -> Result<Vec<String>, DeployError> {
    let signer = &key.signer();
    let (authority, held) = (&signer.authority(), &held);
    let mut renewed = Vec::new();
    let mut level = vec![place.root().to_owned()];
    while !level.is_empty() {
        let paths = level.iter().filter(|path| is_signed(path)).cloned();
        let written = paths.map(|path| async move {
            let Some(node) = store.get(&path).await?.filter(|node| !node.data.is_empty()) else { return Ok(None) };
            let signed_as = place_of(&path, mark);
            if authority.verify(&signed_as, &node.data).is_ok() {
                return Ok(None);
            }
            let data = signer.sign(&signed_as, &held(&path, &signed_as, &node.data)?);
            store.set(&path, &data, Some(node.version)).await?;
            Ok::<_, DeployError>(Some(path))
        });
        let written = stream::iter(written.collect::<Vec<_>>()).buffered(AT_ONCE);
        renewed.extend(written.try_collect::<Vec<_>>().await?.into_iter().flatten());
        level = below(store, level).await?;
    }
    Ok(renewed)
}

/// A maker that is not used while keys change.
#[derive(Debug)]
struct Nobody;

impl Maker for Nobody {
    fn make(&self, _: &str) -> Result<Arc<dyn wattle_converge::Target>, String> {
        Err("nothing is deployed while keys change".to_owned())
    }
}
