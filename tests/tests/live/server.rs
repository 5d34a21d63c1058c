//! What the server serves, to whom, and until when.

use std::io::Write as _;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use wattle::author::Blueprint as _;
use wattle::diagram::{self, Place};
use wattle_tests::running::{eventually, kill};

use crate::client::{Events, ask, connect, get, parts};
use crate::stack::{PASSWORD, Shown, url};

fn is_over(_: &str, data: &Value) -> bool {
    data["over"] == true
}

#[test]
fn only_who_has_the_token_is_answered_and_only_under_names_of_this_machine() {
    let shown = Shown::up("");
    let (host, token) = parts(&shown.url);
    assert!(host.starts_with("127.0.0.1:"), "{host}");
    for path in ["/", "/events", "/log?of=a", "/nothing"] {
        for query in ["", "token=", &format!("token={}", &token[1..]), &format!("token={token}x")] {
            let sign = if path.contains('?') { '&' } else { '?' };
            let answer = get(&host, &format!("{path}{sign}{query}"));
            assert_eq!(answer.status, 403, "{path} {query}: {answer:?}");
        }
    }
    let whole = format!("GET /?token={token} HTTP/1.1");
    for name in ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example", ""] {
        let answer = ask(&host, &[&whole, &format!("Host: {name}")]);
        assert_eq!(answer.status, 403, "{name}: {answer:?}");
    }
    assert_eq!(ask(&host, &[&whole, "Host: localhost:1"]).status, 200, "as behind `ssh -L`");
    assert_eq!(ask(&host, &[&whole.replace("GET", "POST"), "Host: localhost"]).status, 405);
    assert_eq!(get(&host, &format!("/nothing?token={token}")).status, 404);
    for of in ["d", "a/other", "../../etc", "..%2f..%2fetc", ""] {
        assert_eq!(get(&host, &format!("/log?token={token}&of={of}")).status, 404, "{of}");
    }

    let page = get(&host, &format!("/?token={token}"));
    for header in [
        "cache-control: no-store",
        "referrer-policy: no-referrer",
        "x-content-type-options: nosniff",
        "frame-ancestors 'none'",
        "content-type: text/html",
    ] {
        assert!(page.head.contains(header), "{header}: {}", page.head);
    }
    assert!(!page.head.contains("access-control"), "{}", page.head);
    assert!(page.body.contains("Content-Security-Policy") && page.body.contains("default-src 'none'"));

    // It does not listen on this machine's other addresses.
    let port = host.rsplit_once(':').expect("a port").1;
    for address in ["127.0.0.2", "127.1.1.1", "[::1]"] {
        let refused = TcpStream::connect(format!("{address}:{port}"));
        assert!(refused.is_err(), "{address} answers");
    }
}

