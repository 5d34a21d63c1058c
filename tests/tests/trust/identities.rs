//! An attacker has obtained the credential in a server's user data.

use std::sync::Arc;
use std::time::Duration;

use wattle_agent_core::time::Time;
use wattle_runtime::report::StackSnapshot;
use wattle_runtime::seed::{SeedError, admit, admit_only, apply, waiting};
use wattle_runtime::space::{Announcement, Layout, ServerKey, Space};
use wattle_runtime::store::{Access, Rights, Store, StoreError};
use wattle_tests::random::Anything;
use wattle_tests::seeds::{Watch, join, nodes, nodes_at};
use wattle_tests::zookeeper::ZooKeeper;

use crate::agents::{Db, until};
use crate::{Stack, assert_denied, server_of};

pub(crate) fn all_done(revision: u64) -> impl Fn(&StackSnapshot) -> bool {
    move |snapshot| snapshot.revision() == revision && snapshot.tally().is_done() && snapshot.tally().done == 2
}

/// Both servers of a stack, which have done their work and announced themselves.
pub(crate) async fn both(stack: &Stack) -> [Db; 2] {
    let mut servers = ["db", "web"].map(Db::of);
    for server in &mut servers {
        server.start(stack).await;
    }
    until(stack, "done", all_done(1)).await;
    come(stack, 2).await;
    servers
}

