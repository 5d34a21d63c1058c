//! Takes ownership of a stack's place before anything in it is trusted.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use crate::clock;
use crate::space::{Layout, OperatorKey, ROOT, SpaceError};
use crate::store::{Access, Store, StoreError, Version, below};

use super::delete::{Also, clear};
use super::present::Deployed;
use super::turn::{Seen, Turn};
use super::{SeedError, bounds, naming};

/// Removes a stack that has no operator's desired revision, because its creator is unknown. Completes such a removal if
/// it was interrupted. If the stack should be `restored`, takes ownership of its grouping nodes, so that no one else
/// can create or remove anything below them. Returns the desired revision if a data space was begun.
pub(super) async fn prepare(
    store: &Arc<dyn Store>,
    layout: &Layout,
    operator: &OperatorKey,
    there: Option<&(Deployed, Version)>,
    restored: bool,
) -> Result<Option<(Deployed, Version)>, SeedError> {
    let prepared = async {
        if there.is_none() {
            own_top(store).await?;
        }
        let begun = there.filter(|there| there.0.is_to_be_cleared() && !restored);
        match (store.get(&layout.revision()).await?, store.get(&layout.root()).await?) {
            (Some(_), _) if begun.is_some() => {
                let seen = Seen::read(store, layout, begun).await?;
                begin(store, layout, operator, begun.map(|begun| (begun.0.clone(), seen))).await.map(Some)
            }
            (Some(_), _) if restored => own(store, layout).await.map(|()| None),
            (None, Some(_)) => begin(store, layout, operator, None).await.map(Some),
            _ => Ok(None),
        }
    };
    prepared.await.map_err(|error| match error {
        SeedError::Space(SpaceError::Store(StoreError::Denied { path, .. })) => SeedError::Squatted { path },
        error => error,
    })
}

/// Begins a data space, or continues one that was `begun`, before anything is removed. Otherwise, of two operators who
/// find the same contents, one would remove what the other has created since.
async fn begin(
    store: &Arc<dyn Store>,
    layout: &Layout,
    operator: &OperatorKey,
    begun: Option<(Deployed, Seen)>,
) -> Result<(Deployed, Version), SeedError> {
    // Servers get their rights with the first revision.
    let access = Access::new();
    let (beginning, turn) = if let Some((beginning, seen)) = begun {
        let turn = Turn::take(store, layout, &seen, &beginning, Vec::new(), access).await?;
        (beginning, turn)
    } else {
        let space = naming::new(store, clock::now()).await?;
        // The next reader gives the first revision its number.
        let beginning = Deployed::beginning(Some(space), Some(operator.login().principal()), 0);
        let turn = Turn::begin(store, layout, &Seen::default(), &beginning, true, access).await?;
        (beginning, turn)
    };
    turn.protect(&[(layout.root(), Access::new())]).await?;
    clear(store, layout, &turn.checks(), Also::Nothing, &AtomicUsize::new(0)).await?;
    Ok(turn.said(beginning))
}

/// Takes ownership of the node above all stacks if others have rights to it. Otherwise, the client that was there first
/// could create and remove stacks and determine the names of data spaces.
async fn own_top(store: &Arc<dyn Store>) -> Result<(), SeedError> {
    let top = [(ROOT.to_owned(), Access::new())];
    if !store.exceeding(&top).await?.is_empty() {
        store.protect(&top, &[]).await?;
    }
    Ok(())
}

/// Gives the operator sole ownership of the grouping nodes, starting with the one above all stacks, and of the nodes
/// that limit servers.
pub(super) async fn own(store: &Arc<dyn Store>, layout: &Layout) -> Result<(), SeedError> {
    let only_groups = || Access::new();
    // Here, too, an operator whose password has changed counts as a different one.
    let groups = [ROOT.to_owned(), layout.root(), layout.revision()].map(|path| (path, only_groups()));
    store.protect(&groups, &[]).await?;
    let marks = store.children(&layout.revision()).await?;
    let marks: Vec<_> = marks.iter().map(|mark| (layout.mark(Some(&mark.as_str().into())), only_groups())).collect();
    store.protect(&marks, &[]).await?;
    let tops = [(layout.servers(), 1), (layout.agents(), 0), (layout.entries(), 2), (layout.statuses(), 1)];
    let more = [
        (layout.recipes(), 0),
        (layout.exports(), 1),
        (layout.importers(), 1),
        (layout.deployed(), 1),
        (layout.admission(), 0),
    ];
    for (top, depth) in tops.into_iter().chain(more) {
        let mut level = vec![top];
        for deeper in (0..=depth).rev() {
            // Change rights first and contents second, so that the contents that are read cannot change.
            let accesses: Vec<_> = level.iter().map(|path| (path.clone(), only_groups())).collect();
            store.protect(&accesses, &[]).await?;
            if deeper > 0 {
                level = below(store, level).await?;
            }
        }
    }
    bounds::own(store, &layout.root()).await
}
