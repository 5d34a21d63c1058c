//! Invalid data from a server stay in its own rows, and are quoted nowhere.

use std::process::Command;
use std::time::SystemTime;

use serde_json::{Value as Json, json};
use wattle_agent_core::time::Time;
use wattle_tests::terminal::at_a_terminal;

use crate::shown::{Liar, SINCE};

impl Liar {
    async fn writes(&self, server: &str, output: &str, content: Json) {
        self.says(server, &self.layout.entry(&format!("{server}/part/{output}")), content).await;
    }
}

fn failure(component: &str, message: &str) -> Json {
    json!({"component": component, "kind": "recipe", "message": message, "log": [message], "at": SINCE})
}

#[tokio::test]
async fn a_value_of_another_type_is_not_quoted() {
    let liar = Liar::new("other_types").await;
    liar.writes("db", "text", json!({"value": "as it should be"})).await;
    liar.writes("web", "text", json!({"value": {"hunter2": ["hunter2"]}})).await;
    liar.writes("web", "count", json!({"value": "hunter2"})).await;
    liar.writes("web", "token", json!({"value": "hunter2"})).await;
    let expected = [
        ("text", "expected a string, found a map"),
        ("count", "expected an integer between 0 and 65535, found a string"),
        ("token", "expected a string (secret), found something that is not encrypted"),
    ];
    for args in [&["ls"][..], &["ls", "--format", "json"]] {
        let ran = liar.run(args);
        assert!(ran.out.contains("as it should be") && !ran.out.contains("hunter2"), "{args:?}: {ran}");
        for (_, why) in expected {
            assert!(ran.out.contains(why), "{args:?}: {ran}");
        }
        assert_eq!(ran.out.matches("apart from the operator, only `web` can have written it").count(), 3, "{ran}");
    }
    for (output, why) in expected {
        let entry = format!("web/part/{output}");
        for args in [&["get", &entry][..], &["get", &entry, "--format", "json"], &["get", &entry, "--wait"]] {
            let ran = liar.run(args);
            assert_ne!(ran.code, Some(0), "{args:?}: {ran}");
            assert!(ran.err.contains(why) && ran.err.contains("only `web` can have written it"), "{args:?}: {ran}");
            assert!(!ran.err.contains("hunter2") && ran.out.is_empty(), "{args:?}: {ran}");
        }
    }
    // An entry with a failure has space for another value.
    let before = json!({"revision": 1, "value": "hunter2"});
    let failed = json!({"failure": failure("web/part", "no"), "before": before});
    liar.writes("web", "count", failed).await;
    for args in [&["get", "web/part/count"][..], &["ls"]] {
        let ran = liar.run(args);
        assert!(format!("{ran}").contains("web/part: no") && !format!("{ran}").contains("hunter2"), "{args:?}: {ran}");
    }
    assert_eq!(liar.run(&["get", "db/part/text"]).out, "as it should be\n");
}

#[tokio::test]
async fn nobody_else_has_failed_in_an_entry() {
    let liar = Liar::new("blaming_entries").await;
    liar.writes("web", "text", json!({"failure": failure("db/part", "db is to blame")})).await;
    let own = "web/part: it reports that db/part has failed, but db/part does not report it: db is to blame";
    for args in [&["get", "web/part/text"][..], &["get", "web/part/text", "--wait"], &["ls"]] {
        let ran = format!("{}", liar.run(args));
        assert!(ran.contains(own) && !ran.contains(" db/part: "), "{args:?}: {ran}");
    }
    // Now `db` itself claims this.
    liar.says("db", &liar.layout.status("db/part"), json!({"state": "failed", "detail": failure("db/part", "full")}))
        .await;
    let ran = liar.run(&["get", "web/part/text"]);
    assert!(ran.err.contains("has no value: db/part: full"), "{ran}");
}

#[tokio::test]
async fn what_is_no_value_is_said_in_the_same_words() {
    let liar = Liar::new("no_values").await;
    let nested = format!("{{\"revision\": 1, \"value\": {}{}}}", "[".repeat(500), "]".repeat(500));
    let path = liar.layout.entry("web/part/text");
    liar.signs("web", &path, nested.as_bytes()).await;
    for args in [&["get", "web/part/text"][..], &["get", "web/part/text", "--wait"], &["ls"]] {
        let ran = format!("{}", liar.run(args));
        let words = "web/part: its server has written something that is not a value";
        assert!(ran.contains(words) && !ran.contains("recursion"), "{args:?}: {ran}");
        assert!(!ran.contains("of revision 0"), "{args:?}: {ran}");
    }
}

/// The same command, in a terminal with 24 lines.
fn at_24_lines(command: &Command) -> Command {
    let mut small = Command::new("sh");
    small.args(["-c", "stty rows 24 cols 80; exec \"$0\" \"$@\""]).arg(command.get_program()).args(command.get_args());
    small.current_dir(command.get_current_dir().expect("it has one"));
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => small.env(name, value),
            None => small.env_remove(name),
        };
    }
    small
}

