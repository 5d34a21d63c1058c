//! An attacker can write to the data space like its operator, or controls what is read from it, but does not have the
//! operator's key.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use wattle_runtime::seed::{SeedError, apply, delete, diff};
use wattle_runtime::space::{Layout, OperatorKey};
use wattle_runtime::store::embedded::Server;
use wattle_runtime::store::{Access, Address, Op, Rights, Store};
use wattle_tests::seeds::unsigned;

use crate::agents::{Db, is_done, refuses, refuses_or_runs, until};
use crate::{Stack, assert_denied};

async fn raw(store: &Arc<dyn Store>, path: &str) -> Vec<u8> {
    store.get(path).await.expect("the password is enough").expect("it is there").data
}

async fn json(store: &Arc<dyn Store>, path: &str) -> Json {
    serde_json::from_slice(unsigned(&raw(store, path).await)).expect("JSON")
}

async fn put(store: &Arc<dyn Store>, path: &str, data: &[u8]) {
    store.set(path, data, None).await.expect("the password is enough");
}

/// ZooKeeper requires only a password, which crosses a plain connection unencrypted.
#[tokio::test]
async fn what_the_operator_has_not_signed_does_not_run() {
    forged(Stack::new("forged")).await;
}

#[tokio::test]
async fn nor_does_it_from_the_embedded_store() {
    let mut stack = Stack::new("forged");
    let folder = tempfile::tempdir().expect("a folder");
    let socket = folder.path().join("run/socket");
    let operator = stack.options.key.login().principal();
    let server = Server::start(&socket, &folder.path().join("log"), &operator).await.expect("starts");
    stack.address = Address::Socket(socket);
    forged(stack).await;
    server.stop().await.expect("stops");
}

async fn forged(mut stack: Stack) {
    let (operator, mut db) = (stack.operator().await, Db::new());
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    db.start(&stack).await;
    until(&stack, "done", is_done).await;
    assert_eq!(db.ran.count(), 1);

    let layout = Layout::new("forged");
    let (mut plan, mut desired) =
        (json(&operator, &layout.plan("db")).await, json(&operator, &layout.revision()).await);
    plan["revision"] = 2.into();
    plan["components"]["part"]["inputs"]["number"]["from"] = json!({"value": 666});
    desired["revision"] = 2.into();
    desired["plans"] = json!({"most": 2});
    let other = OperatorKey::generate().signer();
    for signs in [false, true] {
        for (path, node) in [(layout.plan("db"), &plan), (layout.revision(), &desired)] {
            let forged = node.to_string();
            let forged = if signs { other.sign(&path, forged.as_bytes()) } else { forged.into_bytes() };
            put(&operator, &path, &forged).await;
        }
        refuses(&stack, if signs { "the operator's signature does not match" } else { "it is not signed" }).await;
    }
    db.start(&stack).await;
    refuses(&stack, "the operator's signature does not match").await;
    assert_eq!(db.ran.count(), 1, "what somebody else has written ran");

    // The operator is informed, none of it is used, and one command writes everything again.
    let changes = diff(&operator, &stack.seed, &stack.options).await.expect("it is shown");
    let nodes: Vec<&str> = changes.tampered.iter().map(|tampered| &*tampered.node).collect();
    assert_eq!(nodes, [layout.revision(), layout.plan("db")]);
    let refused = apply(&operator, &stack.seed, &stack.options).await.expect_err("it was tampered with");
    assert!(matches!(refused, SeedError::Tampered { .. }), "{refused}");
    stack.options.restore = true;
    let applied = apply(&operator, &stack.seed, &stack.options).await.expect("it is written again");
    assert_eq!(applied.revision, 1);
    until(&stack, "done", |snapshot| is_done(snapshot) && snapshot.servers["db"].troubles.is_empty()).await;
    assert_eq!(db.ran.count(), 1, "what is as it was need not run again");
    stack.options.restore = false;
    let applied = apply(&operator, &stack.seed, &stack.options).await.expect("all is as it should be");
    assert!(applied.changes.is_empty() && applied.changes.tampered.is_empty());
    db.kill().await;
    assert!(delete(&operator, "forged", &stack.options.key, true).await.is_ok());
}

