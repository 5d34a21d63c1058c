//! Many agents over an ensemble of three: how many requests they send. The benchmark of this name has ten thousand of
//! them.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;
use wattle::author::Blueprint;
use wattle::model::Name;
use wattle_runtime::seed::{LogRequested, Options, apply, ask_for_log, ask_no_more};
use wattle_runtime::space::{Ask, OperatorKey, Space};
use wattle_runtime::store::{Address, Store};
use wattle_tests::crowd::{Crowd, Server};
use wattle_tests::requests::{Counts, Requests};
use wattle_tests::seeds::seed;
use wattle_tests::workload::{Size, workload};
use wattle_tests::zookeeper::ZooKeeper;

const TIERS: u32 = 60;

/// A stack, and a counter of its requests.
struct Stack {
    requests: Requests,
    store: Arc<dyn Store>,
    options: Options,
    space: Space,
}

impl Stack {
    /// Applies a revision, and waits until its last component is done. Returns all requests, and the number of servers
    /// whose plan changed.
    async fn reach(&mut self, size: Size, again: bool) -> (Counts, usize) {
        let before = self.requests.counts();
        self.options.again = again;
        let applied = apply(&self.store, &seed(&workload.model(size)), &self.options).await.expect("it is applied");
        let last = self.space.plan(&format!("server{}", TIERS - 1)).await.expect("a plan").expect("a plan");
        let failure = self.space.ended(&format!("server{}/b", TIERS - 1), &last.of()).await.expect("it ends");
        assert_eq!(failure, None);
        let counts = self.requests.counts().since(&before);
        let mut moved = 0;
        for tier in 0..TIERS {
            let plan = self.space.plan(&format!("server{tier}")).await.expect("a plan").expect("a plan");
            moved += usize::from(plan.revision == applied.revision);
        }
        (counts, moved)
    }

    /// While an operator requests the log of one server, only that server responds. Nobody else sends requests, and
    /// nobody sends any before or afterwards.
    async fn looks_at_one_log(&self) {
        let (name, key) = (self.space.layout().stack(), &self.options.key);
        let server = Name::from("server7");
        let space = self.space.clone().operated_by(key.signer().authority());
        let ask = Ask::new(None, key, SystemTime::now().into());
        let ask = Ask { until: ask.until + Duration::from_mins(1), ..ask };
        self.is_idle("nobody has asked for a log").await;
        let before = self.requests.counts();
        let asked = ask_for_log(&self.store, name, key, &server, &ask).await.expect("asks");
        assert_eq!(asked, LogRequested::Asked);
        space.plan(&server).await.expect("reads").expect("a plan");
        let mut seen = None;
        loop {
            let heard = space.answered(&server, (&ask, &key.opener()), seen).await.expect("reads");
            seen = heard.version;
            if heard.log.expect("its own").is_some() {
                break;
            }
        }
        ask_no_more(&self.store, name, key, &server, &ask.id).await.expect("it is taken back");
        let path = space.layout().log(&server);
        while let Some(there) = self.store.changed(&path, seen).await.expect("reads") {
            seen = Some(there.version);
        }
        let counts = self.requests.counts().since(&before);
        // Fewer than if every agent had sent one.
        assert!(counts.requests() < u64::from(TIERS), "{counts}");
        self.is_idle("nobody asks for a log any more").await;
    }

    /// Waits until there have been no requests for some time.
    async fn is_idle(&self, when: &str) {
        for _ in 0..20 {
            let before = self.requests.counts();
            tokio::time::sleep(Duration::from_secs(3)).await;
            if self.requests.counts().since(&before).requests() == 0 {
                return;
            }
        }
        panic!("{when}, and the data space is asked without end");
    }
}

fn assert_at_most(counts: &Counts, a_component: u64) {
    assert!(counts.requests() <= a_component * u64::from(2 * TIERS), "{counts}");
    // Each agent sends one or two: at the beginning of its session, and when it claims its place. The operator sends
    // one for each batch.
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
    options.credentials.complete(&first, &options.key);
    let servers: Vec<Server> = Server::all(&first.stack, &options.credentials).collect();
    let folder = TempDir::new().expect("a folder");
    let crowd = Crowd::start(&address, &servers, folder.path()).await;
    let store = address.connect(&[options.key.login()]).await.expect("a store");
    let space = Space::new(Arc::clone(&store), &first.stack);
    let mut stack = Stack { requests, store, options, space };

    let all = TIERS as usize;
    // An agent that comes while the first revision is being applied looks for it more often than one that waits for it.
    stack.is_idle("there is no revision yet").await;
    // The first revision: all agents claim their servers, learn the shared secret and download recipes.
    let (counts, moved) = stack.reach(Size::of(TIERS), false).await;
    assert_at_most(&counts, 13);
    assert_eq!(moved, all);
    // This revision changes nothing.
    let (counts, moved) = stack.reach(Size::of(TIERS), true).await;
    assert_at_most(&counts, 9);
    assert_eq!(moved, all);
    // A revision that changes the first component, which all others wait for.
    let (counts, moved) = stack.reach(Size { tiers: TIERS, moved: Some(0) }, false).await;
    assert_at_most(&counts, 9);
    assert_eq!(moved, all);
    // A revision that changes the last component, which nobody waits for. First, the earlier change is reverted.
    let (_, moved) = stack.reach(Size::of(TIERS), false).await;
    assert_eq!(moved, all);
    let (counts, moved) = stack.reach(Size { tiers: TIERS, moved: Some(TIERS - 1) }, false).await;
    assert_eq!(moved, 1);
    // These are mostly the operator's requests: of the agents, only that server's sends any.
    assert!(counts.requests() <= u64::from(TIERS) + 5, "{counts}");
    stack.looks_at_one_log().await;
    crowd.close().await;
}

/// One name may stand for several members, and one of these may lag behind.
#[tokio::test]
async fn what_must_be_new_is_synchronised_also_where_one_address_is_given() {
    let requests = Requests::count();
    let zookeeper = ZooKeeper::start(1);
    let address: Address = zookeeper.address().parse().expect("an address");
    let store = address.connect(&[OperatorKey::generate().login()]).await.expect("a store");
    let syncs = || requests.counts().answers.get("Sync").copied().unwrap_or_default();
    for (number, path) in (1..).zip(["/a", "/b", "/a"]) {
        store.get(path).await.expect("reads");
        assert_eq!(syncs(), number);
    }
    store.children("/a").await.expect("reads");
    assert_eq!(syncs(), 4);
    // A read that follows a notification needs no sync.
    store.look("/a").await.expect("reads");
    assert_eq!(syncs(), 4);
}