/// Waits until this many servers have announced themselves and are not admitted.
async fn come(stack: &Stack, number: usize) {
    let operator = stack.operator().await;
    for _ in 0..300 {
        let waiting = waiting(&operator, &stack.seed.stack, &stack.options.key, &[]).await.expect("it is known");
        if waiting.come.len() == number {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("they do not come")
}

/// Asserts that the caller can read and write no nodes in the store except those in `left` and ZooKeeper's own.
pub(crate) async fn reaches_only(store: &Arc<dyn Store>, operator: &Arc<dyn Store>, left: &[String], what: &str) {
    let mut there = nodes(operator).await;
    assert!(there.len() > 20, "{there:?}");
    there.extend(nodes_at(operator, "/zookeeper/quota/wattle").await);
    for (path, data) in there.iter().filter(|(path, _)| *path != "/wattle") {
        let (read, written) = (store.get(path).await, store.set(path, data, None).await);
        if left.contains(path) {
            read.unwrap_or_else(|error| panic!("{what}: {path}: {error}"));
        } else {
            assert_denied(read, &format!("{what}: {path} is read"));
            assert_denied(written, &format!("{what}: {path} is written"));
            assert_denied(store.children(path).await, &format!("{what}: children of {path}"));
        }
    }
}

#[tokio::test]
async fn a_credential_that_was_used_is_worth_nothing() {
    used(Stack::new("used")).await;
}

#[tokio::test]
async fn nor_is_it_in_the_embedded_store() {
    let (stack, _store) = Stack::new("used").embedded().await;
    used(stack).await;
}

async fn used(mut stack: Stack) {
    stack.options.admission = true;
    let operator = stack.operator().await;
    let layout = Layout::new("used");
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let mut servers = both(&stack).await;
    // The attacker reads the user data, and everything that it opens.
    let thief = stack.server("db").await;
    join(&thief, "used", "db", stack.options.credentials.get("db").expect("it has one")).await;
    for path in [layout.plan("db"), layout.revision(), layout.server_status("web")] {
        thief.get(&path).await.expect("it is as good as the server");
    }
    let snapshot = until(&stack, "known", |snapshot| snapshot.admission.on_credentials.len() == 2).await;
    assert!(snapshot.admission.others.is_empty(), "{snapshot:?}");

    let applied = apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    assert_eq!((applied.revision, applied.changes.admitted.join(" ").as_str()), (2, "db web"));
    reaches_only(&thief, &operator, &[layout.announcement("db")], "a used credential").await;
    let snapshot = until(&stack, "done once more", all_done(2)).await;
    assert!(snapshot.admission.on_credentials.is_empty() && snapshot.admission.others.is_empty(), "{snapshot:?}");
    for server in &mut servers {
        assert_eq!(server.ran.count(), 1, "what is as it was need not run again");
        // A restarted server keeps its access, too.
        server.start(&stack).await;
    }
    stack.options.again = true;
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    until(&stack, "done a third time", all_done(3)).await;
    stack.options.again = false;
    let same = apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    assert!(same.changes.is_empty(), "{}", same.changes);
    reaches_only(&thief, &operator, &[layout.announcement("db")], "a used credential").await;
    for server in &mut servers {
        server.kill().await;
    }
}

#[tokio::test]
async fn a_second_server_is_reported_and_admitted_by_its_name_only() {
    let mut stack = Stack::new("second");
    stack.options.admission = true;
    let (operator, key) = (stack.operator().await, stack.options.key.clone());
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let [mut first, mut web] = both(&stack).await;
    let admitted = admit(&operator, "second", &key, &[]).await.expect("admits");
    assert_eq!((admitted.revision, admitted.admitted.len()), (2, 2));
    until(&stack, "done", all_done(2)).await;
    let silent = admit(&operator, "second", &key, &["db".into()]).await.expect("nobody has come");
    assert_eq!((silent.revision, silent.silent.len(), silent.admitted.len()), (2, 1, 0));

    // It exists beside the first one: it comes from an image of it, or is an attacker who has read its user data.
    let mut second = Db::of("db");
    second.start(&stack).await;
    let snapshot = until(&stack, "reported", |snapshot| !snapshot.admission.others.is_empty()).await;
    assert_eq!(&*snapshot.admission.others[0].server, "db");
    assert_eq!(second.ran.count(), 0);
    let applied = apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    assert!(applied.changes.is_empty(), "{}", applied.changes);
    let nobody = admit(&operator, "second", &key, &[]).await.expect("reads");
    assert!(nobody.admitted.is_empty());

    // The server was rebuilt; the first machine still exists, or an attacker keeps it. Whoever has the credential may
    // announce another key in the meantime.
    let own = second.key().public("second", "db").key.fingerprint();
    assert_eq!(snapshot.admission.others[0].key, own);
    let path = Layout::new("second").announcement("db");
    let announced = operator.get(&path).await.expect("reads").expect("it is announced").data;
    let space = Space::new(Arc::clone(&operator), "second")
        .desired_revision()
        .await
        .expect("reads")
        .expect("a desired revision")
        .space;
    let (forged, at) = (ServerKey::generate(), "2026-01-01T00:00:00Z".parse().expect("a time"));
    let said = Announcement { space, identity: forged.public("second", "db"), at, endorsed: None };
    let said = said.signed(&path, &forged, stack.options.credentials.get("db").expect("it has one").key());
    stack.server("db").await.set(&path, &said, None).await.expect("the credential is enough");
    let refused = admit_only(&operator, "second", &key, &"db".into(), own).await;
    let forged = forged.public("second", "db").key.fingerprint();
    assert!(
        matches!(&refused, Err(SeedError::OtherAnnounced { announced, .. }) if *announced == forged),
        "{refused:?}"
    );
    operator.set(&path, &announced, None).await.expect("writes");
    let admitted = admit_only(&operator, "second", &key, &"db".into(), own).await.expect("admits");
    assert_eq!((admitted.revision, admitted.admitted.len(), admitted.silent.len()), (3, 1, 0));
    assert_eq!(admitted.keys, [own]);
    let is_anew =
        |snapshot: &StackSnapshot| snapshot.servers["db"].troubles.iter().any(|said| said.contains("empty disk"));
    until(&stack, "done by the second", |snapshot| {
        all_done(3)(snapshot) && second.ran.count() == 1 && is_anew(snapshot)
    })
    .await;
    let layout = Layout::new("second");
    let former = stack.login(&[first.key().login("second", "db")]).await;
    reaches_only(&former, &operator, &[], "a key that another one has replaced").await;
    let ran = first.ran.count();
    first.start(&stack).await;
    until(&stack, "reported", |snapshot| !snapshot.admission.others.is_empty()).await;
    assert_eq!(first.ran.count(), ran);
    let own = stack.login(&[second.key().login("second", "db")]).await;
    own.get(&layout.plan("db")).await.expect("it is its own");
    for server in [&mut first, &mut second, &mut web] {
        server.kill().await;
    }
}

/// A server was rebuilt twice. The second machine overwrote the first one's announcement, was admitted, and is gone.
#[tokio::test]
async fn who_was_announced_over_comes_again() {
    let mut stack = Stack::new("over");
    stack.options.admission = true;
    let (operator, key) = (stack.operator().await, stack.options.key.clone());
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let [mut first, mut web] = both(&stack).await;
    admit(&operator, "over", &key, &[]).await.expect("admits");
    until(&stack, "done", all_done(2)).await;
    first.kill().await;

    let mut lasting = Db::of("db");
    lasting.start(&stack).await;
    let snapshot = until(&stack, "reported", |snapshot| !snapshot.admission.others.is_empty()).await;
    let lasting_key = snapshot.admission.others[0].key;
    let mut passing = Db::of("db");
    passing.start(&stack).await;
    let is_another = |snapshot: &StackSnapshot| snapshot.admission.others.iter().any(|other| other.key != lasting_key);
    let passing_key = until(&stack, "reported", is_another).await.admission.others[0].key;
    passing.kill().await;
    // The operator cannot know that it is gone.
    let admitted = admit_only(&operator, "over", &key, &"db".into(), passing_key).await.expect("admits");
    assert_eq!(admitted.revision, 3);
    let comes = |snapshot: &StackSnapshot| snapshot.admission.others.iter().any(|other| other.key == lasting_key);
    // For half a minute, the first one yields to it.
    tokio::time::sleep(Duration::from_secs(30)).await;
    until(&stack, "reported again", comes).await;
    let admitted = admit_only(&operator, "over", &key, &"db".into(), lasting_key).await.expect("admits");
    assert_eq!(admitted.revision, 4);
    until(&stack, "done", |snapshot| all_done(4)(snapshot) && lasting.ran.count() == 1).await;
    for server in [&mut lasting, &mut web] {
        server.kill().await;
    }
}

/// Nobody can claim the public data of another server.
#[tokio::test]
async fn what_is_announced_needs_its_key_and_the_credential() {
    let mut stack = Stack::new("announced");
    stack.options.admission = true;
    let (operator, key) = (stack.operator().await, stack.options.key.clone());
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let mut servers = both(&stack).await;
    for server in &mut servers {
        server.kill().await;
    }
    let layout = Layout::new("announced");
    let read = async |server: &str| {
        operator.get(&layout.announcement(server)).await.expect("reads").expect("it is there").data
    };
    let [db, web] = [read("db").await, read("web").await];
    // With the operator's password for the store, but without the key, an attacker can write the announcement.
    for forged in [web.clone(), b"{}".to_vec(), vec![b' '; 100_000]] {
        operator.set(&layout.announcement("db"), &forged, None).await.expect("the password is enough");
        let waiting = waiting(&operator, "announced", &key, &[]).await.expect("reads");
        assert_eq!(waiting.come, ["web".into()]);
    }
    operator.set(&layout.announcement("db"), &db, None).await.expect("the password is enough");
    // An announcement is not valid in another data space either.
    stack.options.restore = true;
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    stack.options.restore = false;
    operator.set(&layout.announcement("db"), &db, None).await.expect("the password is enough");
    let waiting = waiting(&operator, "announced", &key, &[]).await.expect("reads");
    assert!(waiting.come.is_empty(), "{waiting:?}");
    // The server announces itself again.
    let applied = apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    assert!(applied.changes.is_empty());
    for server in &mut servers {
        server.start(&stack).await;
    }
    come(&stack, 2).await;
    for server in &mut servers {
        server.kill().await;
    }
}

/// An agent is killed as soon as its key is on the disk, and an operator after each single change.
#[tokio::test]
async fn whoever_is_broken_off_locks_nobody_out() {
    let mut stack = Stack::new("halfway");
    let operator = stack.operator().await;
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    // There is no place for announcements yet.
    let mut servers = ["db", "web"].map(Db::of);
    for server in &mut servers {
        server.start(&stack).await;
    }
    until(&stack, "done", all_done(1)).await;
    let key = servers[0].key().expose();
    for server in &mut servers {
        server.kill().await;
    }
    stack.options.admission = true;
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    for server in &mut servers {
        server.start(&stack).await;
    }
    come(&stack, 2).await;
    assert_eq!(servers[0].key().expose(), key);

    let credential = stack.logins("db").remove(0);
    let store = stack.login(&[credential.clone(), servers[0].key().login("halfway", "db")]).await;
    let used = stack.login(&[credential]).await;
    let layout = Layout::new("halfway");
    let watched = Watch::over(Arc::clone(&operator));
    let through: Arc<dyn Store> = watched.clone();
    let mut changes = 0;
    loop {
        watched.guard.fail_after(changes);
        let result = apply(&through, &stack.seed, &stack.options).await;
        for path in [layout.plan("db"), layout.membership("db"), layout.status("db/part")] {
            store.get(&path).await.unwrap_or_else(|error| panic!("after {changes} changes: {error}"));
        }
        if result.is_ok() {
            break;
        }
        changes += 1 + changes / 4;
    }
    assert!(changes > 20, "{changes}");
    assert_denied(used.get(&layout.plan("db")).await, "with the credential");
    let snapshot = until(&stack, "done", |snapshot| snapshot.tally().is_done() && snapshot.tally().done == 2).await;
    assert!(snapshot.admission.on_credentials.is_empty());
    assert_eq!(servers.each_ref().map(|server| server.ran.count()), [1, 1]);
    let same = apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    assert!(same.changes.is_empty(), "{}", same.changes);
    for server in &mut servers {
        server.kill().await;
    }
}

/// `seed admit` completes an interrupted `seed admit`, wherever it was interrupted and whichever servers are named.
#[tokio::test]
async fn whoever_admits_again_completes_what_was_broken_off() {
    let name = "admits_again";
    let mut stack = Stack::of(name, ZooKeeper::shared(), |t| {
        let [db, web] = ["db", "web"].map(|server| server_of(t, server));
        let part = t.on(web).run("part", Anything::new());
        t.on(db).run("part", Anything::new().password(part.token));
    });
    stack.options.admission = true;
    let (operator, key) = (stack.operator().await, stack.options.key.clone());
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let (layout, space) = (Layout::new(name), Space::new(Arc::clone(&operator), name));
    let data_space = space.desired_revision().await.expect("reads").expect("a desired revision").space;
    let credential = stack.options.credentials.get("db").expect("it has one").key().clone();
    let announced = layout.announcement("db");
    let says = async |own: &ServerKey| {
        let said = Announcement {
            space: data_space.clone(),
            identity: own.public(name, "db"),
            at: Time::EPOCH,
            endorsed: None,
        };
        let said = said.signed(&announced, own, &credential);
        stack.server("db").await.set(&announced, &said, None).await.expect("its credential may");
    };
    let watched = Watch::over(Arc::clone(&operator));
    let through: Arc<dyn Store> = watched.clone();
    let (mut changes, mut former) = (0, credential.clone());
    loop {
        // Each time, another machine replaces the former one and its agent.
        let own = ServerKey::generate();
        says(&own).await;
        let holder = stack.login(&[former.login(name, "db")]).await;
        let kept = Access::new()
            .grant(&former.login(name, "db").principal(), Rights::READ.and(Rights::WRITE))
            .grant(&key.login().principal(), Rights::READ);
        let place = layout.alive("db");
        // At first, there is no former machine.
        let _held = match changes {
            0 => None,
            _ => Some(holder.hold(&place, b"{}", &kept, None).await.expect("it acts")),
        };
        watched.guard.fail_after(changes);
        let broken = admit(&through, name, &key, &["db".into()]).await;
        let is_done = broken.is_ok();
        watched.guard.fix();
        // Every other time, a third machine has announced itself meanwhile, and that one is admitted.
        let last = if !is_done && changes % 2 == 1 { ServerKey::generate() } else { own.clone() };
        if !is_done {
            says(&last).await;
            let waiting = waiting(&operator, name, &key, &[]).await.expect("it is known");
            // If nothing was written, the interrupted command has named no server.
            if waiting.come.is_empty() {
                assert!(changes == 0, "{changes}");
                admit(&operator, name, &key, &["db".into()]).await.expect("admits");
            } else {
                let admitted =
                    admit(&operator, name, &key, &[]).await.unwrap_or_else(|error| panic!("{changes}: {error}"));
                assert_eq!(admitted.admitted, ["db".into()], "{changes}");
            }
        }
        let desired = space.desired_revision().await.expect("reads").expect("a desired revision");
        assert_eq!(desired.applying, None, "{changes}");
        assert!(operator.get(&place).await.expect("reads").is_none(), "{changes}: the former one keeps its place");
        let store = stack.login(&[last.login(name, "db")]).await;
        for path in
            [layout.plan("db"), layout.membership("db"), layout.status("db/part"), layout.entry("web/part/token")]
        {
            store.get(&path).await.unwrap_or_else(|error| panic!("{changes}: {path}: {error}"));
        }
        for other in [&former, &own].into_iter().filter(|other| other.expose() != last.expose()) {
            let store = stack.login(&[other.login(name, "db")]).await;
            for path in
                [layout.plan("db"), layout.membership("db"), layout.status("db/part"), layout.entry("web/part/token")]
            {
                assert_denied(store.get(&path).await, &format!("{changes}: {path}"));
            }
        }
        let plan = space.plan("web").await.expect("reads").expect("a plan");
        let web = stack.options.credentials.get("web").expect("it has one").recipient();
        assert_eq!(plan.components["part"].outputs["token"].recipients, [web, last.recipient()], "{changes}");
        let same = apply(&operator, &stack.seed, &stack.options).await.expect("applies");
        assert!(same.changes.is_empty(), "{changes}: {}", same.changes);
        if is_done {
            break;
        }
        former = last;
        changes += 1;
    }
    assert!(changes > 10, "{changes}");
}

/// Servers from an earlier version, which have no keys of their own, keep working.
#[tokio::test]
async fn who_never_comes_lives_on_its_credential() {
    let mut stack = Stack::new("never");
    stack.options.admission = true;
    let operator = stack.operator().await;
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let mut db = Db::new();
    db.start(&stack).await;
    until(&stack, "done", |snapshot| snapshot.tally().done == 1).await;
    come(&stack, 1).await;
    let admitted = admit(&operator, "never", &stack.options.key, &[]).await.expect("admits");
    assert_eq!((admitted.admitted.len(), admitted.on_credentials.len()), (1, 1));
    let snapshot = until(&stack, "known", |snapshot| snapshot.revision() == 2).await;
    assert_eq!(snapshot.admission.on_credentials, ["web".into()]);
    let web = stack.server("web").await;
    join(&web, "never", "web", stack.options.credentials.get("web").expect("it has one")).await;
    let space = Space::new(Arc::clone(&web), "never");
    space.plan("web").await.expect("reads").expect("it has one");
    space.desired_revision().await.expect("reads").expect("it is there");
    let unknown = admit(&operator, "never", &stack.options.key, &["nobody".into()]).await.expect_err("no such server");
    assert!(unknown.to_string().contains("`never` has no server `nobody`"), "{unknown}");
    assert!(matches!(web.get("/wattle/never/entries/db/part/token").await, Err(StoreError::Denied { .. })));
    db.kill().await;
}