/// Data that were signed earlier are presented again.
#[tokio::test]
async fn what_was_replaced_does_not_run_again() {
    let mut stack = Stack::new("replayed");
    let (operator, mut db) = (stack.operator().await, Db::new());
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let layout = Layout::new("replayed");
    let paths = [layout.plan("db"), layout.revision()];
    let former = [raw(&operator, &paths[0]).await, raw(&operator, &paths[1]).await];
    db.start(&stack).await;
    until(&stack, "done", is_done).await;
    stack.options.again = true;
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    stack.options.again = false;
    let now = [raw(&operator, &paths[0]).await, raw(&operator, &paths[1]).await];
    until(&stack, "done", |snapshot| is_done(snapshot) && snapshot.revision() == 2).await;
    let ran = db.ran.count();

    // All of it is presented to a restarted agent.
    db.kill().await;
    put(&operator, &paths[0], &former[0]).await;
    put(&operator, &paths[1], &former[1]).await;
    db.start(&stack).await;
    refuses(&stack, "and this server has already seen revision 2 of").await;
    assert_eq!(db.ran.count(), ran);
    db.kill().await;
    // Only the plan is presented to a server that knows nothing.
    put(&operator, &paths[1], &now[1]).await;
    let mut fresh = Db::new();
    fresh.start(&stack).await;
    refuses(&stack, "it is the one of revision 1, and the desired revision asks for the one of revision 2").await;
    assert_eq!(fresh.ran.count(), 0);
    let refused = apply(&operator, &stack.seed, &stack.options).await.expect_err("it was tampered with");
    assert!(refused.to_string().contains("asks for the one of revision 2"), "{refused}");
    put(&operator, &paths[0], &now[0]).await;
    until(&stack, "done", is_done).await;
    assert_eq!(fresh.ran.count(), 1);
    fresh.kill().await;
    assert!(delete(&operator, "replayed", &stack.options.key, true).await.is_ok());
}

/// Data signed for one server are invalid for another server and for another stack.
#[tokio::test]
async fn what_was_signed_for_another_place_does_not_run() {
    let stack = Stack::new("elsewhere_signed");
    let (operator, mut db) = (stack.operator().await, Db::new());
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let layout = Layout::new("elsewhere_signed");
    let plan = raw(&operator, &layout.plan("db")).await;
    put(&operator, &layout.plan("db"), &raw(&operator, &layout.plan("web")).await).await;
    db.start(&stack).await;
    refuses_or_runs(&stack, &db, "the operator's signature does not match").await;
    assert_eq!(db.ran.count(), 0, "it ran what is another server's");
    put(&operator, &layout.plan("db"), &plan).await;
    until(&stack, "done", is_done).await;
    db.kill().await;
    assert!(delete(&operator, "elsewhere_signed", &stack.options.key, true).await.is_ok());
}

/// Data signed long ago are invalid, even for a server that has not seen anything newer.
#[tokio::test]
async fn what_has_expired_does_not_run() {
    let stack = Stack::new("expired_revision");
    let (operator, mut db) = (stack.operator().await, Db::new());
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let layout = Layout::new("expired_revision");
    let desired = raw(&operator, &layout.revision()).await;
    let mut expired = json(&operator, &layout.revision()).await;
    expired["expires"] = "2020-01-01T00:00:00Z".into();
    let signed = stack.options.key.signer().sign(&layout.revision(), expired.to_string().as_bytes());
    put(&operator, &layout.revision(), &signed).await;
    db.start(&stack).await;
    refuses_or_runs(&stack, &db, "it was valid until 2020-01-01T00:00:00Z, and the clock of this server says 20").await;
    assert_eq!(db.ran.count(), 0, "it ran what counts no more");
    // This needs no new revision.
    let applied = apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    assert!(applied.changes.is_empty());
    until(&stack, "done", is_done).await;
    db.kill().await;
    put(&operator, &layout.revision(), &desired).await;
    assert!(delete(&operator, "expired_revision", &stack.options.key, true).await.is_ok());
}

