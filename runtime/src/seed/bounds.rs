//! Takes ownership of the node that limits servers in a store ([`Store::bounds`]).
//!
//! The owner of that node decides how much anyone writes in the whole stack, the operator included.

use std::sync::Arc;

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};

use crate::store::{Access, Store, StoreError, directly_below};

use super::SeedError;
use super::present::AT_ONCE;

/// Gives the operator sole ownership of the limits of everything below `top`, and of their parents. Nodes of someone
/// else are unchanged: [`Store::bound`] returns whether the limits apply.
///
/// # Errors
/// An error of the store.
pub(super) async fn own(store: &Arc<dyn Store>, top: &str) -> Result<(), SeedError> {
    let mut above = store.bounds(top);
    let mut level: Vec<String> = above.pop().into_iter().collect();
    take(store, &above).await?;
    while !level.is_empty() {
        // Change rights first and contents second, so that the contents that are read cannot change.
        take(store, &level).await?;
        let listed = stream::iter(level).map(|path| async move {
            match directly_below(store, &path).await {
                Err(StoreError::Denied { .. }) => Ok(Vec::new()),
                paths => paths,
            }
        });
        level = listed.buffered(AT_ONCE).try_collect::<Vec<_>>().await?.concat();
    }
    Ok(())
}

async fn take(store: &Arc<dyn Store>, paths: &[String]) -> Result<(), SeedError> {
    let accesses: Vec<_> = paths.iter().map(|path| (path.clone(), Access::new())).collect();
    match store.protect(&accesses, &[]).await {
        // A node that belongs to someone else does not prevent taking the others.
        Err(StoreError::Denied { .. }) => {
            for access in accesses {
                match store.protect(&[access], &[]).await {
                    Ok(()) | Err(StoreError::Denied { .. }) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            Ok(())
        }
        taken => Ok(taken?),
    }
}
