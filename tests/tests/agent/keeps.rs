//! The content of an agent's folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use serde_json::{Value, json};
use tokio::time::sleep;
use wattle_agent_core::time::Time;
use wattle_runtime::agent::AgentError;
use wattle_runtime::recipe::Broken;
use wattle_runtime::report::StackSnapshot;
use wattle_runtime::space::{Alive, Content, FailureKind, Script, State, Status};
use wattle_runtime::store::{Access, Op, Rights, Store as _};

use wattle_tests::stores::Guarded;

use crate::stores::{Gate, Mute};
use crate::world::{Work, World, fine, outputs, two};

#[tokio::test(start_paused = true)]
async fn what_finished_is_published_by_the_next_agent_and_not_run_again() {
    let mut world = World::new();
    let revision = world.apply("1", two()).await;
    let state = world.state.path().join("s1");
    let mute = Guarded::new(world.store("s1"), Mute);
    let agent = tokio::spawn(world.agent_with("s1", mute, state.clone(), fine()).run(std::future::pending()));
    while !fs::read_to_string(state.join("journal")).is_ok_and(|text| text.contains("finished")) {
        sleep(Duration::from_secs(1)).await;
    }
    sleep(Duration::from_mins(1)).await;
    agent.abort();
    let _ = agent.await;
    assert_eq!(world.space().peek("s1/a/url").await.unwrap(), None);
    let agent = world.start("s1", &fine());
    assert_eq!(world.read("s1/a/url", revision).await, Content::Value("x".into()));
    assert_eq!(world.ran(), ["s1/a"]);
    agent.abort();
}

#[tokio::test(start_paused = true)]
async fn a_revision_that_fails_takes_nothing_back_that_worked() {
    let mut world = World::new();
    let model = |recipe: &str| {
        json!({
            "s1": {
                "a": {"recipe": recipe, "files": {"r": "", "bad": ""}, "outputs": ["url"]},
                "b": {"outputs": ["kept"], "after": ["s1/a"]},
            },
            "s2": {"c": {"outputs": ["far"], "after": ["s1/a"]}},
        })
    };
    let work: Work = Arc::new(|job| {
        async move {
            if &*job.component.recipe.entry == "bad" {
                return Err(Broken::new(FailureKind::Recipe, "it broke".to_owned()));
            }
            Ok(job.component.outputs.keys().map(|name| (name.clone(), "x".into())).collect())
        }
        .boxed()
    });
    let first = world.apply("1", model("r")).await;
    let agents = [world.start("s1", &work), world.start("s2", &work)];
    for entry in ["s1/a/url", "s1/b/kept", "s2/c/far"] {
        assert_eq!(world.read(entry, first).await, Content::Value("x".into()));
    }
    let second = world.apply("2", model("bad")).await;
    world.failure("s1/a/url", second).await;
    // An unchanged component that only runs after `a` stays done, also on another server.
    assert_eq!(world.read("s1/b/kept", second).await, Content::Value("x".into()));
    assert_eq!(world.state_of("s1/b").await, Some(State::Done));
    assert_eq!(world.space().peek("s2/c/far").await.unwrap().unwrap().content, Content::Value("x".into()));
    assert_eq!(world.state_of("s2/c").await, Some(State::Done));
    let ran = world.ran();
    assert_eq!(ran.iter().filter(|ran| *ran == "s1/a").count(), 2, "{ran:?}");
    assert_eq!(ran.len(), 4, "{ran:?}");
    // The last good value stays beside the failure, and beside the next one.
    let third = world.apply("3", model("bad")).await;
    world.failure("s1/a/url", third.min(second)).await;
    let held = world.space().peek("s1/a/url").await.unwrap().unwrap();
    let good = held.good().unwrap();
    assert_eq!((good.revision, &good.content), (first, &Content::Value("x".into())));
    for agent in agents {
        agent.abort();
    }
}