/// No rights are computed from a forged plan.
#[tokio::test]
async fn a_plan_that_nobody_has_signed_gets_no_right() {
    let mut stack = Stack::new("forged_right");
    let (operator, web) = (stack.operator().await, stack.server("web").await);
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let layout = Layout::new("forged_right");
    let mut plan = json(&operator, &layout.plan("web")).await;
    plan["components"]["part"]["inputs"]["stolen"] = json!({"type": "string", "from": {"entry": "db/part/token"}});
    put(&operator, &layout.plan("web"), plan.to_string().as_bytes()).await;
    stack.options.again = true;
    for restore in [false, true] {
        stack.options.restore = restore;
        let applied = apply(&operator, &stack.seed, &stack.options).await;
        assert_eq!(applied.is_ok(), restore, "{applied:?}");
        assert_denied(web.get(&layout.entry("db/part/token")).await, "by a plan that it was not given");
    }
    let after = json(&operator, &layout.plan("web")).await;
    assert!(after["components"]["part"]["inputs"]["stolen"].is_null(), "{after}");
    assert!(delete(&operator, "forged_right", &stack.options.key, true).await.is_ok());
}

/// Nodes that the operator has written are empty or missing.
#[tokio::test]
async fn what_was_emptied_is_reported_and_written_anew() {
    let mut stack = Stack::new("emptied");
    stack.options.admission = true;
    let operator = stack.operator().await;
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let layout = Layout::new("emptied");
    let paths = [
        layout.servers(),
        layout.server("db"),
        layout.plan("db"),
        layout.membership("db"),
        layout.exports(),
        layout.revision(),
    ];
    for path in &paths {
        let before = raw(&operator, path).await;
        put(&operator, path, b"").await;
        let changes = diff(&operator, &stack.seed, &stack.options).await.expect("it is shown");
        let reported: Vec<&str> = changes.tampered.iter().map(|tampered| tampered.node.as_str()).collect();
        assert!(reported.contains(&path.as_str()) || *path == layout.revision(), "{path}: {reported:?}");
        // `seed apply` does not act on nodes that it does not read.
        if ![layout.membership("db"), layout.revision()].contains(path) {
            let refused = apply(&operator, &stack.seed, &stack.options).await.expect_err("it was emptied");
            assert!(refused.to_string().contains("are not what its operator wrote"), "{path}: {refused}");
        }
        put(&operator, path, &before).await;
    }
    operator.apply(vec![Op::Delete { path: layout.plan("db") }]).await.expect("the password is enough");
    for again in [false, true] {
        stack.options.again = again;
        let refused = apply(&operator, &stack.seed, &stack.options).await.expect_err("a plan is gone");
        let SeedError::Tampered { nodes, .. } = &refused else { panic!("{refused}") };
        assert!(nodes.iter().any(|node| node.node == layout.plan("db") && node.why == "it is missing"), "{refused}");
    }
    (stack.options.again, stack.options.restore) = (false, true);
    apply(&operator, &stack.seed, &stack.options).await.expect("it is written again");
    stack.options.restore = false;
    let changes = diff(&operator, &stack.seed, &stack.options).await.expect("it is shown");
    assert!(changes.tampered.is_empty(), "{changes}");
    assert!(delete(&operator, "emptied", &stack.options.key, true).await.is_ok());
}