#[test]
fn servers_that_were_placed_stand_in_their_racks_and_on_their_hosts() {
    let model = hello::hello.model(Default::default());
    let mut diagram = diagram::of(&model);
    let place = Place { rack: Some("r1".into()), host: Some("compute-1.example.org".into()), ..Place::default() };
    diagram.put("alice", place);
    let shown = Shown::drawn(&model, diagram, &[]);
    let (host, token) = parts(&shown.url);
    let page = get(&host, &format!("/?token={token}")).body;
    for frame in [r#""kind":"rack","title":"r1""#, r#""kind":"host","title":"compute-1.example.org""#] {
        assert!(page.contains(frame), "{frame}");
    }
    assert!(page.contains(r#""name":"alice","module":"rack r1, host compute-1.example.org""#), "alice is elsewhere");
    let status = shown.stage.run(&["status"]);
    let line = status.out.lines().find(|line| line.starts_with("alice ")).unwrap_or_else(|| panic!("{status}"));
    assert_eq!(line.split_whitespace().nth(1), Some("compute-1.example.org"), "{status}");
    assert!(status.out.starts_with("hello") && status.out.contains("SERVER  HOST "), "{status}");
}

#[test]
fn nothing_of_a_secret_is_served() {
    let mut shown = Shown::up("bad");
    let (host, token) = parts(&shown.url);
    let mut events = Events::of(&host, &format!("/events?token={token}"));
    let mut whole = events.until("everything", |name, _| name == "state");
    if whole["over"] != true {
        events.until("the end", is_over);
    }
    let mut again = Events::of(&host, &format!("/events?token={token}"));
    whole = again.until("everything", |name, _| name == "state");
    assert_eq!(whole["entries"]["a/first/token"]["state"], "failure");
    assert_eq!(whole["plans"]["a"]["components"]["first"]["inputs"]["password"]["secret"], true);

    // The agent masks the output of recipes before it writes it, and so before anything is sent.
    let mut log = Events::of(&host, &format!("/log?token={token}&of=a/first"));
    let lines = log.until("what it said", |_, data| data["lines"].to_string().contains("cannot log in as admin"));
    assert!(lines["lines"].to_string().contains("the password is ***"), "{lines}");
    let failure = &whole["components"]["a/first"]["failure"];
    assert!(failure["log"].to_string().contains("cannot log in as admin with ***"), "{failure}");
    let poisoned = &whole["entries"]["c/third/felt"]["failure"];
    assert_eq!((&poisoned["component"], &poisoned["through"]), (&json!("a/first"), &json!(["b/second", "c/third"])));

    let fixed = wattle_fixed(&shown);
    let page = get(&host, &format!("/?token={token}")).body;
    for served in [&events.heard, &again.heard, &log.heard, &page, &fixed] {
        assert!(served.len() > 500, "{served}");
        assert!(!served.contains(PASSWORD), "{served}");
    }
    assert!(fixed.contains(r#""state":"secret""#), "{fixed}");
    assert!(fixed.contains("<b>well</b>"), "a value is text, whatever it holds: {fixed}");
    shown.up.interrupt();
}

/// Applies a revision in which nothing fails, and returns the events after it.
fn wattle_fixed(shown: &Shown) -> String {
    shown.stage.emit(&crate::stack::model("", 0));
    let up = shown.stage.run(&["up", "--parameter", &format!("password={PASSWORD}")]);
    assert_eq!(up.code, Some(0), "{up}");
    let (host, token) = parts(&shown.url);
    let mut events = Events::of(&host, &format!("/events?token={token}"));
    let whole = events.until("everything", |name, _| name == "state");
    assert_eq!((&whole["revision"], &whole["over"]), (&json!(2), &json!(true)));
    assert_eq!(whole["entries"]["b/second/token"]["state"], "secret");
    events.heard
}

#[test]
fn who_comes_again_is_told_everything_and_who_stays_what_changes() {
    let shown = Shown::held();
    let (host, token) = parts(&shown.url);
    let path = format!("/events?token={token}");
    let mut stays = Events::of(&host, &path);
    let first = stays.until("everything", |name, _| name == "state");
    assert_eq!(first["format"], "wattle-live/1");
    assert_ne!(first["over"], true, "it is held");
    let waits = |data: &Value| data["components"]["b/second"]["waiting"][0]["for"] == "a/first/token";
    if !waits(&first) {
        stays.until("b/second waits", |_, data| waits(data));
    }
    shown.let_go();
    let change = stays.until("the end", is_over);
    assert!(change.get("format").is_none(), "only what has changed: {change}");
    assert!(change["components"]["c/third"]["state"] == "done", "{change}");
    assert!(change.get("plans").is_none() && change.get("stack").is_none(), "that was sent before: {change}");

    let mut again = Events::of(&host, &path);
    let whole = again.until("everything", |name, _| name == "state");
    let past = whole["components"]["b/second"]["past"].as_array().expect("a past");
    assert!(past.iter().any(|step| step["did"] == "waited" && step["for"] == "a/first/token"), "{past:?}");
    assert!(past.iter().any(|step| step["did"] == "ran"), "{past:?}");
    let path: Vec<&str> =
        whole["critical"].as_array().expect("a path").iter().filter_map(|hop| hop["component"].as_str()).collect();
    assert_eq!(path, ["a/first", "b/second", "c/third"]);

    // A restarted agent reports the earlier events.
    let before = whole["components"]["a/first"].clone();
    let agent = shown.stage.processes("servers/a/identity.json");
    kill(agent[0]);
    eventually("another agent", || {
        let now = shown.stage.processes("servers/a/identity.json");
        now.len() == 1 && now != agent && shown.stage.log("a").matches("done component=").count() == 2
    });
    let now = || {
        let mut again = Events::of(&host, &format!("/events?token={token}"));
        again.until("everything", |name, _| name == "state")["components"]["a/first"].clone()
    };
    eventually("the same", || now()["past"] == before["past"]);
    let text = shown.stage.ask(&["status", "--timeline"]).out;
    assert!(text.contains("critical path: ") && text.contains("b/second: ran "), "{text}");
    assert!(text.contains(", after a/first/"), "{text}");
}

#[test]
fn many_who_look_slow_ones_and_ones_that_have_gone() {
    let shown = Shown::held();
    let (host, token) = parts(&shown.url);
    let path = format!("/events?token={token}");
    // This client never reads the response.
    let mut slow = connect(&host);
    write!(slow, "GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").expect("asks");
    let mut many: Vec<Events> = (1..64).map(|_| Events::of(&host, &path)).collect();
    for one in &mut many {
        one.until("everything", |name, _| name == "state");
    }
    let answer = get(&host, &format!("/?token={token}"));
    assert_eq!(answer.status, 503, "{answer:?}");
    assert!(answer.body.contains("Close a window"), "{answer:?}");
    shown.let_go();
    for one in &mut many {
        one.until("the end", is_over);
    }
    // Closed connections make room.
    drop(many);
    eventually("there is room again", || get(&host, &format!("/?token={token}")).status == 200);
    drop(slow);
}

#[test]
fn whoever_says_nothing_keeps_nobody_out() {
    let shown = Shown::held();
    let (host, token) = parts(&shown.url);
    let silent: Vec<_> = (0..200).map(|_| connect(&host)).collect();
    let mut asking = connect(&host);
    write!(asking, "GET /?token=no HTTP/1.1\r\nHost: {host}\r\n\r\n").expect("asks");
    let answer = get(&host, &format!("/?token={token}"));
    assert_eq!(answer.status, 200, "{answer:?}");
    // Existing viewers are not disconnected in their favour, either.
    let mut looking = Events::of(&host, &format!("/events?token={token}"));
    looking.until("everything", |name, _| name == "state");
    let more: Vec<_> = (0..200).map(|_| connect(&host)).collect();
    shown.let_go();
    looking.until("the end", is_over);
    drop((silent, more));
}

#[test]
fn it_ends_with_all_who_look() {
    let mut shown = Shown::held();
    let (host, token) = parts(&shown.url);
    let mut events = Events::of(&host, &format!("/events?token={token}"));
    events.until("everything", |name, _| name == "state");
    let mut log = Events::of(&host, &format!("/log?token={token}&of=a"));
    log.until("the log", |name, _| name == "lines");
    let _idle = connect(&host);
    let mut status = shown.stage.start(&["status", "--ui"]);
    let (other, its) = parts(&url(&mut status));
    let mut elsewhere = Events::of(&other, &format!("/events?token={its}"));
    elsewhere.until("everything", |name, _| name == "state");

    let begin = Instant::now();
    assert_eq!(shown.up.interrupt(), Some(1), "{}", shown.up.said());
    assert!(begin.elapsed() < Duration::from_secs(30), "it waits for those who look");
    let why = events.until("the end", |name, _| name == "end");
    assert_eq!(why["why"], "secrets was stopped");
    assert_eq!(events.next(), None);
    while log.next().is_some() {}
    elsewhere.until("the end", |name, _| name == "end");
    assert_eq!(status.ended(), Some(0), "{}", status.said());
}

#[test]
fn what_is_in_the_way_is_reported_before_anything_is_started() {
    let shown = Shown::up("");
    let (host, _) = parts(&shown.url);
    let port = host.rsplit_once(':').expect("a port").1;
    let taken = shown.stage.ask(&["status", &format!("--ui={port}")]);
    assert_eq!(taken.code, Some(1), "{taken}");
    assert!(taken.err.contains(&format!("port {port} of 127.0.0.1 is in use by another program")), "{taken}");
    let no_address = shown.stage.ask(&["status", "--ui=192.0.2.1:80"]);
    assert!(no_address.err.contains("192.0.2.1 is not an address of this machine"), "{no_address}");
    let wrong = shown.stage.ask(&["status", "--ui=here"]);
    assert_eq!(wrong.code, Some(2), "{wrong}");
    assert!(wrong.err.contains("write `127.0.0.1:8000`"), "{wrong}");
    let background = shown.stage.run(&["up", "--ui", "--detach"]);
    assert_eq!(background.code, Some(2), "{background}");
    assert!(background.err.contains("--ui` then shows it"), "{background}");

    let mut open = shown.stage.start(&["status", "--ui=0.0.0.0"]);
    open.wait_for("warning: other machines can reach the live view", Duration::from_mins(1));
    assert!(url(&mut open).starts_with("http://127.0.0.1:"), "{}", open.said());
}

#[test]
fn of_a_data_space_elsewhere_the_log_is_where_its_server_is() {
    let shown = Shown::up("bad");
    let state = shown.stage.path().join(".wattle");
    let space = format!("unix:{}", state.join("space.sock").display());
    let key = state.join("operator.key").display().to_string();
    let mut status = shown.stage.start_alone(&["status", "--ui", "--space", &space, "--key", &key]);
    let (host, token) = parts(&url(&mut status));
    let mut log = Events::of(&host, &format!("/log?token={token}&of=a/first"));
    let reported = log.until("where it is", |name, _| name == "elsewhere");
    assert_eq!(reported, json!({ "server": "a", "command": "journalctl --unit wattle-agent" }));
    assert_eq!(log.next(), None);
    assert_eq!(get(&host, &format!("/?token={token}")).status, 200, "it is drawn all the same");
    assert_eq!(status.interrupt(), Some(0), "{}", status.said());
}