/// `a` fails; `b`, `c` and `d` run one after another after it.
#[tokio::test(start_paused = true)]
async fn what_comes_after_what_stays_done_stays_done_too() {
    let mut world = World::new();
    let model = |a: &str, changed: &str| {
        json!({
            "s1": {
                "a": {"recipe": a, "files": {"r": "", "bad": ""}, "outputs": ["url"]},
                "b": {"outputs": ["kept"], "after": ["s1/a"]},
                "changed": {"recipe": changed, "files": {"r": "", "more": ""}, "outputs": ["other"], "after": ["s1/a"]},
            },
            "s2": {
                "c": {"outputs": ["far"], "after": ["s1/a", "s1/b"]},
                "d": {"outputs": ["last"], "after": ["s2/c"]},
            },
        })
    };
    let work: Work = Arc::new(|job| {
        async move {
            if &*job.component.recipe.entry == "bad" {
                return Err(Broken::new(FailureKind::Recipe, "it broke".to_owned()));
            }
            Ok(job.component.outputs.keys().map(|name| (name.clone(), "x".into())).collect())
        }
        .boxed()
    });
    let first = world.apply("1", model("r", "r")).await;
    let agents = [world.start("s1", &work), world.start("s2", &work)];
    for entry in ["s1/b/kept", "s1/changed/other", "s2/d/last"] {
        assert_eq!(world.read(entry, first).await, Content::Value("x".into()));
    }
    let kept = [("s1/b", "s1/b/kept"), ("s2/c", "s2/c/far"), ("s2/d", "s2/d/last")];
    let (mut revision, mut failed) = (first, None);
    for digest in ["2", "3"] {
        revision = world.apply(digest, model("bad", "more")).await;
        // A component that must run again waits for `a`, and fails with it.
        let failure = world.failure("s1/changed/other", *failed.get_or_insert(revision)).await;
        assert_eq!(&*failure.component, "s1/a", "{failure:?}");
        for (component, entry) in kept {
            assert_eq!(world.state_of(component).await, Some(State::Done), "{component}");
            assert_eq!(world.space().peek(entry).await.unwrap().unwrap().content, Content::Value("x".into()));
        }
    }
    // A restarted agent finds the same.
    let [one, other] = agents;
    one.abort();
    let _ = one.await;
    let one = world.start("s1", &work);
    sleep(Duration::from_mins(5)).await;
    for (component, _) in kept {
        assert_eq!(world.state_of(component).await, Some(State::Done), "{component}");
    }
    assert_eq!(world.ran().iter().filter(|ran| ["s1/b", "s2/c", "s2/d"].contains(&ran.as_str())).count(), 3);
    // Once `a` works again, so do the components that had to wait for it.
    let last = world.apply("4", model("r", "more")).await;
    assert!(last > revision);
    assert_eq!(world.read("s1/changed/other", last).await, Content::Value("x".into()));
    one.abort();
    other.abort();
}

/// Whether a server's disk is reported as new.
async fn is_anew(world: &World, server: &str) -> bool {
    let snapshot = StackSnapshot::read(&world.space(), None).await.unwrap();
    let troubles = &snapshot.servers[server].troubles;
    assert!(troubles.iter().all(|trouble| trouble.contains("empty disk")), "{troubles:?}");
    !troubles.is_empty()
}

#[tokio::test(start_paused = true)]
async fn a_server_that_gets_another_disk_is_reported() {
    let mut world = World::new();
    let revision = world.apply("1", two()).await;
    // Waits until the agent has begun, not until it ends.
    #[expect(clippy::async_yields_async, reason = "the task is ended later")]
    let begin = async |world: &World, folder: &str| {
        let state = world.state.path().join(folder);
        let agent = tokio::spawn(world.agent_with("s1", world.store("s1"), state, fine()).run(std::future::pending()));
        sleep(Duration::from_mins(1)).await;
        agent
    };
    let end = async |agent: tokio::task::JoinHandle<_>| {
        agent.abort();
        let _ = agent.await;
        sleep(Duration::from_mins(5)).await;
    };
    // Neither the first agent nor one that restarts in the same folder reports a new disk.
    for _ in 0..2 {
        let agent = begin(&world, "first").await;
        assert_eq!(world.read("s1/a/url", revision).await, Content::Value("x".into()));
        assert!(!is_anew(&world, "s1").await);
        end(agent).await;
    }
    assert_eq!(world.ran(), ["s1/a"]);
    // An agent in another folder reports a new disk, and still does after a restart.
    for _ in 0..2 {
        let agent = begin(&world, "rebuilt").await;
        assert!(is_anew(&world, "s1").await);
        end(agent).await;
    }
    assert_eq!(world.ran(), ["s1/a", "s1/a"]);
    // With the next revision, the disk is no longer new.
    let agent = begin(&world, "rebuilt").await;
    world.apply("2", json!({"s1": {"a": {"outputs": ["url"]}, "more": {}}, "s2": {}})).await;
    sleep(Duration::from_mins(1)).await;
    assert!(!is_anew(&world, "s1").await);
    end(agent).await;
}

