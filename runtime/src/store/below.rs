//! What stands below nodes, level by level.

use std::sync::Arc;

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};

use super::{Store, StoreError};

/// Nodes of which it is asked at the same time what is below them.
const AT_ONCE: usize = 256;

/// The paths of what stands right below the nodes of a `level`, in its order.
///
/// # Errors
/// When one may not be read.
pub(crate) async fn below(store: &Arc<dyn Store>, level: Vec<String>) -> Result<Vec<String>, StoreError> {
    let below = stream::iter(level).map(|path| async move {
        let names = store.children(&path).await?;
        Ok::<_, StoreError>(names.into_iter().map(|name| format!("{path}/{name}")).collect::<Vec<_>>())
    });
    Ok(below.buffered(AT_ONCE).try_collect::<Vec<_>>().await?.into_iter().flatten().collect())
}
