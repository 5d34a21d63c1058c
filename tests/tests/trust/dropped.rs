//! A server leaves the model: its keys open nothing any more, and it can still run its teardowns.

use std::sync::Arc;

use wattle::author::{Exports, Topology};
use wattle::model::Name;
use wattle_runtime::agent::Ended;
use wattle_runtime::clock::now;
use wattle_runtime::seed::{Unnamed, admit, adopt, apply, diff, forget};
use wattle_runtime::space::{Alive, Layout, Space};
use wattle_runtime::store::Access;
use wattle_tests::random::Anything;
use wattle_tests::seeds::{join, seed};

use crate::agents::until;
use crate::identities::{both, reaches_only};
use crate::{Stack, assert_denied, server_of};

#[tokio::test]
async fn a_server_that_has_left_reads_nothing_of_the_others() {
    Box::pin(left(Stack::new("left"))).await;
}

#[tokio::test]
async fn nor_does_it_in_the_embedded_store() {
    let (stack, _store) = Stack::new("left").embedded().await;
    Box::pin(left(stack)).await;
}

async fn left(mut stack: Stack) {
    stack.options.admission = true;
    let operator = stack.operator().await;
    let layout = Layout::new("left");
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let [mut db, mut web] = both(&stack).await;
    admit(&operator, "left", &stack.options.key, &[]).await.expect("admits");
    until(&stack, "done", |snapshot| snapshot.revision() == 2 && snapshot.tally().is_done()).await;
    // Every login that the server has ever known.
    let logins = [stack.logins("web").remove(0), web.key().login("left", "web")];
    let store = stack.login(&logins).await;
    let member = Space::new(Arc::clone(&store), "left").membership("web").await.expect("reads").expect("it is there");
    store.log_in(&[member.login("left", &web.key().opener()).expect("its own")]).await.expect("logs in");
    store.get(&layout.revision()).await.expect("it is one of them");
    store.get(&layout.status("db/part")).await.expect("it is one of them");
    // A disconnected server leaves by itself when it reconnects.
    web.kill().await;

    let both_again = stack.seed.clone();
    let mut t = Topology::new("left");
    let host = server_of(&mut t, "db");
    t.on(host).run("part", Anything::new());
    stack.seed = seed(&t.finish(Exports::new()));
    let applied = apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    assert_eq!(applied.revision, 3);
    let own = [layout.plan("web"), layout.last_desired("web"), layout.server_status("web"), layout.agent("web")];
    reaches_only(&store, &operator, &own, "a server that has left").await;
    let desired = store.get(&layout.last_desired("web")).await.expect("reads").expect("it is there");
    assert!(!String::from_utf8_lossy(&desired.data).contains("\"db\""), "{desired:?}");
    web.start(&stack).await;
    assert_eq!(web.ended().await, Ended::Retired);
    // The others have learned a new shared secret.
    let ran = db.ran.count();
    stack.options.again = true;
    let applied = apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    until(&stack, "done", |snapshot| snapshot.revision() == 4 && snapshot.tally().is_done()).await;
    assert_eq!(db.ran.count(), ran);
    // It has reported that nothing is left to tear down, so its remaining rights are revoked.
    assert_eq!((applied.changes.forgotten, applied.changes.lingering), (vec!["web".to_owned()], Vec::new()));
    reaches_only(&store, &operator, &[], "a server that has torn everything down").await;
    stack.options.again = false;
    let diff = diff(&operator, &stack.seed, &stack.options).await.expect("compares");
    assert!(diff.is_empty() && diff.tampered.is_empty(), "{diff}");
    db.kill().await;

    // The server returns as a new one: neither its own key nor the used credential is valid.
    stack.seed = both_again;
    let seed = stack.seed.clone();
    adopt(&operator, &seed, &mut stack.options, Unnamed::default()).await.expect("its own keys");
    stack.options.credentials.complete(&seed, &stack.options.key);
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let old = stack.login(&logins).await;
    for path in [layout.plan("web"), layout.agent("web"), layout.revision(), layout.entry("db/part/token")] {
        assert_denied(old.get(&path).await, &format!("a server that has come back: {path}"));
    }
    stack.server("web").await.get(&layout.plan("web")).await.expect("its new credential is its own");
    assert!(admit(&operator, "left", &stack.options.key, &[]).await.expect("asks").admitted.is_empty());
}