#[tokio::test(start_paused = true)]
async fn one_folder_has_one_agent() {
    let mut world = World::new();
    world.apply("1", two()).await;
    let agent = world.start("s1", &fine());
    sleep(Duration::from_secs(1)).await;
    let second = world.agent("s1", &fine()).run(sleep(Duration::from_mins(1))).await.unwrap_err();
    assert!(matches!(second, AgentError::Busy { .. }), "{second}");
    agent.abort();
}

/// When an agent is killed while it starts a recipe, the forked process holds the agent's lock until it executes the
/// recipe.
#[tokio::test(start_paused = true)]
async fn a_folder_that_is_free_in_a_moment_is_waited_for() {
    let mut world = World::new();
    let revision = world.apply("1", two()).await;
    let state = world.state.path().join("s1");
    fs::create_dir_all(&state).unwrap();
    let left = fs::File::create(state.join("lock")).unwrap();
    left.lock().unwrap();
    let killed = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        drop(left);
    });
    let agent = world.start("s1", &fine());
    assert_eq!(world.read("s1/a/url", revision).await, Content::Value("x".into()));
    killed.join().unwrap();
    agent.abort();
}

/// The contents of the cached recipe files, sorted.
fn cached(state: &Path) -> Vec<String> {
    let content = |file: fs::DirEntry| fs::read_to_string(file.path()).unwrap();
    let mut all: Vec<_> = fs::read_dir(state.join("recipes")).unwrap().map(|file| content(file.unwrap())).collect();
    all.sort();
    all
}

#[tokio::test(start_paused = true)]
async fn files_of_recipes_are_kept_for_as_long_as_something_needs_them() {
    let mut world = World::new();
    let state = world.state.path().join("s1");
    let seed = |components: Value| json!({"s1": components});
    let component = |file: &str| json!({"files": {"r": file}, "outputs": ["out"]});
    let mut undone = component("undone by");
    undone["teardown"] = json!("r");
    let work: Work = Arc::new(|job| {
        async move {
            // A teardown that fails is retried, so its file is still needed.
            if job.script == Script::Teardown {
                return Err(Broken::new(FailureKind::Recipe, "not yet".into()));
            }
            outputs(&[("out", "x")])
        }
        .boxed()
    });
    let first = seed(json!({"a": component("one"), "b": component("two"), "c": undone}));
    let revision = world.apply("1", first).await;
    let agent = world.start("s1", &work);
    for name in ["a", "b", "c"] {
        world.read(&format!("s1/{name}/out"), revision).await;
    }
    assert_eq!(cached(&state), ["one", "two", "undone by"]);
    fs::write(state.join("recipes/0123.new"), "half of what an agent fetched when it died").unwrap();
    let revision = world.apply("2", seed(json!({"a": component("three")}))).await;
    world.read("s1/a/out", revision).await;
    // The file of the previous run of `a` was needed until the new run began.
    assert_eq!(cached(&state), ["one", "three", "undone by"]);
    agent.abort();
    let _ = agent.await;
    // A restarted agent in the same revision does not run `a` again, and no longer needs that file.
    let agent = world.start("s1", &work);
    sleep(Duration::from_mins(1)).await;
    assert_eq!(cached(&state), ["three", "undone by"]);
    assert_eq!(world.ran().iter().filter(|name| *name == "s1/a").count(), 2);
    agent.abort();
}

/// A small disk, unmounted on drop; `None` if mounting is not permitted.
struct Disk(PathBuf);

