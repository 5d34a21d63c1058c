//! A connection to the store at an address.

use std::sync::Arc;

use super::{Address, Login, Store, StoreError, embedded, zookeeper};

impl Address {
    /// Connects as one who has all of `logins`, and waits for as long as it takes.
    ///
    /// # Errors
    /// [`StoreError::Unusable`] when waiting is of no use: a login that is refused, a certificate that is.
    pub async fn connect(&self, logins: &[Login]) -> Result<Arc<dyn Store>, StoreError> {
        Ok(match self {
            Self::ZooKeeper { hosts, wire } => Arc::new(zookeeper::connect(hosts, wire, logins).await?),
            Self::Socket(path) => Arc::new(embedded::connect(path, logins).await?),
        })
    }
}
