//! Giving what is kept of a stack's infrastructure another operator's key.

use std::sync::Arc;

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};

use crate::space::OperatorKey;
use crate::store::{Access, Store};

use super::place::Place;
use super::shelf::{Maker, Shelf};
use super::{DeployError, Identity};

/// Nodes of which it is asked at the same time what is below them.
const AT_ONCE: usize = 256;

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
    if store.get(place.root()).await?.is_none() {
        return Ok(());
    }
    if store.get(&place.leader()).await?.is_some() {
        return Err(DeployError::Led { stack: stack.to_owned() });
    }
    Identity::pass_on(store, stack, former, next).await?;
    Shelf::new(store, stack, former, &(Arc::new(Nobody) as Arc<dyn Maker>)).pass_on(next).await?;
    // From now on nobody but the next operator reads or writes any of it.
    let mut level = vec![place.root().to_owned()];
    while !level.is_empty() {
        let accesses: Vec<_> = level.iter().map(|path| (path.clone(), Access::new())).collect();
        store.protect(&accesses, &[]).await?;
        let below = stream::iter(level).map(|path| async move {
            let names = store.children(&path).await?;
            Ok::<_, DeployError>(names.into_iter().map(|name| format!("{path}/{name}")).collect::<Vec<_>>())
        });
        level = below.buffered(AT_ONCE).try_collect::<Vec<_>>().await?.into_iter().flatten().collect();
    }
    Ok(())
}

/// Nothing is made while keys change.
#[derive(Debug)]
struct Nobody;

impl Maker for Nobody {
    fn make(&self, _: &str) -> Result<Arc<dyn wattle_converge::Target>, String> {
        Err("nothing is deployed while keys change".to_owned())
    }
}