impl Disk {
    fn mount(at: &Path) -> Option<Self> {
        fs::create_dir_all(at).unwrap();
        let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=128k", "tmpfs"]).arg(at).output();
        mount.is_ok_and(|mount| mount.status.success()).then(|| Self(at.to_owned()))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[tokio::test(start_paused = true)]
async fn a_full_disk_loses_nothing() {
    // Longer than the free part of the journal's last block.
    let long = "x".repeat(30_000);
    let mut world = World::new();
    let revision = world.apply("1", two()).await;
    let state = world.state.path().join("s1");
    let Some(disk) = Disk::mount(&state) else {
        println!("a_full_disk_loses_nothing: left out: a disk of its own cannot be mounted here");
        return;
    };
    let filler = state.join("filler");
    let fills: Work = {
        let (filler, long) = (filler.clone(), long.clone());
        Arc::new(move |_| {
            // Fills the disk just before the agent records the end of this run.
            let _ = fs::write(&filler, vec![0; 1 << 20]);
            let long = long.clone();
            async move { outputs(&[("url", &long)]) }.boxed()
        })
    };
    let agent = world.start("s1", &fills);
    sleep(Duration::from_mins(1)).await;
    assert_eq!(world.space().peek("s1/a/url").await.unwrap(), None, "published, and not in the journal");
    let troubles = world.space().server_status("s1").await.unwrap().unwrap().troubles;
    assert!(troubles.len() == 1 && troubles[0].contains("No space left on device"), "{troubles:?}");
    fs::remove_file(&filler).unwrap();
    assert_eq!(world.read("s1/a/url", revision).await, Content::Value(long.into()));
    sleep(Duration::from_secs(10)).await;
    let troubles = world.space().server_status("s1").await.unwrap().unwrap().troubles;
    assert!(troubles.is_empty(), "{troubles:?}");
    agent.abort();
    let _ = agent.await;
    let agent = world.start("s1", &fine());
    sleep(Duration::from_mins(1)).await;
    assert_eq!(world.ran(), ["s1/a"]);
    agent.abort();
    let _ = agent.await;
    drop(disk);
}

/// An agent that was disconnected or paused may meanwhile have lost its place to another one.
#[tokio::test(start_paused = true)]
async fn who_has_waited_asks_for_its_place_before_it_begins() {
    let mut world = World::new();
    let revision = world.apply("1", two()).await;
    let gated = Guarded::new(world.store("s2"), Gate::of("/alive"));
    let late = world.agent_with("s2", gated.clone(), world.state.path().join("s2"), fine());
    let late = tokio::spawn(late.run(std::future::pending()));
    sleep(Duration::from_secs(30)).await;
    gated.guard.close(true);
    let other = world.start("s1", &fine());
    world.read("s1/a/url", revision).await;
    sleep(Duration::from_mins(5)).await;
    assert_eq!(world.ran(), ["s1/a"], "its input is there, and nobody has said that the place is its own");
    gated.guard.close(false);
    world.read("s2/b/done", revision).await;
    assert_eq!(world.ran(), ["s1/a", "s2/b"]);
    late.abort();
    other.abort();
}

/// An agent's report comes late: by then, another agent has its place and has reported something else.
#[tokio::test(start_paused = true)]
async fn who_has_lost_its_place_says_nothing_over_its_successor() {
    let mut world = World::new();
    let revision = world.apply("1", two()).await;
    let gated = Guarded::new(world.store("s1"), Gate::of("/status/s1/a"));
    let slow: Work = Arc::new(|_| sleep(Duration::from_hours(1)).map(|()| outputs(&[("url", "x")])).boxed());
    let late = world.agent_with("s1", gated.clone(), world.state.path().join("s1"), slow);
    gated.guard.close(true);
    let late = tokio::spawn(late.run(std::future::pending()));
    sleep(Duration::from_secs(30)).await;
    assert_eq!(world.ran(), ["s1/a"]);

    let space = world.space();
    let (before, over) = space.holder("s1").await.unwrap().expect("it acts for its server");
    let other = Alive { agent: Some("another".to_owned()), ..before };
    let own = world.options.credentials.get("s1").unwrap().key().login("one", "s1");
    let readable = Access::new().grant(&own.principal(), Rights::READ);
    let held = space.come_alive("s1", &other, &readable, Some(over)).await.unwrap();
    let space_of = space.desired_revision().await.unwrap().unwrap().space;
    let done =
        Status { revision, space: space_of, since: Time::EPOCH, state: State::Done, deadline: None, past: Vec::new() };
    space.set_status("s1/a", &done, &|| true).await.unwrap();
    gated.guard.close(false);
    sleep(Duration::from_mins(5)).await;
    assert_eq!(world.state_of("s1/a").await, Some(State::Done));
    drop(held);
    late.abort();
}

/// An agent's session ended, and another agent had its place for a moment.
#[tokio::test(start_paused = true)]
async fn who_has_its_place_again_says_again_how_everything_is() {
    let mut world = World::new();
    let revision = world.apply("1", two()).await;
    let agent = world.start("s1", &fine());
    world.read("s1/a/url", revision).await;
    sleep(Duration::from_secs(1)).await;
    assert_eq!(world.state_of("s1/a").await, Some(State::Done));

    let space = world.space();
    let (_, held) = space.holder("s1").await.unwrap().expect("it acts for its server");
    let said = space.status("s1/a").await.unwrap().unwrap();
    space.set_status("s1/a", &Status { state: State::Running, ..said }, &|| true).await.unwrap();
    let place = space.layout().alive("s1");
    world.memory.apply(vec![Op::Delete { path: place.clone() }]).await.unwrap();
    world.memory.changed(&place, Some(held)).await.unwrap();
    sleep(Duration::from_secs(10)).await;
    assert_eq!(world.state_of("s1/a").await, Some(State::Done));
    assert_eq!(world.ran(), ["s1/a"]);
    agent.abort();
}
