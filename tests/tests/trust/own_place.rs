//! A server creates and removes nodes only below its own place, and its nodes block nobody.

use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;

use wattle::model::Type;
use wattle_runtime::report::{self, StackSnapshot};
use wattle_runtime::seed::{SeedError, apply, delete, write_operator_key};
use wattle_runtime::space::{Content, Held, Layout, PlannedInput, Space, ValueSource};
use wattle_runtime::store::{Access, Op, Rights};

use wattle_tests::command::{apart, wattle};
use wattle_tests::running::to_its_end;
use wattle_tests::seeds::unsigned;
use wattle_tests::zookeeper::ZooKeeper;

use crate::{Stack, assert_denied};

const ALL: Rights = Rights { read: true, write: true, create: true, delete: true };

fn create(path: String, data: Vec<u8>, access: &Access) -> Vec<Op> {
    vec![Op::Create { path, data, access: access.clone() }]
}

in_both_stores! {
    a_server_that_replaces_its_plan_gets_no_right_by_it: Stack::new("replaced_plan"),
    what_a_server_says_hides_no_other_one: Stack::new("garbage"),
    a_server_that_goes_on_making_nodes_does_not_keep_its_stack: Stack::new("restless"),
    a_stack_of_before_gets_places_and_loses_the_former_rights: Stack::new("of_before"),
}

/// It creates nodes in its place, and removes them again, while the operator deletes the stack.
async fn a_server_that_goes_on_making_nodes_does_not_keep_its_stack(stack: Stack) {
    let (operator, web) = (stack.operator().await, stack.server("web").await);
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let (place, own) = (Layout::new("restless").agent("web"), stack.logins("web")[0].principal());
    for number in 0..20 {
        let made = create(format!("{place}/before-{number}"), Vec::new(), &Access::new().grant(&own, ALL));
        web.apply(made).await.expect("it may");
    }
    let restless = tokio::spawn(async move {
        for number in 0_u64.. {
            let path = format!("{place}/again-{number}");
            let made = web.apply(create(path.clone(), Vec::new(), &Access::new().grant(&own, ALL))).await;
            if number % 2 == 0 && made.is_ok() {
                let _ = web.apply(vec![Op::Delete { path }]).await;
            }
        }
    });
    tokio::time::sleep(Duration::from_millis(200)).await;
    let deleted = delete(&operator, "restless", &stack.options.key, true).await;
    assert!(deleted.is_ok_and(|deleted| deleted), "the operator can always delete a stack");
    restless.abort();
    assert_eq!(operator.get(&Layout::new("restless").root()).await.expect("reads"), None);
}

/// It replaces its own plan with one that reads unwired entries, and lets the operator read it.
async fn a_server_that_replaces_its_plan_gets_no_right_by_it(mut stack: Stack) {
    let (operator, web) = (stack.operator().await, stack.server("web").await);
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let layout = Layout::new("replaced_plan");
    let others = layout.entry("db/part/token");
    assert_denied(web.get(&others).await, "before");

    let space = Space::new(Arc::clone(&operator), "replaced_plan");
    let goal = space.desired_revision().await.expect("reads").expect("a goal");
    let mut plan = space.plan("web").await.expect("reads").expect("a plan");
    let from = ValueSource::Leaf(Held::Entry("db/part/token".into()));
    let stolen = PlannedInput { ty: Type::STR, path: Vec::new(), from };
    plan.components["part"].inputs.insert("stolen".into(), stolen);
    let reads = Access::new().grant(&goal.operator.expect("known"), Rights::READ);
    let own = &stack.logins("web")[0];
    let forged = serde_json::to_vec(&plan).expect("JSON");
    let removed = web.apply(vec![Op::Delete { path: layout.plan("web") }]).await;
    let made = web.apply(create(layout.plan("web"), forged, &reads.grant(&own.principal(), ALL))).await;

    stack.options.again = true;
    let applied = apply(&operator, &stack.seed, &stack.options).await;
    assert_denied(web.get(&others).await, "after the next revision");
    assert_denied(removed, "its plan is removed");
    assert_denied(made, "a plan is made");
    assert_eq!(applied.expect("applies").revision, 2);
}