/// The rows of the other servers come first.
#[tokio::test]
async fn nobody_fills_everybodys_screen() {
    let liar = Liar::new("full_screens").await;
    for server in ["db", "web"] {
        liar.says(server, &liar.layout.status(&format!("{server}/part")), json!({"state": "done"})).await;
    }
    let mut troubles: Vec<String> = (0..1_000).map(|number| format!("trouble {number}")).collect();
    troubles[0] = "x".repeat(50_000);
    let leaving = |number: usize| {
        let name = format!("db/gone{number}{}", "x".repeat(200));
        json!({"component": name, "since": SINCE, "failure": failure(&name, "it stays")})
    };
    let leaving: Vec<Json> = (0..1_000).map(leaving).collect();
    liar.says("db", &liar.layout.server_status("db"), json!({"troubles": troubles, "leaving": leaving})).await;
    for args in [&["status"][..], &["status", "--why"]] {
        let ran = liar.run(args);
        let lines: Vec<&str> = ran.out.lines().collect();
        let most = if args.len() == 1 { 40 } else { 120 };
        assert!(lines.len() < most && lines.iter().all(|line| line.len() < 2_500), "{args:?}: {}", lines.len());
        assert_eq!(ran.out.matches("and 990 more").count(), args.len(), "{args:?}: {ran}");
        assert!(ran.out.contains("! db: and 991 more"), "{args:?}: {ran}");
        let at = |start: &str| lines.iter().position(|line| line.starts_with(start)).expect("a row");
        let gone = lines.iter().position(|line| line.contains("gone0")).expect("a row");
        assert!(at("web ") < gone, "{args:?}: {ran}");
        assert!(lines[at("web ")].len() < 120, "{args:?}: {ran}");
    }
    // The terminal has few lines.
    let ran = at_a_terminal(&at_24_lines(&liar.command(&["status", "--watch"])), "");
    let rows: Vec<&str> = ran.out.lines().filter(|line| line.contains("web") && line.contains("part")).collect();
    assert!(!rows.is_empty() && ran.out.lines().count() < 30, "{ran}");

    let long = "y".repeat(900_000);
    liar.writes("db", "text", json!({"value": long})).await;
    let ran = liar.run(&["ls"]);
    assert!(ran.out.lines().all(|line| line.len() < 1_500) && ran.out.contains('…'), "{}", ran.out.len());
    assert_eq!(liar.run(&["get", "db/part/text"]).out, format!("{long}\n"));

    let mut failed = failure("db/part", &"m".repeat(400_000));
    failed["log"] = json!(vec!["l".repeat(1_000); 400]);
    liar.says("db", &liar.layout.status("db/part"), json!({"state": "failed", "detail": failed})).await;
    liar.says("db", &liar.layout.server_status("db"), json!({})).await;
    let ran = liar.run(&["status", "--why"]);
    assert!(ran.out.lines().count() < 30 && ran.out.len() < 20_000, "{}", ran.out.len());
}

#[tokio::test]
async fn what_cannot_have_been_leaves_the_scale_to_the_others() {
    let liar = Liar::new("odd_times").await;
    let desired = liar.snapshot().await.desired.expect("a desired revision");
    let (begin, now) = (desired.since().expect("it is signed until when"), Time::from(SystemTime::now()));
    assert!(begin <= now && now.duration_since(begin).as_secs() < 600, "{begin}");
    let ran = json!([{"did": "ran", "since": begin, "until": now}]);
    liar.says("web", &liar.layout.status("web/part"), json!({"state": "done", "since": now, "past": ran})).await;
    let row = |ran: &str, server: &str| {
        ran.lines().rfind(|line| line.starts_with(&format!("{server}/part "))).expect("a row").to_owned()
    };
    let path = liar.layout.status("db/part");
    let always = vec![json!({"did": "ran", "since": "1970-01-01T00:00:00Z", "until": "2554-01-01T00:00:00Z"}); 900];
    for since in [SINCE, "2554-01-01T00:00:00Z"] {
        liar.says("db", &path, json!({"state": "done", "since": since, "past": always})).await;
        let ran = liar.run(&["status", "--timeline"]);
        assert!(row(&ran.out, "web").matches('█').count() > 50, "{ran}");
        let lie = row(&ran.out, "db");
        assert!(lie.contains('‹') && lie.contains('›') && lie.ends_with(" unknown"), "{ran}");
        assert!(!ran.out.contains(" from 1970") && !ran.out.contains("unknown from"), "{ran}");
        assert!(
            ran.out.contains("some times from `db` are before this revision began (‹), or in the future (›)"),
            "{ran}"
        );
        let path = ran.out.split("critical path").nth(1).expect("a path");
        assert!(path.contains("web/part") && !path.contains("db/part"), "{ran}");
    }
}

/// A server that has started leaves a trace, even if the trace is unreadable.
#[tokio::test]
async fn who_was_there_has_not_never_started() {
    let liar = Liar::new("was_there").await;
    liar.says("web", &liar.layout.server_status("web"), json!({})).await;
    for garbage in [&b"{}"[..], b"{\"revision\": true}"] {
        liar.signs("web", &liar.layout.status("web/part"), garbage).await;
        let ran = liar.run(&["status", "--why"]);
        let row = ran.out.lines().find(|line| line.starts_with("web ")).expect("a row");
        assert!(row.contains("gone") && !row.contains("not started"), "{ran}");
        assert!(ran.out.contains("web has stopped: its agent is gone"), "{ran}");
        assert!(ran.out.contains("db has never started"), "{ran}");
    }
}
