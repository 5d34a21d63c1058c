//! Lists the nodes below others, level by level.

use std::sync::Arc;

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};

use super::{Store, StoreError};

/// The maximum number of nodes whose children are listed at the same time.
const AT_ONCE: usize = 256;

/// The paths of the children of all nodes of a `level`, in its order.
///
/// # Errors
/// If one may not be read.
pub(crate) async fn below(store: &Arc<dyn Store>, level: Vec<String>) -> Result<Vec<String>, StoreError> {
    let below = stream::iter(level).map(|path| async move {
        let names = store.children(&path).await?;
        Ok::<_, StoreError>(names.into_iter().map(|name| format!("{path}/{name}")).collect::<Vec<_>>())
    });
    Ok(below.buffered(AT_ONCE).try_collect::<Vec<_>>().await?.into_iter().flatten().collect())
}
