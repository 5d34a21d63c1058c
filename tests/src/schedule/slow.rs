//! Delays a store's operations.

use std::sync::Mutex;

use async_trait::async_trait;
use wattle_runtime::store::StoreError;

use crate::chance::Chance;
use crate::stores::{Asked, Guard};

/// Lets random time pass before and after every operation, and sometimes very much.
#[derive(Debug)]
pub(super) struct Slow {
    random: Mutex<Chance>,
    seconds: f64,
}

impl Slow {
    pub(super) fn new(random: Chance, seconds: f64) -> Self {
        Self { random: Mutex::new(random), seconds }
    }

    async fn pass(&self) {
        let delay = {
            let mut random = self.random.lock().expect("INVARIANT: nothing panics while it holds it");
            let outage = if random.once_in(300) { 1_000.0 } else { 1.0 };
            random.delay(self.seconds * outage)
        };
        tokio::time::sleep(delay).await;
    }
}

#[async_trait]
impl Guard for Slow {
    async fn before(&self, _asked: &Asked<'_>) -> Result<(), StoreError> {
        self.pass().await;
        Ok(())
    }

    async fn after(&self, _asked: &Asked<'_>) {
        self.pass().await;
    }
}