/// Nodes that only it may read or remove block nobody.
#[tokio::test]
async fn what_a_server_makes_stops_no_operator() {
    let stack = Stack::new("own_place");
    let (operator, web) = (stack.operator().await, stack.server("web").await);
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let layout = Layout::new("own_place");
    let own = Access::new().grant(&stack.logins("web")[0].principal(), ALL);
    for path in [layout.server("web"), layout.servers(), layout.agents(), layout.agent("db"), layout.root()] {
        assert_denied(web.apply(create(format!("{path}/mine"), Vec::new(), &own)).await, &path);
    }
    let place = layout.agent("web");
    for name in ["a", "b"] {
        web.apply(create(format!("{place}/{name}"), b"{".to_vec(), &own)).await.expect("its own place");
    }
    assert!(delete(&operator, "own_place", &stack.options.key, false).await.expect("deletes"));
    assert!(operator.get(&layout.root()).await.expect("reads").is_none());

    // To remove a node, ZooKeeper checks only the rights to its parent.
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    for path in ["hidden", "hidden/more"] {
        web.apply(create(format!("{place}/{path}"), Vec::new(), &own)).await.expect("its own place");
    }
    let left = delete(&operator, "own_place", &stack.options.key, false).await.expect_err("it is not the operator's");
    assert!(matches!(&left, SeedError::Left { paths, .. } if *paths == [format!("{place}/hidden")]), "{left}");
    let there = operator.children(&layout.root()).await.expect("reads");
    assert_eq!(there, ["agents"], "all else is gone");
    // Nor do they block the deployment of a stack with this name.
    let applied = apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    assert_eq!(applied.revision, 1);
    let web = stack.server("web").await;
    let next = Space::new(Arc::clone(&web), "own_place").place("web").await.expect("it has a place");
    assert_ne!(layout.agent(&next), place);
    let hold = web.hold(&layout.alive(&next), b"{}", &own, None).await.expect("its agent has its place");
    hold.release().await;
    // Nothing more can be created in the former place. The server can still remove what is below its own node.
    assert_denied(web.apply(create(format!("{place}/more"), Vec::new(), &own)).await, "the former place");
    web.apply(vec![Op::Delete { path: format!("{place}/hidden/more") }]).await.expect("it may");
    assert!(delete(&operator, "own_place", &stack.options.key, false).await.expect("deletes"));
}

/// The embedded store does not restrict the operator.
#[tokio::test]
async fn nothing_that_a_server_makes_is_left_in_the_embedded_store() {
    let (stack, _store) = Stack::new("own_place").embedded().await;
    let (operator, web) = (stack.operator().await, stack.server("web").await);
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let place = Layout::new("own_place").agent("web");
    let own = Access::new().grant(&stack.logins("web")[0].principal(), ALL);
    for path in ["hidden", "hidden/more"] {
        web.apply(create(format!("{place}/{path}"), Vec::new(), &own)).await.expect("its own place");
    }
    assert!(delete(&operator, "own_place", &stack.options.key, false).await.expect("deletes"));
    assert!(operator.get(&Layout::new("own_place").root()).await.expect("reads").is_none());
}

/// Its own status, its own entries and its place contain data that are invalid, or that only it may read.
async fn what_a_server_says_hides_no_other_one(stack: Stack) {
    let (operator, web) = (stack.operator().await, stack.server("web").await);
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let layout = Layout::new("garbage");
    for path in [layout.status("web/part"), layout.server_status("web"), layout.entry("web/part/text")] {
        web.set(&path, b"{\"revision\": 1, \xff", None).await.expect("its own");
    }
    let own = Access::new().grant(&stack.logins("web")[0].principal(), ALL);
    let hold = web.hold(&layout.alive("web"), b"{", &own, None).await.expect("its own place");

    let space = Space::new(Arc::clone(&operator), "garbage");
    let snapshot = StackSnapshot::read(&space, None).await.expect("it is shown");
    assert_eq!((&*snapshot.servers["db"].troubles, snapshot.tally().all), (&[] as &[String], 2));
    let troubles = &snapshot.servers["web"].troubles;
    assert_eq!(troubles.len(), 3, "{troubles:?}");
    assert!(troubles[0].contains("/wattle/garbage/agents/web/alive"), "{troubles:?}");
    let names = report::entries(&space, &snapshot, "").await.expect("they are listed");
    let contents = report::contents(&space, &snapshot, &names).await.expect("they are shown");
    let reported = contents.iter().flatten().map(|written| &written.content).collect::<Vec<_>>();
    assert!(matches!(*reported, [Content::Failure(failure)] if &*failure.component == "web/part"), "{reported:?}");
    hold.release().await;
}

