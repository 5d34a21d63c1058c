//! Removes a stack from a data space.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use wattle::model::IndexMap;

use crate::space::{Layout, OperatorKey, Signed};
use crate::store::{Access, Op, Store, StoreError, below};

use super::present::{self, AT_ONCE, get_json, is_acting};
use super::removal::Removal;
use super::turn::{Seen, Turn, busy};
use super::{SeedError, imports, names};

/// How many times to retry while nodes reappear during the removal: running agents create their nodes again.
const TRIES: usize = 20;

/// Removes everything of a stack. Returns `false` if there was nothing. `store` is used as the operator who has `key`.
///
/// # Errors
/// [`SeedError::Alive`] while agents act for the stack's servers, and [`SeedError::Imported`] while other stacks read
/// from it, unless it is `force`d. The next call completes an interrupted one.
pub async fn delete(store: &Arc<dyn Store>, stack: &str, key: &OperatorKey, force: bool) -> Result<bool, SeedError> {
    delete_counting(store, stack, key, force, &AtomicUsize::new(0)).await
}

/// Like [`delete`], and counts in `removed` the removed nodes that servers have created, which may be many.
///
/// # Errors
/// As for [`delete`].
pub async fn delete_counting(
    store: &Arc<dyn Store>,
    stack: &str,
    key: &OperatorKey,
    force: bool,
    removed: &AtomicUsize,
) -> Result<bool, SeedError> {
    names::check("stack", stack)?;
    let store: &Arc<dyn Store> = &(Signed::new(store, key) as Arc<dyn Store>);
    let layout = Layout::new(stack);
    let root = layout.root();
    if store.get(&root).await?.is_none() {
        return Ok(false);
    }
    if !force {
        refuse(store, &layout).await?;
    }
    // From now on, a `seed apply` sees that the stack is incomplete, and an earlier one stops writing.
    let turn = match present::deployed(store, &layout).await? {
        None => None,
        Some(there) => {
            let seen = Seen::read(store, &layout, Some(&there)).await?;
            let mut desired = there.0;
            // Otherwise, a seed could look as if only its last steps were missing.
            desired.desired.applying = Some(desired.desired.applying.unwrap_or(0).max(desired.desired.revision) + 1);
            Some(Turn::take(store, &layout, &seen, &desired, Vec::new(), Access::new()).await?)
        }
    };
    let checks = turn.as_ref().map(Turn::checks).unwrap_or_default();
    imports::register(store, stack, &IndexMap::default(), false, &checks).await?;
    match clear(store, &layout, &checks, Also::Desired, removed).await? {
        left if left.is_empty() => {
            store.unbound(&root).await?;
            Ok(true)
        }
        paths => Err(SeedError::Left { stack: stack.to_owned(), paths }),
    }
}

/// Nodes to remove in addition to the rest of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Also {
    /// The desired revision and the stack's own node.
    Desired,
    /// Neither, because another data space begins.
    Nothing,
}

/// Removes everything of a stack while the `checks` hold. Returns the paths that only a server can remove.
pub(super) async fn clear(
    store: &Arc<dyn Store>,
    layout: &Layout,
    checks: &[Op],
    also: Also,
    removed: &AtomicUsize,
) -> Result<Vec<String>, SeedError> {
    // From now on, servers cannot create anything in their places. Otherwise the removal might never end.
    let servers = store.children(&layout.agents()).await?;
    let places: Vec<_> = servers.iter().map(|server| (layout.agent(server), Access::new())).collect();
    store.protect(&places, checks).await.map_err(|error| busy(layout, error))?;
    let removal = Removal { store, layout, checks, removed };
    let mut last = Ok(Vec::new());
    for _ in 0..TRIES {
        last = remove(removal, also).await;
        if !matches!(
            last,
            Err(SeedError::Space(crate::space::SpaceError::Store(
                StoreError::NotEmpty { .. } | StoreError::Missing { .. }
            )))
        ) {
            break;
        }
    }
    last
}

async fn refuse(store: &Arc<dyn Store>, layout: &Layout) -> Result<(), SeedError> {
    let names = store.children(&layout.servers()).await?;
    let alive = stream::iter(names)
        .map(|name| async move { Ok::<_, SeedError>(is_acting(store, layout, &name).await?.then_some(name)) });
    let servers: Vec<String> = alive.buffered(AT_ONCE).try_collect::<Vec<_>>().await?.into_iter().flatten().collect();
    if !servers.is_empty() {
        return Err(SeedError::Alive { stack: layout.stack().to_owned(), servers });
    }
    let mut importers = Vec::new();
    for name in store.children(&layout.importers()).await? {
        let importer: Option<crate::space::Importer> = get_json(store, &layout.importer(&name)).await?;
        if importer.is_some_and(|importer| !importer.entries.is_empty()) {
            importers.push(name);
        }
    }
    if importers.is_empty() { Ok(()) } else { Err(SeedError::Imported { stack: layout.stack().to_owned(), importers }) }
}

/// Removes all existing nodes, `also` last. Nodes that only servers can remove are kept, with their parents. Returns
/// their paths.
async fn remove(removal: Removal<'_>, also: Also) -> Result<Vec<String>, SeedError> {
    let Removal { store, layout, checks, .. } = removal;
    let (mut found, mut left) = (Vec::new(), Vec::new());
    let agents = format!("{}/", layout.agents());
    let mut level = vec![layout.root()];
    while !level.is_empty() {
        // Nodes created by servers are removed separately: there may be many, and some may have to stay.
        let (places, groups) = level.into_iter().partition::<Vec<_>, _>(|path| path.starts_with(&agents));
        let emptied = stream::iter(&places).map(|place: &String| removal.below(place, None));
        left.extend(emptied.buffered(AT_ONCE).try_collect::<Vec<_>>().await?.into_iter().flatten());
        level = below(store, groups).await?;
        found.extend(level.iter().cloned());
    }
    let is_above =
        |path: &String| left.iter().any(|left| left.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')));
    let found = found.into_iter().filter(|path| !is_above(path));
    let desired = layout.revision();
    let is_last =
        |path: &String| path.strip_prefix(&desired).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let (mut last, others): (Vec<String>, Vec<String>) = found.rev().partition(is_last);
    match also {
        Also::Desired => last.extend(left.is_empty().then(|| layout.root())),
        Also::Nothing => last.clear(),
    }
    // The nodes that the checks compare are removed together, in the last request with these checks.
    for paths in [others, last] {
        let removals = paths.into_iter().map(|path| Op::Delete { path });
        let removed = store.apply(checks.iter().cloned().chain(removals).collect()).await;
        removed.map_err(|error| busy(layout, error))?;
    }
    Ok(left)
}
