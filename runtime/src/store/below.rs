//! Lists the nodes below others by their paths, level by level.

use std::sync::Arc;

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};

use super::{Store, StoreError};

/// The maximum number of nodes whose children are listed concurrently.
const AT_ONCE: usize = 256;

/// The paths of the children of all nodes of a `level`, in its order.
///
/// # Errors
/// One of them may not be read.
pub(crate) async fn below(store: &Arc<dyn Store>, level: Vec<String>) -> Result<Vec<String>, StoreError> {
    let below = stream::iter(level).map(|path| async move { directly_below(store, &path).await });
    Ok(below.buffered(AT_ONCE).try_collect::<Vec<_>>().await?.concat())
}

/// The paths of the children of the node at `path`.
///
/// # Errors
/// It may not be read.
pub(crate) async fn directly_below(store: &Arc<dyn Store>, path: &str) -> Result<Vec<String>, StoreError> {
    Ok(store.children(path).await?.into_iter().map(|name| format!("{path}/{name}")).collect())
}
