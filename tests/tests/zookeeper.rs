//! The store that a real ZooKeeper keeps, when things break: servers that are killed, a network that is cut or stalls.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use wattle::author::Blueprint;
use wattle::model::{IndexMap, Name, Value};
use wattle_agent_core::time::Time;
use wattle_runtime::agent::{Agent, Ended, Fixed, Limits};
use wattle_runtime::recipe::{Broken, Job, Runner};
use wattle_runtime::seed::apply;
use wattle_runtime::space::{ServerStatus, Space, SpaceError};
use wattle_runtime::store::{Access, Address, Login, Op, Rights, Store, StoreError};
use wattle_tests::proxy::Proxy;
use wattle_tests::seeds::{options, seed};
use wattle_tests::zookeeper::ZooKeeper;

/// Nothing here takes longer unless it hangs: sessions last 10 s, and new ones are there 4 s after that at the latest.
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

/// So many nodes below one, which are empty.
async fn nodes(store: &dyn Store, top: &str, count: usize) -> Vec<String> {
    let paths: Vec<_> = (0..count).map(|number| format!("{top}/{number}")).collect();
    let mut ops = vec![create(top, "")];
    ops.extend(paths.iter().map(|path| create(path, "")));
    store.apply(ops).await.unwrap();
    paths
}

/// Somebody waits for each of the nodes to hold something; what that is.
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
async fn more_watches_than_one_session_takes_outlive_a_lost_connection() {
    let zookeeper = ZooKeeper::start(1);
    let proxy = Proxy::before(zookeeper.hosts());
    let writer = connect(&zookeeper.address()).await;
    // Long ones: what a client says of its watches after a loss is cut into requests of 128 KiB.
    let top = format!("/{}", "m".repeat(50));
    let paths = nodes(&*writer, &top, 5_000).await;

    let reader = connect(&format!("zookeeper://{}", proxy.hosts())).await;
    let waiting = wait_for_all(&reader, &paths);
    watches(&zookeeper, paths.len()).await;
    proxy.cut();
    // Half of them change while nobody is connected.
    let (now, later) = paths.split_at(2_500);
    set_all(&writer, now).await;
    proxy.fix();
    set_all(&writer, later).await;
    assert_eq!(all(waiting).await, paths.iter().cloned().collect());
    // Five sessions of 1,000 watches each, and the writer's.
    let sessions = zookeeper.ask("cons");
    assert_eq!(sessions.lines().filter(|line| line.contains("sid=0x")).count(), 6, "{sessions}");
}