/// Nobody can add rights that the operator has not given: such nodes are ignored, and the operator is informed.
#[tokio::test]
async fn rights_that_nobody_has_given_are_reported() {
    let mut stack = Stack::new("opened");
    stack.options.admission = true;
    let operator = stack.operator().await;
    let layout = Layout::new("opened");
    for again in [false, true] {
        stack.options.again = again;
        apply(&operator, &stack.seed, &stack.options).await.expect("applies");
        let changes = diff(&operator, &stack.seed, &stack.options).await.expect("it is shown");
        assert!(changes.tampered.is_empty(), "{changes}");
    }
    stack.options.again = false;
    let all = Rights { read: true, write: true, create: true, delete: true };
    let theirs = Access::new().grant(&stack.logins("web")[0].principal(), all);
    let recipes = operator.children(&layout.recipes()).await.expect("recipes");
    let mut opened = vec![
        layout.root(),
        layout.revision(),
        layout.servers(),
        layout.server("db"),
        layout.plan("db"),
        layout.membership("db"),
        layout.agent("db"),
        layout.announcement("db"),
        layout.entries(),
        layout.entry("db/part/token"),
        layout.status("db/part"),
        layout.server_status("db"),
        layout.recipe(&recipes[0]),
        layout.exports(),
    ];
    let accesses: Vec<(String, Access)> = opened.iter().map(|path| (path.clone(), theirs.clone())).collect();
    operator.protect(&accesses, &[]).await.expect("the password is enough");
    let changes = diff(&operator, &stack.seed, &stack.options).await.expect("it is shown");
    let mut reported: Vec<String> = changes.tampered.iter().map(|tampered| tampered.node.clone()).collect();
    reported.sort();
    opened.sort();
    assert_eq!(reported, opened);
    assert!(changes.to_string().contains("others may do more with it than its operator allows"), "{changes}");
    stack.options.restore = true;
    apply(&operator, &stack.seed, &stack.options).await.expect("it is written again");
    stack.options.restore = false;
    let changes = diff(&operator, &stack.seed, &stack.options).await.expect("it is shown");
    assert!(changes.tampered.is_empty(), "{changes}");
    assert!(delete(&operator, "opened", &stack.options.key, true).await.is_ok());
}

/// The message names the signer of the data in the operator's nodes, and the only permitted writer of other nodes.
/// Otherwise, it names nobody.
#[tokio::test]
async fn who_has_written_it_is_reported_where_that_is_known() {
    let mut stack = Stack::new("by_whom");
    stack.options.admission = true;
    let operator = stack.operator().await;
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let layout = Layout::new("by_whom");
    let web = stack.options.credentials.get("web").expect("it has one").key().signer();
    let signed = layout.plan("db");
    let plan = raw(&operator, &signed).await;
    put(&operator, &signed, &web.sign(&signed, unsigned(&plan))).await;
    put(&operator, &layout.plan("web"), unsigned(&raw(&operator, &layout.plan("web")).await)).await;
    let announced = layout.announcement("db");
    stack.server("db").await.set(&announced, br#"{"space": "2026", "x": 1}"#, None).await.expect("its credential may");

    let changes = diff(&operator, &stack.seed, &stack.options).await.expect("it is shown");
    let reported: Vec<_> = changes.tampered.iter().map(|one| (&*one.node, one.writer.as_deref())).collect();
    assert_eq!(reported, [(&*signed, Some("web")), (&*layout.plan("web"), None)]);
    let shown = changes.to_string();
    let line = format!(
        "not as the operator wrote it: `{signed}`: the operator's signature does not match; what is there is signed by \
         the server `web`\n"
    );
    assert!(
        shown.contains(&line) && shown.contains("`wattle seed apply DIR --restore` rewrites everything"),
        "{shown}"
    );
    let line = format!(
        "`{announced}` does not hold an announcement of `db`, and apart from the operator only someone with the credential of `db`"
    );
    assert!(shown.contains(&line), "{shown}");
    // A server blocks nobody with its announcement.
    put(&operator, &signed, &plan).await;
    let restored = stack.options.key.signer();
    put(
        &operator,
        &layout.plan("web"),
        &restored.sign(&layout.plan("web"), &raw(&operator, &layout.plan("web")).await),
    )
    .await;
    stack.options.again = true;
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    stack.options.again = false;
    let changes = diff(&operator, &stack.seed, &stack.options).await.expect("it is shown");
    assert!(changes.tampered.is_empty() && !changes.to_string().contains("announcement"), "{changes}");
    assert!(delete(&operator, "by_whom", &stack.options.key, true).await.is_ok());
}
