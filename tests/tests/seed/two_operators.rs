//! Two operators who apply at once, one of whom is held up in the middle.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use tokio::sync::Semaphore;
use wattle_runtime::seed::{SeedError, apply};
use wattle_runtime::store::{Store, StoreError};
use wattle_tests::seeds::{essence, seed};
use wattle_tests::stores::{Asked, Guard, Guarded};

use super::broken_off::assert_same;
use super::{memory, options_for, three_tier};

/// Holds up one change, and all that come with it, until it may go on.
#[derive(Debug)]
struct Pause {
    left: AtomicUsize,
    reached: Semaphore,
    may_go_on: Semaphore,
}

#[async_trait]
impl Guard for Pause {
    async fn before(&self, asked: &Asked<'_>) -> Result<(), StoreError> {
        if matches!(asked, Asked::Op(_)) && self.left.fetch_sub(1, Ordering::SeqCst) == 0 {
            self.reached.add_permits(1);
            let _ = self.may_go_on.acquire().await;
        }
        Ok(())
    }
}

#[tokio::test]
async fn who_was_overtaken_writes_nothing_any_more() {
    let [first, small, large] = [2, 1, 3].map(|apps| seed(&three_tier(apps)));
    let options = options_for(&[&large, &first, &small]);
    let mut refused = 0;
    for changes in 0.. {
        let store = memory();
        apply(&store, &first, &options).await.expect("applies");
        let pause = Pause { left: changes.into(), reached: Semaphore::new(0), may_go_on: Semaphore::new(0) };
        let slow = Guarded::new(Arc::clone(&store), pause);
        let plain: Arc<dyn Store> = Arc::clone(&slow) as _;
        let mut late = Box::pin(apply(&plain, &large, &options));
        tokio::select! {
            applied = &mut late => {
                applied.expect("applies, held up by nobody");
                break;
            }
            reached = slow.guard.reached.acquire() => drop(reached),
        }
        apply(&store, &small, &options).await.expect("overtakes");
        let expected = essence(&store).await;
        slow.guard.may_go_on.add_permits(1);
        match late.await {
            Err(SeedError::Busy { .. }) => refused += 1,
            other => panic!("{changes}: {other:?}"),
        }
        assert_same(&essence(&store).await, &expected, changes);
    }
    assert!(refused > 20, "held up {refused} times");
}