/// Waits until ZooKeeper has so many watches.
async fn watches(zookeeper: &ZooKeeper, count: usize) {
    let watches = || zookeeper.ask("mntr").lines().any(|line| line == format!("zk_watch_count\t{count}"));
    let wait = async {
        while !watches() {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(LONG, wait).await.expect("everybody watches");
}

async fn set_all(store: &Arc<dyn Store>, paths: &[String]) {
    let ops = paths.iter().map(|path| Op::Set { path: path.clone(), data: path.clone().into(), expected: None });
    store.apply(ops.collect()).await.unwrap();
}

#[tokio::test]
async fn what_was_carried_out_without_our_knowing_is_not_a_conflict() {
    let zookeeper = ZooKeeper::start(1);
    let proxy = Proxy::before(zookeeper.hosts());
    let store = connect(&format!("zookeeper://{}", proxy.hosts())).await;
    store.apply(vec![create("/once", "before")]).await.unwrap();
    let before = store.get("/once").await.unwrap().unwrap().version;

    proxy.cut_next_answer();
    let after = timeout(LONG, store.set("/once", b"after", Some(before))).await.expect("in time").unwrap();
    assert_eq!(after.count, before.count + 1);
    assert_eq!(store.get("/once").await.unwrap().unwrap().version, after);
    // Another's is one.
    let conflict = store.set("/once", b"later", Some(before)).await;
    assert!(matches!(conflict, Err(StoreError::Conflict { .. })), "{conflict:?}");

    // Without a condition it is not written twice either.
    proxy.cut_next_answer();
    let last = timeout(LONG, store.set("/once", b"last", None)).await.expect("in time").unwrap();
    assert_eq!(last.count, before.count + 2);
    assert_eq!(store.get("/once").await.unwrap().unwrap().version, last);

    // Nor is a whole request of them.
    proxy.cut_next_answer();
    let changes = vec![
        create("/twice", ""),
        create("/twice/a", "a"),
        Op::Set { path: "/once".to_owned(), data: b"set".to_vec(), expected: Some(last) },
    ];
    timeout(LONG, store.apply(changes)).await.expect("in time").unwrap();
    assert_eq!(store.get("/once").await.unwrap().unwrap().version.count, last.count + 1);
    assert_eq!(store.children("/twice").await.unwrap(), ["a"]);
}

/// A member that loses its leader may forget a request and live on.
#[tokio::test]
async fn an_answer_that_never_comes_is_not_waited_for_for_ever() {
    // Sessions last 2 s.
    let zookeeper = ZooKeeper::start_with(1, |zkd, _| {
        zkd.env("ZK_TICK", "100");
    });
    let proxy = Proxy::before(zookeeper.hosts());
    let operator = connect(&zookeeper.address()).await;
    operator.apply(vec![create("/written", "before"), create("/waited", "before")]).await.unwrap();
    let agent = connect(&format!("zookeeper://{}", proxy.hosts())).await;
    let _hold = agent.hold("/held", b"here", &Access::new(), None).await.unwrap();
    let session = agent.session_id();
    let [written, waited] = [agent.get("/written").await.unwrap(), agent.get("/waited").await.unwrap()]
        .map(|node| node.expect("it was made").version);
    let waiting = tokio::spawn({
        let agent = Arc::clone(&agent);
        async move { agent.changed("/waited", Some(waited)).await.unwrap().unwrap().data }
    });

    // Until both watch.
    sleep(Duration::from_millis(500)).await;
    // The answer to a ping has a number below 0.
    let is_no_ping: fn(&[u8]) -> bool = |answer| answer.get(4).is_some_and(|byte| *byte < 0x80);
    proxy.lose_answer(is_no_ping);
    let after = timeout(LONG, agent.set("/written", b"after", Some(written))).await.expect("in time").unwrap();
    assert_eq!(after.count, written.count + 1, "it is written once");
    assert_ne!(agent.session_id(), session);

    // What the session had is there, and what is asked next is answered.
    let held = operator.get("/held").await.unwrap().expect("it is held").version;
    proxy.lose_answer(is_no_ping);
    assert_eq!(timeout(LONG, agent.get("/written")).await.expect("in time").unwrap().unwrap().version, after);
    timeout(LONG, operator.changed("/held", Some(held))).await.expect("in time").unwrap();
    operator.set("/waited", b"changed", None).await.unwrap();
    assert_eq!(timeout(LONG, waiting).await.expect("in time").unwrap(), b"changed");
}

#[tokio::test]
async fn a_session_that_expired_is_replaced_with_all_that_it_had() {
    let zookeeper = ZooKeeper::start(1);
    let proxy = Proxy::before(zookeeper.hosts());
    let operator = connect(&zookeeper.address()).await;
    let member = login("member");
    let rights = Rights { create: true, delete: true, ..Rights::READ };
    let access = Access::new().grant(&member.principal(), rights);
    operator.apply(vec![Op::Create { path: "/held".to_owned(), data: Vec::new(), access }]).await.unwrap();
    let readable =
        Access::new().grant(&member.principal(), Rights::READ).grant(&login("operator").principal(), Rights::READ);
    operator
        .apply(vec![Op::Create { path: "/waited".to_owned(), data: Vec::new(), access: readable.clone() }])
        .await
        .unwrap();

    let agent = connect_as(&format!("zookeeper://{}", proxy.hosts()), &[member]).await;
    let hold = agent.hold("/held/alive", b"here", &readable, None).await.unwrap();
    let first = operator.get("/held/alive").await.unwrap().expect("it is held").version;
    let seen = agent.get("/waited").await.unwrap().unwrap().version;
    let waiting = tokio::spawn({
        let agent = Arc::clone(&agent);
        async move { agent.changed("/waited", Some(seen)).await.unwrap().unwrap().data }
    });

    proxy.stall();
    // Longer than the session.
    let gone = timeout(LONG, operator.changed("/held/alive", Some(first))).await.expect("in time").unwrap();
    assert_eq!(gone, None, "the node goes with the session");
    operator.set("/waited", b"changed", None).await.unwrap();
    proxy.fix();
    let again = timeout(LONG, operator.changed("/held/alive", None)).await.expect("in time").unwrap().unwrap();
    assert_eq!(again.data, b"here");
    assert_eq!(timeout(LONG, waiting).await.expect("in time").unwrap(), b"changed");
    drop(hold);
    let released = timeout(LONG, operator.changed("/held/alive", Some(again.version))).await.expect("in time").unwrap();
    assert_eq!(released, None);
}

#[tokio::test]
async fn what_is_held_goes_with_a_store_that_is_closed() {
    let zookeeper = ZooKeeper::start(1);
    let (operator, agent) = (connect(&zookeeper.address()).await, connect(&zookeeper.address()).await);
    let mut hold = agent.hold("/held", b"here", &Access::new(), None).await.unwrap();
    agent.close().await;
    assert_eq!(operator.get("/held").await.unwrap(), None);
    hold.lost().await;
    assert!(matches!(agent.get("/held").await, Err(StoreError::Unusable { .. })));
}

/// The last request of an agent that is killed may lie in a member that is paused, and be carried out after its successor
/// has spoken.
#[tokio::test]
async fn what_a_former_agent_says_late_does_not_undo_what_was_said_since() {
    let zookeeper = ZooKeeper::start(1);
    let proxy = Proxy::before(zookeeper.hosts());
    let operator = connect(&zookeeper.address()).await;
    let path = Space::new(Arc::clone(&operator), "shop").layout().server_status("a");
    let parents = path.match_indices('/').skip(1).map(|(at, _)| &path[..at]);
    operator.apply(parents.chain([&*path, "/marker"]).map(|path| create(path, "")).collect()).await.unwrap();
    let slow = connect(&format!("zookeeper://{}", proxy.hosts())).await;
    let (former, latter) = (Space::new(Arc::clone(&slow), "shop"), Space::new(Arc::clone(&operator), "shop"));
    let said = |revision| ServerStatus {
        revision,
        space: None,
        since: Time::EPOCH,
        agent: None,
        anew: None,
        troubles: Vec::new(),
        leaving: Vec::new(),
        finishing: Vec::new(),
    };
    former.set_server_status("a", &said(1), &|| true).await.unwrap();

    proxy.stall();
    let marker = operator.get("/marker").await.unwrap().unwrap().version;
    let late = tokio::spawn(async move { former.set_server_status("a", &said(2), &|| true).await });
    sleep(Duration::from_millis(100)).await;
    let after = tokio::spawn(async move { slow.set("/marker", b"late", None).await });
    sleep(Duration::from_millis(100)).await;
    latter.set_server_status("a", &said(3), &|| true).await.unwrap();
    late.abort();
    proxy.fix();
    let reached = timeout(LONG, operator.changed("/marker", Some(marker))).await.expect("in time").unwrap();
    assert_eq!(reached.unwrap().data, b"late");
    assert_eq!(latter.server_status("a").await.unwrap().unwrap().revision, 3);
    after.await.unwrap().unwrap();
}

/// The nodes of a data space that was made anew count anew: as often as those that were lost, by chance.
#[tokio::test]
async fn what_was_said_in_a_data_space_that_is_lost_proves_nothing_in_the_next_one() {
    let zookeeper = ZooKeeper::start(1);
    let operator = connect(&zookeeper.address()).await;
    let path = Space::new(Arc::clone(&operator), "shop").layout().server_status("a");
    let parents = path.match_indices('/').skip(1).map(|(at, _)| &path[..at]);
    operator.apply(parents.chain([&*path]).map(|path| create(path, "")).collect()).await.unwrap();
    let [former, latter] = [(); 2].map(|()| Space::new(Arc::clone(&operator), "shop"));
    let said = |space: &str, since| ServerStatus {
        revision: 1,
        space: Some(space.into()),
        since,
        agent: None,
        anew: None,
        troubles: Vec::new(),
        leaving: Vec::new(),
        finishing: Vec::new(),
    };
    former.set_server_status("a", &said("1", Time::EPOCH), &|| true).await.unwrap();

    operator.apply(vec![Op::Delete { path: path.clone() }, create(&path, "")]).await.unwrap();
    let since = Time::EPOCH + Duration::from_secs(1);
    latter.set_server_status("a", &said("2", since), &|| true).await.unwrap();
    // It is sure of its place at first, and is not any more once it is answered.
    let asked = AtomicBool::new(false);
    let late = former.set_server_status("a", &said("2", Time::EPOCH), &|| !asked.swap(true, Ordering::Relaxed)).await;
    assert!(matches!(late, Err(SpaceError::Unsure)), "{late:?}");
    assert_eq!(latter.server_status("a").await.unwrap().unwrap().since, since);
}

/// What is written in another session than it began in may meet a data space that was made anew, whose nodes count anew.
#[tokio::test]
async fn what_was_read_in_another_session_is_looked_at_before_it_is_written() {
    let zookeeper = ZooKeeper::start(1);
    let proxy = Proxy::before(zookeeper.hosts());
    let operator = connect(&zookeeper.address()).await;
    let agent = connect(&format!("zookeeper://{}", proxy.hosts())).await;
    operator.apply(vec![create("/entry", ""), create("/place", "")]).await.unwrap();
    let known = agent.get("/entry").await.unwrap().unwrap().version;
    let hold = agent.hold("/place/alive", b"here", &Access::new(), None).await.unwrap();
    let alive = operator.get("/place/alive").await.unwrap().unwrap().version;

    proxy.stall();
    timeout(LONG, operator.changed("/place/alive", Some(alive))).await.expect("its session is over").unwrap();
    operator.apply(vec![Op::Delete { path: "/entry".to_owned() }, create("/entry", "new")]).await.unwrap();
    let before = agent.session_id();
    let late = tokio::spawn({
        let agent = Arc::clone(&agent);
        async move { agent.set("/entry", b"late", Some(known)).await }
    });
    sleep(Duration::from_millis(100)).await;
    proxy.fix();
    let late = timeout(LONG, late).await.expect("in time").unwrap();
    assert!(matches!(late, Err(StoreError::Conflict { .. })), "{late:?}");
    assert_eq!(operator.get("/entry").await.unwrap().unwrap().data, b"new");
    assert_ne!(agent.session_id(), before);
    drop(hold);
}

/// What is to take the place of a node that is known to be left behind is held up, and meanwhile the store removes that node
/// and somebody else makes one: which looks the same to ZooKeeper, for it was never set either.
#[tokio::test]
async fn a_place_that_was_given_to_another_is_only_taken_once_that_one_knows() {
    let zookeeper = ZooKeeper::start(1);
    let proxy = Proxy::before(zookeeper.hosts());
    let operator = connect(&zookeeper.address()).await;
    let (left, rightful) = (connect(&zookeeper.address()).await, connect(&zookeeper.address()).await);
    let former = left.hold("/held", b"former", &Access::new(), None).await.unwrap();
    let over = operator.get("/held").await.unwrap().unwrap().version;
    let late = connect(&format!("zookeeper://{}", proxy.hosts())).await;
    // The code of a request for several changes at once.
    proxy.stall_before(|request| request.get(8..12) == Some(&14_i32.to_be_bytes()));
    let mut taking = tokio::spawn(async move { late.hold("/held", b"late", &Access::new(), Some(over)).await });
    let proxy = tokio::task::spawn_blocking(move || {
        proxy.wait_until_stalled();
        proxy
    });
    let proxy = timeout(LONG, proxy).await.expect("in time").unwrap();
    former.release().await;
    let mut held = rightful.hold("/held", b"rightful", &Access::new(), None).await.unwrap();
    proxy.fix();
    tokio::select! {
        biased;
        taken = &mut taking => panic!("two hold it: {taken:?}"),
        () = held.lost() => {}
    }
    let late = timeout(LONG, taking).await.expect("in time").unwrap().unwrap();
    assert_eq!(operator.get("/held").await.unwrap().unwrap().data, b"late");
    late.release().await;
}

/// Who gives a place back late does not take it from its successor.
#[tokio::test]
async fn a_place_that_is_given_back_late_stays_its_successor_s() {
    let zookeeper = ZooKeeper::start(1);
    let proxy = Proxy::before(zookeeper.hosts());
    let operator = connect(&zookeeper.address()).await;
    let late = connect(&format!("zookeeper://{}", proxy.hosts())).await;
    let hold = late.hold("/held", b"former", &Access::new(), None).await.unwrap();
    let over = operator.get("/held").await.unwrap().unwrap().version;
    // The code of a request to remove a node.
    proxy.stall_before(|request| request.get(8..12) == Some(&2_i32.to_be_bytes()));
    let releasing = tokio::spawn(hold.release());
    let proxy = tokio::task::spawn_blocking(move || {
        proxy.wait_until_stalled();
        proxy
    });
    let proxy = timeout(LONG, proxy).await.expect("in time").unwrap();
    let successor = operator.hold("/held", b"successor", &Access::new(), Some(over)).await.unwrap();
    let taken = operator.get("/held").await.unwrap().unwrap();
    proxy.fix();
    timeout(LONG, releasing).await.expect("in time").unwrap();
    // Whatever the late one has sent is done once this is answered.
    late.get("/held").await.unwrap();
    sleep(Duration::from_millis(200)).await;
    assert_eq!(operator.get("/held").await.unwrap().unwrap(), taken);
    successor.release().await;
}

/// What is granted, which may be less than is asked for.
#[tokio::test]
async fn how_long_a_session_is_kept_is_known() {
    let zookeeper = ZooKeeper::start_with(1, |zkd, _| {
        zkd.env("ZK_TICK", "200");
    });
    let store = connect(&zookeeper.address()).await;
    assert_eq!(store.session(), Some(Duration::from_secs(4)));
}

/// A hundred readers and a writer of conditional changes, while `disturb` happens.
async fn read_and_write(store: &Arc<dyn Store>, writer: &Arc<dyn Store>, disturb: impl Future<Output = ()>) {
    let paths = nodes(&**writer, "/work", 100).await;
    let waiting = wait_for_all(store, &paths);
    writer.apply(vec![create("/work/count", "0")]).await.unwrap();
    let counting = async {
        let mut version = writer.get("/work/count").await.unwrap().unwrap().version;
        for (number, path) in (1..).zip(&paths) {
            writer.set(path, path.as_bytes(), None).await.unwrap();
            let next = writer.set("/work/count", number.to_string().as_bytes(), Some(version)).await.unwrap();
            assert_eq!(next.count, number, "each is written once");
            version = next;
            // So that the disturbance falls into it.
            sleep(Duration::from_millis(20)).await;
        }
    };
    let ((), ()) = timeout(LONG, async { tokio::join!(disturb, counting) }).await.expect("nothing hangs");
    assert_eq!(all(waiting).await, paths.into_iter().collect(), "nothing is lost");
    assert_eq!(writer.get("/work/count").await.unwrap().unwrap().data, b"100");
}

/// Does with the servers what takes a while, beside everything else.
async fn aside(zookeeper: &Arc<ZooKeeper>, act: impl FnOnce(&ZooKeeper) + Send + 'static) {
    let zookeeper = Arc::clone(zookeeper);
    tokio::task::spawn_blocking(move || act(&zookeeper)).await.unwrap();
}

async fn killed_for(time: Duration) {
    let zookeeper = Arc::new(ZooKeeper::start(1));
    let (reader, writer) = (connect(&zookeeper.address()).await, connect(&zookeeper.address()).await);
    let hold = writer.hold("/held", b"here", &Access::new(), None).await.unwrap();
    let disturb = async {
        sleep(Duration::from_millis(300)).await;
        aside(&zookeeper, |zookeeper| zookeeper.kill(1)).await;
        sleep(time).await;
        aside(&zookeeper, |zookeeper| zookeeper.up(1)).await;
    };
    read_and_write(&reader, &writer, disturb).await;
    let again = async {
        let mut node = reader.get("/held").await.unwrap();
        while node.as_ref().is_none_or(|node| node.data != b"here") {
            node = reader.changed("/held", node.map(|node| node.version)).await.unwrap();
        }
    };
    timeout(LONG, again).await.expect("it is held again");
    drop(hold);
}

#[tokio::test]
async fn killed_for_five_seconds() {
    killed_for(Duration::from_secs(5)).await;
}

#[tokio::test]
async fn killed_for_longer_than_a_session() {
    if !wattle_tests::skip::everything("killed_for_longer_than_a_session") {
        return;
    }
    killed_for(Duration::from_secs(20)).await;
}

#[tokio::test]
async fn one_member_of_three_is_lost_and_another_one_after_it_came_back() {
    let zookeeper = Arc::new(ZooKeeper::start(3));
    let (reader, writer) = (connect(&zookeeper.address()).await, connect(&zookeeper.address()).await);
    let disturb = async {
        for _ in 0..2 {
            sleep(Duration::from_millis(300)).await;
            let leader = zookeeper.leader();
            aside(&zookeeper, move |zookeeper| zookeeper.kill(leader)).await;
            sleep(Duration::from_secs(1)).await;
            aside(&zookeeper, move |zookeeper| zookeeper.up(leader)).await;
        }
    };
    read_and_write(&reader, &writer, disturb).await;
}

#[tokio::test]
async fn one_who_comes_first_waits_for_the_server() {
    let zookeeper = Arc::new(ZooKeeper::start(1));
    zookeeper.kill(1);
    let address = zookeeper.address();
    let connecting = tokio::spawn(async move { connect(&address).await });
    sleep(Duration::from_millis(500)).await;
    assert!(!connecting.is_finished());
    aside(&zookeeper, |zookeeper| zookeeper.up(1)).await;
    let store = timeout(LONG, connecting).await.expect("in time").unwrap();
    assert_eq!(store.get("/none").await.unwrap(), None);
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

    // Whoever trusts somebody else does not wait for this server to become another one.
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
    async fn run(&self, _: &Job) -> Result<IndexMap<Name, Value>, Broken> {
        std::future::pending().await
    }
}

/// Servers make a node themselves: the one that says that their agent is there. Here its maker alone says who reads it.
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
