//! A server that is no longer trusted leaves nodes that nobody else can remove: the operator succeeds nevertheless, and
//! the server's next agent has a place.

use std::sync::Arc;
use std::time::Duration;

use wattle::author::{Exports, Topology};
use wattle::model::Name;
use wattle_runtime::report::StackSnapshot;
use wattle_runtime::seed::{SeedError, admit, apply, delete, forget, waiting};
use wattle_runtime::space::Layout;
use wattle_runtime::store::{Access, Login, Op, Rights, Store, StoreError};
use wattle_tests::random::Anything;
use wattle_tests::requests::Requests;
use wattle_tests::seeds::seed;
use wattle_tests::zookeeper::ZooKeeper;
use zookeeper_client::{Acls, Client, CreateMode};

use crate::agents::{Db, until};
use crate::identities::{all_done, both};
use crate::{Stack, assert_denied, server_of};

const ALL: Rights = Rights { read: true, write: true, create: true, delete: true };

fn create(path: String, access: &Access) -> Op {
    Op::Create { path, data: b"{}".to_vec(), access: access.clone() }
}

/// Waits until nothing is at `path`.
async fn gone(store: &Arc<dyn Store>, path: &str) {
    for _ in 0..300 {
        if matches!(store.get(path).await, Ok(None)) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("`{path}` stays")
}

/// As `web`, creates nodes that only it can remove, in the place of its agent or its signals.
async fn squats(stack: &Stack, place: &str, login: &Login) {
    let store = stack.login(std::slice::from_ref(login)).await;
    gone(&store, &format!("{place}/alive")).await;
    let own = Access::new().grant(&login.principal(), ALL);
    for path in ["alive", "alive/x", "alive/x/y", "signals", "signals/x", "signals/x/y"] {
        store.apply(vec![create(format!("{place}/{path}"), &own)]).await.expect("its own place");
    }
}

/// Waits until a rebuilt `web` has announced itself.
async fn announces(stack: &Stack) {
    let operator = stack.operator().await;
    for _ in 0..300 {
        let waiting = waiting(&operator, &stack.seed.stack, &stack.options.key, &["web".into()]).await.expect("reads");
        if waiting.come.contains(&Name::from("web")) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("it does not come")
}

/// Everything is done, and an agent acts for `web`.
fn acts(revision: u64) -> impl Fn(&StackSnapshot) -> bool {
    move |snapshot| all_done(revision)(snapshot) && snapshot.servers["web"].alive.is_some()
}

/// The same stack, without `web`.
fn db_alone(name: &'static str) -> wattle::lower::Seed {
    let mut t = Topology::new(name);
    let host = server_of(&mut t, "db");
    t.on(host).run("part", Anything::new());
    seed(&t.finish(Exports::new()))
}

#[tokio::test]
async fn a_former_identity_keeps_its_place_from_nobody() {
    let mut stack = Stack::new("former");
    stack.options.admission = true;
    let (operator, key) = (stack.operator().await, stack.options.key.clone());
    let layout = Layout::new("former");
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let [mut db, mut web] = both(&stack).await;
    admit(&operator, "former", &key, &[]).await.expect("admits");
    until(&stack, "done", acts(2)).await;
    assert_eq!(operator.children(&layout.agents()).await.expect("reads"), ["db", "web"], "nobody needs another place");

    // Do this twice: the second place must work like the first one.
    for (revision, place) in [(3, "web"), (4, "web:2")] {
        web.kill().await;
        let login = web.key().login("former", "web");
        squats(&stack, &layout.agent(place), &login).await;
        web = Db::of("web");
        web.start(&stack).await;
        announces(&stack).await;
        let admitted = admit(&operator, "former", &key, &["web".into()]).await.expect("admits");
        assert_eq!((admitted.revision, admitted.admitted.len()), (revision, 1));
        until(&stack, "done by the next one", acts(revision)).await;
        assert_eq!(web.ran.count(), 1);
        let former = stack.login(&[login]).await;
        let next = format!("{}/mine", layout.agent(&format!("web:{}", revision - 1)));
        for path in [next, format!("{}/mine", layout.agent(place))] {
            assert_denied(former.apply(vec![create(path.clone(), &Access::new())]).await, &path);
        }
    }
    // A restarted agent finds its place.
    web.start(&stack).await;
    stack.options.again = true;
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    until(&stack, "done once more", acts(5)).await;
    stack.options.again = false;

    // The server cannot prevent its own removal either.
    web.kill().await;
    squats(&stack, &layout.agent("web:3"), &web.key().login("former", "web")).await;
    stack.seed = db_alone("former");
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let forgotten = forget(&operator, "former", &key, &["web".into()], false).await.expect("no agent is there");
    assert_eq!((forgotten.revision, forgotten.servers.len()), (7, 1));
    let again = forget(&operator, "former", &key, &["web".into()], false).await.expect("nothing is left");
    assert!(again.servers.is_empty());
    db.kill().await;
}

#[tokio::test]
async fn what_is_left_of_a_deleted_stack_keeps_nobody_from_its_place() {
    let mut stack = Stack::new("former_left");
    stack.options.admission = true;
    let operator = stack.operator().await;
    let layout = Layout::new("former_left");
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    squats(&stack, &layout.agent("web"), &stack.logins("web")[0]).await;
    let left = delete(&operator, "former_left", &stack.options.key, false).await.expect_err("only `web` can");
    let nodes = ["alive", "signals"].map(|name| format!("{}/{name}", layout.agent("web")));
    assert!(matches!(&left, SeedError::Left { paths, .. } if *paths == nodes), "{left}");
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let mut servers = both(&stack).await;
    until(&stack, "done", acts(1)).await;
    for server in &mut servers {
        server.kill().await;
    }
}

/// As many nodes as an ensemble without quotas accepts from one server in a short time.
#[tokio::test]
async fn many_nodes_of_a_server_are_no_agent_and_are_removed_together() {
    const MANY: u64 = 20_000;
    let requests = Requests::count();
    let mut stack = Stack::new("former_many");
    stack.options.admission = true;
    let (operator, web) = (stack.operator().await, stack.server("web").await);
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let (place, own) = (Layout::new("former_many").agent("web"), stack.logins("web")[0].principal());
    let own = Access::new().grant(&own, ALL);
    let made = (0..MANY).map(|number| create(format!("{place}/{number}"), &own)).collect();
    web.apply(made).await.expect("its own place");
    stack.seed = db_alone("former_many");
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let forgotten = forget(&operator, "former_many", &stack.options.key, &["web".into()], false).await;
    assert_eq!(forgotten.expect("no agent is there").servers, ["web".into()]);
    let before = requests.counts();
    assert!(delete(&operator, "former_many", &stack.options.key, false).await.expect("deletes"));
    let asked = requests.counts().since(&before);
    assert!((1..MANY / 2).contains(&asked.requests()), "{asked}");
    assert!(operator.get(&Layout::new("former_many").root()).await.expect("reads").is_none());
}

/// With such long names, nothing else fits into a request.
#[tokio::test]
async fn a_node_with_a_name_as_long_as_a_request_is_removed() {
    let zookeeper = ZooKeeper::start(1);
    let stack = Stack::at("former_long", &zookeeper);
    let operator = stack.operator().await;
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let place = Layout::new("former_long").agent("web");
    let connector = Client::connector().with_session_timeout(Duration::from_secs(20));
    let client = connector.connect(zookeeper.hosts()).await.expect("connects");
    let login = &stack.logins("web")[0];
    client.auth("digest", format!("{}:{}", login.name, login.password).as_bytes()).await.expect("it is the server");
    let long = |letter: &str| format!("{place}/{}", letter.repeat(1_048_528 - place.len() - 1));
    for letter in ["a", "b", "c"] {
        let mode = CreateMode::Persistent.with_acls(Acls::anyone_all());
        client.create(&long(letter), b"", &mode).await.expect("ZooKeeper takes it");
    }
    // The message about it is short.
    let denied = stack.server("db").await.apply(vec![Op::Delete { path: long("a") }]).await.expect_err("not its own");
    assert!(matches!(denied, StoreError::Denied { .. }) && denied.to_string().len() < 500);
    let deleted =
        tokio::time::timeout(Duration::from_mins(2), delete(&operator, "former_long", &stack.options.key, false));
    assert!(deleted.await.expect("in time").expect("deletes"));
    assert!(operator.get(&Layout::new("former_long").root()).await.expect("reads").is_none());
}
