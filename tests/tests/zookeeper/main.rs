//! The store in a real ZooKeeper under faults: killed servers, a network that is cut or stalls.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod away;
mod left_behind;
mod sessions;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::task::JoinSet;
use tokio::time::timeout;
use wattle::author::Blueprint;
use wattle::model::{IndexMap, Name, Value};
use wattle_runtime::agent::{Agent, Ended, Fixed, Limits};
use wattle_runtime::recipe::{Broken, RecipeRun, Runner};
use wattle_runtime::seed::apply;
use wattle_runtime::space::Space;
use wattle_runtime::store::{Access, Address, Login, Op, Store, StoreError};
use wattle_tests::seeds::{options, seed};
use wattle_tests::zookeeper::ZooKeeper;

/// The timeout of everything here: sessions last 10 s, and new ones are established 4 s later at the latest.
const LONG: Duration = Duration::from_secs(90);

fn login(name: &str) -> Login {
    Login { name: name.to_owned(), password: format!("{name} knows") }
}

async fn connect(address: &str) -> Arc<dyn Store> {
    connect_as(address, &[login("operator")]).await
}

async fn connect_as(address: &str, logins: &[Login]) -> Arc<dyn Store> {
    let address: Address = address.parse().unwrap();
    timeout(LONG, address.connect(logins)).await.expect("in time").unwrap()
}

fn create(path: &str, data: &str) -> Op {
    Op::Create { path: path.to_owned(), data: data.into(), access: Access::new() }
}

/// Creates the node `top` with this many empty nodes below it.
async fn nodes(store: &dyn Store, top: &str, count: usize) -> Vec<String> {
    let paths: Vec<_> = (0..count).map(|number| format!("{top}/{number}")).collect();
    let mut ops = vec![create(top, "")];
    ops.extend(paths.iter().map(|path| create(path, "")));
    store.apply(ops).await.unwrap();
    paths
}

/// Waits for each of the nodes to contain something; returns the contents.
fn wait_for_all(store: &Arc<dyn Store>, paths: &[String]) -> JoinSet<String> {
    let mut waiting = JoinSet::new();
    for path in paths {
        let (store, path) = (Arc::clone(store), path.clone());
        waiting.spawn(async move {
            let mut node = store.get(&path).await.unwrap().unwrap();
            while node.data.is_empty() {
                node = store.changed(&path, Some(node.version)).await.unwrap().unwrap();
            }
            String::from_utf8(node.data).unwrap()
        });
    }
    waiting
}

async fn all(waiting: JoinSet<String>) -> BTreeSet<String> {
    timeout(LONG, waiting.join_all()).await.expect("nobody waits for ever").into_iter().collect()
}

#[tokio::test]
async fn tls() {
    let zookeeper = ZooKeeper::start_secure(1);
    let hosts = zookeeper.secure_hosts();
    let address = |ca: &str| format!("zookeeper+tls://{hosts}?ca={}", zookeeper.dir().join(ca).display());

    let store = connect(&address("ca.pem")).await;
    store.apply(vec![create("/secure", "0")]).await.unwrap();
    let seen = store.get("/secure").await.unwrap().unwrap().version;
    let plain = connect(&zookeeper.address()).await;
    plain.set("/secure", b"1", Some(seen)).await.unwrap();
    assert_eq!(store.changed("/secure", Some(seen)).await.unwrap().unwrap().data, b"1");

    // If a client trusts another authority, there is no point in waiting for this server's certificate to change.
    let refused = |address: String| async move {
        let address: Address = address.parse().unwrap();
        let refused = timeout(LONG, address.connect(&[login("operator")])).await.expect("at once");
        let Err(StoreError::Unusable { reason, .. }) = refused else { panic!("{refused:?}") };
        reason
    };
    let reason = refused(address("other.pem")).await;
    assert!(reason.contains("certificate"), "{reason}");
    let reason = refused(address("ca.pem").replace("127.0.0.1", "localhost")).await;
    assert!(reason.contains("not valid for name"), "{reason}");
    let reason = refused(address("none.pem")).await;
    assert!(reason.contains("none.pem"), "{reason}");
}

#[derive(Debug)]

struct Nothing;

#[async_trait]
impl Runner for Nothing {
    async fn run(&self, _: &RecipeRun) -> Result<IndexMap<Name, Value>, Broken> {
        std::future::pending().await
    }
}

/// Servers create one node themselves: the one that shows that their agent is running. Its creator alone determines who
/// may read it.
#[tokio::test]
async fn the_operator_sees_who_is_alive_and_the_other_servers_that_somebody_is() {
    let zookeeper = ZooKeeper::start(1);
    let seed = seed(&hello::hello.model(Default::default()));
    let mut options = options(&seed);
    options.credentials.complete(&seed, &options.key);
    let operator = connect_as(&zookeeper.address(), &[options.key.login()]).await;
    apply(&operator, &seed, &options).await.unwrap();

    let server = seed.servers.keys().next().unwrap().clone();
    let credential = options.credentials.get(&server).unwrap().clone();
    let logins = credential.logins(&seed.stack, &server);
    let other = seed.servers.keys().nth(1).unwrap();
    let other = options.credentials.get(other).unwrap().logins(&seed.stack, other);
    let other = connect_as(&zookeeper.address(), &other).await;
    let folder = tempfile::tempdir().unwrap();
    let agent = Agent {
        space: Space::new(connect_as(&zookeeper.address(), &logins).await, &seed.stack),
        server: server.clone(),
        credential,
        runner: Arc::new(Nothing),
        state: folder.path().join("agent"),
        attributes: Arc::new(Fixed(IndexMap::default())),
        user_data: IndexMap::default(),
        limits: Limits::default(),
        recent: Arc::default(),
    };
    let both_see_it = async {
        let path = Space::new(Arc::clone(&operator), &seed.stack).layout().alive(&server);
        let node = operator.changed(&path, None).await.unwrap().unwrap();
        assert!(!node.data.is_empty());
        let looked = other.get(&path).await;
        assert!(matches!(looked, Err(StoreError::Denied { .. })), "{looked:?}");
    };
    let ended = timeout(LONG, agent.run(both_see_it)).await.expect("in time");
    assert_eq!(ended.unwrap(), Ended::Asked);
}
