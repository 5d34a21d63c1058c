//! `status --ui` of a stack in ZooKeeper, while the agents of its servers are working.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use wattle::diagram;
use wattle::model::Model;
use wattle_runtime::seed::{Credentials, Options, apply, write_operator_key};
use wattle_runtime::space::{Layout, OperatorKey};
use wattle_runtime::store::Address;
use wattle_tests::browser::Browser;
use wattle_tests::command::wattle;
use wattle_tests::running::{Foreground, Stage};
use wattle_tests::seeds::{seed, unsigned};
use wattle_tests::skip::everything;
use wattle_tests::zookeeper::ZooKeeper;

use crate::client::{Events, get, parts};
use crate::stack::{PASSWORD, model, url};

/// The agents of servers. They end on drop, together with their recipes.
pub(crate) struct Agents<'s> {
    stage: &'s Stage,
    running: Vec<Child>,
}

impl<'s> Agents<'s> {
    pub(crate) fn start(stage: &'s Stage, space: &str, credentials: &Credentials) -> Self {
        let start = |server: &str| {
            let folder = stage.path().join(server);
            fs::create_dir_all(folder.join("state")).expect("a folder");
            let credential = credentials.get(server).expect("a credential").expose();
            let identity = json!({ "stack": "secrets", "server": server, "space": space, "credential": credential });
            fs::write(folder.join("identity.json"), identity.to_string()).expect("writes");
            let mut command = Command::new(wattle());
            command.args(["agent", "--identity"]).arg(folder.join("identity.json"));
            command.arg("--state").arg(folder.join("agent")).env("WATTLE_STATE_DIR", folder.join("state"));
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts")
        };
        Self { stage, running: ["a", "b", "c"].map(start).into() }
    }
}

impl Drop for Agents<'_> {
    fn drop(&mut self) {
        for agent in &mut self.running {
            let _ = agent.kill();
            let _ = agent.wait();
        }
        for pid in ["confide.sh", "sleep"].iter().flat_map(|part| self.stage.processes(part)) {
            let _ = Command::new("kill").args(["-KILL", &pid.to_string()]).stderr(Stdio::null()).status();
        }
    }
}

/// Applies the seed of `model`, and returns the servers' credentials.
pub(crate) fn applied(stage: &Stage, model: &Model, address: &str) -> Credentials {
    let key = OperatorKey::generate();
    write_operator_key(&stage.path().join("operator.key"), &key).expect("writes");
    let seed = seed(model);
    let mut options = Options::new(key);
    options.given.set("password", PASSWORD.into());
    options.files.diagram = Some(diagram::of(model).without_texts().to_json());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let store = address.parse::<Address>().expect("an address").connect(&[options.key.login()]).await;
        apply(&store.expect("connects"), &seed, &options).await.expect("applies").credentials
    })
}

fn shown(stage: &Stage, address: &str) -> Foreground {
    let key = stage.path().join("operator.key").display().to_string();
    stage.start_alone(&["status", "--ui", "--space", address, "--stack", "secrets", "--key", &key])
}

