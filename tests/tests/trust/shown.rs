//! Claims of a server are shown as its claims: in its own rows, and never as another's.

use std::process::Command;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use wattle_runtime::report::{Cause, StackSnapshot, roots};
use wattle_runtime::seed::{apply, write_operator_key};
use wattle_runtime::space::{Layout, Revision, Space};
use wattle_runtime::store::{Access, Rights, Store};
use wattle_tests::command::{apart, wattle};
use wattle_tests::running::{Ran, to_its_end};
use wattle_tests::terminal::{at_a_terminal, codes};
use wattle_tests::zookeeper::ZooKeeper;

use crate::Stack;

pub(crate) const SINCE: &str = "2026-01-01T00:00:00Z";
const LATER: &str = "2026-01-01T00:01:00Z";

/// A stack in which `web` makes arbitrary claims, with its own credential.
pub(crate) struct Liar {
    pub(crate) stack: Stack,
    web: Arc<dyn Store>,
    pub(crate) layout: Layout,
    of: Revision,
    folder: tempfile::TempDir,
}

impl Liar {
    pub(crate) async fn new(name: &'static str) -> Self {
        let stack = Stack::new(name);
        let (operator, web) = (stack.operator().await, stack.server("web").await);
        apply(&operator, &stack.seed, &stack.options).await.expect("applies");
        let of = Space::new(operator, name).desired_revision().await.expect("reads").expect("a desired revision").of();
        let folder = tempfile::tempdir().expect("a folder");
        write_operator_key(&folder.path().join("operator.key"), &stack.options.key).expect("writes");
        Self { layout: Layout::new(name), stack, web, of, folder }
    }

    /// Writes a claim to `path`, signed as by `server`.
    pub(crate) async fn says(&self, server: &str, path: &str, mut status: Json) {
        for (key, value) in
            [("revision", json!(self.of.number)), ("space", json!(self.of.space)), ("since", json!(SINCE))]
        {
            status.as_object_mut().expect("an object").entry(key).or_insert(value);
        }
        self.signs(server, path, status.to_string().as_bytes()).await;
    }

    /// Writes a claim unchanged.
    pub(crate) async fn signs(&self, server: &str, path: &str, text: &[u8]) {
        let signer = self.stack.options.credentials.get(server).expect("it has one").key().signer();
        let said = signer.vouch(path, text);
        let store = if server == "web" { Arc::clone(&self.web) } else { self.stack.server(server).await };
        store.set(path, &said, None).await.expect("its own");
    }

    pub(crate) async fn snapshot(&self) -> StackSnapshot {
        let space = Space::new(self.stack.operator().await, &self.stack.seed.stack);
        StackSnapshot::read(&space.operated_by(self.stack.options.key.signer().authority()), None)
            .await
            .expect("it is shown")
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        to_its_end(&mut self.command(args))
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(wattle());
        apart(command.args(args).current_dir(self.folder.path()), self.folder.path());
        let address = ZooKeeper::shared().address();
        command.args(["--stack", &self.stack.seed.stack, "--space", &address]);
        command
    }

    fn access(&self) -> Access {
        let all = Rights { read: true, write: true, create: true, delete: true };
        let own = Access::new().grant(&self.stack.logins("web")[0].principal(), all);
        own.grant(&self.stack.options.key.login().principal(), Rights::READ)
    }
}

/// Line breaks in a claim do not begin a new line of the output.
#[tokio::test]
async fn nobody_writes_a_row_of_another_one() {
    let liar = Liar::new("forged_rows").await;
    let row = "x\nFORGED  up 3h  part  done";
    let (own, component) = (liar.layout.server_status("web"), liar.layout.status("web/part"));
    let ran = json!([{"did": "ran", "since": SINCE, "until": LATER}]);
    liar.says("db", &liar.layout.status("db/part"), json!({"state": "done", "since": LATER, "past": ran})).await;
    let waited = json!([{"did": "waited", "for": format!("db/part/{row}"), "since": SINCE, "until": LATER},
        {"did": "ran", "since": LATER, "until": "2026-01-01T00:02:00Z"}]);
    let failure = |name: &str, through: Json| json!({"component": name, "kind": "recipe", "message": row, "log": [row], "at": SINCE, "through": through});
    for status in [
        json!({"state": "waiting", "detail": [{"for": row, "since": SINCE}]}),
        json!({"state": "failed", "detail": failure("web/part", json!([]))}),
        json!({"state": "failed", "detail": failure(row, json!(["web/part"]))}),
        json!({"state": "failed", "detail": failure(&format!("other:{row}"), json!(["web/part"]))}),
        json!({"state": "done", "since": "2026-01-01T00:02:00Z", "past": waited}),
    ] {
        liar.says("web", &component, status.clone()).await;
        let said = json!({"troubles": [row], "leaving": [
            {"component": format!("web/{row}"), "since": SINCE},
            {"component": format!("web/{row}"), "since": SINCE, "failure": failure("web/part", json!([]))},
        ]});
        liar.says("web", &own, said).await;
        for args in [&["status"][..], &["status", "--why"], &["status", "--timeline"], &["ls"]] {
            let ran = liar.run(args);
            assert!(ran.out.contains("db") && ran.out.contains("web"), "{args:?}: {ran}");
            let forged = ran.out.lines().chain(ran.err.lines()).find(|line| line.trim_start().starts_with("FORGED"));
            assert_eq!(forged, None, "{args:?} of {status}: {ran}");
        }
    }
    // The server claims that it must finish something first.
    let alive = json!({"since": SINCE, "host": row, "pid": 1, "version": row}).to_string();
    let hold = liar.web.hold(&liar.layout.alive("web"), alive.as_bytes(), &liar.access(), None).await.expect("its own");
    let finishing = json!([{"component": format!("web/{row}"), "revision": 0, "since": SINCE}]);
    liar.says("web", &own, json!({"revision": 0, "finishing": finishing})).await;
    let ran = liar.run(&["status"]);
    assert!(ran.out.contains("web still runs web/x\\nFORGED"), "{ran}");
    assert!(!ran.out.lines().any(|line| line.starts_with("FORGED")), "{ran}");
    hold.release().await;
}

