//! A server leaves the model: what it knew opens nothing any more, and it can still tear down what it has.

use std::sync::Arc;

use wattle::author::{Exports, Topology};
use wattle_runtime::agent::Ended;
use wattle_runtime::seed::{Unnamed, admit, adopt, apply};
use wattle_runtime::space::{Layout, Space};
use wattle_tests::random::Anything;
use wattle_tests::seeds::{join, seed};

use crate::agents::until;
use crate::identities::{both, reaches_only};
use crate::{Stack, assert_denied, server_of};

#[tokio::test]
async fn a_server_that_has_left_reads_nothing_of_the_others() {
    left(Stack::new("left")).await;
}

#[tokio::test]
async fn nor_does_it_in_the_embedded_store() {
    let (stack, _store) = Stack::new("left").embedded().await;
    left(stack).await;
}

async fn left(mut stack: Stack) {
    stack.options.admission = true;
    let operator = stack.operator().await;
    let layout = Layout::new("left");
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let [mut db, mut web] = both(&stack).await;
    admit(&operator, "left", &stack.options.key, &[]).await.expect("admits");
    until(&stack, "done", |picture| picture.revision() == 2 && picture.tally().is_done()).await;
    // All that it has ever known.
    let logins = [stack.logins("web").remove(0), web.key().login("left", "web")];
    let store = stack.login(&logins).await;
    let told = Space::new(Arc::clone(&store), "left").membership("web").await.expect("reads").expect("it is told");
    store.log_in(&[told.login("left", &web.key().opener()).expect("its own")]).await.expect("logs in");
    store.get(&layout.revision()).await.expect("it is one of them");
    store.get(&layout.status("db/part")).await.expect("it is one of them");
    // One that was broken off leaves by itself, when it comes back.
    web.kill().await;

    let both_again = stack.seed.clone();
    let mut t = Topology::new("left");
    let host = server_of(&mut t, "db");
    t.on(host).run("part", Anything::new());
    stack.seed = seed(&t.finish(Exports::new()));
    let applied = apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    assert_eq!(applied.revision, 3);
    let own = [layout.plan("web"), layout.last_goal("web"), layout.server_status("web"), layout.agent("web")];
    reaches_only(&store, &operator, &own, "a server that has left").await;
    let goal = store.get(&layout.last_goal("web")).await.expect("reads").expect("it is told");
    assert!(!String::from_utf8_lossy(&goal.data).contains("db"), "{goal:?}");
    web.start(&stack).await;
    assert_eq!(web.ended().await, Ended::Retired);
    // The others have learned what they share now, and do without it.
    let ran = db.ran.count();
    stack.options.again = true;
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    until(&stack, "done", |picture| picture.revision() == 4 && picture.tally().is_done()).await;
    assert_eq!(db.ran.count(), ran);
    reaches_only(&store, &operator, &own, "a server that has left").await;
    db.kill().await;

    // It comes back as another one: neither its own key nor the credential that was used up is anything to it.
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

/// Before it was admitted, it is its credential that leaves.
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
    for path in [layout.revision(), layout.status("db/part"), layout.deployed_picture()] {
        assert_denied(web.get(&path).await, &path);
    }
    assert_denied(db.get(&layout.revision()).await, "before it has learned what is shared now");
    join(&db, "left_early", "db", stack.options.credentials.get("db").expect("it has one")).await;
    db.get(&layout.revision()).await.expect("it is one of them");
}
