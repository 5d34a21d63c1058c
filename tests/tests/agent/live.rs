//! Requests and outputs of recipes while they run.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use serde_json::json;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use wattle_runtime::space::{Content, Place, open_entry};

use crate::world::{Work, World, ask, outputs};

#[tokio::test]
async fn a_recipe_asks_and_tells_while_it_runs() {
    let mut world = World::new();
    let revision = world
        .apply(
            "1",
            json!({
                "s1": {"a": {"outputs": ["url", "late"]}},
                "s2": {"b": {"tool": "chef", "inputs": {"url": {"entry": "s1/a/url"}, "late": {"entry": "s1/a/late"}},
                             "outputs": ["seen"]}},
            }),
        )
        .await;
    let (answered, mut answers) = tokio::sync::mpsc::unbounded_channel();
    let work: Work = Arc::new(move |job| {
        let answered = answered.clone();
        async move {
            let (socket, token) = job.live.socket().unwrap();
            let get = async |name: &str| ask(&socket, json!({"token": token, "get": name})).await;
            let set = async |name: &str, value: &str| {
                ask(&socket, json!({"token": token, "set": name, "value": value})).await
            };
            if &*job.name == "s1/a" {
                let guess = ask(&socket, json!({"token": "guess", "get": "url"})).await;
                answered.send(guess["error"].clone()).unwrap();
                answered.send(set("other", "x").await["error"].clone()).unwrap();
                answered.send(set("url", "http://a").await).unwrap();
                // The same value again, as from a recipe that runs twice; then a different one.
                answered.send(set("url", "http://a").await).unwrap();
                answered.send(set("url", "http://b").await["error"].clone()).unwrap();
                // The other component continues while this one still runs.
                while job.live.published("late").is_none() {
                    sleep(Duration::from_millis(20)).await;
                    if fs::exists(job.directory.parent().unwrap().join("go")).unwrap() {
                        set("late", "now").await;
                    }
                }
                outputs(&[])
            } else {
                let url = get("url").await["value"].clone();
                assert_eq!(get("not_wired").await, json!({"value": null}));
                // A client that gives up waiting does no harm.
                let waits = json!({"token": token, "get": "late"});
                let _ = timeout(Duration::from_millis(50), ask(&socket, waits)).await;
                fs::write(job.directory.ancestors().nth(3).unwrap().join("s1/run/go"), "").unwrap();
                let late = get("late").await["value"].clone();
                outputs(&[("seen", &format!("{url} {late}"))])
            }
        }
        .boxed()
    });
    let agents = [world.start("s1", &work), world.start("s2", &work)];
    assert_eq!(world.read("s2/b/seen", revision).await, Content::Value(r#""http://a" "now""#.into()));
    let expected = [
        json!("this is not the token of a running recipe: that is in `WATTLE_TOKEN` of its environment"),
        json!("no output `other` is declared; declared outputs: `url`, `late`"),
        json!({"ok": true}),
        json!({"ok": true}),
        json!("output `url` was published with another value; an output is written once per run"),
    ];
    for expected in expected {
        assert_eq!(answers.recv().await.unwrap(), expected);
    }
    assert_eq!(world.read("s1/a/late", revision).await, Content::Value("now".into()));
    let status = ask(&world.state.path().join("s2/agent.sock"), json!({"status": true})).await;
    assert_eq!(status["status"]["server"], "s2");
    assert!(status["status"]["components"]["b"]["state"].is_string(), "{status}");
    let wrong = ask(&world.state.path().join("s2/agent.sock"), json!("?")).await;
    assert!(wrong["error"].as_str().unwrap().starts_with("expected a question"), "{wrong}");
    agents.iter().for_each(JoinHandle::abort);
}

#[tokio::test(start_paused = true)]
async fn what_was_published_while_a_recipe_ran_stays_after_a_crash() {
    let mut world = World::new();
    let revision = world.apply("1", json!({"s1": {"a": {"outputs": ["url", "rest"]}}})).await;
    let dies: Work = Arc::new(|job| {
        async move {
            job.live.publish("url", "first".into()).await.unwrap();
            std::future::pending().await
        }
        .boxed()
    });
    let agent = world.start("s1", &dies);
    world.read("s1/a/url", revision).await;
    agent.abort();
    let _ = agent.await;
    let again: Work = Arc::new(|job| {
        async move {
            // This run publishes a different value, which nobody may see: the first value has already been read.
            job.live.publish("url", "second".into()).await.unwrap();
            assert_eq!(job.live.published("url"), Some("first".into()));
            outputs(&[("url", "second"), ("rest", "x")])
        }
        .boxed()
    });
    let agent = world.start("s1", &again);
    world.read("s1/a/rest", revision).await;
    assert_eq!(world.read("s1/a/url", revision).await, Content::Value("first".into()));
    // The first value also remains in the next revision, in which the component does not run again.
    world.apply("2", json!({"s1": {"a": {"outputs": ["url", "rest"]}, "more": {}}})).await;
    assert_eq!(world.read("s1/a/url", revision + 1).await, Content::Value("first".into()));
    assert_eq!(world.ran().iter().filter(|name| *name == "s1/a").count(), 2);
    agent.abort();
}

#[tokio::test(start_paused = true)]
async fn what_is_published_while_a_recipe_runs_holds_no_secret_that_stands_in_a_file() {
    let mut world = World::new();
    let revision = world.apply("1", json!({"s1": {"a": {"secret": ["token"], "outputs": ["url", "token"]}}})).await;
    let work: Work = Arc::new(|job| {
        async move {
            fs::create_dir_all(job.directory.join("run")).unwrap();
            fs::write(job.directory.join("run/output.token"), "correct-horse\n").unwrap();
            let refused = job.live.publish("url", "http://admin:correct-horse@10.0.0.1/".into()).await.unwrap_err();
            assert_eq!(
                refused.message,
                "its output `url`, a string, holds the secret output `token`, and would be published unencrypted: \
                 declare it as `Secret<...>`, or leave the secret out"
            );
            assert_eq!(job.live.published("url"), None);
            job.live.publish("url", "http://10.0.0.1/".into()).await.unwrap();
            outputs(&[("url", "http://10.0.0.1/"), ("token", "correct-horse")])
        }
        .boxed()
    });
    let agent = world.start("s1", &work);
    assert_eq!(world.read("s1/a/url", revision).await, Content::Value("http://10.0.0.1/".into()));
    agent.abort();
}

#[tokio::test(start_paused = true)]
async fn secrets_are_sealed_wherever_they_are_kept() {
    const SECRET: &str = "correct horse battery staple";
    let mut world = World::new();
    let secret = json!({
        "s1": {"a": {"secret": true, "outputs": ["token"]}},
        "s2": {"b": {"secret": true, "inputs": {"token": {"entry": "s1/a/token"}}, "outputs": ["token"]}},
    });
    let revision = world.apply("1", secret).await;
    let work: Work = Arc::new(|job| {
        async move {
            if &*job.name == "s2/b" {
                assert_eq!(job.inputs["token"], SECRET.into());
                assert_eq!(job.live.secrets(), [SECRET.into()]);
            }
            outputs(&[("token", SECRET)])
        }
        .boxed()
    });
    let agents = [world.start("s1", &work), world.start("s2", &work)];
    let read = world.read("s2/b/token", revision).await;
    let Content::Sealed(sealed) = read else { panic!("{read:?}") };
    let opener = |server: &str| world.options.credentials.get(server).unwrap().opener();
    let place = |entry| Place { stack: "one", entry };
    assert_eq!(open_entry(&sealed, &place("s2/b/token"), &opener("s2")).unwrap(), SECRET.into());
    assert!(open_entry(&sealed, &place("s2/b/token"), &opener("s1")).is_err());
    // Nor can a reader open a value that was moved to another entry or stack.
    assert!(open_entry(&sealed, &place("s1/a/token"), &opener("s2")).is_err());
    assert!(open_entry(&sealed, &Place { stack: "other", entry: "s2/b/token" }, &opener("s2")).is_err());
    for server in ["s1", "s2"] {
        let journal = fs::read_to_string(world.state.path().join(server).join("journal")).unwrap();
        assert!(journal.contains("sealed") && !journal.contains(SECRET), "{journal}");
    }
    agents.iter().for_each(JoinHandle::abort);
}