/// The only control sequences sent to a terminal are ours: colours, and only on our own lines.
#[tokio::test]
async fn no_terminal_does_what_a_server_says() {
    let liar = Liar::new("forged_codes").await;
    let title = "x\u{1b}]0;OWNED\u{7}";
    let clears = "\u{1b}[2J\u{1b}[1;1H\u{9b}2J\u{1b}P1$r\u{1b}\\";
    let turned = "\u{202e}\u{2066}\r\u{8}\u{7f}\0";
    let said = format!("{title}{clears}{turned}end");
    // ESC ] ... BEL, two of ESC [, U+009B, ESC P, ESC \\, and each character of the last line.
    assert!(codes(&said).len() >= 10, "{:?}", codes(&said));
    let failure =
        json!({"component": "web/part", "kind": "recipe", "message": said, "log": [said], "at": SINCE, "through": []});
    liar.says("web", &liar.layout.status("web/part"), json!({"state": "failed", "detail": failure})).await;
    liar.says("web", &liar.layout.server_status("web"), json!({"troubles": [said]})).await;
    let alive = json!({"since": SINCE, "host": said, "pid": 1, "version": said}).to_string();
    let hold = liar.web.hold(&liar.layout.alive("web"), alive.as_bytes(), &liar.access(), None).await.expect("its own");
    for args in [&["status"][..], &["status", "--why"], &["status", "--timeline"], &["ls"]] {
        let ran = at_a_terminal(&liar.command(args), "");
        assert!(ran.out.contains("web"), "{args:?}: {ran}");
        assert!(ran.out.contains("\u{1b}["), "it is coloured at a terminal: {ran}");
        let codes = codes(&ran.out);
        assert_eq!(codes, Vec::<String>::new(), "{args:?}: {ran}");
    }
    hold.release().await;
}

/// One long value would make its column as wide in every row.
#[tokio::test]
async fn one_long_name_does_not_fill_all_rows() {
    let liar = Liar::new("wide_rows").await;
    let long = "x".repeat(400_000);
    let leaving = |name: &str| json!({"component": format!("web/{name}"), "since": SINCE});
    let mut all: Vec<Json> = (0..400).map(|number| leaving(&number.to_string())).collect();
    all.push(leaving(&long));
    liar.says("web", &liar.layout.server_status("web"), json!({"leaving": all})).await;
    let alive = json!({"since": SINCE, "host": long, "pid": 1, "version": long}).to_string();
    let hold = liar.web.hold(&liar.layout.alive("web"), alive.as_bytes(), &liar.access(), None).await.expect("its own");
    for args in [&["status"][..], &["status", "--format", "json"]] {
        let ran = liar.run(args);
        assert!(ran.out.contains("db") && ran.out.len() < 300_000, "{args:?}: {} bytes", ran.out.len());
        assert!(ran.out.contains("the server reports more about itself than is shown"), "{args:?}");
    }
    hold.release().await;
}

/// A server's claims alone cannot name another component as the cause: neither a missing one, nor one it does not read.
#[tokio::test]
async fn nobody_is_named_by_what_is_not_there() {
    let liar = Liar::new("named").await;
    let path = liar.layout.status("web/part");
    let db = liar.stack.server("db").await;
    let all = Rights { read: true, write: true, create: true, delete: true };
    let access = Access::new().grant(&liar.stack.logins("db")[0].principal(), all);
    let access = access.grant(&liar.stack.options.key.login().principal(), Rights::READ);
    let alive = json!({"since": SINCE, "host": "db", "pid": 1, "version": "1"}).to_string();
    let db = db.hold(&liar.layout.alive("db"), alive.as_bytes(), &access, None).await.expect("its own place");
    let web = &liar.web;
    let web = web.hold(&liar.layout.alive("web"), alive.as_bytes(), &liar.access(), None).await.expect("its own place");
    for named in ["db/ghost", "db", "db/server", "db/part/text", "db/server/address"] {
        let failure =
            json!({"component": named, "kind": "recipe", "message": "no", "at": SINCE, "through": ["web/part"]});
        for status in [
            json!({"state": "failed", "detail": failure}),
            json!({"state": "waiting", "detail": [{"for": "db/server/ghost", "since": SINCE}]}),
            // It is wired to none of these.
            json!({"state": "waiting", "detail": [{"for": named, "since": SINCE}]}),
            json!({"state": "waiting", "detail": [{"for": format!("other:{named}"), "since": SINCE}]}),
        ] {
            liar.says("web", &path, status.clone()).await;
            let snapshot = liar.snapshot().await;
            for root in roots(&snapshot) {
                let is_of_web = root.holds.iter().chain(root.cause.component()).any(|name| name.starts_with("web/"));
                let is_named = match &root.cause {
                    Cause::Attribute { .. } | Cause::Elsewhere { .. } | Cause::NoAgent { .. } => true,
                    cause => cause.component().is_some_and(|name| !name.starts_with("web/")),
                };
                assert!(
                    !is_of_web
                        || !is_named
                        || matches!(&root.cause, Cause::NoAgent { server, .. } if **server == *"web"),
                    "{named}: {status}: {root:?}"
                );
            }
        }
    }
    db.release().await;
    web.release().await;
}
