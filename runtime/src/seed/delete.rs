//! Removes a stack from a data space.

use std::sync::Arc;

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use wattle::model::IndexMap;

use crate::space::{Layout, OperatorKey, Signed};
use crate::store::{Access, Op, Store, StoreError};

use super::present::{self, AT_ONCE, get_json};
use super::turn::{Seen, Turn, busy};
use super::{SeedError, imports, names};

/// How many times to remove what comes back during the removal: agents that are running create their nodes again.
const TRIES: usize = 20;

/// The number of nodes made by servers that one request removes.
const AT_ONCE_REMOVED: usize = 200;

/// Removes everything of a stack. Returns `false` if there was nothing. `store` is used as the operator who has `key`.
///
/// # Errors
/// [`SeedError::Alive`] while agents act for the stack's servers, and [`SeedError::Imported`] while other stacks read
/// from it, unless it is `force`d. The next call completes an interrupted one.
pub async fn delete(store: &Arc<dyn Store>, stack: &str, key: &OperatorKey, force: bool) -> Result<bool, SeedError> {
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
            let mut goal = there.0;
            // So that no seed looks as if only its end were missing.
            goal.goal.applying = Some(goal.goal.applying.unwrap_or(0).max(goal.goal.revision) + 1);
            Some(Turn::take(store, &layout, &seen, &goal, Vec::new(), Access::new()).await?)
        }
    };
    let checks = turn.as_ref().map(Turn::checks).unwrap_or_default();
    imports::register(store, stack, &IndexMap::default(), false, &checks).await?;
    match clear(store, &layout, &checks, Also::Goal).await? {
        left if left.is_empty() => {
            store.unbound(&root).await?;
            Ok(true)
        }
        paths => Err(SeedError::Left { stack: stack.to_owned(), paths }),
    }
}

/// What to remove in addition to everything else of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Also {
    /// The goal and the stack's own node.
    Goal,
    /// Neither, because another data space begins.
    Nothing,
}

/// Removes everything of a stack while the `checks` hold. Returns what is left because only a server can remove it.
pub(super) async fn clear(
    store: &Arc<dyn Store>,
    layout: &Layout,
    checks: &[Op],
    also: Also,
) -> Result<Vec<String>, SeedError> {
    // From now on, servers cannot create anything in their places. Otherwise the removal might never end.
    let servers = store.children(&layout.agents()).await?;
    let places: Vec<_> = servers.iter().map(|server| (layout.agent(server), Access::new())).collect();
    store.protect(&places, checks).await.map_err(|error| busy(layout, error))?;
    let mut last = Ok(Vec::new());
    for _ in 0..TRIES {
        last = remove(store, layout, checks, also).await;
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
    let alive = stream::iter(names).map(|name| async move {
        for path in [layout.alive(&name), layout.former_alive(&name)] {
            match store.get(&path).await {
                Ok(None) => {}
                // An agent that keeps the node from the operator is there as well.
                Ok(Some(_)) | Err(StoreError::Denied { .. }) => return Ok(Some(name)),
                Err(error) => return Err(SeedError::from(error)),
            }
        }
        Ok(None)
    });
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

/// Removes everything that is there while the `checks` hold, with `also` last. Nodes of servers that nobody else can
/// remove are left, with their parents. Returns their paths.
async fn remove(store: &Arc<dyn Store>, layout: &Layout, checks: &[Op], also: Also) -> Result<Vec<String>, SeedError> {
    let mut found = Vec::new();
    let mut level = vec![layout.root()];
    while !level.is_empty() {
        let below = stream::iter(level).map(|path| async move {
            let names = match store.children(&path).await {
                // A server denies access to it. It can be removed all the same if there is nothing below it.
                Err(StoreError::Denied { .. }) if is_made_by_server(layout, &path) => Vec::new(),
                names => names?,
            };
            Ok::<_, SeedError>(names.into_iter().map(|name| format!("{path}/{name}")).collect::<Vec<_>>())
        });
        level = below.buffered(AT_ONCE).try_collect::<Vec<_>>().await?.into_iter().flatten().collect();
        found.extend(level.iter().cloned());
    }
    // Nodes made by servers are removed in requests of their own, because one that cannot be removed would make the
    // whole request fail.
    let (made, found): (Vec<String>, Vec<String>) = found.into_iter().partition(|path| is_made_by_server(layout, path));
    let mut left = Vec::new();
    let made: Vec<String> = made.into_iter().rev().collect();
    let removal = |path: &String| Op::Delete { path: path.clone() };
    for many in made.chunks(AT_ONCE_REMOVED) {
        let all = store.apply(checks.iter().cloned().chain(many.iter().map(removal)).collect()).await;
        if all.is_ok() {
            continue;
        }
        // One of them cannot be removed, or is gone.
        for path in many {
            match store.apply(checks.iter().cloned().chain([removal(path)]).collect()).await {
                Ok(()) => {}
                Err(StoreError::Missing { path: gone }) if gone == *path => {}
                Err(StoreError::NotEmpty { .. } | StoreError::Denied { .. }) => left.push(path.clone()),
                Err(error) => return Err(busy(layout, error)),
            }
        }
    }
    left.sort_unstable();
    let is_above =
        |path: &String| left.iter().any(|left| left.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')));
    let found = found.into_iter().filter(|path| !is_above(path));
    let goal = layout.revision();
    let is_last = |path: &String| path.strip_prefix(&goal).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let (mut last, others): (Vec<String>, Vec<String>) = found.rev().partition(is_last);
    match also {
        Also::Goal => last.extend(left.is_empty().then(|| layout.root())),
        Also::Nothing => last.clear(),
    }
    // The nodes that the checks compare are removed together, in the last request that has these checks.
    for paths in [others, last] {
        let removals = paths.into_iter().map(|path| Op::Delete { path });
        let removed = store.apply(checks.iter().cloned().chain(removals).collect()).await;
        removed.map_err(|error| busy(layout, error))?;
    }
    Ok(left)
}

/// Whether it is below the place of a server's agent.
fn is_made_by_server(layout: &Layout, path: &str) -> bool {
    let below = path.strip_prefix(&layout.agents()).and_then(|rest| rest.strip_prefix('/'));
    below.is_some_and(|rest| rest.contains('/'))
}