#[test]
fn agents_at_work_are_shown_and_nothing_of_their_secrets() {
    let zookeeper = ZooKeeper::start(1);
    let model = model("", 4);
    let stage = Stage::new(&model);
    let credentials = applied(&stage, &model, &zookeeper.address());
    let mut status = shown(&stage, &zookeeper.address());
    let address = url(&mut status);
    let (host, token) = parts(&address);
    let page = get(&host, &format!("/?token={token}"));
    assert_eq!(page.status, 200, "{page:?}");
    assert!(page.body.contains("\"name\":\"Confide\""), "it is drawn as it was deployed, not from plans alone");

    let path = format!("/events?token={token}");
    let mut events = Events::of(&host, &path);
    let begin = events.until("everything", |name, _| name == "state");
    assert_eq!((&begin["stack"], &begin["revision"]), (&json!("secrets"), &json!(1)));
    assert_eq!(begin["servers"]["a"]["agent"], Value::Null, "nobody is there yet");
    let browser = Browser::start("the live view of a stack in ZooKeeper");
    if let Some(browser) = &browser {
        browser.open(&address);
        browser.wait_for("it knows something", "return live.now.revision === 1 && live.now.connected");
        browser.run("live.onChange(() => (window.most = Math.max(window.most ?? 0, document.querySelectorAll('.awaited').length)))");
        browser.run(
            "live.onChange(() => (window.ran ||= document.querySelector('.component[data-state=running]')?.dataset.id))",
        );
    }

    let agents = Agents::start(&stage, &zookeeper.address(), &credentials);
    let said = |data: &Value, component: &str, state: &str| data["components"][component]["state"] == state;
    let waits = events.until("c/third waits", |_, data| said(data, "c/third", "waiting"));
    assert_eq!(waits["components"]["c/third"]["waiting"][0]["for"], "b/second/token");
    events.until("it ends", |_, data| data["over"] == true);
    assert!(events.heard.contains("\"state\":\"running\""), "{}", events.heard);
    let whole = Events::of(&host, &path).until("everything", |name, _| name == "state");
    assert!(whole["servers"]["b"]["agent"]["pid"].is_u64(), "{whole}");
    for component in ["a/first", "b/second", "c/third"] {
        assert!(said(&whole, component, "done"), "{whole}");
    }
    for entry in ["a/first/token", "b/second/token", "c/third/token"] {
        assert_eq!(whole["entries"][entry]["state"], "secret", "{whole}");
        assert!(whole["entries"][entry].get("value").is_none(), "{whole}");
    }
    assert_eq!(whole["entries"]["a/first/felt"]["value"], "<b>well</b>");
    assert_eq!(whole["plans"]["a"]["components"]["first"]["inputs"]["password"]["secret"], true);

    if let Some(browser) = &browser {
        browser.wait_for("the end", "return live.now.over && live.now.tally.done === 3");
        assert_eq!(browser.run("return window.most"), 3, "what was awaited was marked");
        assert_eq!(browser.run("return window.ran"), "c:a/first");
        assert_eq!(browser.run("return document.querySelectorAll('.awaited').length"), 0);
        assert_eq!(browser.run("return document.querySelectorAll('.component[data-state=done]').length"), 3);
        browser.run("wattle.select('b/second')");
        browser.run("wattle.showTab('live-log')");
        browser.wait_for(
            "where its log is",
            "return document.getElementById('panel-live-log').innerText.includes('The log is on the server b')",
        );
        browser.run("wattle.showTab('live-data')");
        browser.wait_for("the data", "return document.getElementById('panel-live-data').innerText.includes('••••••')");
        browser.looked_at("zookeeper");
        assert_eq!(browser.complaints(), Vec::<String>::new());
        assert!(!browser.text("return document.documentElement.outerHTML").contains(PASSWORD));
    }
    for served in [&events.heard, &page.body, &whole.to_string()] {
        assert!(!served.contains(PASSWORD), "{served}");
    }

    if everything("the live view while ZooKeeper is away") {
        // The known data remain, and the page reports why there are no updates.
        zookeeper.kill(1);
        let reported = events.until("it is reported", |_, data| data["trouble"].is_string());
        assert!(reported.get("components").is_none(), "{reported}");
        if let Some(browser) = &browser {
            browser.wait_for(
                "it is reported",
                "return document.getElementById('live-banner').textContent.includes('out of date')",
            );
            browser.looked_at("zookeeper-away");
        }
        zookeeper.up(1);
        events.until("it is there again", |_, data| data.get("trouble").is_some_and(Value::is_null));
    }
    drop(agents);
    events.until("nobody is there", |_, data| data["servers"]["a"]["agent"] == Value::Null);
    if let Some(browser) = &browser {
        browser.run("wattle.select('a')");
        browser.run("wattle.showTab('live-now')");
        let says = "return document.getElementById('panel-live-now').innerText.includes('It has no agent.')";
        browser.wait_for("nobody is there", says);
        // You can see it from a distance, too: in the diagram and above it. The legend below explains it.
        let is_lost = "document.querySelectorAll('.server[data-built=lost]').length === 3";
        let is_counted =
            "document.getElementById('live-tally').textContent === 'revision 1: 3 of 3 done, 3 agents gone'";
        browser.wait_for("all three are marked and counted", &format!("return {is_lost} && {is_counted}"));
        let legend = browser.text("return document.getElementById('legend').innerText");
        assert!(legend.contains("agent gone"), "{legend}");
        browser.looked_at("no-agent");
    }
    assert_eq!(status.interrupt(), Some(0), "{}", status.said());
}

