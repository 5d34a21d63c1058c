//! An attacker has obtained the operator's key: a new one replaces it, and servers continue.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use wattle::model::Value;
use wattle_runtime::seed::{
    Rotation, SeedError, admit_renewed, apply, delete, read_operator_key, renew, rotatable, rotate, rotate_top,
};
use wattle_runtime::space::{Announcement, Content, Layout, OperatorKey, ServerKey, Space, Written};
use wattle_runtime::store::{Access, Op, Store, StoreError};
use wattle_tests::random::Anything;
use wattle_tests::running::Stage;
use wattle_tests::seeds::unsigned;
use wattle_tests::zookeeper::ZooKeeper;

use crate::agents::{refuses, until};
use crate::identities::{all_done, both, reaches_only};
use crate::outside::node;
use crate::quotas::{attack, enforcing, own};
use crate::{Stack, assert_denied, server_of};

const FORGED: &str = "is not trusted: the operator's signature does not match";

/// `web` reads a text and a secret of `db`.
fn wired(name: &'static str, zookeeper: &ZooKeeper) -> Stack {
    let mut stack = Stack::of(name, zookeeper, |t| {
        let [db, web] = ["db", "web"].map(|name| server_of(t, name));
        let part = t.on(db).run("part", Anything::new());
        t.on(web).run("part", Anything::new().texts([part.text]).password(part.token));
    });
    stack.options.admission = true;
    stack
}

impl Stack {
    /// A connection with both keys.
    async fn both_keys(&self, next: &OperatorKey) -> Arc<dyn Store> {
        self.login(&[next.login(), self.options.key.login()]).await
    }
}

/// Forges the revision of the node at `path` with the signature of `key`; returns the original.
async fn forge(store: &Arc<dyn Store>, path: &str, number: u64, key: &OperatorKey) -> Vec<u8> {
    let there = store.get(path).await.expect("reads").expect("it is there").data;
    let mut said: serde_json::Value = serde_json::from_slice(unsigned(&there)).expect("JSON");
    said["revision"] = number.into();
    if let Some(plans) = said.get_mut("plans") {
        plans["most"] = number.into();
    }
    store.set(path, &key.signer().sign(path, said.to_string().as_bytes()), None).await.expect("writes");
    there
}