#[tokio::test]
async fn a_server_that_never_came_is_forgotten() {
    never_came(Stack::new("never_came")).await;
}

#[tokio::test]
async fn and_in_the_embedded_store() {
    let (stack, _store) = Stack::new("never_came").embedded().await;
    never_came(stack).await;
}

async fn never_came(mut stack: Stack) {
    stack.options.admission = true;
    let (operator, key) = (stack.operator().await, stack.options.key.clone());
    let layout = Layout::new("never_came");
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let (both, mut t) = (stack.seed.clone(), Topology::new("never_came"));
    let host = server_of(&mut t, "db");
    t.on(host).run("part", Anything::new());
    stack.seed = seed(&t.finish(Exports::new()));
    let [store, web] = [stack.server("web").await, stack.server("web").await];
    join(&store, "never_came", "web", stack.options.credentials.get("web").expect("it has one")).await;
    let named = |name: &'static str| [Name::from(name)];
    let refused = async |name: &'static str| {
        let refused = forget(&operator, "never_came", &key, &named(name), false).await;
        refused.expect_err("it is not to be forgotten").to_string()
    };
    assert!(refused("web").await.contains("`web` is in the model of `never_came`"), "{}", refused("web").await);
    assert!(refused("wed").await.contains("`never_came` has no server `wed`"), "{}", refused("wed").await);
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let own = [layout.plan("web"), layout.last_desired("web"), layout.server_status("web"), layout.agent("web")];
    reaches_only(&store, &operator, &own, "a server that has left").await;
    // It has never reported, so nobody knows whether there is something to tear down.
    stack.options.again = true;
    let applied = apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    assert_eq!((applied.changes.lingering, applied.changes.forgotten), (vec!["web".to_owned()], Vec::new()));
    stack.options.again = false;
    reaches_only(&store, &operator, &own, "a server that has left").await;
    // Someone occupies the server's place, so the operator is asked to check.
    let place = Space::new(Arc::clone(&web), "never_came");
    let alive =
        Alive { since: now(), host: "web".into(), pid: 7, version: "1".into(), agent: None, boot: None, logs: false };
    let _held = place.come_alive("web", &alive, &Access::new(), None).await.expect("it has a place");
    assert!(refused("web").await.contains("the agent of `web` still runs"), "{}", refused("web").await);
    let forgotten = forget(&operator, "never_came", &key, &[], true).await.expect("it is forgotten");
    assert_eq!((forgotten.revision, &*forgotten.servers), (4, &named("web")[..]));
    for store in [&store, &web] {
        reaches_only(store, &operator, &[], "a server that is forgotten").await;
    }
    let again = forget(&operator, "never_came", &key, &named("web"), false).await.expect("nothing is left");
    assert_eq!((again.revision, again.servers.len()), (4, 0));
    let diff = diff(&operator, &stack.seed, &stack.options).await.expect("compares");
    assert!(diff.is_empty() && diff.tampered.is_empty(), "{diff}");
    // Nobody has used its credential, so the server can return with it.
    stack.seed = both;
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    store.get(&layout.plan("web")).await.expect("it is its own again");
    join(&store, "never_came", "web", stack.options.credentials.get("web").expect("it has one")).await;
    store.get(&layout.revision()).await.expect("it is one of them");
}

/// If a server leaves before its admission, its credential is revoked.
#[tokio::test]
async fn nor_does_a_credential_of_a_server_that_has_left() {
    let mut stack = Stack::new("left_early");
    let operator = stack.operator().await;
    let layout = Layout::new("left_early");
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let [db, web] = [stack.server("db").await, stack.server("web").await];
    for (server, store) in [("db", &db), ("web", &web)] {
        join(store, "left_early", server, stack.options.credentials.get(server).expect("it has one")).await;
        store.get(&layout.revision()).await.expect("it is one of them");
    }
    let mut t = Topology::new("left_early");
    let host = server_of(&mut t, "db");
    t.on(host).run("part", Anything::new());
    stack.seed = seed(&t.finish(Exports::new()));
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    for path in [layout.revision(), layout.status("db/part"), layout.deployed_diagram()] {
        assert_denied(web.get(&path).await, &path);
    }
    assert_denied(db.get(&layout.revision()).await, "before it has learned what is shared now");
    join(&db, "left_early", "db", stack.options.credentials.get("db").expect("it has one")).await;
    db.get(&layout.revision()).await.expect("it is one of them");
}