/// A server writes as much garbage as its nodes can hold: deep, long and many values. The page and its events stay
/// small, and show the other servers unchanged.
#[test]
fn what_one_server_says_hides_no_other_one() {
    let zookeeper = ZooKeeper::start(1);
    let model = model("", 4);
    let stage = Stage::new(&model);
    let credentials = applied(&stage, &model, &zookeeper.address());
    let mut agents = Agents::start(&stage, &zookeeper.address(), &credentials);
    let mut status = shown(&stage, &zookeeper.address());
    let (host, token) = parts(&url(&mut status));
    let path = format!("/events?token={token}");
    Events::of(&host, &path).until("it ends", |_, data| data["over"] == true);
    // The server's agent has ended: later data come from whoever took its place.
    let mut former = agents.running.remove(0);
    former.kill().and_then(|()| former.wait()).expect("ends");

    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let credential = credentials.get("a").expect("a credential");
    let (signer, layout) = (credential.key().signer(), Layout::new("secrets"));
    let connected = async {
        let address = zookeeper.address().parse::<Address>().expect("an address");
        address.connect(&credential.logins("secrets", "a")).await.expect("connects")
    };
    let store = runtime.block_on(connected);
    let read = |path: &str| runtime.block_on(store.get(path)).expect("reads").expect("it is there").data;
    let of: Value = serde_json::from_slice(unsigned(&read(&layout.plan("a")))).expect("JSON");
    let write = |path: &str, said: Vec<u8>| runtime.block_on(store.set(path, &said, None)).expect("its own");
    let since = "2026-01-01T00:00:00Z";
    let said = |path: &str, mut said: Value| {
        (said["revision"], said["space"], said["since"]) = (of["revision"].clone(), of["space"].clone(), since.into());
        signer.vouch(path, &serde_json::to_vec(&said).expect("JSON"))
    };
    let long = "x".repeat(400_000);
    let waits: Vec<_> = (0..15_000).map(|n| json!({"for": format!("b/second/{n}"), "since": since})).collect();
    let past: Vec<_> = (0..8_000).map(|_| json!({"since": since, "until": since, "did": "ran"})).collect();
    let leaving: Vec<_> = (0..6_000).map(|n| json!({"component": format!("a/gone{n}"), "since": since})).collect();
    let (first, own) = (layout.status("a/first"), layout.server_status("a"));
    let deep = format!("{{\"revision\": 1, \"troubles\": {}", "[".repeat(400_000)).into_bytes();
    let mut before = Value::Null;
    for (what, component, server) in [
        ("deep", deep.clone(), deep),
        ("waits", said(&first, json!({"state": "waiting", "detail": waits})), said(&own, json!({"troubles": [long]}))),
        ("past", said(&first, json!({"state": "done", "past": past})), said(&own, json!({"leaving": leaving}))),
        (
            "failed",
            said(
                &first,
                json!({"state": "failed", "detail": {"component": "a/first", "kind": "recipe", "message": long, "log": [long], "at": since}}),
            ),
            said(&own, json!({"troubles": vec!["y"; 100_000]})),
        ),
    ] {
        write(&first, component);
        write(&own, server);
        let reported = |data: &Value| data["servers"]["a"]["troubles"].as_array().is_some_and(|all| !all.is_empty());
        let whole = || Events::of(&host, &path).until("everything", |name, _| name == "state");
        let begin = Instant::now();
        let seen = loop {
            let seen = whole();
            if reported(&seen) && seen["components"]["a/first"] != before {
                break seen;
            }
            assert!(begin.elapsed() < Duration::from_mins(1), "{what}: no row says so");
            std::thread::sleep(Duration::from_millis(300));
        };
        before = seen["components"]["a/first"].clone();
        for component in ["b/second", "c/third"] {
            assert_eq!(seen["components"][component]["state"], "done", "{what}: {component}");
        }
        for server in ["b", "c"] {
            let troubles = &seen["servers"][server]["troubles"];
            assert!(troubles.as_array().is_none_or(Vec::is_empty), "{what}: {server}: {troubles}");
        }
        assert_eq!(seen["entries"]["b/second/token"]["state"], "secret", "{what}");
        assert!(seen.to_string().len() < 600_000, "{what}: {} bytes", seen.to_string().len());
        assert_eq!(get(&host, &format!("/?token={token}")).status, 200, "{what}");
    }
}