/// The server writes as much as a node accepts. The output is bounded, and everything else is right.
#[tokio::test]
async fn what_a_server_says_at_length_is_cut() {
    let stack = Stack::new("lengthy");
    let (operator, web) = (stack.operator().await, stack.server("web").await);
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let layout = Layout::new("lengthy");
    let space = Space::new(Arc::clone(&operator), "lengthy");
    let of = space.desired_revision().await.expect("reads").expect("a goal").of();
    let since = "2026-01-01T00:00:00Z";
    let of = |mut status: serde_json::Value| {
        status["revision"] = of.number.into();
        status["space"] = of.space.as_deref().into();
        status["since"] = since.into();
        status.to_string().into_bytes()
    };
    let waits: Vec<_> = (0..15_000).map(|n| json!({"for": format!("db/part/{n}"), "since": since})).collect();
    let message = "x".repeat(400_000);
    let failure = json!({"component": "web/part", "kind": "recipe", "message": message, "log": [message], "at": since});
    let path = layout.status("web/part");
    let signer = stack.options.credentials.get("web").expect("it has one").key().signer();
    let says = async |path: &str, status: serde_json::Value| {
        web.set(path, &signer.vouch(path, &of(status)), None).await.expect("its own")
    };
    says(&layout.server_status("web"), json!({"troubles": [message, "y"]})).await;
    for status in [json!({"state": "waiting", "detail": waits}), json!({"state": "failed", "detail": failure})] {
        says(&path, status).await;
        let begin = Instant::now();
        let snapshot = StackSnapshot::read(&space, None).await.expect("it is shown");
        assert_eq!((&*snapshot.servers["db"].troubles, snapshot.tally().all), (&[] as &[String], 2));
        let troubles = &snapshot.servers["web"].troubles;
        assert!(troubles.iter().any(|trouble| trouble.contains("reports more about `web/part`")), "{}", troubles.len());
        assert!(format!("{snapshot:?}").len() < 300_000 && begin.elapsed() < Duration::from_secs(20));
        let folder = tempfile::tempdir().expect("a folder");
        write_operator_key(&folder.path().join("operator.key"), &stack.options.key).expect("writes");
        for args in [&["status"][..], &["status", "--why"], &["status", "--timeline"], &["ls"]] {
            let mut command = Command::new(wattle());
            apart(command.args(args).current_dir(folder.path()), folder.path());
            let address = ZooKeeper::shared().address();
            let ran = to_its_end(command.args(["--stack", "lengthy", "--space", &address]));
            assert!(
                ran.out.contains("db") && ran.out.len() < 300_000,
                "{args:?}: {} bytes, {:?}",
                ran.out.len(),
                ran.code
            );
        }
    }
}

/// A stack from earlier versions: servers create and remove nodes beside their plans.
async fn a_stack_of_before_gets_places_and_loses_the_former_rights(mut stack: Stack) {
    let (operator, web) = (stack.operator().await, stack.server("web").await);
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let layout = Layout::new("of_before");
    let gone = [layout.agent("db"), layout.agent("web"), layout.agents()];
    operator.apply(gone.map(|path| Op::Delete { path }).into()).await.expect("the operator may");
    let former = Rights { read: false, write: false, create: true, delete: true };
    let own = &stack.logins("web")[0];
    let access = Access::new().grant(&own.principal(), former);
    operator.protect(&[(layout.server("web"), access.clone())], &[]).await.expect("the operator may");
    let node = operator.get(&layout.revision()).await.expect("reads").expect("a goal");
    let mut goal: serde_json::Value = serde_json::from_slice(unsigned(&node.data)).expect("JSON");
    goal["places"] = false.into();
    operator.set(&layout.revision(), goal.to_string().as_bytes(), None).await.expect("the operator may");
    let former = web.hold(&layout.former_alive("web"), b"{}", &access, None).await.expect("as it was");

    let refused = apply(&operator, &stack.seed, &stack.options).await.expect_err("nobody has signed it");
    assert!(matches!(refused, SeedError::Tampered { .. }), "{refused}");
    stack.options.restore = true;
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    assert_denied(web.apply(vec![Op::Delete { path: layout.plan("web") }]).await, "its plan is removed");
    assert_denied(web.apply(create(format!("{}/mine", layout.server("web")), Vec::new(), &access)).await, "made");
    let alive =
        delete(&operator, "of_before", &stack.options.key, false).await.expect_err("an agent of before is there");
    assert!(matches!(alive, SeedError::Alive { .. }), "{alive}");
    former.release().await;
    web.hold(&layout.alive("web"), b"{}", &access, None).await.expect("its place").release().await;
}
