//! Connects to the store at an address.

use std::sync::Arc;

use super::{Address, Login, Store, StoreError, embedded, zookeeper};

impl Address {
    /// Connects with all of `logins`, and waits as long as it takes.
    ///
    /// # Errors
    /// [`StoreError::Unusable`] if waiting is pointless: a login or a certificate is refused.
    pub async fn connect(&self, logins: &[Login]) -> Result<Arc<dyn Store>, StoreError> {
        Ok(match self {
            Self::ZooKeeper { hosts, encryption } => Arc::new(zookeeper::connect(hosts, encryption, logins).await?),
            Self::Socket(path) => Arc::new(embedded::connect(path, logins).await?),
        })
    }
}