/// Waits until an agent has announced its presence again, readable with these rights.
async fn readable(store: &Arc<dyn Store>, path: &str) {
    for _ in 0..300 {
        if matches!(store.get(path).await, Ok(Some(_))) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("nobody says `{path}`")
}

#[tokio::test]
async fn another_operators_key_takes_the_place_of_the_former_one_in_all_stacks() {
    let zookeeper = ZooKeeper::start(1);
    let (mut admitted, mut fresh) = (wired("admitted", &zookeeper), wired("fresh", &zookeeper));
    let former = admitted.options.key.clone();
    fresh.options.key = former.clone();
    fresh.options.credentials = Default::default();
    fresh.options.credentials.complete(&fresh.seed, &former);
    let thief = admitted.operator().await;
    for stack in [&admitted, &fresh] {
        apply(&thief, &stack.seed, &stack.options).await.expect("applies");
    }
    // The servers of one stack have their own keys; those of the other one use their credentials.
    let mut servers = both(&admitted).await.into_iter().chain(both(&fresh).await).collect::<Vec<_>>();
    apply(&thief, &admitted.seed, &admitted.options).await.expect("applies");
    until(&admitted, "admitted", all_done(2)).await;
    // The operator has set this value by hand.
    let layout = Layout::new("admitted");
    let space = Space::new(Arc::clone(&thief), "admitted");
    let revision = space.plan("db").await.expect("reads").expect("a plan").of();
    let by_hand = Written::new(&revision, Content::Value("by hand".into()));
    space.overwrite("db/part/text", &by_hand, &former.signer()).await.expect("writes");

    let next = former.next();
    let keys = Rotation { former: &former, next: &next };
    let store = admitted.both_keys(&next).await;
    assert_eq!(rotatable(&store, keys).await.expect("they are whole"), ["admitted", "fresh"]);
    let mut revisions = Vec::new();
    for stack in ["admitted", "fresh"] {
        revisions.push(rotate(&store, stack, keys).await.expect("rotates"));
        assert_eq!(rotate(&store, stack, keys).await.expect("it has the key"), revisions[revisions.len() - 1]);
    }
    assert_eq!(revisions, [3, 2]);

    let ran: Vec<usize> = servers.iter().map(|server| server.ran.count()).collect();
    let operator = admitted.login(&[next.login()]).await;
    for server in ["admitted/agents/db", "admitted/agents/web", "fresh/agents/db", "fresh/agents/web"] {
        readable(&operator, &format!("/wattle/{server}/alive")).await;
    }
    reaches_only(&thief, &operator, &[], "the former key").await;
    assert_denied(thief.set("/wattle", b"", None).await, "the node above all stacks");
    for (stack, revision) in [(&mut admitted, 3), (&mut fresh, 2)] {
        stack.options.key = next.clone();
        until(stack, "told", all_done(revision)).await;
    }
    assert_eq!(servers.iter().map(|server| server.ran.count()).collect::<Vec<_>>(), ran, "something ran again");
    // The owner of the former key creates a revision, and the store shows it. Servers that know the new key do not
    // trust it.
    let mut there = Vec::new();
    for path in [layout.revision(), layout.plan("db")] {
        let data = forge(&operator, &path, 9, &former).await;
        there.push((path, data));
    }
    refuses(&admitted, FORGED).await;
    // A restarted server does not trust it either.
    servers[0].start(&admitted).await;
    refuses(&admitted, FORGED).await;
    for (path, data) in there {
        operator.set(&path, &data, None).await.expect("writes");
    }
    until(&admitted, "fine", |snapshot| snapshot.servers["db"].troubles.is_empty()).await;

    // When the stack is applied with the new key, nothing runs again, and the operator's manual values remain valid.
    let applied = apply(&operator, &fresh.seed, &fresh.options).await.expect("applies");
    assert_eq!(applied.changes.admitted, ["db", "web"]);
    until(&fresh, "admitted", all_done(applied.revision)).await;
    let space = Space::new(Arc::clone(&operator), "admitted").operated_by(next.signer().authority());
    let value = space.peek("db/part/text").await.expect("it is believed").expect("it is there");
    assert_eq!(value.content, Content::Value(Value::from("by hand")));
    for server in &mut servers {
        server.kill().await;
    }
}

/// Quotas belong to the new key: those of the former key are ignored, and the former key sets no more.
#[tokio::test]
async fn the_former_key_limits_nobody() {
    let zookeeper = enforcing();
    let mut stacks = ["limited", "removed", "later"].map(|name| {
        let mut stack = Stack::at(name, &zookeeper);
        stack.options.admission = true;
        stack
    });
    let [limited, removed, _] = &stacks;
    let (former, next) = (limited.options.key.clone(), limited.options.key.next());
    let thief = limited.operator().await;
    apply(&thief, &limited.seed, &limited.options).await.expect("applies");
    let with_former = |stack: &Stack| {
        let mut options = stack.options.clone();
        options.key = former.clone();
        options.credentials = Default::default();
        options
    };
    apply(&thief, &removed.seed, &with_former(removed)).await.expect("applies");
    // Nothing is published, and `web` creates arbitrary nodes. Nodes left by a deleted stack belong to someone, too.
    let quotas = "/zookeeper/quota/wattle";
    let create = |path: &str, data: &str| Op::Create {
        path: format!("{quotas}/{path}"),
        data: data.into(),
        access: Access::new(),
    };
    let none = "count=-1,bytes=-1=;byteHardLimit=0;countHardLimit=-1";
    let web = format!("{quotas}/limited/agents/web/zookeeper_limits");
    let bounds = thief.get(&web).await.expect("reads").expect("it is limited").data;
    let ops = vec![
        create("limited/entries", ""),
        create("limited/entries/zookeeper_limits", none),
        create("limited/entries/zookeeper_stats", "count=1,bytes=0"),
        create("gone", ""),
        Op::Set { path: web.clone(), data: b"count=-1,bytes=-1".to_vec(), expected: None },
    ];
    thief.apply(ops).await.expect("it is the operator's");
    assert!(delete(&thief, "removed", &former, true).await.expect("deletes"));
    let full = limited.server("web").await.set("/wattle/limited/entries/web/part/text", b"x", None).await;
    assert!(matches!(full, Err(StoreError::Full { .. })), "{full:?}");

    let store = limited.both_keys(&next).await;
    let keys = Rotation { former: &former, next: &next };
    rotate(&store, "limited", keys).await.expect("rotates");
    rotate_top(&store, keys).await.expect("rotates");
    let operator = limited.login(&[next.login()]).await;
    reaches_only(&thief, &operator, &[], "the former key").await;
    for op in [create("more", ""), create("limited/entries", "")] {
        assert_denied(thief.apply(vec![op]).await, "limits of the former key");
    }
    for path in ["/more", "/zookeeper/more", "/zookeeper/quota/zookeeper_limits"] {
        assert_denied(thief.apply(node(path)).await, path);
    }
    assert_eq!(operator.get(&web).await.expect("reads").expect("it is limited").data, bounds);
    assert_eq!(operator.children(&format!("{quotas}/limited")).await.expect("reads"), ["agents"]);
    let web = limited.server("web").await;
    web.set("/wattle/limited/entries/web/part/text", b"x", None).await.expect("nothing limits it");
    attack(&web, "/wattle/limited/agents/web", &own(&limited.logins("web"), &next.login())).await;

    let later = &mut stacks[2];
    later.options.key = next.clone();
    later.options.credentials = Default::default();
    later.options.credentials.complete(&later.seed, &next);
    let applied = apply(&operator, &later.seed, &later.options).await.expect("applies");
    assert_eq!(applied.changes.warnings, [] as [String; 0]);
    let web = later.server("web").await;
    attack(&web, "/wattle/later/agents/web", &own(&later.logins("web"), &next.login())).await;
}

#[tokio::test]
async fn what_is_not_as_it_was_written_is_not_signed_anew() {
    let zookeeper = ZooKeeper::start(1);
    let stack = wired("changed", &zookeeper);
    let (former, operator) = (stack.options.key.clone(), stack.operator().await);
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let (path, next) = (Layout::new("changed").plan("db"), former.next());
    let node = operator.get(&path).await.expect("reads").expect("a plan");
    operator.set(&path, unsigned(&node.data), None).await.expect("the password is enough");
    let store = stack.both_keys(&next).await;
    let refused = rotate(&store, "changed", Rotation { former: &former, next: &next }).await;
    assert!(matches!(&refused, Err(SeedError::Tampered { nodes, .. }) if nodes[0].node == path), "{refused:?}");
    let there = operator.get(&path).await.expect("the former key opens it").expect("a plan");
    assert_eq!(there.version.count, node.version.count + 1, "it was written");
}

#[tokio::test]
async fn one_command_does_so_and_no_other_one_works_with_half_of_it() {
    let zookeeper = ZooKeeper::start(1);
    let stack = wired("by_rotation", &zookeeper);
    let stage = Stage::new(&stack.model);
    let (here, space) = (stage.path(), zookeeper.address());
    let wattle = |more: &[&str]| stage.run_at(here, &[more, &["--space", &space]].concat());
    assert_eq!(wattle(&["seed", "apply", "."]).code, Some(0));
    let file = here.join("operator.key");
    let read = || read_operator_key(&file).expect("reads").expect("it is there");
    let former = read();
    let rotated = wattle(&["seed", "rotate"]);
    assert_eq!(rotated.code, Some(0), "{rotated}");
    assert!(rotated.out.starts_with("`by_rotation` is at revision 2: it has the new key\n"), "{rotated}");
    let next = read();
    assert!(next.expose() != former.expose() && next.is_believed_by(&former.signer().authority()));
    assert!(!here.join("operator.key.next").exists());
    assert_eq!(wattle(&["seed", "apply", "."]).code, Some(0));
    assert!(wattle(&["status"]).out.contains("by_rotation"));

    // A rotation was interrupted.
    let last = next.next();
    wattle_runtime::seed::write_operator_key(&here.join("operator.key.next"), &last).expect("writes");
    for more in [&["seed", "apply", "."][..], &["status"], &["seed", "admit"]] {
        let refused = wattle(more);
        assert_eq!(refused.code, Some(2), "{more:?}: {refused}");
        assert!(refused.err.contains("operator.key` completes it"), "{refused}");
    }
    let rotated = wattle(&["seed", "rotate"]);
    assert_eq!(rotated.code, Some(0), "{rotated}");
    assert_eq!(read().expose(), last.expose());
    assert!(read().is_believed_by(&former.signer().authority()), "servers of the first key follow");
    fs::write(here.join("operator.key.next"), former.expose()).expect("writes");
    let refused = wattle(&["seed", "rotate"]);
    assert_eq!(refused.code, Some(2), "{refused}");
    assert!(refused.err.contains("does not come after the one in"), "{refused}");
}

in_both_stores! {
    a_server_makes_another_key_and_goes_on_with_it: wired("renewed", ZooKeeper::shared()),
}

async fn a_server_makes_another_key_and_goes_on_with_it(stack: Stack) {
    let (operator, key, layout) = (stack.operator().await, stack.options.key.clone(), Layout::new("renewed"));
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let mut servers = both(&stack).await;
    let named = ["db".into()];
    let early = renew(&operator, "renewed", &key, &named).await;
    assert!(matches!(early, Err(SeedError::NoKey { .. })), "{early:?}");
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    until(&stack, "admitted", all_done(2)).await;
    let (former, credential) = (servers[0].key(), stack.options.credentials.get("db").expect("it has one"));
    let login = former.login("renewed", "db");
    let thief = stack.login(&[login, credential.key().login("renewed", "db")]).await;
    thief.get(&layout.plan("db")).await.expect("it is as good as the server");

    // Whoever has the credential in the user data announces a key, without a signature by the server's own key.
    let asked = renew(&operator, "renewed", &key, &[]).await.expect("nobody is asked");
    assert!(asked.come.is_empty() && asked.absent.is_empty());
    servers[0].kill().await;
    let asked = renew(&operator, "renewed", &key, &named).await.expect("asks");
    assert_eq!(asked.absent, named);
    let forged = ServerKey::generate();
    let path = layout.announcement("db");
    let space = Space::new(Arc::clone(&operator), "renewed")
        .desired_revision()
        .await
        .expect("reads")
        .expect("a desired revision")
        .space;
    let at = "2026-01-01T00:00:00Z".parse().expect("a time");
    let said = Announcement { space, identity: forged.public("renewed", "db"), at, endorsed: None };
    for said in [said.clone(), said.endorsed_by(&path, credential.key())] {
        thief.set(&path, &said.signed(&path, &forged, credential.key()), None).await.expect("the credential is enough");
        let waiting = renew(&operator, "renewed", &key, &named).await.expect("asks");
        assert_eq!(waiting.absent, named, "it has come");
    }

    servers[0].start(&stack).await;
    for _ in 0..300 {
        if renew(&operator, "renewed", &key, &named).await.expect("asks").absent.is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let admitted = admit_renewed(&operator, "renewed", &key, &named).await.expect("admits");
    assert_eq!((admitted.revision, admitted.admitted.as_slice()), (3, &named[..]));
    until(&stack, "done", all_done(3)).await;
    assert_ne!(servers[0].key().expose(), former.expose());
    reaches_only(&thief, &operator, &[path], "the former key").await;
    for server in &mut servers {
        assert_eq!(server.ran.count(), 1, "something ran again");
        // A restarted server keeps its access, too.
        server.start(&stack).await;
    }
    let again = stack.options.clone();
    apply(&operator, &stack.seed, &wattle_runtime::seed::Options { again: true, ..again }).await.expect("applies");
    until(&stack, "done once more", all_done(4)).await;
    for server in &mut servers {
        server.kill().await;
    }
}
