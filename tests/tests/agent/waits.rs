//! Waits: their requests to the data space, their status, and their ends.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use serde_json::json;
use tokio::task::JoinHandle;
use tokio::time::sleep;
use wattle_runtime::space::{Content, FailureKind, State};

use wattle_tests::stores::Guarded;

use crate::stores::Counts;
use crate::world::{Work, World, fine, outputs, two};

#[tokio::test(start_paused = true)]
async fn a_hand_over_takes_one_request_of_the_writer_and_none_of_the_reader() {
    let mut world = World::new();
    let revision = world.apply("1", two()).await;
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let slow: Work = Arc::new(|_| {
        async move {
            sleep(Duration::from_secs(30)).await;
            outputs(&[("url", "x"), ("done", "x")])
        }
        .boxed()
    });
    let agent = |server: &str| {
        let store = Guarded::new(world.store(server), Counts(Arc::clone(&asked)));
        let agent = world.agent_with(server, store, world.state.path().join(server), Arc::clone(&slow));
        tokio::spawn(agent.run(std::future::pending()))
    };
    let agents = [agent("s1"), agent("s2")];
    sleep(Duration::from_secs(20)).await;
    let before: Vec<String> = std::mem::take(&mut *asked.lock().unwrap());
    let of = |all: &[String]| all.iter().filter(|one| one.ends_with("/s1/a/url")).cloned().collect::<Vec<_>>();
    let entry = "/wattle/one/entries/s1/a/url";
    let mut first = of(&before);
    first.sort();
    // The writer has read the entry once; the reader has read it, and waits for a change.
    assert_eq!(first, [format!("changed {entry}"), format!("get {entry}"), format!("get {entry}")]);
    world.read("s2/b/done", revision).await;
    let after: Vec<String> = asked.lock().unwrap().clone();
    assert_eq!(of(&after), [format!("set {entry}")]);
    agents.iter().for_each(JoinHandle::abort);
}

#[tokio::test(start_paused = true)]
async fn a_wait_says_for_what_and_in_the_end_why() {
    let mut world = World::new();
    let revision = world
        .apply(
            "1",
            json!({
                "s1": {"a": {"outputs": ["url"]}},
                "s2": {"b": {"inputs": {"url": {"entry": "s1/a/url"}}, "outputs": ["url"]}},
                "s3": {"c": {"inputs": {"from": {"entry": "s2/b/url"}}, "outputs": ["url"]}},
                "s4": {"d": {"inputs": {"from": {"entry": "s1/a/url"}}, "outputs": ["url"], "wait": 5}},
            }),
        )
        .await;
    // `s1` never boots. `s2` starts last, so `s3/c`, at the end of the chain, would give up shortly before `s2/b`, for
    // which it waits.
    let first = ["s3", "s4"].map(|server| world.start(server, &fine()));
    sleep(Duration::from_secs(2)).await;
    let second = world.start("s2", &fine());
    let Some(State::Waiting(waiting)) = world.state_of("s3/c").await else { panic!() };
    assert_eq!((&*waiting[0].what, waiting[0].input.as_deref()), ("s2/b/url", Some("from")));
    let begun = tokio::time::Instant::now();
    let failure = world.failure("s4/d/url", revision).await;
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    assert_eq!((&*failure.component, failure.kind), ("s4/d", FailureKind::Wait));
    assert!(failure.message.starts_with("waited 5 s since "), "{}", failure.message);
    let end = "for `s1/a/url` (its input `from`): never started: no agent of server `s1` has come up";
    assert!(failure.message.ends_with(end), "{}", failure.message);
    // If several waits along a chain end at about the same time, the failure names the component next to the root
    // cause.
    let failure = world.failure("s3/c/url", revision).await;
    assert!(begun.elapsed() < Duration::from_secs(605), "{:?}", begun.elapsed());
    assert_eq!((&*failure.component, failure.kind), ("s2/b", FailureKind::Wait));
    assert_eq!(failure.through, ["s3/c".into()]);
    assert!(failure.message.contains("no agent of server `s1`"), "{}", failure.message);
    first.iter().chain([&second]).for_each(JoinHandle::abort);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_went_is_told_from_one_that_never_came() {
    let mut world = World::new();
    let revision = world.apply("1", two()).await;
    let hangs: Work = Arc::new(|_| std::future::pending().boxed());
    let gone = world.start("s1", &hangs);
    sleep(Duration::from_secs(1)).await;
    gone.abort();
    let _ = gone.await;
    let agent = world.start("s2", &fine());
    let failure = world.failure("s2/b/done", revision).await;
    assert!(failure.message.ends_with("the agent of server `s1` has gone"), "{}", failure.message);
    agent.abort();
}

#[tokio::test(start_paused = true)]
async fn a_newer_revision_lets_end_what_runs_and_abandons_what_waits() {
    let mut world = World::new();
    let seed = |value: &str| {
        json!({
            "s1": {
                "runs": {"outputs": ["url"]},
                "waits": {"inputs": {"url": {"entry": "s1/hangs/url"}, "value": {"value": value}}, "outputs": ["done"]},
                "hangs": {"inputs": {"url": {"entry": "s2/never/url"}}, "outputs": ["url"]},
            },
            "s2": {"never": {"outputs": ["url"]}},
        })
    };
    world.apply("1", seed("one")).await;
    let work: Work = Arc::new(|job| {
        async move {
            sleep(Duration::from_secs(40)).await;
            Ok(job.component.outputs.keys().map(|name| (name.clone(), "x".into())).collect())
        }
        .boxed()
    });
    let agent = world.start("s1", &work);
    sleep(Duration::from_secs(20)).await;
    let mut next = seed("two");
    next["s2"]["never"]["outputs"] = json!(["url", "more"]);
    let revision = world.apply("2", next).await;
    sleep(Duration::from_secs(10)).await;
    // The running component continues in the revision in which it began.
    let status = world.space().status("s1/runs").await.unwrap().unwrap();
    assert_eq!((status.revision, status.state), (1, State::Running));
    sleep(Duration::from_secs(15)).await;
    // A component that only waits does not delay the next revision; it would have waited for ten minutes.
    let written = world.space().peek("s1/runs/url").await.unwrap().unwrap();
    assert_eq!((written.revision, written.content), (revision, Content::Value("x".into())));
    assert_eq!(world.ran(), ["s1/runs"]);
    let status = world.space().status("s1/waits").await.unwrap().unwrap();
    assert!(matches!(status.state, State::Waiting(_)) && status.revision == revision, "{status:?}");
    agent.abort();
}
