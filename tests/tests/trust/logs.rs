//! The log of a server: only its operator requests and reads it, and only the server answers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use wattle_agent_core::time::Time;
use wattle_runtime::seed::{LogRequested, admit, apply, ask_for_log, ask_no_more, write_operator_key};
use wattle_runtime::space::{
    Answered, Ask, Layout, Log, MOST_ASKS, OperatorKey, Revision, ServerKey, Space, SpaceError,
};
use wattle_runtime::store::{Access, Op, Rights, Store};
use wattle_tests::command::{apart, wattle};
use wattle_tests::running::Foreground;
use wattle_tests::seeds::{join, unsigned};

use crate::agents::{Db, is_done, until};
use crate::identities::both;
use crate::{Stack, assert_denied};

/// The maximum size of the node in bytes.
const MOST: usize = 12 << 10;

fn now() -> Time {
    std::time::SystemTime::now().into()
}

/// An operator who sends requests to `db`.
struct Operator {
    stack: Stack,
    store: Arc<dyn Store>,
    space: Space,
    /// The node with the answers.
    path: String,
}

impl Operator {
    /// The operator of a stack, after applying it.
    async fn new(stack: Stack) -> Self {
        let store = stack.operator().await;
        apply(&store, &stack.seed, &stack.options).await.expect("applies");
        let name = stack.seed.stack.to_string();
        let space = Space::new(Arc::clone(&store), &name).operated_by(stack.options.key.signer().authority());
        let path = Layout::new(&name).log("db");
        Self { stack, store, space, path }
    }

    /// The same, with an agent of `db` that is done.
    async fn with_agent(stack: Stack) -> (Self, Db) {
        let operator = Self::new(stack).await;
        let mut db = Db::new();
        db.start(&operator.stack).await;
        until(&operator.stack, "done", is_done).await;
        (operator, db)
    }

    fn ask(&self, component: Option<&str>) -> Ask {
        Ask::new(component.map(Into::into), &self.stack.options.key, now() + Duration::from_mins(1))
    }

    async fn asks(&self, ask: &Ask) -> LogRequested {
        let (name, key) = (&self.stack.seed.stack, &self.stack.options.key);
        ask_for_log(&self.store, name, key, &"db".into(), ask).await.expect("asks")
    }

    async fn ends(&self, ask: &Ask) {
        let (name, key) = (&self.stack.seed.stack, &self.stack.options.key);
        ask_no_more(&self.store, name, key, &"db".into(), &ask.id).await.expect("it is taken back");
    }

    /// The answer to `ask`, or the next one.
    async fn heard(&self, ask: &Ask) -> Answered {
        self.space.plan("db").await.expect("reads").expect("a plan");
        let place = self.space.place("db").await.expect("reads");
        self.space.answered(&place, (ask, &self.stack.options.key.opener()), None).await.expect("reads")
    }

