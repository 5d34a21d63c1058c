//! Removes what servers have created below the places of their agents.
//!
//! A server may give its nodes any rights. In a store, the right to a parent allows removing its children. So the
//! server can prevent anyone but itself and the store's superuser from removing what is two levels below its place.
//! Servers may also have created very many nodes, or nodes with names as long as a request.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};

use crate::space::Layout;
use crate::store::{Op, Store, StoreError, directly_below};

use super::SeedError;
use super::present::AT_ONCE;
use super::turn::busy;

/// The number of nodes removed by one request.
const TOGETHER: usize = 500;

/// The removal of nodes that servers have created.
#[derive(Clone, Copy)]
pub(super) struct Removal<'a> {
    pub(super) store: &'a Arc<dyn Store>,
    pub(super) layout: &'a Layout,
    /// The conditions that must hold meanwhile.
    pub(super) checks: &'a [Op],
    /// Counts the removed nodes.
    pub(super) removed: &'a AtomicUsize,
}

/// The fate of a node.
enum Fate {
    Gone,
    /// It has children.
    Full,
    /// Only the server can remove it.
    Kept,
}

impl Removal<'_> {
    /// Removes everything below `top`, except its child `spared`, and returns the topmost nodes that only their server
    /// can remove, sorted.
    pub(super) async fn below(&self, top: &str, spared: Option<&str>) -> Result<Vec<String>, SeedError> {
        let mut level = self.children(top).await?;
        level.retain(|child| Some(child.as_str()) != spared);
        let (mut levels, mut left) = (Vec::new(), Vec::new());
        while !level.is_empty() {
            let nested = self.remove(level, &mut left).await?;
            let below = stream::iter(&nested).map(|path| self.children(path));
            level = below.buffered(AT_ONCE).try_collect::<Vec<_>>().await?.concat();
            levels.push(nested);
        }
        // Empty each level, from the bottom up.
        for level in levels.into_iter().rev() {
            let full = self.remove(level, &mut left).await?;
            left.extend(full);
        }
        Ok(topmost(left))
    }

    /// Removes those of `paths` that have no children, many in one request. Returns those that have children, and adds
    /// to `left` those that only their server can remove.
    async fn remove(&self, paths: Vec<String>, left: &mut Vec<String>) -> Result<Vec<String>, SeedError> {
        let mut full = Vec::new();
        for some in paths.chunks(TOGETHER) {
            let removals = some.iter().map(|path| Op::Delete { path: path.clone() });
            if some.len() > 1 && self.store.apply(self.checks.iter().cloned().chain(removals).collect()).await.is_ok() {
                self.removed.fetch_add(some.len(), Ordering::Relaxed);
                continue;
            }
            // One of them cannot be removed, or is already gone.
            let fates = stream::iter(some).map(|path| self.one(path)).buffered(AT_ONCE);
            for (path, fate) in some.iter().zip(fates.try_collect::<Vec<_>>().await?) {
                match fate {
                    Fate::Gone => {}
                    Fate::Full => full.push(path.clone()),
                    Fate::Kept => left.push(path.clone()),
                }
            }
        }
        Ok(full)
    }

    async fn one(&self, path: &str) -> Result<Fate, SeedError> {
        let removal = Op::Delete { path: path.to_owned() };
        match self.store.apply(self.checks.iter().cloned().chain([removal]).collect()).await {
            Ok(()) => {
                self.removed.fetch_add(1, Ordering::Relaxed);
                Ok(Fate::Gone)
            }
            Err(StoreError::Missing { path: gone }) if gone == path => Ok(Fate::Gone),
            Err(StoreError::NotEmpty { .. }) => Ok(Fate::Full),
            Err(error) if is_kept(&error, path) => Ok(Fate::Kept),
            Err(error) => Err(busy(self.layout, error)),
        }
    }

    /// The paths of the children. Empty if they cannot be listed: the node is then removed if it has no children.
    async fn children(&self, path: &str) -> Result<Vec<String>, SeedError> {
        match directly_below(self.store, path).await {
            Ok(paths) => Ok(paths),
            Err(error) if is_kept(&error, path) => Ok(Vec::new()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Those of `paths` that are below no other one, sorted.
fn topmost(paths: Vec<String>) -> Vec<String> {
    let all: BTreeSet<String> = paths.into_iter().collect();
    let is_below = |path: &str| path.match_indices('/').any(|(end, _)| all.contains(&path[..end]));
    all.iter().filter(|path| !is_below(path)).cloned().collect()
}

/// Whether a server has created the node at `path` so that others cannot access it.
fn is_kept(error: &StoreError, path: &str) -> bool {
    matches!(error, StoreError::Denied { path: of, .. } | StoreError::Illegal { path: of, .. } if of == path)
}

#[cfg(test)]
mod tests {
    use super::topmost;

    #[test]
    fn what_is_below_something_else_that_is_left_is_not_named() {
        let left = ["/p/hidden/more", "/p/hidden-2", "/p/hidden", "/p/other/x"].map(str::to_owned);
        assert_eq!(topmost(left.into()), ["/p/hidden", "/p/hidden-2", "/p/other/x"]);
    }
}
