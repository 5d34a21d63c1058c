//! Whether ZooKeeper keeps its own guarantees under these faults.
//!
//! Some of its versions lose acknowledged writes when members end and restart in quick succession: ZOOKEEPER-4785 up to
//! 3.9.1 and in Debian's 3.8.0, ZOOKEEPER-4925 in 3.9.3. Nothing that is built on it is reliable then, and a trial is
//! inconclusive. So a witness writes consecutive numbers and records the acknowledged ones.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::task::JoinHandle;
use wattle_runtime::store::{Access, Address, Op, Store, StoreError, Version};

use crate::stack::{key, runtime};

const PATH: &str = "/witness";
const PAUSE: Duration = Duration::from_millis(30);

/// A writer of consecutive numbers in its own part of the data space.
pub(super) struct Witness {
    written: Arc<AtomicU64>,
    /// Why it has ended by itself.
    ended: Arc<Mutex<Option<String>>>,
    is_over: Arc<AtomicBool>,
    writing: Option<JoinHandle<()>>,
}

impl Witness {
    pub(super) fn at(address: &str) -> Self {
        let store = connect(address);
        let version = runtime().block_on(async {
            let access = Access::new();
            store.apply(vec![Op::Create { path: PATH.to_owned(), data: b"0".to_vec(), access }]).await.unwrap();
            store.get(PATH).await.unwrap().unwrap().version
        });
        let mut witness =
            Self { written: Arc::default(), ended: Arc::default(), is_over: Arc::default(), writing: None };
        let (written, ended) = (Arc::clone(&witness.written), Arc::clone(&witness.ended));
        let writing = write(store, version, written, ended, Arc::clone(&witness.is_over));
        witness.writing = Some(runtime().spawn(writing));
        witness
    }

    /// Ends, and returns the acknowledged writes that are missing at any of the `members`, all of which serve again.
    ///
    /// # Panics
    /// If a write was refused although nothing is lost.
    pub(super) fn lost(&mut self, members: &[String]) -> Option<String> {
        self.is_over.store(true, Ordering::SeqCst);
        if let Some(writing) = self.writing.take() {
            runtime().block_on(async { tokio::time::timeout(Duration::from_mins(2), writing).await }).unwrap().unwrap();
        }
        let written = self.written.load(Ordering::SeqCst);
        for member in members {
            let there = number(&*connect(&format!("zookeeper://{member}")));
            if there.is_none_or(|there| there < written) {
                return Some(format!("{member} has {there:?}, and {written} was answered"));
            }
        }
        let ended = self.ended.lock().unwrap().take();
        assert_eq!(ended, None, "nobody else writes there, and {written} is there");
        None
    }
}

async fn write(
    store: Arc<dyn Store>,
    mut version: Version,
    written: Arc<AtomicU64>,
    ended: Arc<Mutex<Option<String>>>,
    is_over: Arc<AtomicBool>,
) {
    for next in 1_u64.. {
        if is_over.load(Ordering::SeqCst) {
            return;
        }
        match store.set(PATH, next.to_string().as_bytes(), Some(version)).await {
            Ok(now) => version = now,
            Err(error) => {
                *ended.lock().unwrap() = Some(error.to_string());
                return;
            }
        }
        written.store(next, Ordering::SeqCst);
        tokio::time::sleep(PAUSE).await;
    }
}

fn connect(address: &str) -> Arc<dyn Store> {
    let address: Address = address.parse().unwrap();
    runtime().block_on(async { address.connect(&[key().login()]).await }).unwrap()
}

fn number(store: &dyn Store) -> Option<u64> {
    let read: Result<_, StoreError> = runtime().block_on(store.get(PATH));
    read.unwrap().map(|node| String::from_utf8(node.data).unwrap().parse().unwrap())
}