    /// Waits for an answer that satisfies a condition.
    async fn answer(&self, ask: &Ask, is_so: impl Fn(&Log) -> bool) -> Log {
        let patience = Instant::now() + Duration::from_mins(1);
        loop {
            let heard = tokio::time::timeout_at(patience.into(), self.heard(ask)).await.expect("in time");
            match heard.log {
                Ok(Some(log)) if is_so(&log) => return log,
                last => assert!(Instant::now() < patience, "{last:?}"),
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Waits until the node is empty.
    async fn silent(&self) {
        for _ in 0..600 {
            if self.store.get(&self.path).await.expect("reads").is_none() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("the answers stay")
    }

    fn access(&self) -> Access {
        let own = Access::new().grant(&self.stack.logins("db")[0].principal(), Rights::READ.and(Rights::WRITE));
        own.grant(&self.stack.options.key.login().principal(), Rights::READ)
    }

    async fn of(&self) -> Revision {
        self.space.desired_revision().await.expect("reads").expect("a desired revision").of()
    }

    /// Answers in place of `db`, with its login, signed with this key.
    async fn answers_as(&self, key: &ServerKey, ask: &Ask, lines: &[&str]) {
        let space = Space::new(self.stack.server("db").await, &self.stack.seed.stack).signing(vec![key.signer()]);
        let log = |_: &Ask, _: usize| Log {
            since: Time::EPOCH,
            before: 0,
            lines: lines.iter().map(ToString::to_string).collect(),
        };
        let asks = std::slice::from_ref(ask);
        let of = self.of().await;
        space.answer(("db", &of), asks, &log, Some(&self.access()), &|| true).await.expect("its own place");
    }

    fn own_key(&self) -> ServerKey {
        self.stack.options.credentials.get("db").expect("it has one").key().clone()
    }
}

in_both_stores! {
    the_operator_alone_reads_it_and_its_server_alone_writes_it: Stack::new("log_of_one"),
    what_another_one_says_is_no_answer: Stack::new("log_of_another"),
    a_forged_or_former_request_is_not_answered: Stack::new("log_unasked"),
    a_flood_stays_within_its_bounds: Stack::new("log_flooded"),
    the_log_of_a_server_that_was_replaced_is_not_its_successors: Stack::new("log_replaced"),
    whatever_a_server_answers_is_shown_harmlessly: Stack::new("log_hostile"),
}

async fn the_operator_alone_reads_it_and_its_server_alone_writes_it(stack: Stack) {
    let (operator, db) = Operator::with_agent(stack).await;
    let stack = &operator.stack;
    db.recent.say(Some("db/part"), "hello, operator");
    db.recent.say(Some("db/other"), "of another component");
    assert!(operator.store.get(&operator.path).await.expect("reads").is_none(), "nobody has asked");
    let (one, all) = (operator.ask(Some("db/part")), operator.ask(None));
    assert_eq!((operator.asks(&one).await, operator.asks(&all).await), (LogRequested::Asked, LogRequested::Asked));
    let log = operator.answer(&one, |_| true).await;
    assert_eq!((log.before, log.lines), (0, vec!["hello, operator".to_owned()]));
    let log = operator.answer(&all, |_| true).await;
    assert_eq!(log.lines[1], "of another component component=db/other", "{log:?}");
    let there = operator.store.get(&operator.path).await.expect("reads").expect("answers").data;
    assert!(!there.windows(5).any(|part| part == b"hello"), "it stands in the store as it is");

    let web = stack.server("web").await;
    join(&web, &stack.seed.stack, "web", stack.options.credentials.get("web").expect("it has one")).await;
    let membership = operator.space.layout().membership("db");
    assert_denied(web.get(&operator.path).await, "another server reads it");
    assert_denied(web.set(&operator.path, b"{}", None).await, "another server writes it");
    assert_denied(web.get(&membership).await, "another server reads who asks");
    assert_denied(web.set(&membership, b"{}", None).await, "another server asks");
    let delete = Op::Delete { path: operator.path.clone() };
    assert_denied(web.apply(vec![delete]).await, "another server removes it");

    operator.ends(&one).await;
    operator.ends(&all).await;
    operator.silent().await;
    // Only a limited number of requests is accepted at a time.
    let asks = [(); MOST_ASKS].map(|()| operator.ask(None));
    for ask in &asks {
        assert_eq!(operator.asks(ask).await, LogRequested::Asked);
    }
    assert_eq!(operator.asks(&operator.ask(None)).await, LogRequested::Full);
    for ask in &asks {
        assert_eq!(operator.asks(ask).await, LogRequested::Asked, "it is renewed");
        operator.answer(ask, |_| true).await;
    }
}

async fn what_another_one_says_is_no_answer(stack: Stack) {
    let operator = Operator::new(stack).await;
    let (ask, own) = (operator.ask(None), operator.own_key());
    operator.answers_as(&own, &ask, &["a line"]).await;
    assert_eq!(operator.heard(&ask).await.log.expect("its own").expect("an answer").lines, ["a line"]);
    operator.answers_as(&own, &operator.ask(None), &["to another request"]).await;
    assert_eq!(operator.heard(&ask).await.log.expect("its own"), None);
    for other in [ServerKey::generate(), operator.stack.options.credentials.get("web").expect("one").key().clone()] {
        operator.answers_as(&other, &ask, &["forged"]).await;
        let log = operator.heard(&ask).await.log;
        assert!(matches!(log, Err(SpaceError::Untrusted { .. })), "{log:?}");
    }
    // These answers are signed, but invalid.
    let of = operator.of().await;
    let garbage = |answers: serde_json::Value| {
        let object = json!({"revision": of.number, "space": of.space, "answers": answers}).to_string();
        own.signer().vouch(&operator.path, object.as_bytes())
    };
    let db = operator.stack.server("db").await;
    for odd in [json!("\u{1b}[2J"), json!([[ask.id, "AAAA"]]), json!([["x", "y".repeat(MOST)]])] {
        db.set(&operator.path, &garbage(odd), None).await.expect("its own");
        let log = operator.heard(&ask).await.log;
        let Err(error @ SpaceError::Malformed { .. }) = log else { panic!("{log:?}") };
        assert!(!error.to_string().contains('\u{1b}') && error.to_string().len() < 200, "{error}");
    }
}

async fn a_forged_or_former_request_is_not_answered(stack: Stack) {
    let (mut operator, db) = Operator::with_agent(stack).await;
    db.recent.say(None, "a line");
    let path = operator.space.layout().membership("db");
    let there = operator.store.get(&path).await.expect("reads").expect("it is there").data;
    let mut request: serde_json::Value = serde_json::from_slice(unsigned(&there)).expect("JSON");
    let (other, own) = (OperatorKey::generate(), operator.stack.options.key.clone());
    let [forged, former, good] = [(); 3].map(|()| operator.ask(None));
    let former = Ask { until: now(), ..former };
    // An attacker has the operator's password for the store, but not the key.
    request["asks"] = json!([forged]);
    for signed in [other.signer().sign(&path, request.to_string().as_bytes()), request.to_string().into_bytes()] {
        operator.store.set(&path, &signed, None).await.expect("writes");
    }
    // Before this revision is done, the agent would have answered.
    operator.stack.options.again = true;
    let applied = apply(&operator.store, &operator.stack.seed, &operator.stack.options).await.expect("applies");
    until(&operator.stack, "done again", |snapshot| is_done(snapshot) && snapshot.revision() == applied.revision).await;
    assert!(operator.store.get(&operator.path).await.expect("reads").is_none(), "a forged request is answered");

    request["asks"] = json!([former, good]);
    operator.store.set(&path, &own.signer().sign(&path, request.to_string().as_bytes()), None).await.expect("writes");
    operator.answer(&good, |_| true).await;
    let heard = operator.heard(&former).await.log;
    assert!(matches!(heard, Ok(None)), "one that has ended is answered: {heard:?}");
}

async fn a_flood_stays_within_its_bounds(stack: Stack) {
    let (mut operator, db) = Operator::with_agent(stack).await;
    let recent = Arc::clone(&db.recent);
    let says = move || (0..20).for_each(|_| recent.say(Some("db/part"), &"much \"too\" much \u{1b} ".repeat(50)));
    let flood = tokio::spawn(async move {
        loop {
            says();
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    let ask = operator.ask(Some("db/part"));
    operator.asks(&ask).await;
    operator.answer(&ask, |_| true).await;
    let (begin, first) = (Instant::now(), operator.store.get(&operator.path).await.expect("reads").expect("answers"));
    let last = loop {
        let node = operator.store.get(&operator.path).await.expect("reads").expect("answers");
        assert!(node.data.len() <= MOST, "{} bytes", node.data.len());
        if node.version.count >= first.version.count + 3 {
            break node;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    let answers = u32::try_from(last.version.count - first.version.count).expect("few");
    assert!(begin.elapsed() + Duration::from_millis(500) > Duration::from_secs(1) * (answers - 1), "too many answers");
    assert!(last.data.len() > MOST / 2, "there is room for more: {} bytes", last.data.len());
    // The agent still does its regular work.
    operator.stack.options.again = true;
    let applied = apply(&operator.store, &operator.stack.seed, &operator.stack.options).await.expect("applies");
    until(&operator.stack, "done again", |snapshot| is_done(snapshot) && snapshot.revision() == applied.revision).await;
    flood.abort();
}

async fn the_log_of_a_server_that_was_replaced_is_not_its_successors(mut stack: Stack) {
    stack.options.admission = true;
    let mut operator = Operator::new(stack).await;
    let [mut former, mut web] = both(&operator.stack).await;
    apply(&operator.store, &operator.stack.seed, &operator.stack.options).await.expect("admits them");
    let ask = operator.ask(None);
    operator.asks(&ask).await;
    former.recent.say(None, "of the former");
    let is_former = |log: &Log| log.lines.iter().any(|line| line == "of the former");
    operator.answer(&ask, is_former).await;
    former.kill().await;
    let said = operator.store.get(&operator.path).await.expect("reads").expect("answers").data;

    // The same server is rebuilt, so its disk is empty.
    let mut db = Db::new();
    db.start(&operator.stack).await;
    for attempt in 0.. {
        let (name, key) = (operator.stack.seed.stack.clone(), operator.stack.options.key.clone());
        let admission = admit(&operator.store, &name, &key, &["db".into()]).await;
        if admission.is_ok_and(|admission| !admission.admitted.is_empty()) {
            break;
        }
        assert!(attempt < 300, "it does not come");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let place = operator.space.place("db").await.expect("reads");
    operator.path = operator.space.layout().log(&place);
    db.recent.say(None, "of the new one");
    operator.asks(&ask).await;
    let log = operator.answer(&ask, |log| log.lines.iter().any(|line| line == "of the new one")).await;
    assert!(!is_former(&log), "{log:?}");
    db.kill().await;
    // An attacker restores an old answer of the former server, with the rights of the current one.
    let own = operator.stack.login(&db.key().logins(&operator.stack.seed.stack, "db")).await;
    own.set(&operator.path, &said, None).await.expect("its own");
    let log = operator.heard(&ask).await.log;
    assert!(!matches!(log, Ok(Some(_))), "{log:?}");
    web.kill().await;
}

async fn whatever_a_server_answers_is_shown_harmlessly(stack: Stack) {
    let operator = Operator::new(stack).await;
    let folder = tempfile::tempdir().expect("a folder");
    write_operator_key(&folder.path().join("operator.key"), &operator.stack.options.key).expect("writes");
    let start = || {
        let mut command = std::process::Command::new(wattle());
        apart(&mut command, folder.path()).current_dir(folder.path());
        command.args(["logs", "db/part", "--follow", "--stack", &operator.stack.seed.stack]);
        Foreground::start(command.args(["--space", &operator.stack.address()]))
    };
    // The server itself learns who makes requests.
    let db = Space::new(operator.stack.server("db").await, &operator.stack.seed.stack);
    let asked = async || {
        for _ in 0..600 {
            if let Some(ask) = db.membership("db").await.expect("reads").expect("it is there").asks.pop() {
                return ask;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("it is not asked")
    };
    let shown = start();
    let ask = asked().await;
    assert_eq!(ask.component.as_deref(), Some("db/part"));
    operator.answers_as(&operator.own_key(), &ask, &["a\u{1b}[2J\nFORGED", "\u{202e}\rb\tc"]).await;
    let harmless = "a\\u{1b}[2J\\nFORGED\n\\u{202e}\\rb\tc\n";
    until_so("it is shown", async || shown.said().contains(harmless)).await;
    // Once a command has ended, it requests nothing more.
    drop(at_its_end(shown, Foreground::interrupt, 0).await);
    until_so("nobody asks", async || db.membership("db").await.expect("reads").expect("it is there").asks.is_empty())
        .await;

    let shown = start();
    let ask = asked().await;
    let of = operator.of().await;
    let object = json!({"revision": of.number, "space": of.space, "answers": [[ask.id, "\u{1b}[2J"]]}).to_string();
    let garbage = operator.own_key().signer().vouch(&operator.path, object.as_bytes());
    db.store().set(&operator.path, &garbage, None).await.expect("its own");
    let said = at_its_end(shown, Foreground::ended, 1).await.said();
    assert_eq!(said.lines().filter(|line| line.starts_with("error: ")).count(), 1, "{said}");
    assert!(said.contains("agents/db/log` in the data space is malformed"), "{said}");
    assert!(!said.contains('\u{1b}'), "{said}");
}

async fn until_so(what: &str, is_so: impl AsyncFn() -> bool) {
    for _ in 0..600 {
        if is_so().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("not so: {what}")
}

/// Ends a command, and lets other tasks here continue until then.
async fn at_its_end(mut of: Foreground, end: fn(&mut Foreground) -> Option<i32>, code: i32) -> Foreground {
    let ended = tokio::task::spawn_blocking(move || {
        let ended = end(&mut of);
        (of, ended)
    });
    let (of, ended) = ended.await.expect("no panic");
    assert_eq!(ended, Some(code), "{}", of.said());
    of
}
