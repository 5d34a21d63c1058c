//! The conformance suite of stores, against each of them.

use std::sync::Arc;

use async_trait::async_trait;
use wattle_runtime::store::{Login, Memory, Store};
use wattle_tests::conformance;
use wattle_tests::conformance::Fixture;

/// What a case starts that needs another process.
#[tokio::test]
#[ignore = "is started by the cases that need another process"]
async fn another_process() {
    conformance::another_process().await;
}

struct InMemory(Memory);

#[async_trait]
impl Fixture for InMemory {
    async fn operator(&self) -> Arc<dyn Store> {
        Arc::new(self.0.clone())
    }

    async fn login(&self, logins: &[Login]) -> Arc<dyn Store> {
        Arc::new(self.0.login(logins))
    }
}

conformance!(memory, InMemory(Memory::new()));
