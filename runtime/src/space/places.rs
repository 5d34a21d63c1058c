//! The places of agents. A server may have had several.
//!
//! The nodes that a server creates below its place may have rights of their own, and then no one else can remove what
//! is below them. So a server that gets another identity may need another place: `agents/SERVER:2` after
//! `agents/SERVER`. The newest one counts. Only the operator creates these nodes, and anyone can see whether one
//! exists.

use std::collections::BTreeMap;
use std::sync::Arc;

use wattle::model::Name;

use crate::store::{Store, StoreError};

use super::{Layout, Space, SpaceError};

/// The name of the newest place of each server, by server, among the `names` of all places.
pub(crate) fn newest(names: &[String]) -> BTreeMap<Name, String> {
    let mut newest: BTreeMap<Name, u64> = BTreeMap::new();
    for (server, number) in names.iter().map(|name| Layout::of_place(name)) {
        let known = newest.entry(server.into()).or_default();
        *known = number.max(*known);
    }
    let name = |(server, number): (Name, u64)| (server.clone(), Layout::place(&server, number));
    newest.into_iter().map(name).collect()
}

/// The name of the place that comes after `place` of the same server.
pub(crate) fn next(place: &str) -> String {
    let (server, number) = Layout::of_place(place);
    Layout::place(server, number + 1)
}

/// The name of the newest place of `server`'s agent: the first one, if there is none yet.
///
/// # Errors
/// The store cannot be used.
pub(crate) async fn of(store: &Arc<dyn Store>, layout: &Layout, server: &str) -> Result<String, StoreError> {
    let mut place = server.to_owned();
    loop {
        let after = next(&place);
        match store.get(&layout.agent(&after)).await {
            Ok(None) => return Ok(place),
            Ok(Some(_)) | Err(StoreError::Denied { .. }) => place = after,
            Err(error) => return Err(error),
        }
    }
}

impl Space {
    /// The name of the place of `server`'s agent.
    ///
    /// # Errors
    /// The data space cannot be used.
    pub async fn place(&self, server: &str) -> Result<String, SpaceError> {
        Ok(of(&self.store, &self.layout, server).await?)
    }

    /// Returns once there is a newer place than `place`.
    ///
    /// # Errors
    /// The data space cannot be used.
    pub(crate) async fn moved(&self, place: &str) -> Result<(), SpaceError> {
        match self.store.changed(&self.layout.agent(&next(place)), None).await {
            // By now, it belongs to another identity.
            Ok(_) | Err(StoreError::Denied { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_place_counts() {
        let names = ["db", "web", "web:10", "web:9", "a:b"].map(str::to_owned);
        let newest: Vec<String> = newest(&names).into_values().collect();
        assert_eq!(newest, ["a:b", "db", "web:10"]);
        assert_eq!((next("web"), next("web:2")), ("web:2".to_owned(), "web:3".to_owned()));
    }
}
