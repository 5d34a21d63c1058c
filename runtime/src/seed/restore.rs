//! Making a stack's place the operator's own before anything in it is believed.

use std::sync::Arc;

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};

use crate::space::{Layout, SpaceError};
use crate::store::{Access, Principal, Store, StoreError};

use super::delete::clear;
use super::present::AT_ONCE;
use super::{SeedError, rights};

/// Removes what is there of a stack that no operator has told of, since nobody knows who has made it; and takes the nodes
/// of a stack that is to be `restored` that only group others, so that nobody else makes or removes any below them.
pub(super) async fn prepare(
    store: &Arc<dyn Store>,
    layout: &Layout,
    member: &Principal,
    restored: bool,
) -> Result<(), SeedError> {
    take(store, layout, member, restored).await.map_err(|error| match error {
        SeedError::Space(SpaceError::Store(StoreError::Denied { path, .. })) => SeedError::Squatted { path },
        error => error,
    })
}

async fn take(store: &Arc<dyn Store>, layout: &Layout, member: &Principal, restored: bool) -> Result<(), SeedError> {
    if store.get(&layout.revision()).await?.is_some() {
        return if restored { own(store, layout, member).await } else { Ok(()) };
    }
    match store.get(&layout.root()).await? {
        Some(_) => clear(store, layout, &[]).await.map(drop),
        None => Ok(()),
    }
}

async fn own(store: &Arc<dyn Store>, layout: &Layout, member: &Principal) -> Result<(), SeedError> {
    let only_groups = || Access::new();
    store.protect(&[(layout.root(), only_groups()), (layout.revision(), rights::members(member))], &[]).await?;
    let marks = store.children(&layout.revision()).await?;
    let marks: Vec<_> = marks.iter().map(|mark| (layout.mark(Some(&mark.as_str().into())), only_groups())).collect();
    store.protect(&marks, &[]).await?;
    let tops = [(layout.servers(), 1), (layout.agents(), 0), (layout.entries(), 2), (layout.statuses(), 1)];
    let more = [(layout.recipes(), 0), (layout.exports(), 1), (layout.importers(), 1), (layout.deployed(), 1)];
    for (top, depth) in tops.into_iter().chain(more) {
        let mut level = vec![top];
        for deeper in (0..=depth).rev() {
            // First the rights, then what is below: what is found stays so.
            let accesses: Vec<_> = level.iter().map(|path| (path.clone(), only_groups())).collect();
            store.protect(&accesses, &[]).await?;
            if deeper > 0 {
                let below = stream::iter(std::mem::take(&mut level)).map(|path| async move {
                    let names = store.children(&path).await?;
                    Ok::<_, SeedError>(names.into_iter().map(|name| format!("{path}/{name}")).collect::<Vec<_>>())
                });
                level = below.buffered(AT_ONCE).try_collect::<Vec<_>>().await?.into_iter().flatten().collect();
            }
        }
    }
    Ok(())
}
