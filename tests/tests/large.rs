//! Many agents over an ensemble of three: how often they ask it. The bench of this name has ten thousand of them.

use std::sync::Arc;

use tempfile::TempDir;
use wattle::author::Blueprint;
use wattle_runtime::seed::{Options, apply};
use wattle_runtime::space::{OperatorKey, Space};
use wattle_runtime::store::{Address, Store};
use wattle_tests::crowd::{Crowd, Server};
use wattle_tests::requests::{Counts, Requests};
use wattle_tests::seeds::seed;
use wattle_tests::workload::{Size, workload};
use wattle_tests::zookeeper::ZooKeeper;

const TIERS: u32 = 60;

/// A stack, and who counts what is asked for it.
struct Stack {
    requests: Requests,
    store: Arc<dyn Store>,
    options: Options,
    space: Space,
}

impl Stack {
    /// Applies a revision, and waits until its last component is done. What was asked for that by everybody.
    async fn reach(&mut self, size: Size, again: bool) -> Counts {
        let before = self.requests.counts();
        self.options.again = again;
        apply(&self.store, &seed(&workload.model(size)), &self.options).await.expect("it is applied");
        let goal = self.space.goal().await.expect("a goal").expect("a goal");
        let failure = self.space.ended(&format!("server{}/b", TIERS - 1), &goal.of()).await.expect("it ends");
        assert_eq!(failure, None);
        self.requests.counts().since(&before)
    }
}

fn assert_at_most(counts: &Counts, a_component: u64) {
    assert!(counts.requests() <= a_component * u64::from(2 * TIERS), "{counts}");
    // Each agent once or twice: when its session begins, and when it asks for its place. The operator does for each batch.
    let syncs = counts.answers.get("Sync").copied().unwrap_or_default();
    assert!(syncs <= u64::from(2 * TIERS) + 40, "{counts}");
}

#[tokio::test]
async fn an_ensemble_is_asked_few_times_for_a_component() {
    let requests = Requests::count();
    let zookeeper = ZooKeeper::start(3);
    let address: Address = zookeeper.address().parse().expect("an address");
    let first = seed(&workload.model(Size::of(TIERS)));
    let mut options = Options::new(OperatorKey::generate());
    options.credentials.complete(&first);
    let servers: Vec<Server> = Server::all(&first.stack, &options.credentials).collect();
    let folder = TempDir::new().expect("a folder");
    let crowd = Crowd::start(&address, &servers, folder.path()).await;
    let store = address.connect(&[options.key.login()]).await.expect("a store");
    let space = Space::new(Arc::clone(&store), &first.stack);
    let mut stack = Stack { requests, store, options, space };

    // Where nobody waits for long, it is 7 and 6. Who does asks a little more.
    // The first revision, for which all claim their servers and fetch recipes; they may still be connecting.
    let counts = stack.reach(Size::of(TIERS), false).await;
    assert_at_most(&counts, 10);
    // One in which everything is as it was.
    let counts = stack.reach(Size::of(TIERS), true).await;
    assert_at_most(&counts, 9);
    // And one in which the first of all components has changed, which all others wait for.
    let counts = stack.reach(Size { tiers: TIERS, moved: Some(0) }, false).await;
    assert_at_most(&counts, 9);
    crowd.close().await;
}
