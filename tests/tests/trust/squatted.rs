//! The first client of a ZooKeeper may create the nodes of a stack before its operator does.

use wattle_runtime::seed::{SeedError, apply};
use wattle_runtime::space::Layout;
use wattle_runtime::store::{Access, Op, Rights, StoreError};
use wattle_tests::seeds::nodes;
use wattle_tests::zookeeper::ZooKeeper;
use zookeeper_client::{Acls, Client, CreateMode};

use crate::Stack;

async fn anybody(zookeeper: &ZooKeeper) -> Client {
    Client::connect(zookeeper.hosts()).await.expect("connects")
}

async fn make(client: &Client, path: &str, data: &[u8], acls: Acls<'static>) {
    client.create(path, data, &CreateMode::Persistent.with_acls(acls)).await.expect("nobody is there yet");
}

/// Nodes that anyone may read, write, remove and grant rights to.
#[tokio::test]
async fn what_anybody_has_made_before_is_nobodys_afterwards() {
    let zookeeper = ZooKeeper::start(1);
    let mut stack = Stack::at("squatted", &zookeeper);
    let (squatter, operator) = (anybody(&zookeeper).await, stack.operator().await);
    let below =
        ["", "/entries", "/entries/db", "/entries/db/part", "/entries/db/part/token", "/servers", "/servers/web"];
    let more =
        ["/servers/web/plan", "/status", "/status/db", "/recipes", "/exports", "/agents", "/agents/db", "/other"];
    make(&squatter, "/wattle", b"", Acls::anyone_all()).await;
    for below in below.iter().chain(&more) {
        make(&squatter, &format!("/wattle/squatted{below}"), b"{}", Acls::anyone_all()).await;
    }
    for is_claimed in [false, true] {
        if is_claimed {
            // The second time, someone has also announced a revision: anyone may do anything with all of it.
            let (layout, as_operator) = (Layout::new("squatted"), anybody_as_operator(&zookeeper, &stack).await);
            for path in nodes(&operator).await.keys().filter(|path| path.starts_with("/wattle/squatted")) {
                as_operator.set_acl(path, &Acls::anyone_all(), None).await.expect("the operator may");
            }
            squatter
                .set_data(&layout.revision(), b"{\"revision\": 7, \"digest\": \"\"}", None)
                .await
                .expect("anybody may");
            let refused = apply(&operator, &stack.seed, &stack.options).await.expect_err("nobody has signed it");
            assert!(matches!(refused, SeedError::Tampered { .. }), "{refused}");
            stack.options.restore = true;
        }
        apply(&operator, &stack.seed, &stack.options).await.expect("applies");
        let there = nodes(&operator).await;
        let mine = there.keys().filter(|path| path.starts_with("/wattle/squatted"));
        assert!(mine.clone().count() > 20 && !there.contains_key("/wattle/squatted/other"));
        for path in mine {
            let read = squatter.get_data(path).await;
            assert!(
                matches!(read, Err(zookeeper_client::Error::NoAuth)),
                "{is_claimed}: anybody reads `{path}`: {read:?}"
            );
            let made = squatter
                .create(&format!("{path}/mine"), b"", &CreateMode::Persistent.with_acls(Acls::anyone_all()))
                .await;
            assert!(made.is_err(), "{is_claimed}: anybody makes nodes below `{path}`");
        }
    }
}

async fn anybody_as_operator(zookeeper: &ZooKeeper, stack: &Stack) -> Client {
    let login = stack.options.key.login();
    let client = anybody(zookeeper).await;
    client.auth("digest", format!("{}:{}", login.name, login.password).as_bytes()).await.expect("it is the operator");
    client
}

/// Nodes that their creator keeps.
#[tokio::test]
async fn what_somebody_keeps_is_left_to_them() {
    let zookeeper = ZooKeeper::start(1);
    let stack = Stack::at("kept", &zookeeper);
    let somebody = stack.logins("web");
    let other = stack.login(&somebody).await;
    let own =
        Access::new().grant(&somebody[0].principal(), Rights { read: true, write: true, create: true, delete: true });
    make(&anybody(&zookeeper).await, "/wattle", b"", Acls::anyone_all()).await;
    for path in ["/wattle/kept", "/wattle/kept/entries"] {
        let create = Op::Create { path: path.to_owned(), data: Vec::new(), access: own.clone() };
        other.apply(vec![create]).await.expect("nobody is there yet");
    }
    let operator = stack.operator().await;
    for _ in 0..2 {
        let refused = apply(&operator, &stack.seed, &stack.options).await.expect_err("it is another one's");
        assert!(matches!(&refused, SeedError::Squatted { path } if path.starts_with("/wattle/kept")), "{refused}");
    }
    let read = operator.get("/wattle/kept/entries").await;
    assert!(matches!(read, Err(StoreError::Denied { .. })), "{read:?}");
}

/// The node above all stacks, and its data about the names of data spaces.
#[tokio::test]
async fn the_node_above_all_stacks_is_the_operators_afterwards() {
    let long = format!("{{\"space\":\"{}\"}}", "z".repeat(900_000));
    let said =
        ["", "garbage", "{\"space\":\"zz/x\"}", "{\"space\":\"9999-12-31T23:59:59.000000000Z-0123abcd\"}", &long];
    for said in said {
        let zookeeper = ZooKeeper::start(1);
        let stack = Stack::at("below", &zookeeper);
        let (squatter, operator) = (anybody(&zookeeper).await, stack.operator().await);
        make(&squatter, "/wattle", said.as_bytes(), Acls::anyone_all()).await;
        apply(&operator, &stack.seed, &stack.options).await.expect("applies");
        let goal = operator.get(&Layout::new("below").revision()).await.expect("reads").expect("a goal");
        let goal = String::from_utf8_lossy(&goal.data).into_owned();
        assert!(goal.contains("\"space\":\"20") && goal.len() < 4_000, "{goal}");
        let set = squatter.set_data("/wattle", b"garbage", None).await;
        assert!(matches!(set, Err(zookeeper_client::Error::NoAuth)), "anybody writes there: {set:?}");
        let made = squatter.create("/wattle/mine", b"", &CreateMode::Persistent.with_acls(Acls::anyone_all())).await;
        assert!(made.is_err(), "anybody makes stacks");
    }
}
